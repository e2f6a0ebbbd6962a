"""What is to be fetched next, and why: known pages, what captures taught, and a budget become visits with reasons.

    Planner.next      the most urgent pages now
    Planner.unseen    the pages that were not visited for longest
    Planner.observe   captures were made: learn from them, plan these pages anew
    Planner.grow      pages are new, or may now be fetched, or matter more
    Planner.visited   a page was visited, whatever that taught
    Planner.about     what is believed of one page

The same strategy objects serve here and in simulations. Making a planner looks at every page once; from then on the
priced plan decides, learns and takes in pages at a cost that does not depend on how many there are (the other
strategies look at all pages for every decision). Pages that must not be fetched (robots, scope, back-off) stay in the
page table, so that rows keep their place, at a host of their own whose cap is zero.
"""

import heapq
import math
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.knowledge import TaughtPatterns
from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.strategy import Floats, Learner, PageTable, Rows, Strategy, Visit
from strandline.core.rivals.catalogue import READS_TABLE, STRATEGIES, StrategyOptions
from strandline.core.rivals.informed import Informed
from strandline.learn.experience import History, Learned, sighted
from strandline.learn.file_rows import rooms_for
from strandline.learn.known_pages import Groups, Known, Told
from strandline.learn.observations import Sighting
from strandline.learn.page_columns import KnownPages, PageRows
from strandline.plan.due import Due
from strandline.plan.page_table import table_since, weights_since
from strandline.plan.wishes import Wishes

SCAN_UP_TO = 5_000
"""Pages up to which all of them are looked at in each decision. Origin: a bound on time."""
PARKED = -1
"""The host, with a cap of zero, of pages that must not be fetched or must wait. Origin: a definition."""
RETEST = 10.0
"""How many times more a page matters that tests a directory which is left out otherwise: nobody else would.
Origin: a guess."""
_DEARER = 1.5
"""Requests from which on a reason says what a visit takes. Origin: a guess."""


@dataclass(frozen=True)
class Belief:
    """What is believed of a page. Rates in changes a day, with the ends of their 90 % interval; `hours` holds them for
    workday and weekend hours of the page's own zone.
    """

    rate: float
    rate_low: float
    rate_high: float
    importance: float
    hours: Floats
    zone: str
    weight: float
    campaigns: tuple[str, ...]
    objective: str
    """What counts of it, and where that is said."""
    reason: str


