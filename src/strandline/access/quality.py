"""How good is a live archive? Estimates with intervals per site, evidence per memento, what more requests would buy.

The measures are those of core/quality; here they are asked of what the archive holds: captures per page, which of them
show the same version, and what is believed of each page. Completeness covers the time from a page's first capture until
the end of the window (by default the archive's last capture): what changed before a page was known, or after the
archive stopped looking, is not its fault; how stale it has become meanwhile is freshness.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from strandline.access.gaps import AllSights, Believed, Hours, Said
from strandline.access.looked_at import AllPages, in_turn, looked_at
from strandline.core.beliefs.page_beliefs import NearRows, Rooms
from strandline.core.plan.aims import Aims
from strandline.core.plan.priced_kernels import Pages as PlanPages
from strandline.core.plan.shadow_price import MoreRequests, worth_of_more
from strandline.core.plan.strategy import PageTable
from strandline.core.quality.coherence import Captures, Evidence, best_instant
from strandline.core.quality.estimates import (
    Estimated,
    Memento,
    Watched,
    coherent_sums,
    coverage,
    freshness,
    mean_share,
    memento_evidence,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

INSTANTS = 24
"""Moments, evenly over the time a site was watched, at which its coherence is asked."""
SAMPLE = 10_000
"""Pages that are enough to tell what more requests would catch."""


@dataclass(frozen=True)
class Held:
    """What an archive holds and believes. Times in periods; rows are pages."""

    site: Ints
    sites: Sequence[str]
    weight: Floats
    estimate: Believed
    """What is believed of the pages, for some at a time; an Estimate of all will do."""
    sights: AllSights
    told: tuple[Ints, Floats]
    """Trusted change times: row and time."""
    barred: NDArray[np.bool_] | None = None
    """Pages that may not be fetched: without a capture they belong to the archive no more than unknown ones."""
    directory: Ints | None = None
    """Number of the directory of each page; None: those of a site are alike."""
    hours: Hours = field(default_factory=Hours)
    ended: Floats | None = None
    """When pages went away, NaN for those that did not: nothing can be missed of them afterwards."""
    said: Said = field(default_factory=Said)
    shown: AllSights | None = None
    """The same captures, a version for each difference a reader sees: only what looks the same is proved."""
    dead: NDArray[np.bool_] | None = None
    """Addresses under which there never was a page: no measure is about them."""
    aim: Ints | None = None
    """Number of the group with an objective of its own that each page belongs to, -1 for none; None: nobody does."""
    rooms: Rooms = NearRows
    """Where the rates that pages may have are to lie while they are measured."""
    hollow: Sequence[str] | None = None
    """Of each page, what it gave instead of content (core/quality/hollow.py), or nothing: its captures do not count."""

    def pages(self) -> AllPages:
        """What completeness asks of the pages."""
        directory = self.site if self.directory is None else self.directory
        ended = np.full(len(self.weight), np.nan) if self.ended is None else self.ended
        return AllPages(self.estimate, self.hours, self.site, directory, ended, self.said, self.weight, self.rooms)

    def counted(self) -> NDArray[np.bool_]:
        """Pages that measures are about."""
        seen = self.sights.counts(len(self.weight)) > 0
        living = np.ones_like(seen) if self.dead is None else ~self.dead
        return living if self.barred is None else living & (seen | ~self.barred | self.empty)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Pages that gave no content."""
        kinds = [""] * len(self.weight) if self.hollow is None else self.hollow
        return np.array([bool(kind) for kind in kinds], dtype=np.bool_)


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
    dead: int = 0
    """Dead links: addresses that were named, and under which there never was a page."""
    hollow: Counter[str] = field(default_factory=Counter)
    """Pages without content, by kind: they count as pages that were not captured."""


