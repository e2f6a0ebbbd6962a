"""When does a site depart from its own normal? Alarms that open once, explain themselves and close by themselves.

Nobody is asked for thresholds. A *signal* is measured again and again: the share of visits in trouble (gone, refused,
unreachable, collapsed), or a number of pages. What is *normal* is learned from the signal's own recent past by robust
statistics (median, and the median absolute deviation as spread), so that a bad day does not shape it. An observation
is *strange* when it is worse than the normal by clearly more than chance and habit explain, and worse than everything
seen lately. An alarm opens at the second strange observation in a row and closes at the second that is not, or when
what was strange has lasted so long that it is the normal now. There is none before a normal is known.

    spread of a share p of n visits    sqrt(MAD^2 + p (1 - p) / n): habit and chance
    strange                            beyond median + max(4 * spread, floor), and beyond the worst of the window; for
                                       shares twice as far after 8 observations, a sixth farther after 48; three
                                       quarters of the way from the median to all visits are always beyond
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

Change = Literal["", "opens", "closes", "settles"]

COLD: Final = 8
"""Observations before anything can be strange. Origin: a guess."""
WINDOW: Final = 48
"""Observations the normal is learned from. Origin: a guess."""
SETTLED: Final = 24
"""Strange observations in a row that make a new normal. Origin: a guess."""
LEAST_VISITS: Final = 10
"""Visits a share needs to mean anything. Origin: a guess."""
_SPREADS: Final = 4.0
"""Spreads from the normal that are strange. Origin: a guess."""
_UNKNOWN: Final = 8.0
"""A spread learned from as few observations as this may be half of what it is. Origin: a guess."""
_NEARLY_ALL: Final = 0.75
"""Of the way from the normal share to all visits: strange, however wide few and uneven observations make the spread.
Origin: a guess."""
_NORMAL_MAD: Final = 1.4826
"""Makes the median absolute deviation of normal noise its standard deviation. Origin: a definition, statistics."""


@dataclass(frozen=True, slots=True)
class Signal:
    """What is measured, and how an alarm on it is told."""

    name: str
    what: str
    """Completes "normally ... of the visits", or of the pages."""
    share: bool = True
    """A share of visits, where more is worse; otherwise a number of pages, where less is worse."""
    floor: float = 0.25
    """Differences smaller than this never matter: of the share, or relative to the normal number."""
    least: float = 0.0
    """Normal numbers below this say nothing."""


GONE: Final = Signal("gone", "answer that the page is gone")
REFUSED: Final = Signal("refused", "are refused (401, 403, 429)")
UNREACHABLE: Final = Signal("unreachable", "get no answer or an error of the server")
COLLAPSE: Final = Signal("collapse", "show a page that lost most of what it said")
SMALLER: Final = Signal("smaller", "pages that are there", share=False, floor=0.3, least=10.0)
"""A site that has fewer pages: by three tenths, where there were ten at least. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Point:
    """One observation: a share of `visits`, or a number."""

    value: float
    visits: int = 0
    strange: bool = False


@dataclass(frozen=True, slots=True)
class Normal:
    """What the recent past was like."""

    median: float
    spread: float
    worst: float
    count: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What an observation means."""

    strange: bool
    change: Change
    normal: Normal | None
    """None while too little is known."""


def normal_of(past: Sequence[Point], signal: Signal) -> Normal | None:
    """The normal, from observations in time order; strange ones do not count.

    >>> normal_of([Point(0.0, 20)] * 7 + [Point(0.1, 20)], GONE)
    Normal(median=0.0, spread=0.0, worst=0.1, count=8)
    >>> normal_of([Point(0.0, 20)] * 7, GONE) is None
    True
    """
    values = [point.value for point in past if not point.strange][-WINDOW:]
    if len(values) < COLD:
        return None
    middle = median(values)
    spread = _NORMAL_MAD * median(abs(value - middle) for value in values)
    return Normal(middle, spread, max(values) if signal.share else min(values), len(values))


def is_strange(point: Point, normal: Normal, signal: Signal) -> bool:
    """Whether an observation is worse than the normal by more than chance and habit explain.

    >>> usual = Normal(0.02, 0.01, 0.1, 30)
    >>> is_strange(Point(0.2, 20), usual, GONE), is_strange(Point(0.6, 20), usual, GONE)
    (False, True)
    >>> is_strange(Point(0.6, 3), usual, GONE)  # three visits say little
    False
    >>> is_strange(Point(60.0), Normal(100.0, 2.0, 95.0, 30), SMALLER)
    True
    """
    if not signal.share:
        margin = max(_SPREADS * normal.spread, signal.floor * normal.median)
        return normal.median >= signal.least and point.value < min(normal.median - margin, normal.worst)
    if point.visits < LEAST_VISITS:
        return False
    likely = min(max(normal.median, 1.0 / (point.visits + 2.0)), 0.5)
    spread = float((normal.spread**2 + likely * (1.0 - likely) / point.visits) ** 0.5)
    spreads = _SPREADS * (1.0 + _UNKNOWN / normal.count)
    margin = min(max(spreads * spread, signal.floor), _NEARLY_ALL * (1.0 - normal.median))
    return point.value > max(normal.median + margin, normal.worst)


def judge(past: Sequence[Point], point: Point, signal: Signal, is_open: bool) -> Judged:
    """Judge an observation against the ones before it; `is_open` says whether its alarm is open.

    >>> calm, storm = [Point(0.0, 20)] * 10, Point(0.9, 20)
    >>> first = judge(calm, storm, REFUSED, is_open=False)
    >>> first.strange, first.change
    (True, '')
    >>> judge([*calm, Point(0.9, 20, strange=True)], storm, REFUSED, is_open=False).change
    'opens'
    """
    normal = normal_of(past, signal)
    if normal is None:
        return Judged(False, "", None)
    strange = is_strange(point, normal, signal)
    before = past[-1].strange
    if not is_open:
        return Judged(strange, "opens" if strange and before else "", normal)
    if strange:
        lasting = len(past) >= SETTLED - 1 and all(one.strange for one in past[-(SETTLED - 1) :])
        return Judged(True, "settles" if lasting else "", normal)
    return Judged(False, "" if before else "closes", normal)


def explanation(signal: Signal, point: Point, normal: Normal) -> str:
    """Why an alarm opened, with the normal it departs from.

    >>> explanation(REFUSED, Point(1.0, 40), Normal(0.0, 0.0, 0.05, 30))
    '100 % of the last 40 visits are refused (401, 403, 429); normally 0 %, and at most 5 % in the last 30 observations'
    >>> explanation(SMALLER, Point(12.0), Normal(190.0, 3.0, 184.0, 30))
    '12 pages that are there; normally 190, and at least 184 in the last 30 observations'
    """
    if not signal.share:
        return (
            f"{point.value:.0f} {signal.what}; normally {normal.median:.0f}, and at least {normal.worst:.0f} in the "
            f"last {normal.count} observations"
        )
    return (
        f"{100 * point.value:.0f} % of the last {point.visits} visits {signal.what}; normally "
        f"{100 * normal.median:.0f} %, and at most {100 * normal.worst:.0f} % in the last {normal.count} observations"
    )
