"""The bar of the interface: pages grouped by what people want, each explained in one line."""

from typing import Final, NamedTuple

from strandline.core.keeping.people import PersonRole, may


class MenuPage(NamedTuple):
    """A page of the bar: texts `menu_NAME` and `about_NAME`; shown to whoever has its role."""

    path: str
    name: str
    role: PersonRole = "reader"


class Group(NamedTuple):
    """Pages that answer one kind of wish; the text is `group_NAME`. `also` are pages reached from these."""

    name: str
    pages: tuple[MenuPage, ...]
    also: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where it leads."""
        return self.pages[0].path


GROUPS: Final = (
    Group(
        "sites",
        (
            MenuPage("/sites", "sites"),
            MenuPage("/", "overview"),
            MenuPage("/collections", "collections"),
            MenuPage("/start", "start", "operator"),
        ),
        ("/site", "/pages", "/sites/settings", "/collection", "/start/found", "/start/watch"),
    ),
    Group("changes", (MenuPage("/changes", "changes"), MenuPage("/ratings", "ratings")), ("/compare",)),
    Group(
        "plan",
        (
            MenuPage("/simulate", "simulate"),
            MenuPage("/patterns", "patterns"),
            MenuPage("/rules", "rules"),
            MenuPage("/classes", "classes"),
        ),
    ),
    Group(
        "quality",
        (
            MenuPage("/health", "health"),
            MenuPage("/replayed", "replayed"),
            MenuPage("/storage", "storage"),
            MenuPage("/takedowns", "takedowns", "keeper"),
            MenuPage("/people", "people", "keeper"),
            MenuPage("/journal", "journal", "keeper"),
        ),
    ),
    Group("look_up", (MenuPage("/search", "search"), MenuPage("/notes", "notes")), ("/page", "/captures")),
)
"""What people want, in the order they come to want it."""


class Here(NamedTuple):
    """Where a reader is: the group, its pages, and the page when it is one of the bar."""

    group: str = ""
    pages: tuple[MenuPage, ...] = ()
    page: str = ""


def here(path: str, role: str) -> Here:
    """Where in the bar a page stands.

    >>> here("/rules", "reader").group, here("/page", "reader").group, here("/login", "reader").group
    ('plan', 'look_up', '')
    """
    for group in GROUPS:
        shown = tuple(page for page in group.pages if may(role, page.role))
        own = next((page.name for page in shown if page.path == path), "")
        if own or path in group.also:
            return Here(group.name, shown, own)
    return Here()
