"""After how many hours of a watch parts of pages are asked for again: requisites, sitemaps and feeds.

What says well what has changed is worth more than the visit it takes the place of, so sitemaps and feeds that are
mostly right are asked often: with a twentieth of all requests for all of them together, of which there may be one, or
hundreds on as many sites; with a tenth for those that had news when they were asked last. Everything else is asked
again after as long as it has not changed.
"""

from typing import Final

from strandline.core.capture import Kind

_DAY: Final = 24.0
"""Hours. Origin: a unit."""
_AGAIN: Final = {Kind.FEED: (2.0, 24.0), Kind.SITEMAP: (6.0, 96.0), Kind.REQUISITE: (48.0, 1440.0)}
"""Hours after which a part of pages that has just changed, and one that never does, is looked at again.
Origin: a guess."""
_ROBOTS: Final = (_DAY, _DAY)
_OFTEN: Final = 20.0
"""Requests, at most one of which is for a sitemap or feed that says well what has changed. Origin: a guess."""
_LIVELY: Final = 10.0
"""The same for those that were others when they were asked last.
Origin: measured, make demo: it catches 72 % of the changes, 65 % at 20."""
_SOONEST: Final = 1.0
"""Hours. Origin: a guess."""


class PartsAgain:
    """Knows which sitemaps and feeds tell well, of those that were read since a watch began.

    >>> parts = PartsAgain()
    >>> parts.hours(Kind.FEED, 7, unchanged_for=0.0, tells=True, an_hour=2.0)
    5.0
    >>> parts.hours(Kind.FEED, 8, unchanged_for=3.0, tells=True, an_hour=2.0)
    20.0
    >>> parts.hours(Kind.REQUISITE, 9, unchanged_for=0.0, tells=False, an_hour=2.0)
    48.0
    """

    def __init__(self) -> None:
        self._telling: set[int] = set()

    def hours(
        self, kind: Kind, page: int, *, unchanged_for: float, tells: bool, an_hour: float, among: int = 0
    ) -> float:
        """Until a part is asked for again that has not changed for some hours, 0 if it just did; whether its word is
        mostly right; so many requests an hour may be made, by this watch and others, `among` whose sitemaps and feeds
        so many tell well.
        """
        least, most = _AGAIN.get(kind, _ROBOTS)
        if not tells:
            self._telling.discard(page)
            return min(max(unchanged_for, least), most)
        self._telling.add(page)
        often = _OFTEN if unchanged_for else _LIVELY
        return min(max(_SOONEST, often * max(len(self._telling), among) / max(an_hour, 1e-9)), most)
