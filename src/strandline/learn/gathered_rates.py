"""What rates need of the pages of a site, gathered some pages at a time: see learn/rates.py for what is made of it."""

from array import array
from collections.abc import Iterable, Sequence

from strandline.core.mining.learned import Visits
from strandline.learn.packed_looks import LooksShelf, PackedLooks
from strandline.learn.page_columns import WrittenTexts
from strandline.learn.rates import Counts, FirstSights, SitePages, counted, joined_counts


class GatheredRates:
    """A site: addresses and counts of its pages in columns, their captures on a shelf."""

    def __init__(self, shelf: LooksShelf) -> None:
        self._shelf = shelf
        self._pages = array("q")
        self._urls = WrittenTexts()
        self._sights = FirstSights()
        self._counts: list[Counts] = []

    def add(self, pages: Sequence[Visits], sights: Iterable[tuple[int, int, int, int]]) -> None:
        """Some pages, and what was seen of them at first; then those with larger numbers."""
        for one in pages:
            self._pages.append(one.page)
            self._urls.append(one.url)
        self._sights.add(sights)
        self._counts.append(counted(pages))
        self._shelf.add(pages)

    def site(self) -> tuple[SitePages, PackedLooks]:
        """All of them."""
        known = SitePages.at(self._pages, self._urls, self._sights, joined_counts(self._counts))
        return known, self._shelf.site()
