"""Which pages of a crawl are shown in a browser, and what comes of it: what the loop asks, and a plain answer."""

from collections.abc import Callable, Iterable
from typing import Protocol

from strandline.core.quick_dataclass import dataclass
from strandline.core.shown import Shown
from strandline.ports import Browser, Task


@dataclass(frozen=True, slots=True)
class Showing:
    """A decision about a page, and the reason for it."""

    show: bool
    why: str
    wait: bool = False
    """Whether to ask again when other pages were shown: they will tell."""


class Browsing(Protocol):
    """Decides for the loop, from its one thread."""

    @property
    def browser(self) -> Browser | None:
        """What shows pages; None when nothing does."""

    def may_show(self, task: Task) -> bool:
        """Whether a page may be shown when it comes: then it is asked for whole, whatever we hold of it."""

    def decide(self, task: Task, document: bytes, again: bool = False) -> Showing:
        """Whether a page is shown, now that its document is here; `again` after it had to wait."""

    def saw(self, task: Task, document: bytes, shown: Shown) -> Shown:
        """What was shown, and whether it stands for the page from now on; learned from."""

    def spent(self, task: Task, shown: Shown) -> None:
        """What it took to show a page: the plan prices its visits by it."""


@dataclass(frozen=True, slots=True)
class LookNotes:
    """Where what is known of sites outlives a crawl."""

    read: Callable[[str, str], bytes | None]
    """What was kept under a kind and a key."""
    write: Callable[[str, Iterable[tuple[str, bytes | None]]], None]


class NoBrowsing:
    """Nothing is shown."""

    browser = None

    def may_show(self, task: Task) -> bool:
        """Never."""
        return False

    def decide(self, task: Task, document: bytes, again: bool = False) -> Showing:
        """No."""
        return Showing(False, f"no page is shown in a browser: {task.url}, {len(document)} bytes, {again=}")

    def saw(self, task: Task, document: bytes, shown: Shown) -> Shown:
        """Nothing is."""
        return shown

    def spent(self, task: Task, shown: Shown) -> None:
        """Nothing."""
