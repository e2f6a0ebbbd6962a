"""Settings as they are in force: what tables of single sites say, put where the rest of the program looks for it.

Seeds of sites become seeds, budgets and weights become budgets and campaigns of the plan, sites that are shown to a
browser are named to the section about it. What is said of a host while it is asked (whether, when, how politely, with
which fields) is looked up by whoever asks (crawl/site_orders.py). Putting it in force twice changes nothing.
"""

from dataclasses import replace
from urllib.parse import urlsplit

from strandline.core.discovery.site_rules import ByHost
from strandline.core.urls import site as site_of
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings


def in_force(settings: Settings) -> Settings:
    """Settings in which everything that was said of single sites holds."""
    if not settings.site:
        return settings
    sites = [one for one in settings.site if one.state != "removed"]
    scope, plan = settings.scope, settings.plan
    seeds = with_seeds(settings, scope.seeds)
    whole = [one for one in sites if is_domain(one.name)]
    hosts = [one for one in sites if not is_domain(one.name)]
    boosts = [
        f"weight of {one.name.replace(':', ' port ')}: {one.name} from 1970-01-01 to 9999-12-31 x{one.weight:.6g}"
        for one in sites
        if one.weight != 1.0
    ]
    plan = replace(
        plan,
        site_budgets=_added(plan.site_budgets, [f"{one.name} {one.budget}" for one in whole if one.budget]),
        host_budgets=_added(plan.host_budgets, [f"{one.name} {one.budget}" for one in hosts if one.budget]),
        campaigns=_added(plan.campaigns, boosts),
    )
    shown = _added(settings.capture.browser_sites, [f"{one.name} {one.browser}" for one in sites if one.browser])
    capture = replace(settings.capture, browser_sites=shown)
    return replace(settings, scope=replace(scope, seeds=seeds), plan=plan, capture=capture)


def is_domain(name: str) -> bool:
    """Whether a name of a site stands for all hosts of a registered domain.

    >>> is_domain("example.org"), is_domain("www.example.org"), is_domain("127.0.0.1:8080")
    (True, False, True)
    """
    return site_of(f"http://{name}/") == name


def with_seeds(settings: Settings, seeds: tuple[str, ...]) -> tuple[str, ...]:
    """These seeds and those of single sites, without those of sites that were removed."""
    own = [seed for one in settings.site if one.state != "removed" for seed in one.seeds]
    removed = removed_sites(settings)
    return tuple(dict.fromkeys(seed for seed in (*seeds, *own) if not removed(seed)))


class removed_sites:  # noqa: N801 - asked like a function
    """Whether an address belongs to a site that was removed."""

    def __init__(self, settings: Settings) -> None:
        self._sites: ByHost[SiteSettings] = ByHost(settings.site)

    def __call__(self, url: str) -> bool:
        """Whether it does."""
        found = self._sites.of(urlsplit(url).netloc.rpartition("@")[2].lower())
        return found is not None and found.state == "removed"


def _added(old: tuple[str, ...], new: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))
