"""The priced plan: fetch a page when catching it now is worth more than the price of a fetch and than waiting.

One number, the price of a fetch, makes all pages independent of each other. For each page the plan looks ahead over a
horizon of periods and knows what the best later captures would bring; the advantage of a capture now is what it brings,
less its price, plus the future after it, less the best future without it. The pages of largest advantage are fetched,
and the price rises when more pages want a fetch than the budget allows. The idea is the Lagrangian relaxation of a
crawl with a budget (Eckstein, Gal & Reiner 2008 plan single pages so); patterns and importance: papers 001 and 004.

Small archives are scanned in each period; large ones keep due times in a timing wheel (due_pages.py): a decision costs
the same whatever the size. At work on a live table (`follow`) nothing at all is done for each page of it, neither when
deciding nor when captures come in or pages are added.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from strandline.core.beliefs.page_beliefs import Rooms
from strandline.core.growing import GrowingTable, with_room
from strandline.core.plan.aims import Aims
from strandline.core.plan.budget import Budget, SomeCosts, spend
from strandline.core.plan.due_pages import LATE, DuePages, look_again, put_off
from strandline.core.plan.knowledge import Knowledge
from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.longest_gap import LongestGap
from strandline.core.plan.minutes import Settling
from strandline.core.plan.objective import Objective, Worth
from strandline.core.plan.priced_kernels import Pages, Plans, plan_rows, scan
from strandline.core.plan.priced_tables import NOBODY, PricedTables
from strandline.core.plan.renewal import Renewal
from strandline.core.plan.running_price import RunningPrice, sampled
from strandline.core.plan.signals import SignalBook, Signals, aged, told
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Rows, Visit, visits
from strandline.core.plan.timing_wheel import Chains

EVENLY = 0.5
"""Part of the gain of a site fetched together that its pages share evenly.
Origin: measured, twenty synthetic sites, docs/planning.md."""
SIBLINGS = 16
"""Pages of a directory among which the one to look at next is picked. Origin: a bound on time."""
STIRRED, OVER = 0.02, 1.02
"""Chance of a burst from which on a page is watched for it, and how much faster it ages until it is over.
Origin: a guess."""
ROUNDS = 5
"""Times more pages are looked at when caps leave too few. Origin: a guess."""


class _Found(NamedTuple):
    """Pages that were looked at: advantage of a fetch now, pending value, periods until due."""

    rows: Rows
    advantage: Floats
    value: Floats
    wait: Floats

    def joined(self, more: "_Found") -> "_Found":
        return _Found(*(np.concatenate(pair) for pair in zip(self, more, strict=True)))


@dataclass(frozen=True)
class PricedPlanSettings:
    """`coherence` is the dial beta: how much of its pending value a page gains when its site is being fetched. Under
    `slow_below` (changes a period) even spacing is as good as a plan. Archives of more than `scan_up_to` pages use the
    timing wheel. `periods_per_day` says how often shared knowledge is renewed at least. `fast_first`: fast pages lie at
    the turn of the period (minutes.py), not in the middle of their site. `gap` is the longest one between two visits of
    a page. `aims` are the objectives of groups that have their own (aims.py).
    """

    worth: Worth = field(default_factory=Worth)
    coherence: float = 0.0
    horizon: int = 96
    price_step: float = 0.03
    slow_below: float = 2.0 / 168.0
    scan_up_to: int = 30_000
    periods_per_day: int = 24
    fast_first: bool = True
    gap: LongestGap = field(default_factory=LongestGap)
    aims: tuple[Objective, ...] = ()

    def __post_init__(self) -> None:
        if self.coherence < 0 or self.horizon < 2 or self.price_step <= 0:
            raise ValueError("coherence must not be negative, horizon at least 2, price step above 0")


class PricedPlan:
    """The default strategy. The same object serves `watch` and `simulate`."""

    def __init__(self, knowledge: Knowledge, settings: PricedPlanSettings | None = None, name: str = "") -> None:
        self._knowledge = knowledge
        self.settings = settings or PricedPlanSettings()
        self._name = name or "priced-plan"
        self._price = RunningPrice(self.settings.price_step, self.settings.periods_per_day)
        self._renewal = Renewal(self.settings.periods_per_day)
        self._settling = Settling()
        worth, fast_first = self.settings.worth, self.settings.fast_first
        self.aims = Aims(worth, self.settings.aims)
        self._tables = PricedTables(knowledge, self.aims, worth.lasting, self.settings.slow_below, fast_first)
        self._plans: GrowingTable[Plans] | None = None
        self._stale = self._stirred = NOBODY
        self._due: DuePages | None = None
        self._renewed = np.zeros(0, dtype=np.int32)
        """The renewal that each page was looked at after; 0 for none."""
        self._again = 1.0
        self._siblings = Chains()
        self._signals: Signals = SignalBook()

    @property
    def name(self) -> str:
        """The name users select it by."""
        return self._name

    @property
    def price(self) -> float:
        """Of a fetch, now."""
        return self._price.now

    @property
    def knowledge(self) -> Knowledge:
        """What the plan believes of pages."""
        return self._knowledge

    def follow(self, live: LivePages, rooms: Callable[[int], Rooms | None] = lambda _: None) -> None:
        """Be at work on a live table from now on: what changes in it is told, not searched for. `rooms` say where
        patterns of so many pages lie, if not in memory.
        """
        few = self.settings.scan_up_to  # these are looked through with all that is known of them
        self._tables.live, self._tables.rooms = live, lambda count: rooms(count) if count > few else None

    def heed(self, signals: Signals | None = None) -> "PricedPlan":
        """Take notice of signals from now on: of those that somebody else hears, or of what it is told (Listener)."""
        self._name += "" if signals else "-heeding"
        self._signals = signals or SignalBook(listens=True)
        return self

    def hear(self, pages: PageTable, rows: Rows, times: Floats) -> None:
        """Signals came (Listener)."""
        if isinstance(self._signals, SignalBook):
            self._signals.hear(pages, rows)

    def renew(self) -> None:
        """What is believed of pages has moved: look at all of them anew at the next decision."""
        self._renewal.ask()
        self._renewed[:] = 0

    def agree(self, price: float) -> None:
        """Plan at a price that was found elsewhere: these pages are a part of what one budget is for."""
        self._price.agree(price)

    def longest_gap(self, budget: Budget) -> float:
        """Periods that a page may be unseen at most."""
        return self.settings.gap.bound(len(self._tables), budget.of_period)

    def demand(self, prices: Floats) -> Floats:
        """Visits a period that all pages want at each of these prices. To be asked after `ready` or a decision."""
        return self._price.demand(self._tables.rows, prices)

    # Keeping step -------------------------------------------------------------------------------------------

    def ready(self, table: PageTable, budget: Budget, now: float) -> Pages:
        """Catch up with the pages, the day and the budget; nothing is decided."""
        self._tables.visits = budget.of_period
        self._catch_up(table, now)
        self._renew(table, now)
        if self._price.due(now):
            if self._due is not None:
                self._tables.renew(table, sampled(len(table)))
            self._price.check(self._tables.rows, budget)
        self._price.start(self._tables.rows, budget)
        self._again = look_again(len(table), budget.of_period)
        if self._due is not None and len(self._stale):
            self._due.expect(self._tables.rows, self._stale, self.price, now)
            self._stale = NOBODY
        if len(heard := self._signals.news()) and self._due is not None:
            self._due.put_sooner(heard, np.full(len(heard), np.floor(now)))
        self._follow_bursts(table, now)
        return self._tables.rows

    def _follow_bursts(self, table: PageTable, now: float) -> None:
        """A page that may be in a burst of changes ages faster, from one decision to the next."""
        rows, tables = self._stirred[self._stirred < len(table)], self._tables.rows
        if len(rows) == 0:
            return
        tables.stretch[rows] = self._knowledge.stretch(table, rows, now + tables.phase[rows])
        self._stirred = rows[tables.stretch[rows] > OVER]
        if self._due is not None:
            self._due.put_sooner(self._stirred, np.full(len(self._stirred), np.floor(now)))

    def _catch_up(self, table: PageTable, now: float) -> None:
        """Take notice of rows that are new or changed; they are planned anew at the next decision."""
        anew, news = self._tables.follow(table, now)
        if anew:
            self._plans, self._due, self._siblings = None, None, Chains()
            self._stale = self._stirred = NOBODY
            self._renewed[:] = 0
        self._renewed = with_room(self._renewed, len(self._renewed), len(table))
        if len(self._siblings) < len(table):
            self._siblings.add(table.directory[len(self._siblings) :])
        if len(table) > self.settings.scan_up_to:
            if self._due is None:
                self._due, self._plans, news = DuePages(), None, np.arange(len(table))
            self._due.grow(len(table))  # what is learned before the next decision may wake pages that are new
        elif len(news):
            self._make_room(len(table))
        if len(news):
            self._stale = np.union1d(self._stale, news)

    def _make_room(self, count: int) -> None:
        """Plans of all pages of an archive that is looked through."""
        old = 0 if self._plans is None else len(self._plans)
        steps, nodes = (count - old, self.settings.horizon + 1), self._tables.rows.level.shape[1]
        more = Plans(
            np.zeros(steps, dtype=np.float32),
            np.zeros((*steps, nodes), dtype=np.float32),
            np.zeros((*steps, nodes), dtype=np.float32),
            np.zeros((count - old, 3)),
        )
        if self._plans is None:
            self._plans = GrowingTable(more)
        elif count > old:
            self._plans.append(more)

    def _renew(self, table: PageTable, now: float) -> None:
        """Relearn what pages share, if it is time. Pages in the timing wheel take notice when they are looked at."""
        if not self._renewal.due(now):
            return
        moved = self._knowledge.refresh(now)
        moved = self.aims.settle() or moved
        if self._due is None:
            every = np.arange(len(table))
            if moved:
                self._tables.renew(table, every)
            self._tables.rows.stretch[:] = self._knowledge.stretch(table, every, now)
            self._stale = every
        if self._settling.due(self._renewal.day):
            self._tables.place(table)

    # Deciding -----------------------------------------------------------------------------------------------

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The pages of largest advantage, each at its own minute of the period."""
        if len(pages) == 0:
            return Choice.nothing()
        tables, period = self.ready(pages, budget, now), int(np.floor(now))
        if self._due is None:
            found = self._for_others(self._scan(tables, period), budget, period)
            score = self._score(pages, budget, found)
            chosen = spend(score, budget, pages)
        else:
            found = self._for_others(self._look(self._due, pages, budget, now), budget, period)
            score = self._score(pages, budget, found)
            chosen = spend(score, budget, SomeCosts.of(pages, found.rows))
            self._put_back(pages, budget, found, chosen, period)
        self._price.move(int(np.count_nonzero(found.advantage > 0)), budget)
        return self._in_order(tables, found.rows[chosen], score[chosen])

    def _for_others(self, found: _Found, budget: Budget, period: int) -> _Found:
        """A fetch also brings what it tells of the other pages of its directory; and no page stays unseen for ever."""
        advantage = self._tables.sibling_value.raised(found.rows, found.advantage, period)
        tables = self._tables.rows
        age = np.where(tables.value[found.rows].any(axis=1), period - tables.last[found.rows], 0.0)
        return found._replace(advantage=self.settings.gap.raised(advantage, age, budget, (period, len(tables.last))))

    def _score(self, pages: PageTable, budget: Budget, found: _Found) -> Floats:
        if self.settings.coherence <= 0 or len(found.rows) == 0:
            return found.advantage
        return found.advantage + self.settings.coherence * self._site_bonus(pages, budget, found)

    def _scan(self, tables: Pages, period: int) -> _Found:
        """Look through all pages, by their stored plans."""
        assert self._plans is not None
        tables.price[:] = self.price
        fresh = self._stale[~tables.slow[self._stale]]
        if len(fresh):
            plan_rows(tables, fresh, period, self._plans.rows)
        self._stale = NOBODY
        every = np.arange(len(tables.last))
        with aged(self._signals, tables, every, period):
            advantage, value = scan(tables, period, self._plans.rows)
        return _Found(every, advantage, value, np.zeros(len(advantage)))

    def _look(self, due: DuePages, pages: PageTable, budget: Budget, now: float) -> _Found:
        """Look only at pages whose time has come, and at those next in turn while too few of them may be fetched."""
        found, wanted = _Found(NOBODY, np.empty(0), np.empty(0), np.empty(0)), budget.visits
        for step in range(ROUNDS):
            rows = due.take(int(np.floor(now)), wanted, 4 * wanted + 64)
            if len(rows) == 0:
                break
            found = found.joined(self._evaluate(pages, rows, now))
            enough = step > 0 or np.count_nonzero(found.advantage > 0) >= budget.visits
            if enough and len(spend(found.advantage, budget, SomeCosts.of(pages, found.rows))) >= budget.visits:
                break
            wanted *= 2
        return found

    def _put_back(self, pages: PageTable, budget: Budget, found: _Found, chosen: Rows, period: int) -> None:
        """When the pages looked at are to be looked at again; a chosen one soon, in case it is not fetched."""
        assert self._due is not None
        tables, left = self._tables.rows, ~np.isin(np.arange(len(found.rows)), chosen)
        self._due.put(found.rows[chosen], np.full(len(chosen), period + 1.0))
        new = np.isnan(tables.last[found.rows])
        self._due.list_new(tables, found.rows[left & new], float(period))
        left &= ~new
        rows = found.rows[left]
        looked = (found.advantage[left], found.wait[left], tables.value[rows].sum(axis=1))
        self._due.put(rows, period + put_off(pages.host[rows], budget, looked, self._again))

    def _evaluate(self, pages: PageTable, rows: Rows, now: float) -> _Found:
        """Advantage of some pages, from what is believed of them today."""
        tables = self._tables.rows
        old = rows[self._renewed[rows] != self._renewal.count + 1]
        if len(old):
            self._tables.renew(pages, old)
            tables.stretch[old] = self._knowledge.stretch(pages, old, now)
            self._renewed[old] = self._renewal.count + 1
        tables.price[rows] = self.price
        period = int(np.floor(now))
        with aged(self._signals, tables, rows, period):
            return _Found(rows, *self._tables.evaluated(rows, period, self.settings.horizon))

    def _site_bonus(self, pages: PageTable, budget: Budget, found: _Found) -> Floats:
        """What the pages of a picked site gain by being fetched together; 0 for the others. As many sites are picked as
        the budget could fetch whole: those where fetches are worth most by themselves (advantage) and as a batch
        (pending value). A page gains its pending value; a part of that is shared evenly over the site, for a batch
        hangs together better when quiet pages are in it too.
        """
        names, site = np.unique(pages.site[found.rows], return_inverse=True)
        gain = np.bincount(site, weights=found.advantage + self.settings.coherence * found.value, minlength=len(names))
        picked = max(1, round(budget.visits * self._tables.sites / len(pages)))
        best = np.isin(np.arange(len(names)), np.argsort(-gain, kind="stable")[:picked])
        mean = np.bincount(site, weights=found.value, minlength=len(names)) / np.bincount(site, minlength=len(names))
        return np.where(best[site], (1.0 - EVENLY) * found.value + EVENLY * mean[site], 0.0)

    @staticmethod
    def _in_order(tables: Pages, rows: Rows, score: Floats) -> Choice:
        order = np.argsort(tables.phase[rows], kind="stable")
        return Choice(rows[order], score[order], tables.phase[rows[order]])

    # Learning and explaining --------------------------------------------------------------------------------

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Learn from captures, and plan the captured pages anew."""
        if len(outcomes.row) == 0:
            return
        now = float(outcomes.time.max())
        self._catch_up(pages, now)
        self._signals.observe(pages, outcomes, self._tables.rows)
        self._knowledge.observe(pages, outcomes)
        tables, rows = self._tables.rows, np.unique(outcomes.row)
        tables.last[outcomes.row] = outcomes.time
        self._tables.renew(pages, rows)
        tables.stretch[rows] = 1.0
        self._stirred = np.union1d(np.setdiff1d(self._stirred, rows), rows[self._knowledge.stirred(rows) > STIRRED])
        if self._due is None or self.price <= 0:
            self._stale = np.union1d(self._stale, rows)
        else:
            self._renewed[rows] = self._renewal.count + 1
            tables.price[rows] = self.price
            advantage, _, wait = self._tables.evaluated(rows, int(np.floor(now)) + 1, self.settings.horizon)
            again = np.where(advantage > 0, 0.0, np.minimum(wait, self._again))
            self._due.put(rows, np.floor(now) + 1.0 + again)
            self._expect_look(self._due, pages, rows, now)
        self._wake_siblings(pages, outcomes, now)

    def _wake_siblings(self, pages: PageTable, outcomes: Outcomes, now: float) -> None:
        """Changes come in batches: what was found changed raises what is pending on the same directory at once."""
        tables = self._tables.rows
        changed = outcomes.row[outcomes.changed & tables.slow[outcomes.row]]
        if len(changed) == 0:
            return
        siblings = np.concatenate([self._siblings.of(group) for group in np.unique(pages.directory[changed]).tolist()])
        known = tables.slow[siblings] & ~np.isnan(tables.last[siblings])
        siblings = np.setdiff1d(siblings[known], outcomes.row)
        tables.stretch[siblings] = self._knowledge.stretch(pages, siblings, now)
        if self._due is not None:
            self._due.put(siblings, np.full(len(siblings), np.floor(now) + 1.0))

    def _expect_look(self, due: DuePages, pages: PageTable, seen: Rows, now: float) -> None:
        """When the directories of these pages are to be looked at again, and by which page, in the timing wheel."""
        tables, period = self._tables.rows, int(np.floor(now)) + 1
        groups = np.unique(pages.directory[seen[self._tables.sibling_value.gain(seen) > 0.0]]).tolist()
        if not groups:
            return
        some = np.concatenate([self._siblings.of(group, SIBLINGS) for group in groups])
        some = some[tables.slow[some] & ~np.isnan(tables.last[some])]
        tables.price[some] = self.price
        advantage, _, _ = self._tables.evaluated(some, period, self.settings.horizon)
        first, wait = self._tables.sibling_value.next_looks(some, advantage)
        due.put_sooner(first, period + np.minimum(wait, LATE))

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The pages of largest advantage, with reasons."""
        choice = self.choose(pages, budget, now)
        return visits(choice, pages, now, [self.reason(row, now) for row in choice.rows.tolist()])

    def reason(self, row: int, now: float) -> str:
        """Why a page is, or is not, to be fetched now: one sentence. To be asked after `ready` or a decision."""
        tables, rows = self._tables.rows, np.array([row])
        if np.isnan(tables.last[row]):
            return "never fetched"
        tables.price[row] = self.price
        period = int(np.floor(now))
        with aged(self._signals, tables, rows, period):
            advantage, value, wait = self._tables.evaluated(rows, period, self.settings.horizon)
        pending = f"pending change worth {value[0]:.3g} against a price of {self.price:.3g}"
        story = told(self._signals, tables, rows, period) + f"last fetched {now - tables.last[row]:.1f} periods ago"
        story += f", {tables.mean_rate[row]:.3g} changes a period expected"
        if advantage[0] > 0:
            return f"{pending}; waiting gains nothing; {story}"
        sibling_value = self._tables.sibling_value
        if advantage[0] + sibling_value.worth(rows, period)[0] > 0:
            unseen = sibling_value.unseen(rows, period)[0]
            return f"{pending}; a look also tells of its directory, last looked at {unseen:.0f} periods ago; {story}"
        if now - tables.last[row] >= self.settings.gap.late(len(tables.last), self._tables.visits):
            return f"unseen for so long that it is looked at whatever is expected of it; {story}"
        if np.isinf(wait[0]):
            return f"{pending}: not worth a fetch at this budget; {story}"
        later = "the next period" if wait[0] < 1.5 else f"{wait[0]:.0f} periods"
        return f"{pending}; a fetch in {later} brings more; {story}"
