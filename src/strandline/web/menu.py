"""The bar of the interface: pages grouped by what people want, each explained in one line."""

from typing import Final, NamedTuple


class MenuPage(NamedTuple):
    """A page of the bar: texts `menu_NAME` and `about_NAME`; `keepers`: only for keepers."""

    path: str
    name: str
    keepers: bool = False


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
        (MenuPage("/sites", "sites"), MenuPage("/", "overview"), MenuPage("/collections", "collections")),
        ("/site", "/pages", "/sites/settings", "/collection"),
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
            MenuPage("/storage", "storage"),
            MenuPage("/takedowns", "takedowns", keepers=True),
            MenuPage("/people", "people", keepers=True),
            MenuPage("/journal", "journal", keepers=True),
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
        shown = tuple(page for page in group.pages if role == "keeper" or not page.keepers)
        own = next((page.name for page in shown if page.path == path), "")
        if own or path in group.also:
            return Here(group.name, shown, own)
    return Here()
