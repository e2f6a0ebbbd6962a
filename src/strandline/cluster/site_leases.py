"""Planning in a cluster: each hour, whoever is free takes the desk of a site, plans its visits, and writes them down.

A desk rebuilds what it knows from the index (what study found in each capture; until then, which ones brought other
bytes), plans one hour as the embedded watch does (plan/maker.py), and sets the due times of the chosen pages; the
workers then fetch them like anything else that is due. Between two plans a desk is nothing, so it does not matter who
plans, or who dies over it: the lease runs out, and another does it again.

Sites share the budget by worth (core/plan/shared_price.py). The first desk of an hour adds up what all desks left an
hour ago, and writes down the price of a visit and the cut; each desk makes the visits above it. While more than a
twentieth of an hour stays without a use (somebody's visits were not worth making, something failed), the cut is
lowered each quarter of an hour, and desks plan again.

What is expected of pages that were never seen twice leans on the levels of all sites (core/beliefs/first_sight.py):
each desk leaves that of its own, and reads the sum of the others.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.database_clock import DatabaseClock
from strandline.cluster.shared import Cluster
from strandline.cluster.shared_budget import limit_at
from strandline.cluster.skipping import desk_skips
from strandline.core.beliefs.first_sight import OtherSites
from strandline.core.plan.aims import factors
from strandline.core.plan.budget import Allowance
from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.shared_price import PRICES, above_cut, counted, cut_for, price_for
from strandline.core.plan.strategy import Floats
from strandline.crawl.preparing import CrawlRequest, Prepared, prepare_crawl
from strandline.crawl.site_orders import closed_hosts, rules_of
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import Hours
from strandline.plan.archive_plan import RECENT
from strandline.plan.budget_meter import FRONTIER_SHARE, USUAL_SIZE, even_share
from strandline.plan.claimed_changes import believed_after
from strandline.plan.claims import SOURCES, Claims
from strandline.plan.coming_visits import in_order
from strandline.plan.due import Due
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.maker import Making, PlanMaker
from strandline.plan.outlook import Outlook
from strandline.plan.settings_wishes import budget_of
from strandline.plan.told_changes import said_of, silent_looks
from strandline.settings.schema import Settings
from strandline.store.postgres.desks import PlanReading, SitePlan, add_desks, claim_plans, hand_in, leave_desks
from strandline.store.postgres.heartbeat import DeskKeeper
from strandline.store.postgres.market import PlanHour, Wanted, known_hour, open_hour, wanted_by_all
from strandline.store.postgres.purse import SharedBook
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Connection, Session
from strandline.store.reading import Reading
from strandline.store.watching import TimePiece, WatchReading

_DESKS: Final = 16
"""Sites one worker takes at a time."""
_LEASE: Final = 30.0
"""Seconds after which the desks of a worker that is not heard of go to others; less when hours are short."""
_SHORTEST_LEASE: Final = 2.0
_LOOKS: Final = 20
"""Times a free worker looks for a desk in an hour, at least."""
_LOOK: Final = 20.0
"""Seconds between two looks, at most."""
_ROUNDS: Final = 4
"""Times an hour is divided, at most."""
_IDLE: Final = 0.05
"""Part of an hour's visits that may be without a use before it is divided again."""
_OVER: Final = 1.1
"""Times the visits of an hour that desks may make together: the purse holds what is too much until the next hour."""


@dataclass(frozen=True, slots=True)
class Office:
    """What every desk of a worker needs."""

    session: Session
    prepared: Prepared
    hours: Hours
    paced: bool
    starting: bool = False
    """Whether a watch that is not running yet is meant."""
    evenly: bool = True
    """Whether looks at the longest unseen take no more than an hour's even share of the budget."""

    @staticmethod
    def of(session: Session, settings: Settings, now: float, length: float) -> "Office":
        """The office of a cluster whose hours last `length` seconds."""
        hours, paced = watch_hours(on_postgres(WatchReading, session).watch_time(), now, length)
        return Office(session, prepare_crawl(settings, CrawlRequest()), hours, paced)

    @property
    def settings(self) -> Settings:
        """Those of the cluster."""
        return self.prepared.settings

    def making(self, reading: PlanReading) -> Making:
        """What the plan of a site is made of."""
        facts = (self.settings, self.prepared.orders, self.prepared.manners, self.hours, self.paced)
        return Making(*facts, reading, desk_skips(self.settings, self.session), self.starting)

    @property
    def budget(self) -> Allowance:
        """Of the whole archive."""
        return budget_of("plan.budget", self.settings.plan.budget)


def watch_hours(piece: TimePiece | None, now: float, length: float) -> tuple[Hours, bool]:
    """The hours of a watch as they were kept, and whether they are others than those of the clock."""
    if piece is not None and piece.length == length:
        return Hours(piece.zero, piece.length), True
    return Hours.since(now, length), False


