"""How the pages of an archive stand, as columns: all that measures ask of them, in a few bytes a page."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.strategy import Floats, Rows
from strandline.core.quality.hollow import SAME, SHARED_BY, SHARED_PART, noted
from strandline.store.standing import Standing

Flags = NDArray[np.bool_]


class PageFacts(NamedTuple):
    """Of each page its number, its weight, since when it is gone (UTC epoch seconds; NaN: it is not), whether there
    never was one, and what it gave instead of content.
    """

    page: Rows
    weight: Floats
    gone: Floats
    dead: Flags
    hollow: list[str]


class FactsNoted:
    """Notes facts of pages while somebody else looks through them: they are read once for both.

    >>> facts = FactsNoted()
    >>> list(facts.passing([])), len(facts.in_rows(lambda page: page, []).page)
    ([], 0)
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._page, self._weight, self._gone, self._dead = array("q"), array("d"), array("d"), array("b")
        self._kinds: list[str] = []

    def passing(self, standings: Iterable[Standing]) -> Iterator[Standing]:
        """The same pages, noted one by one."""
        for one in standings:
            self._page.append(one.page)
            self._weight.append(one.weight)
            self._gone.append(one.since if one.evidence == "absent" else np.nan)
            self._dead.append(one.dead)
            self._kinds.append(noted(one.detail, one.status))
            yield one

    def in_rows(self, row_of: Callable[[int], int], contents: Iterable[tuple[int, str, str]]) -> PageFacts:
        """What was noted, in the order of rows; `contents` are page, site and digest of what pages last showed. Nothing
        is left here: of many pages it would be held twice.
        """
        same = set(shared_pages(contents).tolist())
        page = np.array(self._page, dtype=np.int64)
        order = np.argsort(np.fromiter(map(row_of, self._page), np.int64, len(page)), kind="stable")
        kinds = [self._kinds[place] or SAME * (self._page[place] in same) for place in order.tolist()]
        weight, gone = np.array(self._weight)[order], np.array(self._gone)[order]
        dead = np.array(self._dead, np.bool_)[order]
        self._forget()
        return PageFacts(page[order], weight, gone, dead, kinds)


def shared_pages(contents: Iterable[tuple[int, str, str]]) -> Rows:
    """Pages that show what many others of their site show, to the last byte.

    >>> shared_pages((page, "a.example", "sha1:x" if page < 6 else f"sha1:{page}") for page in range(11)).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    pages, shown, own, sites = array("q"), array("q"), array("l"), dict[str, int]()
    for page, site, digest in contents:  # as texts they would take ten times the memory of their hashes
        pages.append(page)
        shown.append(hash((site, digest)))
        own.append(sites.setdefault(site, len(sites)))
    number, site_of = np.array(pages, dtype=np.int64), np.array(own, dtype=np.int64)
    _, content, count = np.unique(np.array(shown, dtype=np.int64), return_inverse=True, return_counts=True)
    enough = np.maximum(SHARED_BY, SHARED_PART * np.bincount(site_of, minlength=len(sites)))
    found: Rows = number[count[content] >= enough[site_of]]
    return found
