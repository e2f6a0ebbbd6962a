"""What the `near` experiment measures on each site, week by week; `near` turns it into tables and figures.

Set-up: a window of k versions, the test is the version d weeks after its last. Weeks without any change have no change
recall and are left out. Means over weeks per site, then over sites, every site with equal weight. "At the same
bypass ratio" gives the rival exactly the share that the rules skipped in that week.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.delta_tree import SMALLEST, DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, Variant, mine_numbers
from strandline.core.quality.maintenance import Maintenance
from strandline.core.skip.quiet_directories import SkipAnswer, skip_dormant, skip_listed, warm
from strandline.core.skip.site_level import BurstSettings
from strandline.core.skip.threshold_choice import ALPHAS, best_choice, measure_thresholds, threshold_grid
from strandline.lab.simulate.site_crawls import KnownSite

Floats = NDArray[np.float64]
PLAIN = Thresholds(0.01, 0.1, 0.95)
PAPER_ALPHAS = (0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05)
GRID = np.linspace(0.0, 1.0, 101)
RECOMMENDED = BurstSettings(oldest_share=0.0)
PAGE_RATE = BurstSettings(oldest_share=0.0, learn_in_crawl=False)


@dataclass(frozen=True, slots=True)
class Means:
    """Mean measures over the weeks of a site, or over sites."""

    bypass: float
    precision: float
    recall: float
    change_recall: float
    strict: float

    @staticmethod
    def of_weeks(weeks: Iterable[Maintenance]) -> "Means | None":
        """Means over the weeks with changes; None when there are none."""
        rows = [
            (
                week.bypass_ratio,
                week.overall_precision,
                week.overall_recall,
                week.change_recall,
                week.change_recall_strict,
            )
            for week in weeks
            if week.changed
        ]
        return Means(*np.mean(np.array(rows, dtype=np.float64), axis=0).tolist()) if rows else None

    @staticmethod
    def of_sites(sites: Iterable["Means | None"]) -> "Means":
        """Means over sites; not a number when no site has any."""
        rows = [(one.bypass, one.precision, one.recall, one.change_recall, one.strict) for one in sites if one]
        return Means(*(np.mean(rows, axis=0).tolist() if rows else [float("nan")] * 5))


@dataclass(frozen=True, slots=True)
class Rivals:
    """One site and window length: rankings on a grid of bypass ratios, and at the ratios of the rules, week by week."""

    recommended: Floats
    """Weeks x GRID."""
    page_rate: Floats
    near: Floats
    """Weeks x (bypass ratio, strict change recall, recommended and page rate at that bypass ratio)."""
    dormant: Floats

    @property
    def weeks(self) -> int:
        """Test weeks."""
        return len(self.near)


class SiteStudy:
    """One site with its delta tree at every alpha the experiment asks for."""

    def __init__(self, name: str, history: SiteHistory) -> None:
        self.name = name
        self.site = KnownSite(history)
        self.tree = DeltaTree.of(history, (SMALLEST, *sorted({*ALPHAS, *PAPER_ALPHAS})))

    def tests(self, length: int, step: int = 1, distance: int = 1) -> list[tuple[int, int, int]]:
        """First and last version of each window, and the version it is tested on."""
        versions = self.site.history.versions
        windows = ((first, first + length - 1, first + length - 1 + distance) for first in range(0, versions, step))
        return [one for one in windows if one[2] < versions and self._changes(one[1], one[2])]

    def near(self, first: int, last: int, thresholds: Thresholds = PLAIN, variant: Variant = "exact") -> SkipAnswer:
        """What WARM skips with the rules of a window."""
        window = self.tree.window(thresholds.alpha, first, last)
        mined = mine_numbers(window, thresholds, window.root, variant)
        if variant == "exact":
            return warm(self.site.shape, mined, window.root)
        listed = np.zeros(self.site.shape.directories, dtype=np.bool_)
        listed[mined.tails] = True
        return skip_listed(self.site.shape, listed)

    def dormant(self, first: int, last: int) -> SkipAnswer:
        """What the dormant rule skips."""
        return skip_dormant(self.site.shape, self.tree.window(SMALLEST, first, last))

    def skipped(self, answer: SkipAnswer, test: tuple[int, int, int]) -> Maintenance:
        """Measures of a skip answer."""
        return self.site.skipping(answer.directories, test[1], test[2])

    def near_weeks(
        self, tests: Sequence[tuple[int, int, int]], thresholds: Thresholds = PLAIN, variant: Variant = "exact"
    ) -> list[Maintenance]:
        """Measures of NEAR rules, mined anew for each test."""
        return [self.skipped(self.near(test[0], test[1], thresholds, variant), test) for test in tests]

    def dormant_weeks(self, tests: Sequence[tuple[int, int, int]], weeks: int | None = None) -> list[Maintenance]:
        """Measures of the dormant rule over the window, or over its last `weeks` transitions."""
        return [
            self.skipped(self.dormant(first if weeks is None else max(first, last - weeks), last), (first, last, test))
            for first, last, test in tests
        ]

    def rivals(self, length: int, step: int) -> Rivals:
        """Recommended policy and page rate beside NEAR and dormant."""
        curves: list[tuple[Floats, Floats]] = []
        rows: list[list[list[float]]] = []
        for test in self.tests(length, step):
            first, last, version = test
            outlook = self.site.learned(first, last).outlook(self.site.shape, float(version))
            traces = [self.site.trace(outlook, last, version, burst) for burst in (RECOMMENDED, PAGE_RATE)]
            curves.append((traces[0].recall_at(GRID.tolist()), traces[1].recall_at(GRID.tolist())))
            both = []
            for answer in (self.near(first, last), self.dormant(first, last)):
                counted = self.skipped(answer, test)
                at = [float(trace.recall_at([counted.bypass_ratio])[0]) for trace in traces]
                both.append([counted.bypass_ratio, counted.change_recall_strict or 0.0, *at])
            rows.append(both)
        table = np.array(rows, dtype=np.float64).reshape(len(rows), 2, 4)
        grids = np.array(curves, dtype=np.float64).reshape(len(rows), 2, len(GRID))
        return Rivals(grids[:, 0], grids[:, 1], table[:, 0], table[:, 1])

    def chosen_weeks(
        self, tests: Sequence[tuple[int, int, int]], floors: Sequence[float]
    ) -> dict[float, list[Maintenance]]:
        """NEAR with thresholds chosen inside each window; where none are good enough nothing is skipped."""
        grid = threshold_grid()
        nothing = SkipAnswer(np.full(self.site.shape.directories, -1, dtype=np.int64))
        weeks: dict[float, list[Maintenance]] = {floor: [] for floor in floors}
        for test in tests:
            choices = measure_thresholds(self.site.history, self.tree, test[:2], grid)
            for floor in floors:
                choice = best_choice(choices, floor)
                answer = nothing if choice is None else self.near(test[0], test[1], choice.thresholds)
                weeks[floor].append(self.skipped(answer, test))
        return weeks

    def _changes(self, last: int, version: int) -> bool:
        return any(len(changes) for changes in self.site.history.changes[last + 1 : version + 1])


def mean_curve(curves: Iterable[Floats]) -> Floats:
    """Mean over weeks per site, then over sites; not a number without tests."""
    sites = [np.mean(curve, axis=0) for curve in curves if len(curve)]
    return np.mean(sites, axis=0) if sites else np.full(len(GRID), np.nan)


def at_bypass(curve: Floats, bypass: float) -> float:
    """Value of a curve over GRID."""
    return float(np.interp(bypass, GRID, curve))


def bypass_keeping(curve: Floats, recall: float) -> float:
    """The largest bypass ratio at which the mean curve still has this recall.

    >>> bypass_keeping(1.0 - GRID, 0.9)
    0.1
    """
    fine = np.linspace(0.0, 1.0, 10001)
    kept = fine[np.interp(fine, GRID, curve) >= recall - 1e-12]
    return float(kept.max()) if len(kept) else 0.0
