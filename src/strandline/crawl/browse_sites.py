"""Whether a page is shown, as the settings say for its site: never, always, or where it pays."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from strandline.core.shown import Shown
from strandline.core.urls import authority, site
from strandline.crawl.browsing import Browsing, NoBrowsing, Showing
from strandline.ports import Browser, Task

NEVER: Final = "never"
ALWAYS: Final = "always"
AUTO: Final = "auto"


def chosen(url: str, usual: str, sites: Mapping[str, str]) -> str:
    """What is wanted for an address: never, auto or always."""
    place, name = authority(url), site(url)
    wanted = (sites.get(one) for one in (place, place.partition(":")[0], name, name.partition(":")[0]))
    return next((choice for choice in wanted if choice), usual)


class SiteBrowsing:
    """Implements `Browsing` for sites with settings of their own; `learned` decides where it is to be learned."""

    def __init__(self, browser: Browser, usual: str, sites: Mapping[str, str], learned: Browsing | None = None) -> None:
        self.browser: Browser | None = browser
        self._usual = usual
        self._sites = sites
        self._learned = learned or NoBrowsing()

    def _choice(self, url: str) -> str:
        return chosen(url, self._usual, self._sites)

    def may_show(self, task: Task) -> bool:
        """Whether a page may be shown when it comes."""
        choice = self._choice(task.url)
        return choice == ALWAYS or (choice == AUTO and self._learned.may_show(task))

    def decide(self, task: Task, document: bytes, again: bool = False) -> Showing:
        """Whether a page is shown, now that its document is here."""
        choice = self._choice(task.url)
        if choice == AUTO:
            return self._learned.decide(task, document, again)
        return Showing(choice == ALWAYS, f"capture.browser is {choice}")

    def saw(self, task: Task, document: bytes, shown: Shown) -> Shown:
        """Where pages are always shown, what was shown stands for them."""
        self.spent(task, shown)
        if self._choice(task.url) == AUTO:
            return self._learned.saw(task, document, shown)
        return replace(shown, stands=shown.whole)

    def spent(self, task: Task, shown: Shown) -> None:
        """What it took, however it was decided."""
        self._learned.spent(task, shown)
