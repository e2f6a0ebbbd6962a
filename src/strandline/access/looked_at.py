"""What captures tell of the pages of an archive, worked out some pages at a time.

How often pages changed is believed hour by hour of the week, and what was missed is asked with twenty factors for each
gap between captures: of all pages at once that would take ten times the memory of the captures themselves. Of each page
a few numbers are kept; the rates it may have, a hundred bytes and more, in a room that may lie elsewhere. What was
missed hangs on what the other pages of a directory show (core/quality/missed.py), so directories are not divided:
one that is larger than a part is a part of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from strandline.access.gaps import AllSights, Believed, Floats, Hours, Ints, Pages, Said, gaps_of
from strandline.core.beliefs.page_beliefs import Room, Rooms
from strandline.core.quality.estimates import Watched
from strandline.core.quality.missed import Missed, missed_changes

TOGETHER: Final = 65_536
"""Captures that are looked at together; a page counts as A_PAGE of them. Origin: a bound on memory, 20 MB."""
A_PAGE: Final = 8
"""Captures that take as much memory as what is believed of their page. Origin: a guess."""


@dataclass(frozen=True)
class AllPages:
    """What is known of pages beside their captures: what is believed of them, to be asked for some at a time; site and
    directory, when they went away (NaN: they did not), what was said of them, what they weigh, and where the rates they
    may have are to lie.
    """

    believed: Believed
    hours: Hours
    site: Ints
    directory: Ints
    ended: Floats
    said: Said
    weight: Floats
    rooms: Rooms

    def of(self, rows: Ints) -> Pages:
        """Some of them, numbered anew, as are their directories; `said` must be in the order of pages."""
        shift = None if self.hours.shift is None else self.hours.shift[rows]
        directory = np.unique(self.directory[rows], return_inverse=True)[1]
        facts = (self.site[rows], directory, self.ended[rows], self.said.of(rows))
        return Pages(self.believed.of(rows), Hours(self.hours.cycle, shift), *facts)


@dataclass(frozen=True)
class Looked:
    """What captures tell of each page: how it was watched, what they missed, when the first was made (infinite for
    none), and how many there are.
    """

    watched: Watched
    missed: Missed
    first: Floats
    captures: Ints


class RatesNoted:
    """Rates that pages may have, and how likely each of them is, in a room."""

    def __init__(self, rooms: Rooms, count: int) -> None:
        self._rooms = rooms
        self._count = count
        self._room: Room | None = None

    def note(self, rows: Ints, rates: Floats, odds: Floats) -> None:
        """Those of some pages."""
        some = np.empty(len(rows), dtype=[(name, np.float64, rates.shape[1:]) for name in ("rates", "odds")])
        if self._room is None:
            self._room = self._rooms(some.dtype)
            self._room.grow(self._count)
        some["rates"], some["odds"] = rates, odds
        self._room.put(rows, some)

    def of(self, rows: Ints) -> tuple[Floats, Floats]:
        """Those of some pages."""
        if self._room is None:
            return np.zeros((len(rows), 0)), np.zeros((len(rows), 0))
        some = self._room.take(rows)
        return np.ascontiguousarray(some["rates"]), np.ascontiguousarray(some["odds"])


def looked_at(pages: AllPages, sights: AllSights, end: float) -> Looked:
    """Look at all pages; `sights` are all captures up to `end`."""
    count, captures = len(pages.weight), sights.counts(len(pages.weight))
    pages = replace(pages, said=pages.said.by_page())
    first, last = np.full(count, np.inf), np.full(count, np.nan)
    importance, found, mean, spread = (np.zeros(count) for _ in range(4))
    rates = RatesNoted(pages.rooms, count)
    for rows in of_directories(pages.directory, captures):
        some, own = pages.of(rows), sights.some(rows)
        missed, estimate = missed_changes(gaps_of(some, own, end)), some.estimate
        mean[rows], spread[rows] = missed.mean, missed.spread
        importance[rows] = estimate.mean_importance
        rates.note(rows, estimate.rates, estimate.odds)
        found[rows] = np.bincount(own.row[own.new], minlength=len(rows))
        looked, after = rows[captures[rows] > 0], np.append(np.diff(own.row) != 0, True)[: len(own.row)]
        first[looked], last[looked] = own.time[~own.again], own.time[after]
    seen = captures > 0
    span = np.where(seen, end - np.where(seen, first, 0.0), 0.0)
    watched = Watched(pages.weight, importance, rates, found, span, last)
    return Looked(watched, Missed(mean, spread), first, captures)


def of_directories(directory: Ints, captures: Ints) -> Iterator[Ints]:
    """Rows of pages that are looked at together, in ascending order: those of some directories.

    >>> [rows.tolist() for rows in of_directories(np.array([1, 0, 1]), np.array([1, TOGETHER, 2]))]
    [[1], [0, 2]]
    """
    order = np.argsort(directory, kind="stable")
    for rows in np.split(order, _cuts_of_directories(directory[order], captures[order])):
        if len(rows):
            yield np.sort(rows)


def _cuts_of_directories(directory: Ints, captures: Ints) -> Ints:
    """Where parts end among pages in the order of directories, which are not divided."""
    work = np.concatenate([[0], np.cumsum(captures + A_PAGE)])[:-1]
    begins = np.append(True, np.diff(directory) != 0)[: len(directory)]
    return _cuts(np.maximum.accumulate(np.where(begins, work, 0)))  # where the directory of each page begins


def in_turn(rows: Ints, captures: Ints) -> Iterator[Ints]:
    """Some pages, in parts that are looked at together, whatever their directories.

    >>> [some.tolist() for some in in_turn(np.array([2, 0, 1]), np.array([1, 1, TOGETHER]))]
    [[2], [0, 1]]
    """
    work = np.concatenate([[0], np.cumsum(captures[rows] + A_PAGE)])[:-1]
    yield from (some for some in np.split(rows, _cuts(work)) if len(some))


def _cuts(work: Ints) -> Ints:
    """Where parts end, by how much was to be looked at before each page."""
    return 1 + np.flatnonzero(np.diff(work // TOGETHER))
