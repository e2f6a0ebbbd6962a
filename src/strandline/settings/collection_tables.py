"""`[[collection]]`: sites and pages that belong together, described for others. `strandline collection` writes it."""

from typing import Final

from strandline.core.quick_dataclass import dataclass
from strandline.settings.setting import setting

COLLECTION_STATES: Final = ("active", "aside")
DUBLIN_CORE: Final = ("title", "creator", "subject", "description", "publisher", "rights", "language", "date")
"""Elements of Dublin Core that describe a collection, in files that leave the archive, too."""


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """Collections: sites and pages that belong together, a table each. `strandline collection` and the interface
    write them; keys that are left out are empty.
    """

    name: str = setting("", "A short name: letters, digits, dots and hyphens.", form="collection_name")
    state: str = setting(
        "active",
        "active; aside: what belongs to no other collection is not watched any more, what was captured stays.",
        choices=COLLECTION_STATES,
    )
    title: str = setting("", "Its title (Dublin Core, as the keys below).", form="described")
    creator: str = setting("", "Who made the collection.", form="described")
    subject: tuple[str, ...] = setting((), "What it is about, a keyword each.", form="described")
    description: str = setting("", "What is in it, and why.", form="described")
    publisher: str = setting("", "Who makes it available.", form="described")
    rights: str = setting("", "Who may do what with it.", form="described")
    language: str = setting("", "The language of what is in it, for example de.", form="described")
    date: str = setting("", "Its date or span of time, for example 2026 or 2026-03-01/2026-06-30.", form="described")
    sites: tuple[str, ...] = setting((), "Sites that belong to it: registered domains or hosts.", form="site_name")
    pages: tuple[str, ...] = setting(
        (), "Pages that belong to it: addresses, or beginnings of addresses with * at their end.", form="member"
    )
    budget: str = setting(
        "", "Most requests to its sites, in equal parts: 300/day. A budget of a site itself wins.", form="site_budget"
    )
    weight: float = setting(
        1.0, "How many times as much changes in it matter to the plan; a weight of a site wins.", bounds=(0.001, 1000)
    )
    objective: str = setting(
        "",
        "What counts in it, where that is something else than plan.objective: pool, page, middle, count or content. "
        "It divides what the collection gets among its pages; how much that is, weight says.",
        choices=("", "pool", "page", "middle", "count", "content"),
    )
    hours: tuple[str, ...] = setting(
        (), "When its sites may be asked, as hours of a site; hours of a site itself win.", form="hours"
    )
