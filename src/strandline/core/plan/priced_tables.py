"""The tables a priced plan works on, kept in step with the pages: what is believed of each, and what it is worth.

A plain page table is compared as a whole; of a live one (live_pages.py) only the rows that changed are looked at.
"""

from collections.abc import Callable

import numpy as np

from strandline.core.beliefs.estimate import Estimate
from strandline.core.beliefs.page_beliefs import Rooms
from strandline.core.growing import GrowingTable
from strandline.core.plan.aims import Aims
from strandline.core.plan.away_patterns import PATTERNS, AwayPatterns
from strandline.core.plan.knowledge import Knowledge
from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.minutes import fast_first, places
from strandline.core.plan.priced_kernels import Pages, evaluate
from strandline.core.plan.sibling_value import SiblingValue
from strandline.core.plan.strategy import Floats, PageTable, Rows

GOLDEN = 0.618033988749895
"""Steps of this part of the period never meet. Origin: a definition, the golden ratio."""
NARROW = 0.02
"""Part of the period that a site has at least for pages that come later. Origin: a guess."""
AT_ONCE = 8_192
"""Pages whose worth is worked out together. Origin: a bound on memory."""
NOBODY = np.empty(0, dtype=np.int64)


class PricedTables:
    """One row per page. `slow_below` (changes a period) parts the pages that need no plan."""

    def __init__(self, knowledge: Knowledge, aims: Aims, lasting: float, slow_below: float, fast_first: bool) -> None:
        self.rooms: Callable[[int], Rooms | None] = lambda _: None
        """Where patterns of so many pages lie, if not in memory."""
        self._away: AwayPatterns | None = None
        self._knowledge = knowledge
        self.aims = aims
        self._lasting = lasting
        self._slow_below = slow_below
        self._fast_first = fast_first
        self._store: GrowingTable[Pages] | None = None
        self._weight = np.empty(0)
        self._span: dict[int, tuple[float, float]] = {}
        self.live: LivePages | None = None
        self.sibling_value = SiblingValue()
        self.sites = 0
        self.visits = 1.0
        """That a period may make."""

    def __len__(self) -> int:
        return 0 if self._store is None else len(self._store)

    @property
    def rows(self) -> Pages:
        """The tables."""
        assert self._store is not None
        return self._store.rows

    def follow(self, table: PageTable, now: float) -> tuple[bool, Rows]:
        """Catch up with the pages: whether everything was made anew, and the rows that are new or changed."""
        live = self.live is not None and table is self.live.table
        news = self.live.take_news() if live and self.live is not None else NOBODY
        same = len(self) == len(table) if not live else 0 < len(self) <= len(table)
        if not same or not (live or np.array_equal(self._weight, table.weight)):
            self._make(table)
            self._set_last(np.arange(len(table)), table, now)
            return True, np.arange(len(table))
        if not live:
            self._set_last(np.arange(len(table)), table, now)
            return False, NOBODY
        if len(table) > len(self):
            self._append(table)
        if len(news):
            self._set_last(news, table, now)
            self.renew(table, news)
        return False, news

    def _set_last(self, rows: Rows, table: PageTable, now: float) -> None:
        last = table.last_visit[rows]
        self.rows.last[rows] = np.where(np.isnan(last), np.nan, np.minimum(last, now))

    def _make(self, table: PageTable) -> None:
        self._knowledge.grow(table)
        self.aims.forget()
        self.sibling_value = SiblingValue()
        self._weight = table.weight.copy()
        self.sites = len(np.unique(table.site))
        every, rooms = np.arange(len(table)), self.rooms(len(table))
        estimate = self._knowledge.estimate(every[:1])
        self._away = None if rooms is None else AwayPatterns(rooms, estimate.rate.shape[1])
        self._store = GrowingTable(
            self._blank(table, every, np.full(len(table), 0.5), estimate),
            fixed=("cycle", "fading", *(PATTERNS if self._away else ())),
        )
        # What groups with an objective of their own get is settled by all pages.
        for some in [every] if self.aims.are_many else np.split(every, range(AT_ONCE, len(every), AT_ONCE)):
            self._value(table, some, self._knowledge.estimate(some))
        self._believe(table, every)
        self.place(table)

    def place(self, table: PageTable) -> None:
        """Give every page its place in the period, by what is believed of its rate now."""
        rate = self.rows.mean_rate
        if self._fast_first:
            self.rows.phase[:] = fast_first(table, rate, self._slow_below, self.visits)
        else:
            self.rows.phase[:] = places(table, rate, self._slow_below)
        names, site = np.unique(table.site, return_inverse=True)
        first, last = np.ones(len(names)), np.zeros(len(names))
        np.minimum.at(first, site, self.rows.phase)
        np.maximum.at(last, site, self.rows.phase)
        self._span = dict(zip(names.tolist(), zip(first.tolist(), last.tolist(), strict=True), strict=True))

    def _append(self, table: PageTable) -> None:
        """New pages of a live table."""
        assert self._store is not None
        self._knowledge.grow(table)
        rows = np.arange(len(self), len(table))
        phase = np.array(
            [self._new_place(*pair) for pair in zip(table.site[rows].tolist(), rows.tolist(), strict=True)]
        )
        estimate = self._knowledge.estimate(rows)
        self._store.append(self._blank(table, rows, phase, estimate))
        self._write(table, rows, estimate)

    def _blank(self, table: PageTable, rows: Rows, phase: Floats, estimate: Estimate) -> Pages:
        count, bins, nodes = len(rows), estimate.rate.shape[1], estimate.level.shape[1]
        near = 0 if self._away else count
        return Pages(
            rate=np.zeros((near, bins), dtype=np.float32),
            importance=np.zeros((near, bins), dtype=np.float32),
            level=np.ones((count, nodes)),
            value=np.zeros((count, nodes)),
            mean_rate=np.zeros(count),
            mean_importance=np.zeros(count),
            last=table.last_visit[rows],
            phase=phase,
            stretch=np.ones(count),
            price=np.zeros(count),
            slow=np.zeros(count, dtype=np.bool_),
            shift=table.shift[rows],
            cycle=np.asarray(self._knowledge.cycle, dtype=np.int64),
            fading=np.array([1.0 / self._lasting]),
        )

    def _new_place(self, site: int, row: int) -> float:
        """The place of a page that came later: among the pages of its site."""
        if site not in self._span:
            start = (site * GOLDEN) % 1.0
            self._span[site] = start, start
            self.sites += 1
        first, last = self._span[site]
        return (first + max(last - first, NARROW) * ((row * GOLDEN) % 1.0)) % 1.0

    def renew(self, table: PageTable, rows: Rows) -> None:
        """Take what is believed of some pages now."""
        self._write(table, rows, self._knowledge.estimate(rows))

    def _write(self, table: PageTable, rows: Rows, estimate: Estimate) -> None:
        self._value(table, rows, estimate)
        self._believe(table, rows)

    def _value(self, table: PageTable, rows: Rows, estimate: Estimate) -> None:
        pages, found = self.rows, self.aims.value(table, rows, estimate)
        if self._away is None:
            pages.rate[rows], pages.importance[rows] = found.rate, found.importance
        else:
            self._away.put(rows, found.rate, found.importance)
        pages.level[rows], pages.value[rows] = found.level, found.value
        pages.mean_rate[rows], pages.mean_importance[rows] = found.mean_rate, found.mean_importance
        pages.slow[rows] = pages.mean_rate[rows] < self._slow_below

    def evaluated(self, rows: Rows, period: int, horizon: int) -> tuple[Floats, Floats, Floats]:
        """Advantage of a fetch now, pending value and periods until due of some pages."""
        if self._away is None:
            return evaluate(self.rows, rows, period, horizon)
        return evaluate(self._away.of(self.rows, rows), np.arange(len(rows)), period, horizon)

    def _believe(self, table: PageTable, rows: Rows) -> None:
        self.sibling_value.believe(self.rows, rows, table.directory[rows], self._knowledge.together(rows))
