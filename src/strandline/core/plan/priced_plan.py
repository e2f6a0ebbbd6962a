"""The priced plan: fetch a page when catching it now is worth more than the price of a fetch and than waiting.

One number, the price of a fetch, makes all pages independent of each other. For each page the plan looks ahead
over a horizon of periods and knows what the best later captures would bring; the advantage of a capture now is
what it brings, less its price, plus the future after it, less the best future without it. The pages of largest
advantage are fetched, and the price rises when more pages want a fetch than the budget allows.
The idea is the Lagrangian relaxation of a crawl with a budget (Eckstein, Gal & Reiner 2008 plan single pages so);
patterns and importance are those of papers 001 and 004.

Small archives are scanned in each period; large ones keep each page's due time in a timing wheel, so that a
decision costs the same whatever the size.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from strandline.core.learn.estimate import Estimate
from strandline.core.plan.baselines import organ_pipe
from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.knowledge import Knowledge
from strandline.core.plan.objective import Worth
from strandline.core.plan.priced_kernels import Pages, Plans, evaluate, plan_rows, scan, wanted_visits
from strandline.core.plan.strategy import Choice, Floats, Outcomes, PageTable, Rows, Visit, visits
from strandline.core.plan.timing_wheel import TimingWheel

EVENLY = 0.5
"""Part of the gain of a site fetched together that its pages share evenly."""


@dataclass(frozen=True)
class PricedPlanSettings:
    """`coherence` is the dial beta: how much of its pending value a page gains when its site is being fetched.
    `slow_below` (changes a period) is the rate under which even spacing is as good as a plan. Archives of more
    than `scan_up_to` pages use the timing wheel. `periods_per_day` says how often shared knowledge is renewed.
    """

    worth: Worth = field(default_factory=Worth)
    coherence: float = 0.0
    horizon: int = 96
    price_step: float = 0.03
    order: Literal["fixed-minute", "organ-pipe"] = "fixed-minute"
    slow_below: float = 2.0 / 168.0
    scan_up_to: int = 30_000
    periods_per_day: int = 24

    def __post_init__(self) -> None:
        if self.coherence < 0 or self.horizon < 2 or self.price_step <= 0:
            raise ValueError("coherence must not be negative, horizon at least 2, price step above 0")


class PricedPlan:
    """The default strategy. The same object serves `watch` and `simulate`."""

    def __init__(self, knowledge: Knowledge, settings: PricedPlanSettings | None = None, name: str = "") -> None:
        self._knowledge = knowledge
        self.settings = settings or PricedPlanSettings()
        self._name = name or "priced-plan"
        self.price = 0.0
        self._budgeted = 0
        self._day = -1
        self._weight = np.empty(0)
        self._items = np.empty(0)
        self._sites = 0
        self._pages: Pages | None = None
        self._plans: Plans | None = None
        self._stale = np.empty(0, dtype=np.int64)
        self._wheel: TimingWheel | None = None

    @property
    def name(self) -> str:
        """The name users select it by."""
        return self._name

    @property
    def knowledge(self) -> Knowledge:
        """What the plan believes of pages."""
        return self._knowledge

    # Keeping tables -----------------------------------------------------------------------------------------

    def _tables(self, pages: PageTable) -> Pages:
        """Tables for these pages; rebuilt when pages were added or weights changed."""
        count = len(pages)
        if self._pages is not None and len(self._weight) == count and np.array_equal(self._weight, pages.weight):
            return self._pages
        self._knowledge.grow(pages)
        self._weight = pages.weight.copy()
        self._items = pages.items.copy()
        self._sites = len(np.unique(pages.site))
        every = np.arange(count)
        estimate = self._knowledge.estimate(every)
        bins, nodes = estimate.rate.shape[1], estimate.level.shape[1]
        self._pages = Pages(
            rate=np.zeros((count, bins), dtype=np.float32),
            importance=np.zeros((count, bins), dtype=np.float32),
            level=np.ones((count, nodes)),
            value=np.zeros((count, nodes)),
            mean_rate=np.zeros(count),
            mean_importance=np.zeros(count),
            last=pages.last_visit.copy(),
            phase=self._phases(pages),
            stretch=np.ones(count),
            price=np.full(count, self.price),
            slow=np.zeros(count, dtype=np.bool_),
            cycle=np.asarray(self._knowledge.cycle, dtype=np.int64),
        )
        self._write(self._pages, every, estimate)
        if count <= self.settings.scan_up_to:
            steps = (count, self.settings.horizon + 1)
            self._plans = Plans(
                np.zeros(steps, dtype=np.float32),
                np.zeros((*steps, nodes), dtype=np.float32),
                np.zeros((*steps, nodes), dtype=np.float32),
                np.zeros((count, 3)),
            )
            self._wheel = None
        else:
            self._plans = None
            self._wheel = TimingWheel(count)
        self._stale = every
        return self._pages

    def _phases(self, pages: PageTable) -> Floats:
        """A fixed place in the period for each page, the pages of a site next to each other."""
        if self.settings.order == "organ-pipe":
            return np.full(len(pages), 0.5)
        phase = np.empty(len(pages))
        phase[np.lexsort((np.arange(len(pages)), pages.directory, pages.site))] = np.arange(len(pages))
        return (phase + 0.5) / max(len(pages), 1)

    def _write(self, tables: Pages, rows: Rows, estimate: Estimate) -> None:
        worth = self.settings.worth
        content = worth.objective == "content" and estimate.turnover is not None
        rate = estimate.rate
        if content and estimate.turnover is not None:
            rate = (rate * estimate.turnover[:, None]).astype(np.float32)
        flat = content or worth.objective == "count"
        tables.rate[rows] = rate
        tables.importance[rows] = 1.0 if flat else estimate.importance
        tables.level[rows] = 1.0 if content else estimate.level
        weight = np.ones(len(rows)) if worth.objective == "count" else self._weight[rows]
        if worth.objective == "content":
            weight = weight * self._items[rows]
        tables.value[rows] = worth.node_values(estimate, weight)
        tables.mean_rate[rows] = rate.astype(np.float64) @ estimate.share
        tables.mean_importance[rows] = 1.0 if flat else estimate.mean_importance
        tables.slow[rows] = tables.mean_rate[rows] < self.settings.slow_below

    def _renew(self, pages: PageTable, tables: Pages, now: float) -> None:
        """Once a day relearn what pages share; between days only captured pages are renewed."""
        day = int(now // self.settings.periods_per_day)
        if day == self._day:
            return
        self._day = day
        every = np.arange(len(pages))
        if self._knowledge.refresh(now):
            self._write(tables, every, self._knowledge.estimate(every))
        tables.stretch[:] = self._knowledge.stretch(pages, every, now)
        self._stale = every

    # Deciding -----------------------------------------------------------------------------------------------

    def choose(self, pages: PageTable, budget: Budget, now: float) -> Choice:
        """The pages of largest advantage, each at its own minute of the period."""
        if len(pages) == 0:
            return Choice.nothing()
        tables, period = self._tables(pages), int(np.floor(now))
        tables.last[:] = np.where(np.isnan(pages.last_visit), np.nan, np.minimum(pages.last_visit, now))
        self._renew(pages, tables, now)
        self._start_price(tables, budget)
        if self._plans is not None:
            advantage, value = self._scan(self._plans, tables, period)
            candidates = np.arange(len(pages))
        elif self._wheel is not None:
            candidates, advantage, value = self._due(self._wheel, tables, budget, period)
        self._move_price(int(np.count_nonzero(advantage > 0)), budget)
        score = np.full(len(pages), -np.inf)
        score[candidates] = advantage
        if self.settings.coherence > 0:
            score[candidates] += self.settings.coherence * self._site_bonus(
                pages, budget, candidates, (advantage, value)
            )
        rows = spend(score, budget, pages)
        if self._wheel is not None:
            self._wheel.put(rows, np.full(len(rows), period + 1.0))
        return self._in_order(tables, rows, score, period)

    def _scan(self, plans: Plans, tables: Pages, period: int) -> tuple[Floats, Floats]:
        fresh = self._stale[~tables.slow[self._stale]]
        if len(fresh):
            plan_rows(tables, fresh, period, plans)
        self._stale = np.empty(0, dtype=np.int64)
        return scan(tables, period, plans)

    def _due(self, wheel: TimingWheel, tables: Pages, budget: Budget, period: int) -> tuple[Rows, Floats, Floats]:
        """Evaluate only the pages whose time has come; those not worth a fetch yet get a new time."""
        rows = wheel.due(period, at_least=budget.visits)
        advantage, value, wait = evaluate(tables, rows, period, self.settings.horizon)
        again = np.where(advantage > 0, 1.0, np.clip(wait, 1.0, 24.0))
        wheel.put(rows, period + again)
        return rows, advantage, value

    def _site_bonus(self, pages: PageTable, budget: Budget, rows: Rows, found: tuple[Floats, Floats]) -> Floats:
        """What the pages of a picked site gain by being fetched together; 0 for the others.

        As many sites are picked as the budget could fetch whole: those where fetches are worth most by themselves
        (advantage) and as a batch (pending value). A page gains its pending value; a part of that is shared evenly
        over the site, for a batch hangs together better when quiet pages are in it too.
        """
        advantage, value = found
        names, site = np.unique(pages.site[rows], return_inverse=True)
        gain = np.bincount(site, weights=advantage + self.settings.coherence * value, minlength=len(names))
        picked = max(1, round(budget.visits * self._sites / len(pages)))
        best = np.zeros(len(names), dtype=np.bool_)
        best[np.argsort(-gain, kind="stable")[:picked]] = True
        mean = np.bincount(site, weights=value, minlength=len(names)) / np.bincount(site, minlength=len(names))
        return np.where(best[site], (1.0 - EVENLY) * value + EVENLY * mean[site], 0.0)

    def _in_order(self, tables: Pages, rows: Rows, score: Floats, period: int) -> Choice:
        if self.settings.order == "organ-pipe":
            current = tables.rate[rows, tables.cycle[period % len(tables.cycle)]]
            rows = rows[organ_pipe(current.astype(np.float64))]
            return Choice(rows, score[rows])
        rows = rows[np.argsort(tables.phase[rows], kind="stable")]
        return Choice(rows, score[rows], tables.phase[rows].copy())

    # The price ----------------------------------------------------------------------------------------------

    def _start_price(self, tables: Pages, budget: Budget) -> None:
        """The price at which even spacing would use up the budget; asked again when the budget jumps."""
        jumped = not 0.67 < budget.visits / max(self._budgeted, 1) < 1.5
        if self.price > 0 and not jumped:
            tables.price[:] = self.price
            return
        self._budgeted = budget.visits
        top = float((tables.value.sum(axis=1) * tables.mean_importance).max(initial=0.0))
        low, high = max(top, 1e-12) * 1e-7, max(top, 1e-12)
        for _ in range(40):
            middle = float(np.sqrt(low * high))
            if wanted_visits(tables, middle) > budget.visits:
                low = middle
            else:
                high = middle
        self.price = high
        tables.price[:] = high

    def _move_price(self, wanted: int, budget: Budget) -> None:
        excess = float(np.clip((wanted - budget.visits) / budget.visits, -1.0, 1.0))
        self.price *= float(np.exp(self.settings.price_step * excess))

    # Learning and explaining --------------------------------------------------------------------------------

    def observe(self, pages: PageTable, outcomes: Outcomes) -> None:
        """Learn from captures, and plan the captured pages anew."""
        if len(outcomes.row) == 0:
            return
        tables = self._tables(pages)
        self._knowledge.observe(pages, outcomes)
        tables.last[outcomes.row] = outcomes.time
        tables.stretch[outcomes.row] = 1.0
        rows = np.unique(outcomes.row)
        self._write(tables, rows, self._knowledge.estimate(rows))
        self._stale = np.union1d(self._stale, rows)
        self._wake_siblings(pages, tables, outcomes)

    def _wake_siblings(self, pages: PageTable, tables: Pages, outcomes: Outcomes) -> None:
        """Changes come in batches: what was found changed raises what is pending on the same directory at once."""
        changed = outcomes.row[outcomes.changed & tables.slow[outcomes.row]]
        if len(changed) == 0:
            return
        siblings = np.flatnonzero(np.isin(pages.directory, np.unique(pages.directory[changed])) & tables.slow)
        siblings = np.setdiff1d(siblings, outcomes.row)
        now = float(outcomes.time.max())
        tables.stretch[siblings] = self._knowledge.stretch(pages, siblings, now)
        if self._wheel is not None:
            self._wheel.put(siblings, np.full(len(siblings), np.floor(now) + 1.0))

    def plan(self, pages: PageTable, budget: Budget, now: float) -> Sequence[Visit]:
        """The pages of largest advantage, with reasons."""
        choice = self.choose(pages, budget, now)
        return visits(choice, pages, now, [self.reason(pages, int(row), now) for row in choice.rows])

    def reason(self, pages: PageTable, row: int, now: float) -> str:
        """Why a page is, or is not, to be fetched now: one sentence."""
        tables = self._tables(pages)
        if np.isnan(tables.last[row]):
            return "never fetched"
        rows = np.array([row])
        advantage, value, wait = evaluate(tables, rows, int(np.floor(now)), self.settings.horizon)
        age, price = now - tables.last[row], tables.price[row]
        rate = tables.mean_rate[row]
        pending = f"pending change worth {value[0]:.3g} against a price of {price:.3g}"
        story = f"last fetched {age:.1f} periods ago, {rate:.3g} changes a period expected"
        if advantage[0] > 0:
            return f"{pending}; waiting gains nothing; {story}"
        if np.isinf(wait[0]):
            return f"{pending}: not worth a fetch at this budget; {story}"
        return f"{pending}; a fetch in {wait[0]:.0f} periods brings more; {story}"
