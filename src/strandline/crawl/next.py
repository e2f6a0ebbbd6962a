"""What is to be fetched next, and why: known pages, what captures taught, and a budget become visits with reasons.

    Planner.next     the most urgent pages now
    Planner.ahead    hour by hour, as if every visit were made and found nothing new about the page's habits
    Planner.about    what is believed of one page

The same strategy objects serve here and in simulations. Pages that must not be fetched (robots, scope, back-off) stay
in the page table, so that rows keep their place, at a host of their own whose cap is zero.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from strandline.core.plan.budget import Allowance, Budget
from strandline.core.plan.campaigns import Campaign, WithCampaigns, boosted
from strandline.core.plan.catalogue import READS_TABLE, STRATEGIES, StrategyOptions
from strandline.core.plan.informed import Informed
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.objective import Objective
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.strategy import Floats, Learner, PageTable, Strategy, Visit
from strandline.crawl.experience import Groups, History, Known, Learned

CLASS_LIMITS = (48.0, 248.0, 1300.0)
"""Hours between changes that part the change classes of paper 002 (daily, three days, month, quarter)."""
NEVER = 1e30
"""Urgency from which on a page is one that was never fetched."""


@dataclass(frozen=True, slots=True)
class Boost:
    """A campaign as it is wished for: a site, a host or the beginning of addresses; times in UTC epoch seconds."""

    name: str
    place: str
    start: float
    end: float
    factor: float = 10.0

    def covers(self, page: Known) -> bool:
        """Whether a page belongs to it."""
        return self.place in (page.site, page.host) or ("://" in self.place and page.url.startswith(self.place))


@dataclass(frozen=True)
class Wishes:
    """What the archive is planned by. `pauses` are the seconds each host is owed between two requests."""

    allowance: Allowance
    strategy: str = "priced-plan"
    objective: Objective = "middle"
    coherence: float = 0.0
    boosts: tuple[Boost, ...] = ()
    site_allowances: Mapping[str, Allowance] = field(default_factory=dict)
    host_allowances: Mapping[str, Allowance] = field(default_factory=dict)
    pause: float = 3.0
    pauses: Mapping[str, float] = field(default_factory=dict)

    def per_hour(self, host: str) -> float:
        """The most requests an hour that politeness allows at a host."""
        pause = self.pauses.get(host, self.pause)
        return 3600.0 / pause if pause > 0 else np.inf


@dataclass(frozen=True, slots=True)
class Due:
    """A planned visit; `due` in UTC epoch seconds."""

    page: int
    url: str
    urgency: float
    reason: str
    due: float


@dataclass(frozen=True)
class Belief:
    """What is believed of a page. Rates in changes a day; `hours` holds them for workday and weekend hours."""

    rate: float
    rate_low: float
    rate_high: float
    importance: float
    hours: Floats
    zone: str
    weight: float
    campaigns: tuple[str, ...]
    reason: str


Makers = Mapping[str, Callable[[], Strategy]]
"""Strategies of other packages, by name."""


class Planner:
    """A strategy at work on the pages of an archive; `past` is asked for only when it learns by itself."""

    def __init__(
        self,
        pages: Sequence[Known],
        learned: Learned,
        wishes: Wishes,
        past: Callable[[], History],
        makers: Makers | None = None,
    ) -> None:
        self.pages = pages
        self.wishes = wishes
        self.hours = learned.hours
        self._learned = learned
        self.groups = Groups.of(pages)
        learned.grow(pages, self.groups)
        self._barred = np.array([bool(page.barred) for page in pages], dtype=np.bool_)
        self._not_before = np.array([self.hours.at(page.not_before) for page in pages], dtype=np.float64)
        self._row_of = {page.page: row for row, page in enumerate(pages)}
        self._table = self._first_table()
        self._inner = self._strategy(makers or {})
        if isinstance(self._inner, Learner) and not isinstance(self._inner, PricedPlan | Informed):
            self._inner.observe(self._table, past().outcomes)
        self._plan = WithCampaigns(self._inner, [self._campaign(boost) for boost in wishes.boosts])

    @property
    def strategy(self) -> Strategy:
        """The strategy itself, without campaigns."""
        return self._inner

    @property
    def table(self) -> PageTable:
        """The pages as a strategy sees them, without campaigns."""
        return self._table

    # Making ready ---------------------------------------------------------------------------------------------------

    def _first_table(self) -> PageTable:
        rows = np.arange(len(self.pages))
        rate = self._learned.learner.estimate(rows).mean_rate if len(rows) else np.empty(0)
        visited = np.array([self.hours.at(page.visited) if page.visited else np.nan for page in self.pages])
        return PageTable.of(
            len(rows),
            page=[page.page for page in self.pages],
            site=self.groups.site,
            directory=self.groups.directory,
            host=self.groups.host,
            weight=np.where(self._barred, 0.0, [page.weight for page in self.pages]),
            last_visit=np.fmax(self._learned.last[: len(rows)], visited) if len(rows) else np.empty(0),
            rate=rate,
            size=[page.size for page in self.pages],
            change_class=np.digitize(1.0 / np.maximum(rate, 1e-9), CLASS_LIMITS),
        )

    def _strategy(self, makers: Makers) -> Strategy:
        name = self.wishes.strategy.removesuffix("-learned")
        options = StrategyOptions(objective=self.wishes.objective, coherence=self.wishes.coherence)
        patterns = LearnedPatterns(self._learned.learner)
        if name == "priced-plan":
            return PricedPlan(patterns, options.priced)
        if name in READS_TABLE:
            return Informed(STRATEGIES[name](options), patterns)
        if name in STRATEGIES:
            return STRATEGIES[name](options)
        if name in makers:
            return makers[name]()
        raise ValueError(f"no strategy {name!r}; there are {', '.join(sorted({*STRATEGIES, *makers}))}")

    def _campaign(self, boost: Boost) -> Campaign:
        rows = frozenset(row for row, page in enumerate(self.pages) if boost.covers(page))
        return Campaign(boost.name, rows, self.hours.at(boost.start), self.hours.at(boost.end), boost.factor)

    # What may be spent ----------------------------------------------------------------------------------------------

    @property
    def most_per_hour(self) -> float:
        """Requests an hour that politeness allows at all hosts together."""
        open_hosts = np.unique(self.groups.host[~self._barred])
        return float(sum(self.wishes.per_hour(self.groups.hosts[host]) for host in open_hosts))

    def visits_per_hour(self) -> float:
        """The allowance in visits; of one in bytes, as many as fit by the mean size of a capture."""
        allowance = self.wishes.allowance
        if not allowance.in_bytes:
            return allowance.per_hour
        sizes = self._table.size[self._table.size > 0]
        return allowance.per_hour / max(float(sizes.mean()) if len(sizes) else 30_000.0, 1.0)

    def _budget(self, start: float, visits: int | None = None) -> Budget | None:
        """What the hour that begins at `start` may spend; None for nothing."""
        allowance, end = self.wishes.allowance, start + 1.0
        max_bytes = None
        if visits is None:
            visits = Allowance(self.visits_per_hour(), 1.0).whole(start, end)
            max_bytes = allowance.per_hour if allowance.in_bytes else None
        if visits < 1:
            return None
        caps = self._host_caps(start, end, visits)
        sites = self.wishes.site_allowances
        site_caps = {
            number: sites[name].whole(start, end) for number, name in enumerate(self.groups.sites) if name in sites
        }
        return Budget(visits, max_bytes=max_bytes, site_caps=site_caps, host_caps=caps)

    def _host_caps(self, start: float, end: float, visits: int) -> dict[int, int]:
        caps: dict[int, int] = {len(self.groups.hosts): 0}
        for number, name in enumerate(self.groups.hosts):
            polite = self.wishes.per_hour(name)
            if polite < visits:
                caps[number] = int(polite)
            if name in self.wishes.host_allowances:
                caps[number] = min(caps.get(number, visits), self.wishes.host_allowances[name].whole(start, end))
        return caps

    def _at(self, now: float, last_visit: Floats) -> PageTable:
        """The pages at a moment: those that must wait stand at the host whose cap is zero."""
        waiting = self._barred | (self._not_before > now)
        host = np.where(waiting, len(self.groups.hosts), self.groups.host)
        return replace(self._table, host=host, last_visit=last_visit)

    # Answers --------------------------------------------------------------------------------------------------------

    def next(self, visits: int, now: float) -> list[Due]:
        """The most urgent pages at a moment (UTC epoch seconds), most urgent first."""
        if visits < 1:
            raise ValueError(f"at least one visit must be asked for, not {visits}")
        if len(self.pages) == 0:
            return []
        period = self.hours.at(now)
        budget = self._budget(period, min(visits, len(self.pages)))
        assert budget is not None
        planned = self._plan.plan(self._at(period, self._table.last_visit), budget, period)
        return sorted(map(self._due, planned), key=lambda due: -due.urgency)

    def ahead(self, now: float, hours: float) -> Iterator[Due]:
        """Visits of the coming hours in the order of time."""
        start = self.hours.at(now)
        last_visit = self._table.last_visit.copy()
        for step in range(int(np.ceil(hours))):
            period = start + step
            budget = self._budget(period)
            if budget is None or len(self.pages) == 0:
                continue
            planned = self._plan.plan(self._at(period, last_visit.copy()), budget, period)
            for visit in sorted(planned, key=lambda visit: visit.due):
                if visit.due <= start + hours:
                    last_visit[self._row_of[visit.page]] = visit.due
                    yield self._due(visit)

    def _due(self, visit: Visit) -> Due:
        page = self.pages[self._row_of[visit.page]]
        reason = visit.reason.replace("periods", "hours").replace("a period", "an hour")
        return Due(page.page, page.url, visit.urgency, reason, self.hours.seconds(visit.due))

    def about(self, page: int, now: float) -> Belief:
        """What is believed of a page, and why it is or is not to be fetched at a moment."""
        row, period = self._row_of[page], self.hours.at(now)
        estimate = self._learned.learner.estimate(np.array([row]))
        rate = float(estimate.mean_rate[0]) * 24.0
        reason = ""
        if isinstance(self._inner, PricedPlan):
            budget = self._budget(period, max(1, round(self.visits_per_hour())))
            assert budget is not None
            table = self._at(period, self._table.last_visit)
            self._plan.choose(table, budget, period)
            reason = self._inner.reason(boosted(table, self._plan.campaigns, period), row, period)
        campaigns = tuple(c.name for c in self._plan.campaigns if c.running(period) and row in c.rows)
        return Belief(
            rate=rate,
            rate_low=rate * float(estimate.level[0].min()),
            rate_high=rate * float(estimate.level[0].max()),
            importance=float(estimate.mean_importance[0]),
            hours=estimate.rate[0].astype(np.float64) * 24.0,
            zone=self.hours.zone,
            weight=self.pages[row].weight,
            campaigns=campaigns,
            reason=reason.replace("periods", "hours").replace("a period", "an hour"),
        )
