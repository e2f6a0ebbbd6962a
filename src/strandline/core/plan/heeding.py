"""Heeding signals: pages that are said to have changed come first, as far as their site's word is good.

For strategies that know nothing of signals; the priced plan takes them as the age of a page (signals.py). A signal
costs nothing, and a fetch after a true one finds a change for sure. Each signal that was open when its page was fetched
was right or wrong:

    trust of a site                    (right + 1) / (right + wrong + 2)
    worth of a signalled page          trust * weight * mean importance of the page's changes

The mean importance leans on the one of all changes. A signal is followed where it is right more often than the other
visits find something (and at least `least` of the time): where more is signalled than can be fetched, and half of it
wrongly, following all of it is worse than following none. The worthiest are fetched first, up to half of a budget;
the strategy inside plans the rest, and learns from all fetches.
"""

from collections.abc import Sequence

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.strategy import (
    Choice,
    Floats,
    Learner,
    Outcomes,
    PageTable,
    Rows,
    Strategy,
    Visit,
    choose,
    visits,
)

LEAST_TRUST = 0.4
"""Trust below which a site's word is not acted on. Origin: a guess, the one of a watch (plan/outlook.py)."""
MEMORY = 0.01
"""Weight of the newest unsignalled visit in the part of them that found something. Origin: a guess."""
LEAN = 2.0
"""Changes by which a page's mean importance leans on the one of all. Origin: a guess."""


class Heeding:
    """A strategy that also acts on signals."""

    def __init__(self, inner: Strategy, least: float = LEAST_TRUST) -> None:
        self._inner = inner
        self._least = least
        self._open: Floats = np.empty(0)
        self._changes: Floats = np.empty(0)
        self._importance: Floats = np.empty(0)
        self._usual = 1.0
        """Part of the visits without a signal that found something, lately."""
        self._right: dict[int, float] = {}
        self._wrong: dict[int, float] = {}

    @property
    def name(self) -> str:
        """The name of the strategy inside, marked."""
        return f"{self._inner.name}-heeding"

    def _grow(self, count: int) -> None:
        more = count - len(self._open)
        if more > 0:
            self._open = np.concatenate([self._open, np.full(more, np.nan)])
            self._changes = np.concatenate([self._changes, np.zeros(more)])
            self._importance = np.concatenate([self._importance, np.zeros(more)])

    def hear(self, pages: PageTable, rows: Rows, times: Floats) -> None:
        """Signals came."""
        self._grow(len(pages))
        self._open[rows] = times

    def trust(self, site: int) -> float:
        """Part of the signals of a site that is right."""
        right, wrong = self._right.get(site, 0.0), self._wrong.get(site, 0.0)
        return (right + 1.0) / (right + wrong + 2.0)

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Fetches show whether signals were right; the strategy inside learns."""
        self._grow(len(pages))
        heard = ~np.isnan(self._open[outcomes.row])
        for row, changed in zip(outcomes.row[heard], outcomes.changed[heard], strict=True):
            book = self._right if changed else self._wrong
            book[int(pages.site[row])] = book.get(int(pages.site[row]), 0.0) + 1.0
        for found in outcomes.changed[~heard]:
            self._usual += MEMORY * (float(found) - self._usual)
        self._open[outcomes.row] = np.nan
        changed = outcomes.changed
        np.add.at(self._changes, outcomes.row[changed], 1.0)
        np.add.at(self._importance, outcomes.row[changed], outcomes.importance[changed])
        if isinstance(self._inner, Learner):
            self._inner.observe(pages, outcomes)

    def _worth(self, pages: PageTable) -> Floats:
        """What each signalled page is worth; minus infinity for the others."""
        self._grow(len(pages))
        rows = np.flatnonzero(~np.isnan(self._open[: len(pages)]))
        trust = np.array([self.trust(int(site)) for site in pages.site[rows]])
        mean = (self._importance.sum() + 1.0) / (self._changes.sum() + 1.0)
        importance = (self._importance[rows] + LEAN * mean) / (self._changes[rows] + LEAN)
        worth = np.full(len(pages), -np.inf)
        worth[rows] = np.where(trust >= max(self._least, self._usual), trust * pages.weight[rows] * importance, -np.inf)
        return worth

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """Signalled pages, then what the strategy inside wants."""
        inner = choose(self._inner, pages, budget, now)
        worth = self._worth(pages)
        signalled = np.isfinite(worth)
        if not signalled.any():
            return inner
        score = np.full(len(pages), -np.inf)
        score[inner.rows] = -1.0 - np.arange(len(inner.rows))
        score[signalled] = worth[signalled]
        most = max(1, budget.visits // 2)  # the others show what a visit without a signal finds
        dropped = np.argsort(-worth, kind="stable")[most:]
        score[dropped] = np.where(score[dropped] >= 0.0, -np.inf, score[dropped])
        score[inner.rows] = np.maximum(score[inner.rows], -1.0 - np.arange(len(inner.rows)))
        rows = spend(score, budget, pages)
        rows = rows[np.isfinite(score[rows])]
        urgency = np.zeros(len(pages))
        urgency[inner.rows] = inner.urgency
        urgency[signalled] = worth[signalled]
        moment = None
        if inner.moment is not None:
            place = np.full(len(pages), np.nan)
            place[inner.rows] = inner.moment
            spread = (np.arange(len(rows)) + 0.5) / max(len(rows), 1)
            moment = np.where(np.isnan(place[rows]), spread, place[rows])
        return Choice(rows, urgency[rows], moment)

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The same with reasons."""
        signalled = np.isfinite(self._worth(pages))
        usual = {visit.page: visit for visit in self._inner.plan(pages, budget, now)}
        choice = self.choose(pages, budget, now)
        reasons = [
            "said to have changed since its last visit"
            if signalled[row]
            else usual[int(pages.page[row])].reason
            if int(pages.page[row]) in usual
            else "its turn"
            for row in choice.rows
        ]
        return visits(choice, pages, now, reasons)
