"""Made-up sites of a few hundred pages, which change week by week as their kind says; and two crawlers in ten lines.

They are what a site-level policy must not lose on: where the past of each page says everything (hot pages, scattered or
in directories), where it says little (bursts, mass updates), and where it misleads (hot pages that become others).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids
from strandline.core.history.site_versions import SiteHistory
from strandline.lab.simulate.site_crawls import KnownSite
from strandline.lab.simulate.site_loops import LoopResult

KINDS = (
    "hot pages scattered",
    "hot directories",
    "warm pages scattered",
    "quiet",
    "bursts",
    "moving",
    "mixed, with mass updates",
    "redesign",
)
GROWING = "growing"
"""A site whose pages come and go: new ones every week, busy while they are new, named by the index of their directory.
The crawler in ten lines knows no such site."""
_WEEKS = 40
_DIRECTORY_PAGES = 12
"""Pages of each directory."""


@dataclass(frozen=True, slots=True)
class MadeSite:
    """What to make: a kind, how many pages, and a seed."""

    kind: str
    pages: int = 300
    seed: int = 0

    @property
    def name(self) -> str:
        """For tables."""
        return f"made: {self.kind}, {self.pages} pages"

    def made(self) -> KnownSite:
        """The site, all its versions known."""
        directories = self.pages // _DIRECTORY_PAGES
        inside = np.arange(self.pages) % directories
        paths = [f"s{place % 5}/d{place}/p{page}.html" for page, place in enumerate(inside.tolist())]
        if self.kind == GROWING:
            paths = [
                path.replace(f"/p{page}.", "/index.") if page < directories else path for page, path in enumerate(paths)
            ]
            return KnownSite(self._growing(paths, inside))
        history, rng = SiteHistory(), np.random.default_rng(self.seed)
        history.add("0", paths, [], [])
        for week, chances in enumerate(self.chances(rng), start=1):
            changed = np.flatnonzero(rng.random(self.pages) < chances)
            history.add(str(week), [], [], [paths[page] for page in changed.tolist()])
        return KnownSite(history)

    def _growing(self, paths: list[str], inside: NDArray[np.int64]) -> SiteHistory:
        """Three pages of five are there from the beginning, the others come; one of ten goes away."""
        rng, pages = np.random.default_rng(self.seed), self.pages
        index = np.arange(pages) <= inside.max()
        born = np.where((rng.random(pages) < 0.6) | index, 0, rng.integers(1, _WEEKS, pages))
        gone = np.where((rng.random(pages) < 0.1) & ~index, born + rng.integers(4, _WEEKS, pages), _WEEKS)
        history = SiteHistory()
        for week in range(_WEEKS):
            new, left = (born == week), (gone == week)
            here = (born < week) & (gone > week)
            chance = np.where(week - born < 4, 0.5, 0.01)
            listed = np.isin(inside, inside[new | left])  # an index changes when it names other pages
            changed = here & np.where(index, listed, rng.random(pages) < chance)
            lists = ([paths[page] for page in np.flatnonzero(one)] for one in (new, left, changed))
            history.add(str(week), *lists)
        return history

    def chances(self, rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
        """Week by week, how likely each page is to change; between two weeks others may draw from `rng`."""
        pages, directories = self.pages, self.pages // _DIRECTORY_PAGES
        inside = np.arange(pages) % directories
        hot = rng.random(pages) < 0.4
        warm_directories = np.isin(inside, rng.permutation(directories)[: round(0.4 * directories)])
        own = np.minimum(0.9, rng.lognormal(-4.0, 1.5, pages))
        for week in range(1, _WEEKS):
            bursts = (rng.random(directories) < 0.1)[inside]
            if self.kind == "moving" and week % 12 == 0:
                hot = rng.random(pages) < 0.3
            if self.kind == "redesign" and week == _WEEKS * 3 // 4:
                hot = rng.permutation(hot)
            chances = {
                "hot pages scattered": np.where(hot, 0.95, 0.01),
                "hot directories": np.where(warm_directories, 0.95, 0.01),
                "warm pages scattered": np.where(hot, 0.4, 0.02),
                "quiet": np.where(own > 0.1, 0.1, 0.004),
                "bursts": np.where(bursts, 0.5, 0.003),
                "moving": np.where(hot, 0.9, 0.01),
                "redesign": np.where(hot, 0.5, 0.01) if week != _WEEKS * 3 // 4 else np.ones(pages),
                "mixed, with mass updates": np.where(week % 13 == 5, 0.7, own * np.where(bursts, 8.0, 0.7)),
            }[self.kind]
            yield chances


def told_crawler(made: MadeSite, saved: float, warm_up: int = 20) -> LoopResult:
    """Know before each crawl how likely every page is to change, ask for the likeliest to have changed since they were
    asked: as good as anybody can expect to be. Who is ahead of it on one site had luck there.
    """
    site, rng = made.made(), np.random.default_rng(made.seed)
    tally, still = _Tally(made.pages), np.ones(made.pages)
    for version, chances in enumerate(made.chances(rng), start=1):
        rng.random(made.pages)  # what the site itself drew
        still *= 1 - chances
        budget = made.pages if version < warm_up else round((1 - saved) * made.pages)
        asked = np.argsort(still, kind="stable")[:budget]
        still[asked] = 1.0
        tally.crawled(site.history.changes[version].updated, asked, version >= warm_up)
    return tally.result(saved)


def counting_crawler(site: KnownSite, saved: float, warm_up: int = 20) -> LoopResult:
    """Count each page's changes and weeks, ask for the likeliest: what any policy has to be held against.

    For sites whose pages are all there from the beginning.
    """
    pages = site.shape.pages
    changes, weeks, last = np.zeros((3, pages))
    tally = _Tally(pages)
    for version in range(1, site.history.versions):
        chance = 1 - (1 - (changes + 0.1) / (weeks + 1)) ** (version - last)
        budget = pages if version < warm_up else round((1 - saved) * pages)
        asked = np.argsort(-chance, kind="stable")[:budget]
        changes[asked] += tally.crawled(site.history.changes[version].updated, asked, version >= warm_up)
        weeks[asked] += version - last[asked]
        last[asked] = version
    return tally.result(saved)


class _Tally:
    """What a crawler achieved on a site whose pages are all there from the beginning."""

    def __init__(self, pages: int) -> None:
        self._archived, self._content = np.zeros((2, pages))
        self._on_time: list[float] = []
        self._current: list[float] = []
        self._captured, self._versions = 0, 0

    def crawled(self, updated: Ids, asked: Ids, counts: bool) -> NDArray[np.bool_]:
        """A week: these pages changed, these were asked for. Which of the latter had changed since they were asked."""
        self._content[updated] += 1
        found: NDArray[np.bool_] = self._archived[asked] != self._content[asked]
        self._archived[asked] = self._content[asked]
        if counts:
            self._captured, self._versions = self._captured + int(found.sum()), self._versions + len(updated)
            self._on_time += [float(np.isin(updated, asked).mean())] if len(updated) else []
            self._current.append(float((self._archived == self._content).mean()))
        return found

    def result(self, saved: float) -> LoopResult:
        """Over all weeks that count."""
        captured = self._captured / max(1, self._versions)
        return LoopResult(saved, float(np.mean(self._on_time)), captured, float(np.mean(self._current)))
