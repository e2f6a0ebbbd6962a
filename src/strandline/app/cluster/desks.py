"""Planning in a cluster: each hour, whoever is free takes the desk of a site, plans its visits, and writes them down.

A desk rebuilds what it knows from the index (what study found in each capture; until then, which ones brought other
bytes), plans one hour with the planner the embedded watch uses, and sets the due times of the chosen pages; the workers
then fetch them like anything else that is due. Between two plans a desk is nothing, so it does not matter who plans, or
who dies over it: the lease runs out, and another does it again.

Sites share the budget in proportion to their pages, unless `plan.site_budgets` says otherwise.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from strandline.app.cluster.beside import Errand, Step
from strandline.app.cluster.clock import DatabaseClock
from strandline.app.cluster.shared import Cluster
from strandline.app.plan_wishes import budget_of, budgets_of
from strandline.checks import registered_strategies
from strandline.core.plan.budget import Allowance
from strandline.crawl.experience import Hours, Known, history, learn
from strandline.crawl.next import Due, Planner
from strandline.crawl.wishes import Wishes
from strandline.settings.schema import PlanSettings, Settings
from strandline.store.postgres.desks import PlanReading, claim_plans, hand_in
from strandline.store.postgres.session import Session
from strandline.store.standing import Standing

_DESKS: Final = 16
"""Sites one worker takes at a time."""
_LEASE: Final = 300.0
_LOOKS: Final = 20
"""Times a free worker looks for a desk in an hour."""
FIRST_SHARE: Final = 0.2
"""Part of the budget that is left to pages seen for the first time, robots.txt and whatever is not planned."""


def plan_site(reading: PlanReading, site: str, start: float, allowance: Allowance, hours: Hours) -> list[Due]:
    """The visits of an hour that begins at `start`, in the order of time."""
    pages = [_known(one) for one in reading.standings(site)]
    if not pages:
        return []
    past = history(pages, reading.sightings(site), hours)
    learned = learn(pages, past, hours)
    planner = Planner(
        pages, learned, Wishes(allowance, hour_seconds=hours.length), lambda: past, registered_strategies()
    )
    return planner.hour(start)


def _known(one: Standing) -> Known:
    return Known(one.page, one.url, one.site, one.host, one.weight, 0.0, one.waits, 0.0, one.visited)


def allowance_of(plan: PlanSettings, site: str, shares: dict[str, int]) -> Allowance:
    """What a site may spend in an hour."""
    own = budgets_of("plan.site_budgets", plan.site_budgets).get(site)
    if own is not None:
        return own
    whole = budget_of("plan.budget", plan.budget)
    share = shares.get(site, 0) / max(1, sum(shares.values()))
    return Allowance(whole.amount * (1.0 - FIRST_SHARE) * share, whole.hours)


def plan_errand(cluster: Cluster, worker: int, hour: float) -> Errand:
    """Plan beside a worker's crawl; `hour` are the seconds an hour of the watch lasts."""

    @contextlib.contextmanager
    def opened(_stopped: Callable[[], bool]) -> Iterator[Step]:
        with contextlib.closing(Session(cluster.database, 30.0)) as session:
            clock = DatabaseClock(session)
            yield lambda: plan_due_sites(session, cluster.settings, worker, clock.now(), hour)

    return Errand("desks", hour / _LOOKS, opened, "sites are not planned by this worker")


def plan_due_sites(session: Session, settings: Settings, worker: int, now: float, hour: float) -> int:
    """Plan the rest of this hour for sites nobody has planned; returns how many."""
    start = now // hour * hour
    reading = PlanReading(session)
    desks = claim_plans(session, worker, start + hour, _LEASE, _DESKS)
    shares = reading.shares() if desks else {}
    for desk in desks:
        allowance = allowance_of(settings.plan, desk.site, shares)
        visits = plan_site(reading, desk.site, start, allowance, Hours.since(start, hour))
        planned = [(due.page, max(due.due, now), -due.urgency) for due in visits]
        hand_in(session, desk, start + hour, planned)
    return len(desks)
