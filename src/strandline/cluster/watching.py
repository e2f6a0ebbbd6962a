"""A worker that watches: it plans beside its crawl, and follows the desks of sites within one budget."""

import contextlib
from collections.abc import Callable, Iterator
from functools import lru_cache

from strandline.cluster.agenda import Means, SharedWatchAgenda
from strandline.cluster.background import BackgroundThread
from strandline.cluster.database_clock import DatabaseClock
from strandline.cluster.shared import Cluster
from strandline.cluster.shared_budget import HostPurse, SharedPurse
from strandline.cluster.site_leases import plan_job, watch_hours
from strandline.core.capture import Kind
from strandline.core.urls import site
from strandline.learn.known_pages import HOUR
from strandline.plan.browser_cost import BrowserCosts
from strandline.plan.claims import GOOD
from strandline.plan.feed_hubs import listening
from strandline.plan.settings_wishes import budget_of, budgets_of
from strandline.settings.in_force import in_force
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.watch.agenda import WatchOrders


@contextlib.contextmanager
def watching(
    cluster: Cluster, catalog: PostgresCatalog, clock: DatabaseClock, pace: tuple[float, Callable[[str], None]]
) -> Iterator[SharedWatchAgenda]:
    """The agenda of such a worker. `pace` has the seconds of an hour, and who hears what happened."""
    settings, (length, say) = in_force(cluster.settings), pace
    plan, hold = settings.plan, settings.study.hold * length / 3600.0
    hours, _ = watch_hours(catalog.begin_watch(length, clock.now()), clock.now(), length)
    purse = SharedPurse(
        budget_of("plan.budget", plan.budget),
        hours,
        clock,
        catalog.book,
        "bytes" if plan.unchanged == "bytes" else "request",
    )
    limits = {
        host: HostPurse(host, budget, hours, clock, catalog.book)
        for host, budget in {
            **budgets_of("plan.site_budgets", plan.site_budgets),
            **budgets_of("plan.host_budgets", plan.host_budgets),
        }.items()
    }
    costs = BrowserCosts(settings.capture, catalog.reading)

    def cost(url: str) -> float:
        """As of the beginning of the hour, as plans have it."""
        return 1.0 if costs.idle else costs.of(url, site(url), hours.seconds(hours.at(clock.now()) // 1))

    def trusted(url: str, kind: Kind) -> bool:
        """As of the site's last plan."""
        return catalog.trust(site(url), kind) >= GOOD

    @lru_cache(maxsize=1)
    def telling_in(_quarter: int) -> int:
        return catalog.telling(GOOD)

    def telling() -> int:
        """As of the beginning of this quarter of an hour: all workers share what is spent on them."""
        return telling_in(int(4.0 * hours.at(clock.now())))

    means = Means(purse, limits, trusted, telling, listening(catalog, length / HOUR), cost)
    with contextlib.closing(purse), BackgroundThread(plan_job(cluster, catalog.worker, length), say):
        yield SharedWatchAgenda(catalog, clock, WatchOrders(length, hold, settings.crawl.retries), means)