def plan_job(cluster: Cluster, worker: int, hour: float) -> BackgroundJob:
    """Plan beside a worker's crawl; `hour` are the seconds an hour of the watch lasts."""

    @contextlib.contextmanager
    def opened(stopped: Callable[[], bool]) -> Iterator[Step]:
        with (
            contextlib.closing(Session(cluster.database, 30.0)) as session,
            contextlib.closing(DeskKeeper(cluster.database, min(_LEASE, max(_SHORTEST_LEASE, hour / 4)))) as keeper,
        ):
            clock = DatabaseClock(session)
            office = Office.of(session, cluster.settings, clock.now(), hour)

            def step() -> None:
                while not stopped() and plan_due_sites(office, worker, clock.now(), keeper, stopped):
                    pass

            yield step

    return BackgroundJob("desks", min(_LOOK, hour / _LOOKS), opened, "sites are not planned by this worker")


def plan_due_sites(
    office: Office,
    worker: int,
    now: float,
    keeper: DeskKeeper | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Plan the rest of this hour for some sites nobody has planned; returns how many desks were taken. `keeper` keeps
    them; when `stopped`, those that are left go to others.
    """
    market = opened_hour(office, now)
    until = market.start + (market.round + 1) * office.hours.length / _ROUNDS
    desks = claim_plans(office.session, worker, until, keeper.lease if keeper else _LEASE, _DESKS)
    if keeper is not None:
        keeper.keep(desks)
    for number, desk in enumerate(desks):
        if stopped():
            if keeper is not None:
                keeper.keep([])
            with office.session.transaction() as connection:
                leave_desks(connection, desks[number:])
            break
        market = known_hour(office.session, market.start) or market  # others take visits, too
        plan, _ = plan_site(office, desk.site, market, now)
        hand_in(office.session, desk, plan._replace(until=until))
        if keeper is not None:
            keeper.drop(desk)
    return len(desks)


# -- the market --------------------------------------------------------------------------------------------------------


def opened_hour(office: Office, now: float) -> PlanHour:
    """The hour that is running: opened if nobody has, divided again if much of it is without a use."""
    start = office.hours.seconds(math.floor(office.hours.at(now)))
    known = known_hour(office.session, start)
    if known is not None and not _due_again(known, now, office.hours.length):
        return known
    left = visits_left(office, now)
    hosts = on_postgres(Reading, office.session).hosts
    closed = closed_hosts(rules_of(office.settings), now, lambda site: [row.name for row in hosts(site)])

    def divided(connection: Connection, known: PlanHour | None) -> PlanHour | None:
        if known is not None and not _due_again(known, now, office.hours.length):
            return None  # somebody was quicker
        add_desks(connection)
        wanted = wanted_by_all(connection, start + office.hours.length, math.ceil(left) + 1, closed)
        return divided_first(start, now, left, wanted) if known is None else _again(known, now, left, wanted)

    return open_hour(office.session, start, divided)


def _due_again(known: PlanHour, now: float, length: float) -> bool:
    return known.round < _ROUNDS - 1 and now >= known.divided + length / _ROUNDS


def divided_first(start: float, now: float, left: float, wanted: Wanted) -> PlanHour:
    """An hour, divided between plans and what is due by itself."""
    visits = left - min(float(wanted.waiting), FRONTIER_SHARE * left)
    price = 0.0 if wanted.demand is None else price_for(wanted.demand, max(visits, 1e-6))
    cut = None if wanted.offers is None else cut_for(wanted.offers, visits)
    found = factors(np.array(list(wanted.worths.values())).reshape(-1, 2)).tolist()
    return PlanHour(start, 0, now, visits, 0, price, cut, dict(zip(wanted.worths, found, strict=True)))


def _again(known: PlanHour, now: float, left: float, wanted: Wanted) -> PlanHour:
    """The same hour later on: what has no use goes to the best of what was left out."""
    idle = left - wanted.waiting
    # Desks offer no more than the hour had for all of them: who offered as much may have more.
    everything_taken = known.cut == -math.inf and (wanted.offers is None or wanted.offers.sum() < known.visits - 1.0)
    if wanted.offers is None or everything_taken or idle <= max(1.0, _IDLE * known.visits):
        return known._replace(divided=now)
    done = above_cut(wanted.offers, known.cut) if known.cut is not None else float(known.taken)
    cut = cut_for(wanted.offers, done + idle)
    return known._replace(round=known.round + 1, divided=now, visits=known.taken + idle, cut=cut)


def visits_left(office: Office, now: float) -> float:
    """What the rest of the hour may spend, in visits of the usual cost."""
    left = SharedBook(office.session).left("", limit_at(office.budget, office.hours, now, whole_hour=True))
    return max(0.0, left / _usual_cost(office, now))


def _usual_cost(office: Office, now: float) -> float:
    """What a visit costs of the budget."""
    if not office.budget.in_bytes:
        return 1.0
    cost = SharedBook(office.session).usual_cost("", now - 24.0 * office.hours.length)
    return max(cost or USUAL_SIZE, 1.0)


# -- a site ------------------------------------------------------------------------------------------------------------


def plan_site(
    office: Office, site: str, market: PlanHour, now: float, others: OtherSites | None = None
) -> tuple[SitePlan, list[Due]]:
    """Visits of a site in the hour of a market, and what the site wants at every price. `others` is what is known of
    the levels of other sites; by default what their desks have written down.
    """
    reading = PlanReading(office.session)
    outlook = outlook_of(office, reading, site, market, others)
    if outlook is None:
        return SitePlan(market.start, market.start, (), (), (), dict.fromkeys(SOURCES, Claims().trust(site))), []
    strategy, hour = outlook.planner.strategy, round(office.hours.at(market.start))
    offers = outlook.offers(hour, min(len(outlook.planner.pages), math.ceil(market.visits)))
    wanted = [due for due in offers if market.cut is None or due.urgency > market.cut]
    most = math.ceil(_OVER * market.visits) - market.taken
    if market.cut is None:  # nobody knows what the others would offer: by the number of pages
        most = min(most, round(market.visits * reading.share(site)))
    part = len(wanted) / max(market.visits, 1.0)
    share = even_share(office.budget, hour, _usual_cost(office, now)) * part if part and office.evenly else math.inf
    chosen = outlook.chosen(wanted[: max(most, 0)], hour, most, np.ceil(share))
    note = HourNote.read(reading.note(KIND, site))
    chosen = in_order(note.in_time(hour, market.start, chosen, lambda page: outlook.was_made(page, hour - 1)), now)
    note.add(hour, chosen)
    demand: Floats = strategy.demand(PRICES) if offers and isinstance(strategy, PricedPlan) else np.zeros(len(PRICES))
    plan = SitePlan(
        start=market.start,
        until=market.start,
        visits=[(due.page, due.due, -due.urgency) for due in chosen],
        demand=(outlook.planner.usual_cost * demand).tolist(),
        offers=None if market.round else _offered(offers),
        trusts={source: outlook.claims.trust(site, source) for source in SOURCES},
        level=float(outlook.levels[0]),
        worths=_worths(outlook) if offers else {},
        note=note.to_keep(site),
    )
    return plan, chosen


def _worths(outlook: Outlook) -> dict[str, tuple[float, float]]:
    """What collections with an objective of their own are worth here."""
    strategy = outlook.planner.strategy
    if not isinstance(strategy, PricedPlan):
        return {}
    expected = zip(outlook.planner.wishes.aims, strategy.aims.expected.tolist(), strict=True)
    return {aim.key: (theirs, own) for aim, (theirs, own) in expected if theirs > 0.0}


def _offered(offers: list[Due]) -> list[float]:
    """Offers by urgency, in requests."""
    offered = counted(np.array([due.urgency for due in offers]), np.array([due.cost for due in offers]))
    return [float(requests) for requests in offered]


def outlook_of(
    office: Office, reading: PlanReading, site: str, market: PlanHour, others: OtherSites | None = None
) -> Outlook | None:
    """What is expected of the pages of a site that were visited, at the price of a market; None when there are none."""
    standings, hours, start = reading.standings(site), office.hours, market.start
    if not standings:
        return None
    maker = PlanMaker(office.making(reading))
    pages = maker.all_known(standings, start)
    seen, told = list(reading.all_sightings(site)), reading.told(site)
    past = history(pages, seen, hours, told)
    allowance = Allowance(max(market.visits, 1e-6), 1.0)
    if not market.price:
        allowance = Allowance(max(market.visits * reading.share(site), 1e-6), 1.0)
    readings = reading.sitemap_readings(site) if told else []
    silent = silent_looks(past, said_of(told, readings, pages, hours), pages)
    others = OtherSites(*reading.other_sites(site)) if others is None else others
    learned = learn(pages, past, hours, others, silent)
    outlook = maker.outlook(pages, learned, allowance)
    if isinstance(outlook.planner.strategy, PricedPlan) and market.price:
        outlook.planner.strategy.agree(market.price)
        keys, known = [aim.key for aim in outlook.planner.wishes.aims], market.factors or {}
        here = np.unique(outlook.planner.table.aim)
        if all(keys[place] in known for place in here[here >= 0].tolist()):
            outlook.planner.strategy.aims.agree(np.array([known.get(key, 1.0) for key in keys]))
    outlook.claims.relive(seen, told, RECENT * hours.length, believed_after(learned, outlook.planner.rows))
    for one in readings:
        outlook.claims.read(*one)
    return outlook
