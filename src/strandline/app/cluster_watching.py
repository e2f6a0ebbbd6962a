"""A worker that watches: it plans for sites beside its crawl, and follows what all desks plan, within one budget."""

import contextlib
from collections.abc import Callable, Iterator

from strandline.app.cluster import Cluster
from strandline.app.cluster_agenda import CommonPurse, SharedWatchAgenda
from strandline.app.cluster_clock import DatabaseClock
from strandline.app.cluster_desks import SiteDesks
from strandline.app.watch_plan import budget_of
from strandline.crawl.watch_agenda import WatchOrders
from strandline.errors import SettingError
from strandline.store.postgres_catalog import PostgresCatalog


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
    catalog.plan_visited()
    hold = settings.study.hold * length / 3600.0
    with SiteDesks(cluster.database, settings, catalog.worker, length, say):
        yield SharedWatchAgenda(catalog, clock, WatchOrders(length, hold, settings.crawl.retries), common)