Makers = Mapping[str, Callable[[], Strategy]]
"""Strategies of other packages, by name."""
Silence = Callable[[History], tuple[Rows, Floats]]
"""Of captures, those before them included: what History.with_silent takes."""


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
        self.pages = pages if isinstance(pages, KnownPages) else KnownPages(pages)
        self.wishes = wishes
        self.hours = learned.hours
        self.groups = Groups.of(self.pages)
        self._learned = learned
        learned.grow(self.pages, self.groups)
        self._row_of = PageRows(map(int, self.pages.numbers))
        self._waiting: list[tuple[float, int]] = []
        self._polite: list[tuple[float, int]] = []
        self._open: dict[int, int] = {}
        self._running: frozenset[int] = frozenset()
        self._renewed = learned.renewed
        self._live = LivePages(self._rows_of_table(0))
        self._bytes = [float(self.table.size.sum()), int(np.count_nonzero(self.table.size))]
        self._dearer = int(np.count_nonzero(self.pages.column("cost") > 1.0))
        self._rated = learned.renewed
        """The renewal that the rates of the table are of."""
        self._take_in(0)
        self._strategy = self._made(makers or {})
        if isinstance(self._strategy, PricedPlan):
            self._strategy.follow(self._live, rooms_for)
        elif isinstance(self._strategy, Learner) and not isinstance(self._strategy, Informed):
            self._strategy.observe(self.table, past().outcomes)

    @property
    def strategy(self) -> Strategy:
        """The strategy itself, without campaigns."""
        return self._strategy

    @property
    def table(self) -> PageTable:
        """The pages as a strategy sees them."""
        return self._live.table

    @property
    def rows(self) -> Mapping[int, int]:
        """The row of each page that is known."""
        return self._row_of

    def row_of(self, page: int) -> int:
        """The row of a page that is known."""
        return self._row_of[page]

    # Making ready ---------------------------------------------------------------------------------------------------

    def _rows_of_table(self, since: int) -> PageTable:
        """Table rows of the pages from a row on."""
        weight = weights_since(since, self.pages, self._weight, bool(self._running))
        return table_since(since, self.pages, self.groups, self._learned, weight, self.wishes)

    def _take_in(self, since: int) -> None:
        """Note hosts, pauses and waits of the pages from a row on."""
        host_of, barred = self.groups.since(since)[:, 2], self.pages.barred(since)
        hosts, first = np.unique(host_of, return_index=True)
        for place in np.argsort(first).tolist():
            host = int(hosts[place])
            if host not in self._open:
                self._open[host] = 0
                insort(self._polite, (self.wishes.per_hour(self.pages[since + int(first[place])].host), host))
        for host, count in zip(*np.unique(host_of[~barred], return_counts=True), strict=True):
            self._open[int(host)] += int(count)
        for row in np.flatnonzero(barred | (self.pages.column("not_before", since) != 0.0)).tolist():
            self._park(since + row)

    def _park(self, row: int) -> None:
        """A page that must not be fetched, or not yet, stands at the host whose cap is zero."""
        page = self.pages[row]
        self._live.write(np.array([row]), host=PARKED)
        if not page.barred:
            heapq.heappush(self._waiting, (page.not_before, row))

    def _made(self, makers: Makers) -> Strategy:
        name = self.wishes.strategy.removesuffix("-learned")
        wishes = self.wishes
        options = StrategyOptions(
            wishes.objective,
            wishes.coherence,
            longest_gap=wishes.longest_gap,
            gap_share=wishes.gap_share,
            aims=tuple(aim.objective for aim in wishes.aims),
        )
        patterns = TaughtPatterns(self._learned.learner)
        if name == "priced-plan":
            return PricedPlan(patterns, replace(options.priced, scan_up_to=SCAN_UP_TO))
        if name in READS_TABLE:
            return Informed(STRATEGIES[name](options), patterns)
        if name in STRATEGIES:
            return STRATEGIES[name](options)
        if name in makers:
            return makers[name]()
        raise ValueError(f"no strategy {name!r}; there are {', '.join(sorted({*STRATEGIES, *makers}))}")

    # What happens meanwhile -----------------------------------------------------------------------------------------

    def observe(self, seen: Iterable[Sighting], claims: Iterable[Told] = (), silence: Silence | None = None) -> None:
        """Captures were made: learn from them and plan these pages anew. In the order of time; pages that are not
        known are left out, failures count as visits that taught nothing. `claims` are those about these pages,
        `silence` tells when sites were asked and told of no change yet.
        """
        seen = [one for one in seen if one.page in self._row_of]
        rows = np.array([self._row_of[one.page] for one in seen], dtype=np.int64)
        times = np.array([self.hours.at(one.time) for one in seen])
        if len(rows) == 0:
            return

        def before(row: int) -> float:
            last = self._learned.last[row]
            return np.inf if np.isnan(last) else self.hours.seconds(last)

        past = sighted(self._row_of, seen, self.hours, claims, before)
        silent = None if silence is None else silence(self._since_last(past))
        self._learned.teach(past, silent, self.table.shift.astype(np.float64))
        if isinstance(self._strategy, Learner):
            self._strategy.observe(self.table, past.outcomes)
        taught = np.isin(rows, past.row)
        self._live.write(rows[taught], quietly=True, last_visit=times[taught])
        self._live.write(rows[~taught], last_visit=times[~taught])

    def _since_last(self, past: History) -> History:
        """Captures, and the last one of each page before them."""
        rows = np.unique(past.row)
        last = self._learned.last[rows]
        return past.with_silent(rows[~np.isnan(last)], last[~np.isnan(last)])

    def grow(self, pages: Iterable[Known]) -> None:
        """Take in pages that are new, and what changed about known ones: weight, back-off, whether they may be fetched
        at all. Of a new page is believed what its address and its site say.
        """
        new = KnownPages()
        for page in pages:
            row = self._row_of.get(page.page)
            if row is None:
                self._row_of[page.page] = len(self.pages) + len(new)
                new.extend((page,))
            elif row >= len(self.pages):
                new[row - len(self.pages)] = page
            elif page != self.pages[row]:
                self._change(row, page)
        if len(new) == 0:
            return
        first = len(self.pages)
        self.pages.extend(new)
        self.groups.add(new)
        self._learned.add(self.pages, self.groups)
        self._live.append(self._rows_of_table(first))
        self._take_in(first)
        size = new.column("size")
        self._bytes[0] += sum(size.tolist())
        self._bytes[1] += int(np.count_nonzero(size > 0))
        self._dearer += int(np.count_nonzero(new.column("cost") > 1.0))

    def _change(self, row: int, page: Known) -> None:
        old, self.pages[row] = self.pages[row], page
        host = int(self.groups.since(row)[0, 2])
        self._open[host] += bool(old.barred) - bool(page.barred)
        self._bytes[0] += page.size - old.size
        self._bytes[1] += (page.size > 0) - (old.size > 0)
        self._dearer += (page.cost > 1.0) - (old.cost > 1.0)
        last = self.table.last_visit[row]
        if page.visited:
            last = np.fmax(last, self.hours.at(page.visited))
        self._live.write(np.array([row]), weight=self._weight(page), last_visit=last, size=page.size, host=host)
        if page.barred or page.not_before:
            self._park(row)

    @property
    def usual_cost(self) -> float:
        """Requests of a usual visit: pages are visited about as often as the square root of their rate and of their
        weight for each request.
        """
        if not self._dearer:
            return 1.0
        if self._rated != self._learned.renewed:  # a plan that is opened from what is believed now has these rates
            self._rated, every = self._learned.renewed, np.arange(len(self.pages))
            self._live.write(every, quietly=True, rate=self._learned.learner.mean_rates(every))
        often = np.sqrt(self.table.weight * self.table.rate)
        cost = self.pages.column("cost")
        return float(often @ cost / often.sum()) if often.sum() > 0 else 1.0

    def _weight(self, page: Known) -> float:
        """What a page matters now, campaigns included, for each request that a visit takes: whether a visit is worth
        so many times the price of a request is the same as whether so small a part of it is worth the price of one.
        """
        boosts = [self.wishes.boosts[number] for number in self._running]
        factors = [boost.factor for boost in boosts if boost.covers(page)] + [RETEST] * bool(page.tests)
        return 0.0 if page.barred else page.weight * math.prod(factors) / page.cost

    def _catch_up(self, now: float) -> None:
        """Campaigns begin and end, waits are over, what pages share is renewed. `now` in seconds."""
        self.renew(self.hours.at(now))
        running = frozenset(number for number, boost in enumerate(self.wishes.boosts) if boost.running(now))
        touched = [self.wishes.boosts[number] for number in running ^ self._running]
        self._running = running
        if touched:
            rows = [row for row, page in enumerate(self.pages) if any(boost.covers(page) for boost in touched)]
            self._live.write(np.array(rows, np.int64), weight=[self._weight(self.pages[row]) for row in rows])
        while self._waiting and self._waiting[0][0] <= now:
            until, row = heapq.heappop(self._waiting)
            if until == self.pages[row].not_before and not self.pages[row].barred:
                self._live.write(np.array([row]), host=int(self.groups.since(row)[0, 2]))

    # What may be spent ----------------------------------------------------------------------------------------------

    @property
    def most_per_hour(self) -> float:
        """Requests an hour that politeness allows at all hosts together."""
        return float(sum(polite for polite, host in self._polite if self._open[host]))

    @property
    def open_hosts(self) -> int:
        """Hosts with a page that may be fetched."""
        return sum(count > 0 for count in self._open.values())

    def visits_per_hour(self) -> float:
        """The allowance in visits, by what visits take; of one in bytes, by the mean size of a capture."""
        allowance = self.wishes.allowance
        if not allowance.in_bytes:
            return allowance.per_hour / self.usual_cost
        return allowance.per_hour / max(self._bytes[0] / self._bytes[1] if self._bytes[1] else 30_000.0, 1.0)

    def requests_per_hour(self) -> float:
        """What these visits take."""
        return self.visits_per_hour() * self.usual_cost

    def _budget(self, start: float, visits: int) -> Budget:
        """What so many visits in the hour that begins at `start` may spend."""
        end = start + 1.0
        caps = {PARKED: 0}
        for polite, host in self._polite[: bisect_left(self._polite, (float(visits), -1))]:
            caps[host] = int(polite)
        for name, cap in self.wishes.host_allowances.items():
            if name in self.groups.hosts:
                number = self.groups.hosts[name]
                caps[number] = min(caps.get(number, visits), cap.whole(start, end))
        sites = self.groups.sites
        site_caps = {
            sites[name]: cap.whole(start, end) for name, cap in self.wishes.site_allowances.items() if name in sites
        }
        return Budget(visits, site_caps=site_caps, host_caps=caps, per_period=self.visits_per_hour())

    # Answers --------------------------------------------------------------------------------------------------------

    def next(self, visits: int, now: float) -> list[Due]:
        """The most urgent pages at a moment (UTC epoch seconds), most urgent first. Asked again before captures were
        told, it may name them again. Caps of hosts and sites are those of an hour.
        """
        if visits < 1:
            raise ValueError(f"at least one visit must be asked for, not {visits}")
        if len(self.pages) == 0:
            return []
        budget = self._budget(self.hours.at(now), min(visits, len(self.pages)))
        return sorted(self._decided(budget, now), key=lambda due: -due.urgency)

    def unseen(self, visits: int, now: float, beside: Sequence[Due], least: float) -> list[Due]:
        """So many pages at most that were not visited for longest, last at least so many hours ago (as the clock
        shows them), beside visits of the same hour that are made anyway. Spread over the hour; caps of hosts and sites
        hold for all of them together.
        """
        period = self.hours.at(now)
        budget = self._budget(period, visits + len(beside))
        taken = np.array([self._row_of[due.page] for due in beside], dtype=np.int64)
        age = np.where(np.isnan(self.table.last_visit), -np.inf, period - self.table.last_visit)
        age[(np.floor(period) - np.floor(self.table.last_visit) < least) | (self.table.weight <= 0)] = -np.inf
        age[taken] = -np.inf
        rows = spend(age, budget.left_after(taken, self.table, visits), self.table)
        reason = "nothing more likely is left for the budget, and it was not seen for {:.0f} hours"
        return [
            Due(page.page, page.url, 0.0, reason.format(age[row]), self.hours.seconds(due), page.cost)
            for row, page, due in (
                (row, self.pages[row], period + (k + 0.5) / len(rows)) for k, row in enumerate(rows.tolist())
            )
        ]

    def visited(self, page: int, time: float) -> None:
        """A page was visited at a time (UTC epoch seconds), whatever that taught."""
        self._live.write(np.array([self._row_of[page]]), last_visit=self.hours.at(time))

    def renew(self, period: float) -> None:
        """Renew what pages share, if it is time."""
        self._learned.turn(period)
        if self._renewed != self._learned.renewed and isinstance(self._strategy, PricedPlan):
            self._strategy.renew()
        self._renewed = self._learned.renewed

    def _decided(self, budget: Budget, now: float) -> Iterator[Due]:
        self._catch_up(now)
        for visit in self._strategy.plan(self.table, budget, self.hours.at(now)):
            yield self._due(visit, now)

    def _due(self, visit: Visit, now: float) -> Due:
        page = self.pages[self._row_of[visit.page]]
        campaigns = ", ".join(self._campaigns(page, now))
        reason = f"campaign {campaigns}: {visit.reason}" if campaigns else visit.reason
        if page.tests:
            reason = f"re-test of the quiet directory {page.tests}: {reason}"
        if page.cost >= _DEARER:
            reason += f"; in a browser, about {page.cost:.1f} requests"
        return Due(page.page, page.url, visit.urgency, in_hours(reason), self.hours.seconds(visit.due), page.cost)

    def _campaigns(self, page: Known, now: float) -> tuple[str, ...]:
        return tuple(boost.name for boost in self.wishes.boosts if boost.running(now) and boost.covers(page))

    def about(self, page: int, now: float) -> Belief:
        """What is believed of a page, and why it is or is not to be fetched at a moment."""
        row, period = self._row_of[page], self.hours.at(now)
        reason = ""
        if isinstance(self._strategy, PricedPlan):
            budget = self._budget(period, max(1, round(self.visits_per_hour())))
            self._catch_up(now)
            self._strategy.ready(self.table, budget, period)  # may renew what is believed, so it comes first
            reason = self._strategy.reason(row, period)
        estimate = self._learned.learner.estimate(np.array([row]))
        low, high = self._learned.learner.intervals(np.array([row]))
        # The middle, not the mean: a small chance of a fast page would carry the mean out of the interval.
        middle, _ = self._learned.learner.intervals(np.array([row]), 0.0)
        return Belief(
            rate=float(middle[0]) * 24.0,
            rate_low=float(low[0]) * 24.0,
            rate_high=float(high[0]) * 24.0,
            importance=float(estimate.mean_importance[0]),
            hours=estimate.rate[0].astype(np.float64) * 24.0,
            zone=self.pages[row].zone,
            weight=self.pages[row].weight,
            campaigns=self._campaigns(self.pages[row], now),
            objective=self.wishes.counts(int(self.table.aim[row])),
            reason=in_hours(reason),
        )


def in_hours(reason: str) -> str:
    """A reason of a strategy, whose periods are hours here."""
    return reason.replace("a period", "an hour").replace("period", "hour")
