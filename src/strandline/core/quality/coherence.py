"""Do the versions shown together belong together?

Paper 004 (Ben Saad & Gancarski, DEXA 2011), definitions 4.23-4.25 and 5.21-5.24.
    paper: R(Q(t_q, A))         here: query_result      one version per page, the capture closest to t_q
    paper: [mu_j, mu_j*]        here: invariance        last change before the capture, next change after it
    paper: t_coherence          here: coherent_instant  a point that the intervals share
The coherence of a result is the largest weight of versions whose intervals share a point, over the weight of all.
("The weight of the largest number of coherent versions" is read as the largest weight; `by count` is also given.)
At replay nothing obliges us to take the versions closest to t_q itself: `best_instant` looks for the instant near
t_q around which the archive holds the most coherent set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.quality.completeness import Changes, Floats, Ints, shown_change

_COUNTS: Final = 2**22
"""Numbers of captures before instants, pages times instants, that are held at a time. Origin: a bound on memory."""

LIKELIEST: Final = 1.0 - 1e-9
"""Highest chance of what is not proved. Origin: a bound on rounding."""


@dataclass(frozen=True)
class Coherent:
    """Coherence of one query result: by weight and by count, and the instant the versions share."""

    by_weight: float
    by_count: float
    instant: float


@dataclass(frozen=True)
class Captures:
    """Captures page after page, each page's in time order: [start[i], start[i + 1])."""

    start: Ints
    time: Floats

    @staticmethod
    def of(page: Ints, time: Floats, pages: int) -> "Captures":
        """Sort loose captures into pages."""
        order = np.lexsort((time, page))
        start = np.concatenate([[0], np.cumsum(np.bincount(page, minlength=pages))]).astype(np.int64)
        return Captures(start, np.asarray(time, dtype=np.float64)[order])

    @property
    def page(self) -> Ints:
        """The page of each capture."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def coherent_weight(begin: Floats, end: Floats, weight: Floats) -> tuple[float, float]:
    """Largest weight of intervals sharing a point, and such a point (sweep over the ends; ends belong to it).

    >>> coherent_weight(np.array([0.0, 1.0, 5.0]), np.array([2.0, 3.0, 6.0]), np.array([1.0, 1.0, 1.5]))
    (2.0, 1.0)
    """
    if len(begin) == 0:
        return 0.0, float("nan")
    times = np.concatenate([begin, end])
    order = np.argsort(times, kind="stable")  # openings come before closings of the same moment
    level = np.cumsum(np.concatenate([weight, -weight])[order])
    # Only after an opening can the level be largest; rounding must not move it to a closing.
    level[order >= len(begin)] = -np.inf
    best = int(np.argmax(level))
    return float(level[best]), float(times[order[best]])


def coherence(begin: Floats, end: Floats, weight: Floats) -> Coherent:
    """Coherence of one query result (definition 5.22); an empty or weightless result is coherent.

    Example 5.21 (the paper prints 0.56):
        >>> begin = np.array([0.0, 1.0, 2.0, 7.0, 8.0])
        >>> end = np.array([5.0, 6.0, 4.0, 7.5, 9.0])
        >>> round(coherence(begin, end, np.array([0.2, 0.54, 0.34, 0.22, 0.6])).by_weight, 3)
        0.568
    """
    total = float(weight.sum())
    heaviest, instant = coherent_weight(begin, end, weight)
    most, _ = coherent_weight(begin, end, np.ones(len(begin)))
    return Coherent(
        by_weight=_share(heaviest, total),
        by_count=most / len(begin) if len(begin) else 1.0,
        instant=instant,
    )


def _share(heaviest: float, total: float) -> float:
    return min(heaviest / total, 1.0) if total > 0 else 1.0


def closest_capture(captures: Captures, instant: float) -> Ints:
    """Index of each page's capture closest to the instant (the earlier one of two equally close); -1 if none."""
    return _closest(captures, instant, _count_until(captures, instant))


