"""Signals in the priced plan: what sitemaps, feeds or pings say makes a page older, or younger, than time does.

A page changes at rate r; a part of its changes is signalled, and a part `false` of all signals is wrong. A time t after
its last visit, with k signals since, nothing is pending with chance

    exp(-(1 - recall) r t) false^k

so a signal ages the page as much as -ln(false) expected changes do, and silence makes it age at the rate of unsignalled
changes only. Where nothing can be heard any more until the visit, the rest of this period, it ages as ever. A site that
signals at random (false near 1) moves nothing. The idea of an effective age is that of GREEDY-NCIS
(core/rivals/greedy_ncis.py), whose aim is another one.

How good the signals of a site are shows when its pages are visited. One that was open is right or wrong by itself only
where nothing changed; where something did, as likely as a change of that page without a signal is not.

Beliefs of rates are learned as ever, which takes pages for faster that are visited because of signals. Teaching them
that nothing changed before the first signal gained .004 in made-up worlds with good signals, and lost .02 to .04 on
news, whose changes come more evenly than chance has it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.strategy import Floats, Outcomes, PageTable, Rows

MOST = 8.0
"""Signals of a page that are told apart; more say the same. Origin: a bound on rounding."""
FASTEST = 1e4
"""Times faster, at most, than time itself a page ages. Origin: a bound on rounding."""
_LEAST = 1e-9
"""Of rates, ages and chances. Origin: a bound on rounding."""


@dataclass
class SiteSignals:
    """Of one site: signals that were right and wrong, as far as can be told, and changes without one. Each begins with
    one that nobody saw.

    >>> site = SiteSignals()
    >>> for _ in range(8): site.visited(1.0, 0.0, changed=True)
    >>> round(site.recall, 2), round(site.false, 2)
    (0.9, 0.1)
    """

    right: float = 1.0
    wrong: float = 1.0
    unsaid: float = 1.0

    @property
    def recall(self) -> float:
        """Part of the changes that are signalled."""
        return self.right / (self.right + self.unsaid)

    @property
    def false(self) -> float:
        """Part of the signals that are wrong."""
        return self.wrong / (self.right + self.wrong)

    def visited(self, heard: float, expected: float, changed: bool) -> None:
        """A page with so many open signals, of which so many changes without one were to be expected, was visited."""
        if not changed:
            self.wrong += heard
            return
        some = max(1.0 - self.false**heard * float(np.exp(-expected)), _LEAST)
        right = min(heard, heard * (1.0 - self.false) / some)
        self.right += right
        self.wrong += heard - right
        self.unsaid += expected / some if heard else max(1.0, expected / some)


class SignalBook:
    """Signals that are open, by page, and how good those of each site are; one that does not listen has none."""

    def __init__(self, listens: bool = False) -> None:
        self._listens = listens
        self._heard: Floats = np.empty(0)
        self._sites: dict[int, SiteSignals] = {}
        self._table: PageTable | None = None

    def hear(self, pages: PageTable, rows: Rows) -> Rows:
        """Signals came; the pages that are taken for older, each once."""
        if not self._listens:
            return rows[:0]
        self._grow(pages)
        np.add.at(self._heard, rows, 1.0)
        for site in np.unique(pages.site[rows]).tolist():
            self._sites.setdefault(site, SiteSignals())
        return np.unique(rows)

    def _grow(self, pages: PageTable) -> None:
        self._table = pages
        if (more := len(pages) - len(self._heard)) > 0:
            self._heard = np.concatenate([self._heard, np.zeros(more)])

    def quality(self, rows: Rows) -> tuple[Floats, Floats]:
        """Recall, and part of the signals that is wrong, by page; a site that was never heard of has neither."""
        if self._table is None:
            return np.zeros(len(rows)), np.ones(len(rows))
        names, place = np.unique(self._table.site[rows], return_inverse=True)
        sites = [self._sites.get(name) for name in names.tolist()]
        recall = np.array([site.recall if site else 0.0 for site in sites])
        false = np.array([site.false if site else 1.0 for site in sites])
        return recall[place], false[place]

    @contextmanager
    def aged(self, pages: Pages, rows: Rows, period: int) -> Iterator[None]:
        """Pages as old as signals make them, meanwhile."""
        if not self._sites:
            yield
            return
        kept = pages.stretch[rows]
        pages.stretch[rows] = self.stretch(pages, rows, period)
        try:
            yield
        finally:
            pages.stretch[rows] = kept

    def stretch(self, pages: Pages, rows: Rows, period: int) -> Floats:
        """How much faster than time pages age until their moment of a period, given how fast they do without signals
        (`pages.stretch`).
        """
        recall, false = self.quality(rows)
        age = np.maximum(period + pages.phase[rows] - pages.last[rows], 1e-3)
        deaf = np.minimum(pages.phase[rows], age)
        changes = np.maximum(pages.mean_rate[rows], _LEAST) * pages.stretch[rows]
        said = -np.log(np.maximum(false, _LEAST)) * np.minimum(self._heard[rows], MOST)
        found = ((1.0 - recall) * (age - deaf) + deaf) / age * pages.stretch[rows]
        found += said * pages.stretch[rows] / np.maximum(changes * age, _LEAST)
        return np.where(np.isnan(age), pages.stretch[rows], np.minimum(found, FASTEST))

    def observe(self, pages: PageTable, outcomes: Outcomes, tables: Pages) -> None:
        """Visits showed what signals were worth; `tables` as they were before."""
        if not self._sites:
            return
        self._grow(pages)
        rows = outcomes.row
        recall, _ = self.quality(rows)
        gone = np.nan_to_num(outcomes.time - pages.last_visit[rows])
        expected = (1.0 - recall) * tables.mean_rate[rows] * np.maximum(gone, 0.0)
        heard = np.minimum(self._heard[rows], MOST)
        for row, some, many, changed in zip(rows.tolist(), heard, expected, outcomes.changed, strict=True):
            if site := self._sites.get(int(pages.site[row])):
                site.visited(float(some), float(many), bool(changed))
        self._heard[rows] = 0.0
