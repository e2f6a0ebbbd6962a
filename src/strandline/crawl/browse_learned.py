"""`capture.browser = "auto"`: pages are shown where looks in both ways found that a browser shows more.

What is known of a site is kept as a note of the catalog under BROWSING, and used by the next crawl. A page that a
browser did not add to stays what its answer says: what was shown is kept in the WARC, and stands for nothing.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from strandline.core.browsing.gain import gain_of
from strandline.core.browsing.signs import Signs, signs_of
from strandline.core.browsing.supply import supplier
from strandline.core.browsing.worth import (
    AGREED,
    Decision,
    Rules,
    SiteLooks,
    begun,
    chance,
    decide,
    learn,
    met,
    over,
    supplies,
    took,
)
from strandline.core.shown import DOCUMENT, TEXT, Shown
from strandline.core.urls import directory_of, site
from strandline.crawl.browsing import LookNotes, Showing
from strandline.ports import Browser, Discoverer, Task

BROWSING: Final = "browsing"
_SAVE_EVERY: Final = 5
"""Looks after which what was learned is kept, for the plan of a watch that goes on. Origin: a guess."""


class LearnedBrowsing:
    """Implements `Browsing`."""

    browser: Browser | None = None
    """Whoever asks has it."""

    def __init__(
        self, notes: LookNotes, documents: Discoverer, lot: Callable[[], float], rules: Rules | None = None
    ) -> None:
        self._notes = notes
        self._documents = documents
        self._lot = lot
        self._rules = rules or Rules()
        self._sites: dict[str, SiteLooks] = {}
        self._changed: set[str] = set()
        self._unsaved = 0

    def looks(self, url: str) -> SiteLooks:
        """What is known of the site of an address."""
        name = site(url)
        if name not in self._sites:
            self._sites[name] = read_looks(self._notes.read(BROWSING, name))
        return self._sites[name]

    def may_show(self, task: Task) -> bool:
        """Whether a page that was shown before is likely to be shown again; others are asked for as usual."""
        looks = self.looks(task.url)
        known = looks.pages.get(task.url)
        return known is not None and known[1] > 0

    def decide(self, task: Task, document: bytes, again: bool = False) -> Showing:
        """Whether a page is shown, now that its document is here."""
        looks, signs, place = self.looks(task.url), signs_of(document), directory_of(task.url)
        if not again:
            met(looks, place, signs)
        self._changed.add(site(task.url))
        found = decide(looks, task.url, place, signs, _no_lot if again else self._lot, self._rules)
        if found.trial:
            begun(looks, place, signs.kind)
        return Showing(found.show, found.why, found.wait)

    def saw(self, task: Task, document: bytes, shown: Shown) -> Shown:
        """Learn from a look in both ways; what was shown stands for the page where it shows more."""
        made, text = shown.view(DOCUMENT), shown.view(TEXT)
        looks, kind = self.looks(task.url), signs_of(document).kind
        over(looks, directory_of(task.url), kind)
        if not shown.whole or made is None or text is None:
            return shown
        links, shown_links = (self._links(task.url, data) for data in (document, made))
        pays = gain_of(document, text.decode("utf-8", "replace"), links, shown_links).pays
        learn(looks, task.url, directory_of(task.url), kind, pays)
        supply = supplier(document, text.decode("utf-8", "replace"), shown.data) if pays else None
        agreed = supplies(looks, task.url, supply, shown.time) >= AGREED
        self._changed.add(site(task.url))
        known = chance(looks, task.url, directory_of(task.url), kind, self._rules)
        if agreed and supply is not None:
            self.save()  # the plan asks for it instead from now on
        supplied = supply.url if agreed and supply is not None else ""
        return replace(shown, stands=pays or known >= self._rules.price, data=(), supplied=supplied)

    def spent(self, task: Task, shown: Shown) -> None:
        """What it took to show a page."""
        if shown.failed:
            return
        took(self.looks(task.url), shown.asked)
        self._changed.add(site(task.url))
        self._unsaved += 1
        if self._unsaved >= _SAVE_EVERY:
            self.save()

    def _links(self, url: str, document: bytes) -> set[str]:
        named = self._documents.discover(url, "text/html", document, "utf-8").named
        return {one.url for one in named if one.via == "link"}

    def save(self) -> None:
        """Keep what was learned."""
        changed, self._changed, self._unsaved = self._changed, set(), 0
        if changed:
            self._notes.write(BROWSING, [(name, written(self._sites[name])) for name in sorted(changed)])


def _no_lot() -> float:
    """A page that waited has drawn its lot."""
    return 1.0


def read_looks(value: bytes | None) -> SiteLooks:
    """What was kept of a site; as at the start when there is nothing that can be read."""
    try:
        return SiteLooks.from_data(json.loads(value)) if value else SiteLooks()
    except (ValueError, TypeError, AttributeError):
        return SiteLooks()


def written(looks: SiteLooks) -> bytes:
    """What `read_looks` reads."""
    return json.dumps(looks.as_data(), separators=(",", ":")).encode()


def explained(looks: SiteLooks, url: str, document: bytes) -> Decision:
    """What would be decided about a page now, samples aside."""
    signs: Signs = signs_of(document)
    return decide(looks, url, directory_of(url), signs, _no_lot, Rules())
