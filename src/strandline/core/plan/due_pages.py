"""Which pages to look at in this period, without looking at all of them.

    timing wheel   pages that were fetched before, by the period in which their next visit is expected to pay
    heap           pages never fetched, the most valuable first
    chains         pages of a directory, because a change in it wakes its siblings

A decision costs what the visits it decides cost, whatever the number of pages: at most a few times as many pages are
looked at as may be fetched; what is due and not looked at stays due.
"""

import heapq

import numpy as np

from strandline.core.growing import with_room
from strandline.core.plan.budget import Budget
from strandline.core.plan.priced_kernels import Pages, first_due
from strandline.core.plan.strategy import Floats, Rows
from strandline.core.plan.timing_wheel import TimingWheel

LOOKS = 4.0
"""Pages looked at for each that may be fetched. Origin: a guess."""
SOON, LATE = 4.0, 720.0
"""Fewest and most periods after which a page that is not worth a fetch is looked at again. Origin: a guess."""


SLOTS = 1024
"""Of the wheel: more than any wait, so that nothing in a slot has to be passed over. Origin: derived, from LATE."""


FEW = 1024
"""Entries that may be out of date before they are looked for. Origin: a bound on time."""


class DuePages:
    """When pages are to be looked at."""

    def __init__(self) -> None:
        self._wheel = TimingWheel(0, SLOTS)
        self._new: list[tuple[float, int]] = []
        self._worth = np.empty(0)
        """What each row is listed with; 0 when it is not. Entries of the heap that say otherwise are out of date."""
        self._most_new = FEW

    def __len__(self) -> int:
        return len(self._wheel)

    def grow(self, count: int) -> None:
        """Have room for so many pages; new ones are due when somebody says so."""
        self._worth = with_room(self._worth, len(self._wheel), count)
        self._wheel.grow(count)

    def expect(self, pages: Pages, rows: Rows, price: float, now: float) -> None:
        """Say for the first time, or anew, when pages are expected to be due."""
        self.grow(len(pages.last))
        known = ~np.isnan(pages.last[rows])
        self.put(rows[known], np.minimum(first_due(pages, rows[known], price, now), now + LATE))
        self.list_new(pages, rows[~known], now)

    def list_new(self, pages: Pages, rows: Rows, now: float) -> None:
        """Put pages that were never fetched where the most valuable come first."""
        worth = pages.value[rows].sum(axis=1)
        self._wheel.take_out(rows)
        self._worth[rows[worth > 0]] = worth[worth > 0]
        for row, value in zip(rows[worth > 0].tolist(), worth[worth > 0].tolist(), strict=True):
            heapq.heappush(self._new, (-value, row))
        if len(self._new) > self._most_new:
            self._tidy()
        worthless = rows[worth <= 0]
        self.put(worthless, np.full(len(worthless), now + LATE))

    def put(self, rows: Rows, due: Floats) -> None:
        """Look at pages again at given times."""
        self._worth[rows] = 0.0
        self._wheel.put(rows, due)

    def put_sooner(self, rows: Rows, due: Floats) -> None:
        """Look at pages that were fetched before at given times at the latest."""
        self._wheel.put_sooner(rows, due)

    def take(self, period: int, at_least: int, at_most: int) -> Rows:
        """Pages to look at now: never fetched ones, then those that are due, then those due next."""
        new: list[int] = []
        while self._new and len(new) < at_least:
            value, row = heapq.heappop(self._new)
            if self._worth[row] == -value:
                self._worth[row] = 0.0
                new.append(row)
        known = self._wheel.due(period, at_least - len(new), at_most)
        return np.concatenate([np.array(new, dtype=np.int64), known])

    def _tidy(self) -> None:
        """Drop entries that are out of date: pages that are never fetched can be listed anew any number of times."""
        listed = np.flatnonzero(self._worth)
        self._new = list(zip((-self._worth[listed]).tolist(), listed.tolist(), strict=True))
        heapq.heapify(self._new)
        self._most_new = 2 * len(self._new) + FEW


def look_again(count: int, visits: float) -> float:
    """Periods after which a page is looked at again at the latest, so that a decision costs the same at any size.

    Prices move, and in quiet hours pages are fetched that are not due yet: the more of them are looked at, the better.

    >>> look_again(1000, 50.0), look_again(10_000_000, 20.0)
    (5.0, 720.0)
    """
    return float(np.clip(count / (LOOKS * max(visits, 1e-9)), SOON, LATE))


def put_off(hosts: Rows, budget: Budget, found: tuple[Floats, Floats, Floats], latest: float) -> Floats:
    """Periods until pages that were not chosen are looked at again. found = advantage, wait and worth of each.

    Of the pages that a host's cap kept out, as many come back in each of the next periods as the cap allows.
    """
    advantage, wait, worth = found
    again: Floats = np.where(advantage > 0, 1.0, np.clip(wait, 1.0, latest))
    again[worth <= 0] = LATE
    turns: dict[int, int] = {}
    for place in np.flatnonzero(advantage > 0).tolist():
        host = int(hosts[place])
        cap = budget.host_caps.get(host)
        if cap is not None:
            turns[host] = turns.get(host, -1) + 1
            again[place] = min(1.0 + turns[host] // cap, LATE) if cap else LATE
    return again
