"""Settings as they are in force: what tables of single sites say, put where the rest of the program looks for it.

What collections say of their sites becomes what is said of these sites, where nothing else is. Seeds of sites become
seeds, budgets and weights become budgets and campaigns of the plan, sites that are shown to a browser are named to the
section about it. What is said of a host while it is asked (whether, when, how politely, with which fields) is looked up
by whoever asks (crawl/site_orders.py). Putting it in force twice changes nothing.
"""

from dataclasses import replace
from urllib.parse import urlsplit

from strandline.core.discovery.site_rules import ByHost, covers
from strandline.core.keeping.collections import Members, page_stretches
from strandline.core.keeping.takedowns import merged
from strandline.core.urls import site as site_of
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings
from strandline.settings.units import rate

_SPANS = {3600.0: "hour", 86_400.0: "day", 604_800.0: "week"}
"""Spans of budgets by their seconds. Origin: units."""


def in_force(settings: Settings) -> Settings:
    """Settings in which everything that was said of single sites and of collections holds."""
    settings = with_collections(settings)
    if not settings.site and not settings.collection:
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
    boosts += [
        f"weight of {one.name}: {page.removesuffix('*')} from 1970-01-01 to 9999-12-31 x{one.weight:.6g}"
        for one in settings.collection
        if one.weight != 1.0 and one.state == "active"
        for page in one.pages
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


def with_collections(settings: Settings) -> Settings:
    """Settings in which collections speak for their sites. What is said of a site itself wins; of several collections a
    site belongs to, the one that asks for more. One that is put aside says nothing, and a site all of whose collections
    are put aside is paused.
    """
    if not settings.collection:
        return settings
    tables = {one.name: one for one in settings.site}
    for collection in settings.collection:
        for name in collection.sites:
            tables.setdefault(name, SiteSettings(name))
    return replace(settings, site=tuple(_spoken_for(one, settings.collection) for one in tables.values()))


def _spoken_for(site: SiteSettings, collections: tuple[CollectionSettings, ...]) -> SiteSettings:
    own = [one for one in collections if any(covers(name, site.name) for name in one.sites)]
    active = [one for one in own if one.state == "active"]
    if not active:
        return replace(site, state="paused") if own and site.state == "active" else site
    weight = site.weight if site.weight != 1.0 else max(one.weight for one in active)
    hours = site.hours
    if not hours and all(one.hours for one in active):
        hours = tuple(dict.fromkeys(text for one in active for text in one.hours))
    budget = site.budget
    if not budget and all(one.budget for one in active):
        shares = [(rate(one.budget), len(one.sites)) for one in active]
        span = min(found.span for found, _ in shares)
        share = sum(found.amount * span / found.span / sites for found, sites in shares)
        budget = f"{share:.3f}/{_SPANS[span]}"
    return replace(site, weight=weight, hours=hours, budget=budget)


def aside(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Stretches of SURT keys of pages that are put aside, and belong to no collection that is not."""
    put = [one for one in settings.collection if one.state == "aside" and one.pages]
    if not put:
        return ()
    active = [text for one in settings.collection if one.state == "active" for text in one.pages]
    kept = Members((), active)
    texts = dict.fromkeys(text for one in put for text in one.pages if text not in active)
    found = (stretch for text in texts for stretch in page_stretches(text))
    return merged(stretch for stretch in found if not kept.has_key(stretch[0]))


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
