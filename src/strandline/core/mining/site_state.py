"""What the site-level policy knows of a site, page by page, as it is kept between `learn` and the crawls that use it.

Pages are named by their numbers in the catalog and directories by their paths, because the tree grows in between.
Only directories in which new pages were found are listed: the others expect none.
"""

import io
import json
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, SiteIndex
from strandline.core.mining.page_forecasts import ForecastScores, Memory, PageCounts, in_every_memory
from strandline.core.mining.site_rates import Floats, SiteRates
from strandline.core.mining.togetherness import Togetherness

NEGLIGIBLE = 0.01
"""Importance of a page's changes within a version, all together, below which it counts as not changed. Not `NOISE`,
below which a single change is none to plan for: several small ones in a week add up.
Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Price:
    """Least chance of a change for which a page is asked, and what it did in the site's own past."""

    price: float
    bypass_ratio: float
    change_recall: float
    tests: int
    """Versions it was tried on."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteState:
    """Counts of the policy, and the price it may ask."""

    period: float
    """Seconds that stand for the policy's week."""
    whole: int
    """Versions in which nearly all pages were looked at."""
    pages: Ids
    """Numbers in the catalog, ascending."""
    counts: dict[Memory, PageCounts]
    restless: NDArray[np.bool_]
    """Pages whose bytes differ again and again though nothing a reader sees has changed."""
    directories: tuple[str, ...] = ()
    found: Floats = field(default_factory=lambda: np.empty(0))
    """New pages and weeks of these directories."""
    found_weeks: Floats = field(default_factory=lambda: np.empty(0))
    price: Price | None = None
    """None: no price caught enough on the site's own history."""
    together: Togetherness = field(default_factory=Togetherness)
    scores: ForecastScores = field(default_factory=lambda: ForecastScores.from_data([]))
    """How well each way of forecasting did on the site's crawls."""

    @classmethod
    def of(
        cls, index: SiteIndex, rates: SiteRates, numbers: Ids, restless: NDArray[np.bool_], **about: object
    ) -> "SiteState":
        """The state of learned rates; `numbers` are those of the index's pages in the catalog."""
        order = np.argsort(numbers)
        found, found_weeks = rates.unit_counts()
        units = np.flatnonzero(found > 0.0)
        return cls(
            pages=numbers[order],
            counts={memory: counts.at(order) for memory, counts in rates.page_counts().items()},
            restless=restless[order],
            directories=tuple(index.directory_path(int(unit)) for unit in units),
            found=found[units],
            found_weeks=found_weeks[units],
            together=rates.together,
            scores=rates.scores,
            **about,  # type: ignore[arg-type]
        )

    def to_bytes(self) -> bytes:
        """Everything, as one block of bytes."""
        price = self.price
        about = {
            "period": self.period,
            "whole": self.whole,
            "directories": self.directories,
            "together": self.together.as_data(),
            "scores": self.scores.as_data(),
            "price": None if price is None else [price.price, price.bypass_ratio, price.change_recall, price.tests],
        }
        text = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        columns = {"found": self.found, "found_weeks": self.found_weeks}
        for memory, counts in self.counts.items():
            columns |= dict(zip(_columns(memory), (counts.changes, counts.weeks), strict=True))
        small = {name: column.astype(np.float32) for name, column in columns.items()}
        stream = io.BytesIO()
        np.savez(stream, about=text, pages=self.pages, restless=self.restless, **small)  # type: ignore[arg-type]
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "SiteState":
        """What `to_bytes` kept."""
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            about = json.loads(kept["about"].tobytes())
            columns = {name: kept[name].astype(np.float64) for name in ("found", "found_weeks")}
            counts = in_every_memory(*(kept[name].astype(np.float64) for name in _columns(Memory.CALM)))
            for memory in Memory:
                if _columns(memory)[0] in kept:  # states of older archives have one memory
                    counts[memory] = PageCounts(*(kept[name].astype(np.float64) for name in _columns(memory)))
            return cls(
                period=about["period"],
                whole=about["whole"],
                pages=kept["pages"],
                restless=kept["restless"],
                directories=tuple(about["directories"]),
                price=None if about["price"] is None else Price(*about["price"]),
                together=Togetherness.from_data(about.get("together", [])),
                scores=ForecastScores.from_data(about.get("scores", [])),
                counts=counts,
                **columns,
            )

    def places(self, pages: Ids) -> tuple[Ids, NDArray[np.bool_]]:
        """Where these pages (numbers in the catalog) stand in the columns, and which of them stand there at all."""
        where = np.searchsorted(self.pages, pages)
        where[where == len(self.pages)] = 0
        known = self.pages[where] == pages if len(self.pages) else np.zeros(len(pages), dtype=np.bool_)
        return where, known


def _columns(memory: Memory) -> tuple[str, str]:
    """The names under which a memory's changes and weeks are kept."""
    before = "" if memory is Memory.CALM else f"{memory.value}_"
    return f"{before}changes", f"{before}weeks"
