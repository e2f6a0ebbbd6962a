"""What study knows of the templates of sites (`core.blocks.site_template`), from round to round.

A round works with what earlier rounds showed, so that it does not matter in which order its pages are answered. After a
new start, sites of which enough pages are in a round are read back from the catalog.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from math import inf
from typing import Final

from strandline.core.blocks.site_template import ENOUGH, MOST_PAGES, NO_TEMPLATE, SiteTexts, Template
from strandline.core.changes.observation import PageStudy
from strandline.core.urls import site
from strandline.store.studies import StudyReading

_SITES: Final = 200
"""Sites whose templates are kept in mind. Origin: a bound on memory."""


class SiteTemplates:
    """The templates of the sites met last."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, SiteTexts] = OrderedDict()
        self._site_of: dict[int, str] = {}

    def begin(self, pages: Sequence[tuple[int, str]], reading: StudyReading) -> None:
        """Take in the pages of a round, by number and address; what is known of them is read where it is missing."""
        self._site_of = {page: site(url) for page, url in pages}
        together: dict[str, list[int]] = {}
        for page, name in self._site_of.items():
            together.setdefault(name, []).append(page)
        for name, numbers in together.items():
            if len(numbers) >= ENOUGH and name not in self._sites:
                for page in numbers[:MOST_PAGES]:
                    self._recall(name, page, reading)

    def _recall(self, name: str, page: int, reading: StudyReading) -> None:
        history = reading.history(page)
        latest = history.at(inf)
        if latest is not None:
            self._texts(name).learn(page, (text for block in history.tree(latest).blocks for text in block.texts))

    def of(self, page: int) -> Template:
        """What the pages of a page's site have in common."""
        found = self._sites.get(self._site_of.get(page, ""))
        return NO_TEMPLATE if found is None else found.template

    def end(self, studies: Iterable[PageStudy]) -> None:
        """Take in what a round showed."""
        for study in sorted(studies, key=lambda study: study.page):
            name = self._site_of.get(study.page)
            if name and study.versions:
                blocks = study.versions[-1].blocks
                texts = (item.text for block in blocks for item in block.items if item.kind == "text")
                self._texts(name).learn(study.page, texts)
        self._site_of = {}

    def _texts(self, name: str) -> SiteTexts:
        found = self._sites.setdefault(name, SiteTexts())
        self._sites.move_to_end(name)
        if len(self._sites) > _SITES:
            self._sites.popitem(last=False)
        return found
