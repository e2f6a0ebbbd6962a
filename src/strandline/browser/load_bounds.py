"""How far a load goes, and what is done with a page."""

from dataclasses import dataclass, replace
from typing import Final, Self

from strandline.core.logins import Cookies, no_cookies

_EMPTY_PAGE: Final = 1.0
"""Seconds within which a browser has opened an empty page. Origin: measured, .3 to .8 on two idle cores."""
_SLOWEST: Final = 6.0
"""Times that a slow machine gives a page longer, at most. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a load ends, whatever the page wants. Times in seconds, sizes in bytes."""

    seconds: float = 45.0
    """For everything."""
    loading: float = 20.0
    """Until the page says that it is loaded."""
    settling: float = 8.0
    """Until nothing more comes, once it is."""
    idle: float = 0.5
    """Without any request: nothing more comes."""
    hang: float = 10.0
    """Without an answer of the browser: it hangs."""
    requests: int = 400
    octets: int = 64 << 20
    memory: int = 1536 << 20
    """Of all processes of the browser."""

    def where_opening_took(self, seconds: float) -> Self:
        """On a machine where an empty page took so long to open: no page is cut for what others do there, and none
        can make itself more time.
        """
        pace = min(max(seconds / _EMPTY_PAGE, 1.0), _SLOWEST)
        return replace(
            self,
            seconds=self.seconds * pace,
            loading=self.loading * pace,
            settling=self.settling * pace,
            hang=self.hang * pace,
        )


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is done with a page, and kept of it."""

    more: bool = False
    """Click what says "load more"."""
    screenshots: bool = False
    width: int = 1366
    height: int = 1024
    cookies: Cookies = no_cookies
    """Of logins: each page begins with them."""
