"""Signals in the priced plan: what sitemaps, feeds or pings say makes a page older, or younger, than time does.

A page changes at rate r; a part of its changes is signalled, and a part `false` of all signals is wrong. A time t after
its last visit, with k signals since, nothing is pending with chance

    exp(-(1 - recall) r t) false^k

so a signal ages the page as much as -ln(false) expected changes do, and silence makes it age at the rate of unsignalled
changes only. From when on nothing could be heard any more until the visit, it ages as ever. A site that signals at
random (false near 1) moves nothing. The idea of an effective age is that of GREEDY-NCIS
(core/rivals/greedy_ncis.py), whose aim is another one.

How good the signals of a site are shows when its pages are visited. One that was open is right or wrong by itself only
where nothing changed; where something did, as likely as a change of that page without a signal is not.

Beliefs of rates are learned as ever, which takes pages for faster that are visited because of signals. Teaching them
that nothing changed before the first signal gained .004 in made-up worlds with good signals, and lost .02 to .04 on
news, whose changes come more evenly than chance has it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.strategy import Floats, Outcomes, PageTable, Rows

MOST = 8.0
"""Signals of a page that are told apart; more say the same. Origin: a bound on rounding."""
FASTEST = 1e4
"""Times faster, at most, than time itself a page ages. Origin: a bound on rounding."""
QUIET = 0.75
"""Part of the usual ageing of a page below which a reason tells that its site is silent. Origin: a guess."""
_SHORT = 1.0
"""Age, at least, of a page that a signal makes older. Origin: a bound on rounding."""
_LEAST = 1e-9
"""Of rates, ages and chances. Origin: a bound on rounding."""


@dataclass
class SiteSignals:
    """Of one site: signals that were right and wrong, as far as can be told, and changes without one. Each begins with
    one that nobody saw. `told` are the right ones about pages whose silence says something.

    >>> site = SiteSignals()
    >>> for _ in range(8): site.visited(1.0, 0.0, changed=True)
    >>> round(site.recall, 2), round(site.false, 2)
    (0.9, 0.1)
    """

    right: float = 1.0
    wrong: float = 1.0
    unsaid: float = 1.0
    told: float = 1.0

    @property
    def recall(self) -> float:
        """Part of the changes that are signalled."""
        return self.told / (self.told + self.unsaid)

    @property
    def false(self) -> float:
        """Part of the signals that are wrong."""
        return self.wrong / (self.right + self.wrong)

    def visited(self, heard: float, expected: float, changed: bool, listened: bool = True, others: float = 0.0) -> None:
        """A page with so many open signals, of which so many changes without one were to be expected, was visited;
        whether the site was listened to for its changes. `others` are signals of another source, as the expected
        changes they are as good as.
        """
        if not changed:
            self.wrong += heard
            return
        some = max(1.0 - self.false**heard * float(np.exp(-expected - others)), _LEAST)
        right = min(heard, heard * (1.0 - self.false) / some)
        self.right += right
        self.wrong += heard - right
        if listened:
            self.told += right
            self.unsaid += expected / some if heard else max(1.0, expected / some)


def as_changes(false: Floats | float, number: Floats | float) -> Floats:
    """Expected changes that so many signals are as good as, a part `false` of which is wrong."""
    found: Floats = -np.log(np.maximum(false, _LEAST)) * np.minimum(number, MOST)
    return found


class Heard(NamedTuple):
    """Of pages: signals since the last visit, how good those of the site are, and until when it was listened to."""

    number: Floats
    recall: Floats
    false: Floats
    until: Floats

    @property
    def said(self) -> Floats:
        """Expected changes that the signals are as good as."""
        return as_changes(self.false, self.number)

    def quiet(self, last: Floats, moment: Floats) -> Floats:
        """Time since the last visit in which unheard changes may have happened, the rest of it counted less."""
        age = np.maximum(moment - last, 0.0)
        deaf = np.clip(moment - self.until, 0.0, age)
        return (1.0 - self.recall) * (age - deaf) + deaf


class Signals(Protocol):
    """Who hears signals and knows how good they are."""

    def news(self) -> Rows:
        """Pages that are taken for older than when this was asked last."""

    def heard(self, rows: Rows, period: int) -> Heard | None:
        """What was heard of pages until a period; None when nothing ever was."""

    def observe(self, pages: PageTable, outcomes: Outcomes, tables: Pages) -> None:
        """Visits showed what signals were worth; `tables` as they were before."""


@contextmanager
def aged(signals: Signals, pages: Pages, rows: Rows, period: int) -> Iterator[None]:
    """Pages as old as signals make them, meanwhile."""
    heard = signals.heard(rows, period)
    if heard is None:
        yield
        return
    kept = pages.stretch[rows], pages.last[rows]
    # A page that was visited in this very period has no age that could be stretched.
    latest = period + pages.phase[rows] - np.where(heard.number > 0, _SHORT, 0.0)
    pages.stretch[rows] = stretched(pages, rows, period, heard)
    pages.last[rows] = np.where(heard.number > 0, np.minimum(kept[1], latest), kept[1])
    try:
        yield
    finally:
        pages.stretch[rows], pages.last[rows] = kept


def stretched(pages: Pages, rows: Rows, period: int, heard: Heard) -> Floats:
    """How much faster than time pages age until their moment of a period, given how fast they do without signals
    (`pages.stretch`).
    """
    moment, before = period + pages.phase[rows], pages.stretch[rows]
    age = np.maximum(moment - pages.last[rows], np.where(heard.number > 0, _SHORT, 1e-3))
    changes = np.maximum(pages.mean_rate[rows], _LEAST) * before
    quiet = np.where(age <= 1e-3, age, heard.quiet(pages.last[rows], moment))
    found = quiet / age * before + heard.said * before / np.maximum(changes * age, _LEAST)
    return np.where(np.isnan(age), before, np.minimum(found, FASTEST))


def told(signals: Signals, pages: Pages, rows: Rows, period: int) -> str:
    """What signals, or their silence, say of one page, for a reason."""
    heard = signals.heard(rows, period)
    if heard is None:
        return ""
    if heard.number[0]:
        right = f"which is right {1.0 - heard.false[0]:.0%} of the time"
        return f"its site, {right}, says that it has changed since the last visit; "
    moment = period + pages.phase[rows]
    if heard.quiet(pages.last[rows], moment)[0] < QUIET * (moment - pages.last[rows])[0]:
        silence = f"whose silence speaks against {heard.recall[0]:.0%} of the changes"
        return f"its site, {silence}, told of none since the last visit; "
    return ""


class SignalBook:
    """Signals that are open, by page, and how good those of each site are; one that does not listen has none."""

    def __init__(self, listens: bool = False) -> None:
        self._listens = listens
        self._heard: Floats = np.empty(0)
        self._sites: dict[int, SiteSignals] = {}
        self._table: PageTable | None = None
        self._news: list[Rows] = []

    def hear(self, pages: PageTable, rows: Rows) -> None:
        """Signals came."""
        if not self._listens:
            return
        self._grow(pages)
        np.add.at(self._heard, rows, 1.0)
        for site in np.unique(pages.site[rows]).tolist():
            self._sites.setdefault(site, SiteSignals())
        self._news.append(rows)

    def _grow(self, pages: PageTable) -> None:
        self._table = pages
        if (more := len(pages) - len(self._heard)) > 0:
            self._heard = np.concatenate([self._heard, np.zeros(more)])

    def news(self) -> Rows:
        """See Signals."""
        found = np.unique(np.concatenate([*self._news, np.empty(0, dtype=np.int64)]))
        self._news = []
        return found

    def quality(self, rows: Rows) -> tuple[Floats, Floats]:
        """Recall, and part of the signals that is wrong, by page; a site that was never heard of has neither."""
        if self._table is None:
            return np.zeros(len(rows)), np.ones(len(rows))
        return by_site(self._table.site[rows], lambda site: self._sites.get(site))

    def heard(self, rows: Rows, period: int) -> Heard | None:
        """See Signals: it is listened until the period begins."""
        if not self._sites:
            return None
        return Heard(self._heard[rows], *self.quality(rows), np.full(len(rows), float(period)))

    def observe(self, pages: PageTable, outcomes: Outcomes, tables: Pages) -> None:
        """See Signals."""
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


def by_site(sites: Rows, of: Callable[[int], SiteSignals | None]) -> tuple[Floats, Floats]:
    """Recall, and part of the signals that is wrong, given the site of each page; one never heard of has neither."""
    names, place = np.unique(sites, return_inverse=True)
    found = [of(name) for name in names.tolist()]
    recall = np.array([site.recall if site else 0.0 for site in found])
    false = np.array([site.false if site else 1.0 for site in found])
    return recall[place], false[place]
