"""What happens in the month, and when: the one place to change it.

Hours are those of the month as a whole (30 days); a shorter run has the same events at the same parts of it. Weeks 2
and 4 have the same share of trouble, so that they can be compared: what happens once is in weeks 1 and 3, and what it
leaves behind would show in week 4.
"""

from dataclasses import dataclass

DAY = 24.0
WEEK = 168.0
MONTH = 720.0
"""Hours of the month as a whole."""
BEGUN_BY = "ddf0a5b^"
"""The commit whose package begins the archive: the last one whose catalogs have format 13."""


@dataclass(frozen=True)
class Event:
    """Something that happens at an hour, for some hours (0: a moment)."""

    hour: float
    what: str
    lasting: float = 0.0
    where: int = 0
    """Number of the site it happens to."""
    much: float = 0.0
    """How much: hours a clock is set by, requests an hour, and the like."""


def _weekly(hour, what, lasting=0.0, where=0, weeks=(0, 1, 2, 3)):
    return [Event(week * WEEK + hour, what, lasting, where) for week in weeks]


TIMELINE = sorted(
    [
        # Each week: trouble that comes and goes.
        *_weekly(0.2, "redesign", weeks=(1, 2, 3, 4)),
        *_weekly(3.5 * DAY, "reset", 6.0, where=1),
        *_weekly(3.5 * DAY, "unavailable", 6.0, where=2),
        *_weekly(3.5 * DAY, "hanging", 6.0, where=3),
        *_weekly(1.0 * DAY, "log rotated"),
        *_weekly(5.0 * DAY, "log rotated"),
        # Week 1.
        Event(2.0 * DAY, "upgrade"),
        Event(2.6 * DAY, "budget", 24.0, much=0.5),
        Event(4.2 * DAY, "kill -9"),
        Event(6.7 * DAY, "settings with a mistake", 4.0),
        Event(5.3 * DAY, "clock", 12.0, much=+3.0),
        Event(6.0 * DAY, "clock", 12.0, much=-2.0),
        # Week 2.
        Event(9.0 * DAY, "kill -9"),
        Event(12.5 * DAY, "restart"),
        # Week 3.
        Event(14.3 * DAY, "certificate expired", 30.0),
        Event(14.5 * DAY, "robots forbid", 48.0, where=4),
        Event(15.0 * DAY, "robots unavailable", 12.0, where=5),
        Event(15.6 * DAY, "reserve reached", 5.0),
        Event(16.0 * DAY, "kill -9"),
        Event(16.6 * DAY, "disk full", 4.0),
        Event(14.2 * DAY, "worker killed"),
        Event(17.6 * DAY, "kill -9"),
        Event(17.61 * DAY, "receiver away", 8.0),
        Event(18.8 * DAY, "clock while stopped", 14.0, much=+26.0),
        Event(19.7 * DAY, "clock while stopped", 10.0, much=-5.0),
        Event(20.4 * DAY, "kill -9"),
        # Week 4.
        Event(23.0 * DAY, "kill -9"),
        Event(26.5 * DAY, "restart"),
        # The days that are left.
        Event(28.7 * DAY, "kill -9"),
    ],
    key=lambda event: event.hour,
)
SUMMER = (5.0 * DAY, 19.5 * DAY)
"""Between these hours the zone of the machine has summer time: an hour is left out, and one comes twice."""


def timeline(hours, once=False):
    """What happens in a run of so many hours: the same things at the same parts of it, lasting the same part of it.
    With `once` only the first of each kind: to start a watch again takes seconds, however short a month is.
    """
    part = hours / MONTH
    chosen = {event.what: event for event in reversed(TIMELINE)}.values() if once else TIMELINE
    return sorted(
        (Event(one.hour * part, one.what, one.lasting * part, one.where, one.much) for one in chosen),
        key=lambda event: event.hour,
    )