class Measures:
    """Measures of sites or of any pages, as of now or of another moment; with `at`, coherence is that of the moment."""

    def __init__(self, held: Held, now: float, at: float | None = None) -> None:
        self._held = held
        self._at = at
        self._now = now if at is None else at
        self._sights = held.sights.until(self._now).without(held.empty)
        self._end = self._sights.latest(self._now) if at is None else at
        self._looked = looked_at(held.pages(), self._sights, self._end)
        self._watched = self._looked.watched
        self._counted = held.counted()

    def sites(self) -> Iterator[Quality]:
        """Every site in turn."""
        order = np.argsort(self._held.site, kind="stable")
        rows_of = np.split(order, np.cumsum(np.bincount(self._held.site, minlength=len(self._held.sites)))[:-1])
        for name, rows in zip(self._held.sites, rows_of, strict=True):
            yield self.of(name, rows)

    def of(self, name: str, rows: Ints) -> Quality:
        """Some pages. Those of which none was ever captured have caught nothing."""
        dead = 0 if self._held.dead is None else int(np.count_nonzero(self._held.dead[rows]))
        rows = rows[self._counted[rows]]
        kinds = Counter() if self._held.hollow is None else Counter(self._held.hollow[row] for row in rows.tolist())
        del kinds[""]
        captures = int(self._looked.captures[rows].sum())
        if captures == 0:
            return Quality(name, len(rows), 0, Estimated(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, np.nan, np.nan, dead, kinds)
        first, last = float(self._looked.first[rows].min()), float(np.nanmax(self._watched.last[rows]))
        return Quality(
            site=name,
            pages=len(rows),
            captures=captures,
            completeness=self._completeness(rows),
            coherence=self._coherence(rows, np.linspace(first, last, INSTANTS)),
            freshness=freshness(self._watched, self._now, self._still_there(rows)),
            coverage=coverage(self._watched, rows),
            since=first,
            until=self._end,
            dead=dead,
            hollow=kinds,
        )

    def _coherence(self, rows: Ints, instants: Floats) -> float:
        """Mean over instants, or at the moment asked for; added up some pages at a time."""
        instants = instants if self._at is None else np.array([self._at])
        sums = np.zeros((2, len(instants)))
        for some in in_turn(rows, self._looked.captures):
            sums += coherent_sums(evidence_of(self._watched, self._sights, some), instants)
        return mean_share(*sums)

    def _still_there(self, rows: Ints) -> Ints:
        """Without pages that went away: their last capture can grow stale no more."""
        ended = self._held.ended
        return rows if ended is None else rows[~(ended[rows] <= self._now)]

    def _completeness(self, rows: Ints) -> Estimated:
        watched = self._watched
        if not (watched.span[rows] > 0).any():
            return Estimated(1.0, 0.0, 1.0)  # looked at once, just now: nothing can have been missed yet
        unit = watched.weight * watched.importance
        return Estimated(*self._looked.missed.share(watched.found, unit, rows))


def evidence_of(pages: Watched, sights: AllSights, rows: Ints) -> Evidence:
    """What is known of the captures of some pages alone; rows are numbered anew."""
    own = sights.some(rows)
    start = np.concatenate([[0], np.cumsum(own.counts(len(rows)))])
    return Evidence(Captures(start, own.time), own.version, *pages.rates.of(rows), pages.weight[rows])


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
    sights = (held.shown or held.sights).near(rows, at - reach, at + reach)
    own = np.array([place[row] for row in sights.row.tolist()], dtype=np.int64)
    order = np.lexsort((sights.time, own))
    captures = Captures.of(own, sights.time, len(rows))
    believed = held.estimate.of(rows)
    kept = np.isin(held.told[0], rows)
    told_to = np.array([place[row] for row in held.told[0][kept].tolist()], dtype=np.int64)
    told = Captures.of(told_to, held.told[1][kept], len(rows))
    facts = (believed.rates, believed.odds, held.weight[rows])
    evidence = Evidence(captures, sights.version[order], *facts, told)
    found = [
        Memento(int(rows[memento.page]), memento.captured, memento.evidence, memento.chance)
        for memento in memento_evidence(evidence, at, told)
    ]
    return Shown(found, *best_instant(evidence, at, reach))


def worth_of_requests(held: Held, aims: Aims, visits: float, more: float) -> MoreRequests:
    """What `more` visits a period on top of `visits` would catch, at the best even spacing of every page.

    Of a large archive every n-th page stands for n.
    """
    some = slice(None, None, max(1, len(held.weight) // SAMPLE))
    weight, aim = held.weight[some], -1 if held.aim is None else held.aim[some]
    count = len(weight)
    found = aims.value(PageTable.of(count, weight=weight, aim=aim), np.arange(count), held.estimate.of(some))
    pages = PlanPages(
        **found._asdict(),
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
