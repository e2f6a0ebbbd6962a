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

    def until(self, end: float) -> "Sights":
        """Only the captures up to a moment."""
        kept = self.time <= end
        return Sights(self.row[kept], self.time[kept], self.version[kept])


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

    def of_site(self, number: int) -> Ints:
        """Rows of a site."""
        return np.flatnonzero(self.site == number)


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


def site_qualities(held: Held, now: float, at: float | None = None) -> Iterator[Quality]:
    """Measures of every site in turn. With `at`, as of that moment, and coherent at it."""
    for number, name in enumerate(held.sites):
        yield quality(held, name, held.of_site(number), now, at)


def quality(held: Held, name: str, rows: Ints, now: float, at: float | None = None) -> Quality:
    """Measures of some pages. A site none of whose pages was ever captured has caught nothing."""
    end = now if at is None else at
    part = held.sights.until(end)
    if at is None and len(part.time):
        end = float(part.time.max())
    watched = _watched(held, part, end)
    mine = np.isin(part.row, rows)
    if not mine.any():
        nothing = Estimated(0.0, 0.0, 1.0 if len(rows) == 0 else 0.0)
        return Quality(name, len(rows), 0, nothing, 0.0, 0.0, 0.0, float("nan"), float("nan"))
    times = part.time[mine]
    whole = completeness_estimate(watched, rows)
    if np.isnan(whole.value):
        whole = Estimated(1.0, 0.0, 1.0)  # looked at once, just now: nothing can have been missed yet
    instants = np.array([at]) if at is not None else np.linspace(times.min(), times.max(), INSTANTS)
    moment = now if at is None else at
    return Quality(
        site=name,
        pages=len(rows),
        captures=int(mine.sum()),
        completeness=_ordered(whole),
        coherence=coherence_estimate(_evidence(held, part, rows), instants),
        freshness=freshness(watched, moment, rows),
        coverage=coverage(watched, rows),
        since=float(times.min()),
        until=end,
    )


def _ordered(found: Estimated) -> Estimated:
    """Within 0..1 and in order, whatever rounding did."""
    value = min(max(found.value, 0.0), 1.0)
    return Estimated(value, min(max(found.low, 0.0), value), max(min(found.high, 1.0), value))


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


def _evidence(held: Held, sights: Sights, rows: Ints) -> Evidence:
    """What is known of the captures of some pages alone; rows are numbered anew."""
    place = np.full(len(held.weight), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    kept = place[sights.row] >= 0
    captures = Captures.of(place[sights.row[kept]], sights.time[kept], len(rows))
    return Evidence(captures, sights.version[kept], held.estimate.mean_rate[rows], held.weight[rows])


@dataclass(frozen=True)
class Shown:
    """What would be replayed for an instant: a memento per page (by row), and a better instant nearby."""

    mementos: list[Memento]
    instant: float
    share: float
    """Share of weight expected to have been live together at that instant."""


def shown_at(held: Held, rows: Ints, at: float, reach: float) -> Shown:
    """Evidence of each memento shown for an instant, and the most coherent instant within reach of it."""
    evidence = _evidence(held, held.sights, rows)
    row, time = held.told
    place = np.full(len(held.weight), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    kept = place[row] >= 0
    told = Captures.of(place[row[kept]], time[kept], len(rows))
    found = [
        Memento(int(rows[memento.page]), memento.captured, memento.evidence, memento.chance)
        for memento in memento_evidence(evidence, at, told)
    ]
    return Shown(found, *best_instant(evidence, at, reach))


def worth_of_requests(held: Held, worth: Worth, visits: float, more: float) -> MoreRequests:
    """What `more` visits a period on top of `visits` would catch, at the best even spacing of every page."""
    estimate, count = held.estimate, len(held.weight)
    flat = worth.objective in ("count", "content")
    importance = np.ones_like(estimate.importance) if flat else estimate.importance
    weight = np.ones(count) if worth.objective == "count" else held.weight
    pages = Pages(
        rate=estimate.rate,
        importance=importance,
        level=estimate.level,
        value=worth.node_values(estimate, weight),
        mean_rate=estimate.mean_rate,
        mean_importance=np.ones(count) if flat else estimate.mean_importance,
        last=np.zeros(count),
        phase=np.full(count, 0.5),
        stretch=np.ones(count),
        price=np.zeros(count),
        slow=np.zeros(count, dtype=np.bool_),
        cycle=np.zeros(1, dtype=np.int64),
    )
    return worth_of_more(pages, visits, more)
