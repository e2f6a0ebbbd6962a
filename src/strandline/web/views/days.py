"""The days of a site, or of the whole archive: captures and what they had to tell."""

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.app.browsing import Day
from strandline.web.desk import Desk
from strandline.web.views.values import DAY, Moment, level

_MOST_BARS = 120


@dataclass(frozen=True, slots=True)
class DayView:
    """A day, a week or more of a site."""

    start: Moment
    days: int
    captures: int
    unchanged: int
    errors: int
    changes: int
    important: int
    importance: float
    level: int


def days(desk: Desk, site: str, since: float = 0.0, until: float = float("inf")) -> list[DayView]:
    """The days of a site (of all for none), or stretches of several days when there are many."""
    found = desk.reading.days(site, since, until)
    if not found:
        return []
    first, last = found[0].day, found[-1].day
    width = -(-(last - first + 1) // _MOST_BARS)
    bins: dict[int, list[Day]] = {}
    for day in found:
        bins.setdefault((day.day - first) // width, []).append(day)
    return [_bin(first + number * width, width, bins.get(number, [])) for number in range((last - first) // width + 1)]


def _bin(day: int, width: int, found: list[Day]) -> DayView:
    changes = sum(one.changes for one in found)
    importance = sum(one.importance for one in found)
    return DayView(
        start=day * DAY,
        days=width,
        captures=sum(one.captures for one in found),
        unchanged=sum(one.unchanged for one in found),
        errors=sum(one.errors for one in found),
        changes=changes,
        important=sum(one.important for one in found),
        importance=importance,
        level=day_level(found),
    )


def day_level(found: Sequence[Day]) -> int:
    """Colour of the mean importance of the changes of some days; 0 without any."""
    changes = sum(one.changes for one in found)
    return level(sum(one.importance for one in found) / changes) if changes else 0
