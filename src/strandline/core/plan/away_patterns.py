"""Patterns of very many pages that lie elsewhere: how likely a change is in each hour of the week, and what it matters.

They are four fifths of what a priced plan holds of a page (380 bytes), and only ever asked of those that are looked at
and change so often that their hours matter.
"""

from typing import Any

import numpy as np

from strandline.core.beliefs.page_beliefs import Rooms
from strandline.core.plan.priced_kernels import Pages, Singles
from strandline.core.plan.strategy import Rows

PATTERNS = ("rate", "importance")
"""Columns of the tables that lie elsewhere. Origin: a definition."""


class AwayPatterns:
    """A row for each page, of so many bins."""

    def __init__(self, rooms: Rooms, bins: int) -> None:
        self._room = rooms(np.dtype([(name, np.float32, (bins,)) for name in PATTERNS]))
        self._bins = bins

    def put(self, rows: Rows, rate: Singles, importance: Singles) -> None:
        """Write what is believed of some pages."""
        if len(rows) == 0:
            return
        self._room.grow(int(rows.max()) + 1)
        some = np.empty(len(rows), dtype=[(name, np.float32, (self._bins,)) for name in PATTERNS])
        some["rate"], some["importance"] = rate, importance
        self._room.put(rows, some)

    def of(self, pages: Pages, rows: Rows) -> Pages:
        """The tables of some pages only, with the patterns of those that need a plan."""
        fast = np.flatnonzero(~pages.slow[rows])
        found = self._room.take(rows[fast])
        patterns: dict[str, Any] = {name: np.zeros((len(rows), self._bins), dtype=np.float32) for name in PATTERNS}
        for name, column in patterns.items():
            column[fast] = found[name]
        shared: dict[str, Any] = {"cycle": pages.cycle, "fading": pages.fading}
        own: dict[str, Any] = {
            name: column[rows] for name, column in pages._asdict().items() if name not in (*PATTERNS, *shared)
        }
        return Pages(**own, **patterns, **shared)
