"""`[[site]]`: settings of one site, where they are others than those of all. `strandline site` writes them."""

from strandline.core.discovery.site_rules import STATES
from strandline.core.quick_dataclass import dataclass
from strandline.settings.setting import setting


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """Sites with settings of their own, a table each. `strandline site` and the interface write them; keys that are
    left out, and those that are empty or 0, are as for all sites.
    """

    name: str = setting("", "A registered domain, with all its hosts, or one host.", form="site_name")
    seeds: tuple[str, ...] = setting((), "Addresses to start from, besides scope.seeds.", form="address")
    state: str = setting(
        "active",
        "active; paused: nothing is asked of it; removed: as if it had never been named, what was captured stays.",
        choices=STATES,
    )
    scope: str = setting(
        "",
        "How far from its seeds to go: page, prefix, host or domain.",
        choices=("", "page", "prefix", "host", "domain"),
    )
    include: tuple[str, ...] = setting((), "SURT prefixes that are in scope too.", form="surt")
    exclude: tuple[str, ...] = setting((), "SURT prefixes that are never fetched.", form="surt")
    hops: int = setting(0, "Links to follow from its seeds at most.")
    delay: str = setting("", "Pause between requests to each of its hosts, or auto.", form="site_delay")
    connections: int = setting(0, "Connections to each of its hosts at the same time.", bounds=(0, 100))
    hours: tuple[str, ...] = setting(
        (),
        'When it may be asked, in its own time (learn.sites): "22:00-06:00", "sat,sun 00:00-24:00"; always when empty.',
        form="hours",
    )
    budget: str = setting("", "Most requests to it, whatever they are for: 100/day.", form="site_budget")
    weight: float = setting(1.0, "How many times as much its changes matter to the plan.", bounds=(0.001, 1000))
    headers: tuple[str, ...] = setting(
        (),
        'Fields sent with requests to it: "Accept-Language: de", "Cookie: $NEWS_COOKIE"; $NAME comes from the '
        "environment. Cookie and Authorization are not recorded, unless keep.keep_secrets says so.",
        form="header",
    )
    browser: str = setting(
        "", "Whether its pages are shown in a browser, as capture.browser.", choices=("", "never", "auto", "always")
    )
