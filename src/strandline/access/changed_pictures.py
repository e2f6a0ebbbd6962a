"""Whether a change has pictures: both of its captures were shown in a browser that took one."""

from strandline.access.index import Holdings
from strandline.access.memento import closest
from strandline.access.pictures import has_picture

_SAME = 1.0
"""Seconds by which the time of a capture may differ from the one that is told."""


def both_pictured(holdings: Holdings, url: str, after: float, by: float) -> bool:
    """Whether a picture was kept of the captures before and after a change."""
    return all(_pictured(holdings, url, time) for time in (by, after))


def _pictured(holdings: Holdings, url: str, time: float) -> bool:
    memento = closest(holdings.index, url, time)
    if memento is None or abs(memento.capture.time - time) > _SAME:
        return False
    return memento.capture.rendering is not None and has_picture(holdings, memento.capture)