def _closest(captures: Captures, instant: float, until: Ints) -> Ints:
    pages = len(captures.start) - 1
    before = captures.start[:-1] + until - 1
    first, last = captures.start[:-1], captures.start[1:] - 1
    earlier = np.clip(before, first, np.maximum(last, first))
    later = np.clip(before + 1, first, np.maximum(last, first))
    chosen = np.full(pages, -1, dtype=np.int64)
    some = last >= first
    gap = np.abs(captures.time[later[some]] - instant) < np.abs(captures.time[earlier[some]] - instant)
    chosen[some] = np.where(gap, later[some], earlier[some])
    return chosen


def _count_until(captures: Captures, instant: float) -> Ints:
    """How many captures of each page are not after the instant."""
    running = np.concatenate([[0], np.cumsum(captures.time <= instant)])
    counts: Ints = running[captures.start[1:]] - running[captures.start[:-1]]
    return counts


def _counts_until(captures: Captures, instants: Floats) -> Iterator[Ints]:
    """The same for many instants, one after another: a page's captures are searched once for many of them."""
    pages = len(captures.start) - 1
    bounds = list(pairwise(captures.start.tolist()))
    block = max(1, _COUNTS // max(pages, 1))
    for first in range(0, len(instants), block):
        asked = instants[first : first + block]
        found = [np.searchsorted(captures.time[low:high], asked, side="right") for low, high in bounds]
        yield from np.array(found, dtype=np.int64).reshape(pages, len(asked)).T


@dataclass(frozen=True)
class Shown:
    """What each capture shows: its version's interval and weight. Made once, queried often."""

    captures: Captures
    begin: Floats
    end: Floats
    weight: Floats


def shown_versions(changes: Changes, captures: Captures, page_weight: Floats, initial: float = 1.0) -> Shown:
    """Invariance interval and weight of the version of every capture; `initial` is the importance of a version
    that was there before the first known change.
    """
    page = captures.page
    index = shown_change(changes, page, captures.time)
    known = index >= 0
    begin = np.full(len(page), -np.inf)
    begin[known] = changes.time[index[known]]
    following = np.where(known, index + 1, changes.start[page])
    ends = following < changes.start[page + 1]
    end = np.full(len(page), np.inf)
    end[ends] = changes.time[following[ends]]
    value = np.full(len(page), initial)
    value[known] = changes.importance[index[known]]
    return Shown(captures, begin, end, value * page_weight[page])


def archive_coherence(shown: Shown, instants: Floats, site: Ints) -> float:
    """Mean over query times of each site's coherence, then over sites (definitions 5.23 and 5.24)."""
    sites = np.unique(site)
    members = [np.flatnonzero(site == name) for name in sites]
    found = 0.0
    for instant, until in zip(instants.tolist(), _counts_until(shown.captures, instants), strict=True):
        chosen = _closest(shown.captures, instant, until)
        for rows in members:
            picked = chosen[rows]
            picked = picked[picked >= 0]
            heaviest, _ = coherent_weight(shown.begin[picked], shown.end[picked], shown.weight[picked])
            found += _share(heaviest, float(shown.weight[picked].sum()))
    return found / max(len(instants) * len(sites), 1)


@dataclass(frozen=True)
class Evidence:
    """What the archive itself knows of its captures: no ground truth.

    `version` numbers the content (equal numbers of one page = same content); `rate` are the change rates each page may
    have, in changes per period, a row for each page, and `odds` how likely each of them is; `weight` the weight of each
    page's version; `told` are trusted change times.
    """

    captures: Captures
    version: Ints
    rate: Floats
    odds: Floats
    weight: Floats
    told: Captures | None = None


def coherent_chance(evidence: Evidence, instant: float) -> tuple[Ints, Floats]:
    """Closest captures to an instant, and the chance that each shows what was live at that instant.

    What the captures on both sides show counts, for an instant x after the one and y before the other at rate r:

        the same version      1, as at the very moment of a capture
        two versions          a change lies between: exp(-r x) (1 - exp(-r y)) / (1 - exp(-r (x + y))) for the earlier
                              one, the other way round for the later; y / (x + y) where little else changes
        two, a change told    exp(-r * distance) when the change told lies on the other side of the instant
        one side only         exp(-r * distance)

    and 0 when a change is told to lie between the capture and the instant. Rates are not known, only how likely each is
    by all captures, these among them: the chance is the mean over the rates. That of the mean rate would be too small:
    a page that differed at every look may change now and then or all the time, and the mean of both is very often.
    """
    captures = evidence.captures
    chosen = closest_capture(captures, instant)
    first, last = captures.start[:-1], captures.start[1:] - 1
    before = first + _count_until(captures, instant) - 1
    after = before + 1
    bracketed = (before >= first) & (after <= last)
    left = np.where(bracketed, before, np.maximum(first, 0))
    right = np.where(bracketed, after, left)
    held = np.zeros(len(chosen), dtype=np.bool_)
    held[bracketed] = evidence.version[left[bracketed]] == evidence.version[right[bracketed]]
    between, explained = _told(evidence, instant, chosen, np.stack([left, right]))
    away = np.zeros(len(chosen))
    away[chosen >= 0] = np.abs(captures.time[chosen[chosen >= 0]] - instant)
    held |= (chosen >= 0) & (away == 0.0)
    differ = bracketed & ~held & ~explained
    open_ended = (chosen >= 0) & ~held & ~differ
    chance = np.zeros(len(chosen))
    whole = captures.time[right[differ]] - captures.time[left[differ]]
    for rate, odds in zip(evidence.rate.T, evidence.odds.T, strict=True):
        chance[open_ended] += odds[open_ended] * np.exp(-rate[open_ended] * away[open_ended])
        chance[differ] += odds[differ] * _bridged(rate[differ], away[differ], whole)
    chance = np.where(held, 1.0, np.minimum(chance, LIKELIEST))
    chance[between] = 0.0
    return chosen, chance


def _bridged(rate: Floats, distance: Floats, whole: Floats) -> Floats:
    """Chance that nothing changed over a distance from one end of a gap in which something did.

    >>> _bridged(np.array([1e-12, 0.5, 50.0]), np.full(3, 3.0), np.full(3, 6.0)).round(3).tolist()
    [0.5, 0.182, 0.0]
    """
    some = np.maximum(-np.expm1(-rate * whole), 1e-300)
    rest = -np.expm1(-rate * (whole - distance))
    straight = 1.0 - distance / np.maximum(whole, 1e-300)
    found: Floats = np.where(rate * whole > 1e-9, np.exp(-rate * distance) * rest / some, straight)
    return found


def _told(evidence: Evidence, instant: float, chosen: Ints, ends: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pages of which a change is told between the chosen capture and the instant; between the captures around it."""
    between, explained = np.zeros(len(chosen), dtype=np.bool_), np.zeros(len(chosen), dtype=np.bool_)
    if evidence.told is None or len(evidence.told.time) == 0:
        return between, explained
    page, time, captured = evidence.told.page, evidence.told.time, evidence.captures.time
    page, time = page[chosen[page] >= 0], time[chosen[page] >= 0]
    own = captured[chosen[page]]
    between[page[(time > np.minimum(own, instant)) & (time <= np.maximum(own, instant))]] = True
    explained[page[(time > captured[ends[0, page]]) & (time <= captured[ends[1, page]])]] = True
    return between, explained


def best_among(evidence: Evidence, instants: Floats) -> tuple[float, float]:
    """The instant around which the most weight is expected to be coherent, and that expected share; the first one of
    equals. One instant at least must be given.
    """
    best, found = float(instants[0]), -1.0
    for instant in instants.tolist():
        chosen, chance = coherent_chance(evidence, instant)
        weight = np.where(chosen >= 0, evidence.weight, 0.0)
        total = float(weight.sum())
        share = float(weight @ chance) / total if total > 0 else 1.0
        if share > found + 1e-12:
            best, found = instant, share
    return best, found


def best_instant(evidence: Evidence, instant: float, reach: float, places: int = 49) -> tuple[float, float]:
    """The best of evenly spaced instants within `reach` of the one asked for; the nearest one of equals."""
    if reach < 0:
        raise ValueError(f"reach cannot be negative: {reach}")
    steps = np.linspace(-reach, reach, places) if reach > 0 else np.zeros(1)
    nearest = instant + steps[np.argsort(np.abs(steps), kind="stable")]
    return best_among(evidence, np.concatenate([[instant], nearest]))
