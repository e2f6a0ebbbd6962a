"""A worker that watches: it plans, studies and learns beside its crawl, and follows the desks within one budget."""

import contextlib
from collections.abc import Callable, Iterator

from strandline.app.cluster.agenda import CommonPurse, SharedWatchAgenda
from strandline.app.cluster.beside import Beside
from strandline.app.cluster.clock import DatabaseClock
from strandline.app.cluster.desks import plan_errand
from strandline.app.cluster.learning import learn_errand
from strandline.app.cluster.shared import Cluster
from strandline.app.cluster.studying import study_errand
from strandline.app.plan_wishes import budget_of
from strandline.crawl.watch_agenda import WatchOrders
from strandline.errors import SettingError
from strandline.store.postgres.catalog import PostgresCatalog


@contextlib.contextmanager
def watching(
    cluster: Cluster, catalog: PostgresCatalog, clock: DatabaseClock, pace: tuple[float, Callable[[str], None]]
) -> Iterator[SharedWatchAgenda]:
    """The agenda of such a worker. `pace` has the seconds of an hour, and who hears what happened."""
    settings, (length, say) = cluster.settings, pace
    whole = budget_of("plan.budget", settings.plan.budget)
    if whole.in_bytes:
        raise SettingError("plan.budget: a cluster counts requests, not bytes; for example 5000/day")
    allowed = int(whole.amount / whole.hours)
    common = CommonPurse(whole, lambda hour, wanted: catalog.spend(hour, wanted, allowed))
    catalog.begin_watch(length, clock.now())
    hold = settings.study.hold * length / 3600.0
    errands = [plan_errand(cluster, catalog.worker, length), learn_errand(cluster, length)]
    if settings.study.workers > 0:
        errands.append(study_errand(cluster, catalog.worker, length))
    with contextlib.ExitStack() as stack:
        for errand in errands:
            stack.enter_context(Beside(errand, say))
        yield SharedWatchAgenda(catalog, clock, WatchOrders(length, hold, settings.crawl.retries), common)
