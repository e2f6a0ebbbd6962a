"""How good is a live archive? Estimates with intervals per site, evidence per memento, what more requests would buy.

The measures are those of core/quality; here they are asked of what the archive holds: captures per page, which of them
show the same version, and what is believed of each page. Completeness covers the time from a page's first capture until
the end of the window (by default the archive's last capture): what changed before a page was known, or after the
archive stopped looking, is not its fault; how stale it has become meanwhile is freshness.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.learn.estimate import Estimate
from strandline.core.plan.objective import Worth
from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.shadow_price import MoreRequests, worth_of_more
from strandline.core.quality.coherence import Captures, Evidence, best_instant
from strandline.core.quality.estimates import (
    Estimated,
    Memento,
    Watched,
    coherence_estimate,
    completeness_estimate,
    coverage,
    freshness,
    memento_evidence,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INSTANTS = 24
"""Moments, evenly over the time a site was watched, at which its coherence is asked."""
ALWAYS = 0.9
"""Share of captures that found a change from which on the rate of a page is open-ended."""
SAMPLE = 10_000
"""Pages that are enough to tell what more requests would catch."""


@dataclass(frozen=True)
class Sights:
    """Captures as columns, by page and time; `version` counts the versions of a page that captures showed."""

    row: Ints
    time: Floats
    version: Ints

    @staticmethod
    def of(row: Ints, time: Floats, changed: NDArray[np.bool_]) -> "Sights":
        """Sort captures by page and time and number the versions.

        >>> sights = Sights.of(np.array([1, 0, 0]), np.array([3.0, 2.0, 1.0]), np.array([False, True, False]))
        >>> sights.row.tolist(), sights.time.tolist(), sights.version.tolist()
        ([0, 0, 1], [1.0, 2.0, 3.0], [0, 1, 1])
        """
        order = np.lexsort((time, row))
        return Sights(row[order], time[order], np.cumsum(changed[order]))

    def near(self, rows: Ints, begin: float, end: float) -> "Sights":
        """Only the captures of some pages in a stretch of time, and one on each side of it, found by bisection.

        >>> sights = Sights.of(np.zeros(5, np.int64), np.arange(5.0), np.zeros(5, np.bool_))
        >>> sights.near(np.array([0, 7]), 1.5, 2.5).time.tolist()
        [1.0, 2.0, 3.0]
        """
        first = np.searchsorted(self.row, rows)
        last = np.searchsorted(self.row, rows, side="right")
        kept = []
        for low, high in zip(first.tolist(), last.tolist(), strict=True):
            times = self.time[low:high]
            start = max(low + int(np.searchsorted(times, begin)) - 1, low)
            stop = min(low + int(np.searchsorted(times, end, side="right")) + 1, high)
            kept.append(np.arange(start, stop))
        chosen = np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)
        return Sights(self.row[chosen], self.time[chosen], self.version[chosen])

    def until(self, end: float) -> "Sights":
        """Only the captures up to a moment."""
        kept = self.time <= end
        return self if kept.all() else Sights(self.row[kept], self.time[kept], self.version[kept])

    def of_pages(self, rows: Ints) -> tuple[Ints, Ints]:
        """Places of the captures of some pages, page after page, and where those of each page start among them.

        Costs by the captures of these pages, not by all: it is asked for every site of an archive.

        >>> sights = Sights.of(np.array([0, 2, 2, 3]), np.arange(4.0), np.zeros(4, np.bool_))
        >>> [found.tolist() for found in sights.of_pages(np.array([1, 2, 3]))]
        [[0, 0, 2, 3], [1, 2, 3]]
        """
        first = np.searchsorted(self.row, rows)
        counts = np.searchsorted(self.row, rows, side="right") - first
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return start, np.arange(start[-1]) + np.repeat(first - start[:-1], counts)


@dataclass(frozen=True)
class Held:
    """What an archive holds and believes. Times in periods; rows are pages."""

    site: Ints
    sites: Sequence[str]
    weight: Floats
    estimate: Estimate
    sights: Sights
    told: tuple[Ints, Floats]
    """Trusted change times: row and time."""
    barred: NDArray[np.bool_] | None = None
    """Pages that may not be fetched: without a capture they belong to the archive no more than unknown ones."""
    interval: tuple[Floats, Floats] | None = None
    """Rates between which each page's rate lies with a chance of 90 %, changes a period."""

    def counted(self) -> NDArray[np.bool_]:
        """Pages that measures are about."""
        seen = np.bincount(self.sights.row, minlength=len(self.weight)) > 0
        return np.ones_like(seen) if self.barred is None else seen | ~self.barred


