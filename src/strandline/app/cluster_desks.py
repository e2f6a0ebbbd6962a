"""Planning in a cluster: each hour, whoever is free takes the desk of a site, plans its visits, and writes them down.

A desk rebuilds what it knows from the index (which captures brought other bytes), plans one hour with the planner the
embedded watch uses, and sets the due times of the chosen pages; the workers then fetch them like anything else that is
due. Between two plans a desk is nothing, so it does not matter who plans, or who dies over it: the lease runs out, and
another does it again.

Sites share the budget in proportion to their pages, unless `plan.site_budgets` says otherwise.
"""

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final

from strandline.app.cluster_clock import DatabaseClock
from strandline.app.watch_plan import budget_of, budgets_of
from strandline.checks import registered_strategies
from strandline.core.plan.budget import Allowance
from strandline.crawl.experience import Hours, Known, history, learn
from strandline.crawl.next import Due, Planner
from strandline.crawl.wishes import Wishes
from strandline.errors import StrandlineError, Unreachable
from strandline.ports import PLANNED
from strandline.settings.schema import PlanSettings, Settings
from strandline.store.postgres import Session
from strandline.store.postgres_desks import DeskReading, claim, hand_in
from strandline.store.standing import Standing

_DESKS: Final = 16
"""Sites one worker takes at a time."""
_LEASE: Final = 300.0
_LOOKS: Final = 20
"""Times a free worker looks for a desk in an hour."""
FIRST_SHARE: Final = 0.2
"""Part of the budget that is left to pages seen for the first time, robots.txt and whatever is not planned."""


def plan_site(reading: DeskReading, site: str, start: float, allowance: Allowance, hours: Hours) -> list[Due]:
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
    barred = "" if one.due >= PLANNED else one.detail or one.outcome or "waits"
    return Known(one.page, one.url, one.site, one.host, one.weight, 0.0, barred, 0.0, one.visited)


def allowance_of(plan: PlanSettings, site: str, shares: dict[str, int]) -> Allowance:
    """What a site may spend in an hour."""
    own = budgets_of("plan.site_budgets", plan.site_budgets).get(site)
    if own is not None:
        return own
    whole = budget_of("plan.budget", plan.budget)
    share = shares.get(site, 0) / max(1, sum(shares.values()))
    return Allowance(whole.amount * (1.0 - FIRST_SHARE) * share, whole.hours)


class SiteDesks(contextlib.AbstractContextManager["SiteDesks"]):
    """Plans beside a worker's crawl, in a thread with connections of its own."""

    def __init__(self, database: str, settings: Settings, worker: int, hour: float, say: Callable[[str], None]) -> None:
        """`hour` are the seconds an hour lasts."""
        self._database = database
        self._settings = settings
        self._worker = worker
        self._hour = hour
        self._say = say
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="desks", daemon=True)

    def __enter__(self) -> "SiteDesks":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with contextlib.closing(Session(self._database, 30.0)) as session:
                    clock = DatabaseClock(session)
                    while not self._stopped.wait(self._hour / _LOOKS):
                        plan_due_sites(session, self._settings, self._worker, clock.now(), self._hour)
            except Unreachable:
                continue  # the crawl meets it, too, and tells
            except StrandlineError as problem:
                self._say(f"sites are not planned by this worker: {problem}")
                return


def plan_due_sites(session: Session, settings: Settings, worker: int, now: float, hour: float) -> int:
    """Plan the rest of this hour for sites nobody has planned; returns how many."""
    start = now // hour * hour
    reading = DeskReading(session)
    desks = claim(session, worker, start + hour, _LEASE, _DESKS)
    shares = reading.shares() if desks else {}
    for site, token in desks:
        allowance = allowance_of(settings.plan, site, shares)
        visits = plan_site(reading, site, start, allowance, Hours.since(start, hour))
        planned = [(due.page, max(due.due, now), -due.urgency) for due in visits]
        hand_in(session, (site, token), start + hour, planned)
    return len(desks)
