"""When an address that answered 404 or 410 is asked for again: rarely, and ever more rarely.

    a page that was there before     a second answer confirms it; then after hours, in case it comes back
    an address a feed has named      after hours: feeds name articles a little before they are there
    any other address                a dead link: after a week; sites keep hundreds of them
    a seed                           somebody asked for it: at every pass, in a watch every day at first

Each time the pause grows to twice as long as the address has been known to be absent.
"""

from typing import Final

_HOURS: Final = 6.0
"""Hours after which a page that is gone is asked for again, and a dead link that a feed named. Origin: a guess."""
_WEEK: Final = 168.0
"""Hours after which any other dead link is. Origin: a unit."""
_DAY: Final = 24.0
"""Hours after which a dead seed is. Origin: a unit."""
_LONGEST_GONE: Final = 1440.0
"""Hours, two months, after which a page that is gone is asked for at the latest. Origin: a guess."""
_LONGEST_DEAD: Final = 4380.0
"""Hours, half a year, after which a dead link is. Origin: a guess."""
_GROWTH: Final = 2.0
"""Times longer than it has been away that it is left alone. Origin: a guess."""


def hours_until_asked(absent: float, lived: bool, via: str) -> float:
    """Hours until an address is asked for again that has been absent for so many. `lived`: there was a page once;
    `via`: how the address was first found.

    >>> [hours_until_asked(absent, False, "link") for absent in (0, 168, 504, 10_000)]
    [168.0, 336.0, 1008.0, 4380.0]
    >>> [hours_until_asked(absent, True, "link") for absent in (0, 6, 18)], hours_until_asked(0, False, "feed")
    ([6.0, 12.0, 36.0], 6.0)
    """
    if lived:
        least, most = _HOURS, _LONGEST_GONE
    else:
        least, most = {"feed": _HOURS, "seed": _DAY}.get(via, _WEEK), _LONGEST_DEAD
    return min(max(_GROWTH * absent, least), most)