@dataclass(frozen=True)
class Quality:
    """The measures of a site, or of the whole archive; `since` and `until` bound what completeness is about."""

    site: str
    pages: int
    captures: int
    completeness: Estimated
    coherence: float
    freshness: float
    coverage: float
    since: float
    until: float


class Measures:
    """Measures of sites or of any pages, as of now or of another moment; with `at`, coherence is that of the moment."""

    def __init__(self, held: Held, now: float, at: float | None = None) -> None:
        self._held = held
        self._at = at
        self._now = now if at is None else at
        self._sights = held.sights.until(self._now)
        last = float(self._sights.time.max()) if len(self._sights.time) else self._now
        self._end = last if at is None else at
        self._watched = _watched(held, self._sights, self._end)
        self._ends = _rate_ends(held, self._watched, self._sights)
        self._counted = held.counted()

    def sites(self) -> Iterator[Quality]:
        """Every site in turn."""
        order = np.argsort(self._held.site, kind="stable")
        rows_of = np.split(order, np.cumsum(np.bincount(self._held.site, minlength=len(self._held.sites)))[:-1])
        for name, rows in zip(self._held.sites, rows_of, strict=True):
            yield self.of(name, rows)

    def of(self, name: str, rows: Ints) -> Quality:
        """Some pages. Those of which none was ever captured have caught nothing."""
        rows = rows[self._counted[rows]]
        evidence = evidence_of(self._held, self._watched.rate, self._sights, rows)
        times = evidence.captures.time
        if len(times) == 0:
            return Quality(name, len(rows), 0, Estimated(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, np.nan, np.nan)
        instants = np.linspace(times.min(), times.max(), INSTANTS) if self._at is None else np.array([self._at])
        return Quality(
            site=name,
            pages=len(rows),
            captures=len(times),
            completeness=whole_share(self._watched, rows, self._ends),
            coherence=coherence_estimate(evidence, instants),
            freshness=freshness(self._watched, self._now, rows),
            coverage=coverage(self._watched, rows),
            since=float(times.min()),
            until=self._end,
        )


def whole_share(watched: Watched, rows: Ints, ends: tuple[Floats, Floats]) -> Estimated:
    """Completeness of some pages. Counting noise averages out over many pages, errors of their rates may not: the
    interval also holds what follows when all rates are at the low, or all at the high end of what is believed (`ends`).

    A page that changed at every visit has an open-ended rate; hence the middle of belief, not its mean.
    """
    found = completeness_estimate(watched, rows)
    if np.isnan(found.value):
        return Estimated(1.0, 0.0, 1.0)  # looked at once, just now: nothing can have been missed yet
    unit = watched.weight[rows] * watched.importance[rows]
    caught, span = watched.found[rows], watched.span[rows]
    middle = watched.rate[rows] * np.median(watched.level[rows], axis=1)
    got = float(unit @ caught)
    low, value, high = (
        float(unit @ np.maximum(rate * span, caught)) for rate in (ends[1][rows], middle, ends[0][rows])
    )
    if not high > 0:
        return Estimated(min(max(found.value, 0.0), 1.0), 0.0, 1.0)
    share = float(np.clip(got / value, 0.0, 1.0))
    return Estimated(
        share,
        float(np.clip(min(found.low, got / low), 0.0, share)),
        float(np.clip(max(found.high, got / high), share, 1.0)),
    )


def _rate_ends(held: Held, watched: Watched, sights: Sights) -> tuple[Floats, Floats]:
    """Low and high end of what is believed of each page's rate, for errors that all pages share.

    Of most pages these are the means of the lowest and the highest third of belief. A page found changed at (almost)
    every capture is known by its prior only, and pages of a site share their prior: there it is the whole interval.
    """
    rates = np.sort(watched.rate[:, None] * watched.level, axis=1)
    if held.interval is None:
        return rates[:, 0], rates[:, -1]
    captures = np.bincount(sights.row, minlength=len(watched.rate)) - 1
    always = (captures > 0) & (watched.found >= ALWAYS * captures)
    low, high = held.interval
    return np.where(always, low, rates[:, 0]), np.where(always, high, rates[:, -1])


def _watched(held: Held, sights: Sights, end: float) -> Watched:
    count = len(held.weight)
    first, last = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(first, sights.row, sights.time)
    np.maximum.at(last, sights.row, sights.time)
    new = np.concatenate([[False], (np.diff(sights.row) == 0) & (np.diff(sights.version) > 0)])[: len(sights.row)]
    seen = np.isfinite(last)
    return Watched(
        weight=held.weight,
        importance=held.estimate.mean_importance,
        rate=held.estimate.mean_rate,
        level=held.estimate.level,
        odds=held.estimate.odds,
        found=np.bincount(sights.row[new], minlength=count).astype(np.float64),
        span=np.where(seen, end - np.where(seen, first, 0.0), 0.0),
        last=np.where(seen, last, np.nan),
        site=held.site,
    )


def evidence_of(held: Held, rate: Floats, sights: Sights, rows: Ints) -> Evidence:
    """What is known of the captures of some pages alone; rows are numbered anew."""
    start, own = sights.of_pages(rows)
    return Evidence(Captures(start, sights.time[own]), sights.version[own], rate[rows], held.weight[rows])


@dataclass(frozen=True)
class Shown:
    """What would be replayed for an instant: a memento per page (by row), and a better instant nearby."""

    mementos: list[Memento]
    instant: float
    share: float
    """Share of weight expected to have been live together at that instant."""


def shown_at(held: Held, rows: Ints, at: float, reach: float) -> Shown:
    """Evidence of each memento shown for an instant, and the most coherent instant within reach of it.

    `rows` are the pages shown together, numbered as in `held`; `at` and `reach` are in periods. Of each page only the
    captures within reach of the instant and one on each side of them are looked at, so that one view costs by what it
    shows, not by what the archive holds. A `held` of just these pages is enough. Of instants that are equally coherent
    the nearest to `at` is given; `Shown.share` is the weight expected to have been live together then.
    """
    place = {row: number for number, row in enumerate(rows.tolist())}
    sights = held.sights.near(rows, at - reach, at + reach)
    own = np.array([place[row] for row in sights.row.tolist()], dtype=np.int64)
    order = np.lexsort((sights.time, own))
    captures = Captures.of(own, sights.time, len(rows))
    rate = held.estimate.rate[rows].astype(np.float64) @ held.estimate.share
    evidence = Evidence(captures, sights.version[order], rate, held.weight[rows])
    kept = np.isin(held.told[0], rows)
    told_to = np.array([place[row] for row in held.told[0][kept].tolist()], dtype=np.int64)
    found = [
        Memento(int(rows[memento.page]), memento.captured, memento.evidence, memento.chance)
        for memento in memento_evidence(evidence, at, Captures.of(told_to, held.told[1][kept], len(rows)))
    ]
    return Shown(found, *best_instant(evidence, at, reach))


def worth_of_requests(held: Held, worth: Worth, visits: float, more: float) -> MoreRequests:
    """What `more` visits a period on top of `visits` would catch, at the best even spacing of every page.

    Of a large archive every n-th page stands for n.
    """
    every = max(1, len(held.weight) // SAMPLE)
    estimate = held.estimate
    rate, importance = estimate.rate[::every], estimate.importance[::every]
    count = len(rate)
    sample = Estimate(rate, importance, estimate.level[::every], estimate.odds[::every], estimate.share)
    flat = worth.objective in ("count", "content")
    weight = np.ones(count) if worth.objective == "count" else held.weight[::every]
    pages = Pages(
        rate=rate,
        importance=np.ones_like(importance) if flat else importance,
        level=sample.level,
        value=worth.node_values(sample, weight),
        mean_rate=sample.mean_rate,
        mean_importance=np.ones(count) if flat else sample.mean_importance,
        last=np.zeros(count),
        phase=np.full(count, 0.5),
        stretch=np.ones(count),
        price=np.zeros(count),
        slow=np.zeros(count, dtype=np.bool_),
        shift=np.zeros(count, dtype=np.int64),
        cycle=np.zeros(1, dtype=np.int64),
        fading=np.zeros(1),
    )
    share = count / max(len(held.weight), 1)
    return worth_of_more(pages, visits * share, more * share)
