"""Learning over a Parquet dataset on an engine: sites are shared out, and their answers put together here.

    mine               a dataset -> everything `learn` finds, and the captures quality is measured by
    learn_on_engine    the same for an archive: exported, mined, kept as `strandline learn` keeps it

What is put together here grows with pages, not with captures: series stay packed, rates are five numbers a page. Three
things need all sites at once: pages that share their hours, the table behind first sight, and quality. Answers may
come in any order, and more than once: they are put together by site, in the order of their names, so the result does
not depend on who worked when.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np

from strandline.app.archive import Archive
from strandline.app.exporting import export_archive
from strandline.app.learning import PARTS, Learned, learn
from strandline.app.learning_tasks import RateWork, SeriesPack, SiteFindings, SiteWork, Wish, learn_sites, rate_sites
from strandline.app.measuring import Measured, measured
from strandline.app.planning import Planning
from strandline.core.history.series import PageSeries
from strandline.core.learn.evidence import TrustBook
from strandline.core.learn.learned import PageRate
from strandline.core.learn.patterns import shared_patterns
from strandline.crawl.experience import History
from strandline.crawl.learn import Patterns
from strandline.crawl.learn_rates import Rates, first_priors, settled_rates
from strandline.engines.mining import tasks_on
from strandline.engines.mining_dataset import Dataset
from strandline.engines.mining_reading import Room
from strandline.errors import UsageError
from strandline.ports import Tasks
from strandline.settings.schema import LearnSettings
from strandline.store.learned import LearnedReading

Tell = Callable[[str], None]
T = TypeVar("T")

QUALITY: Final = "quality"
EVERYTHING: Final = (*PARTS, QUALITY)
FOLDER: Final = "parquet"
"""Where an archive's dataset lies unless another place is named."""
_TOGETHER: Final = 200_000
"""Captures of small sites that make one task; a larger site is one of its own."""


@dataclass(frozen=True, slots=True)
class Mined:
    """What a dataset taught."""

    learned: Learned
    past: History | None = None
    """All captures as planning learns from them; its rows are numbers of pages."""


@dataclass(frozen=True, slots=True)
class Mining:
    """How and where to mine."""

    tasks: Tasks
    room: Room = field(default_factory=Room)
    dataset: Path | None = None
    """None: in the archive's own folder."""


def engine_tasks(engine: str, scheduler: str = "", workers: int = 0) -> Tasks:
    """An engine by its name: local or dask. Close it when done."""
    return tasks_on(engine, scheduler, workers)


def room_of(memory: str) -> Room:
    """What a task may use."""
    return Room(memory)


def mine(dataset: Dataset, wish: Wish, how: Mining, say: Tell | None = None) -> Mined:
    """Learn what is wished for from a whole dataset."""
    dataset.whole()
    works = [SiteWork(dataset.site(name), wish, how.room) for name in dataset.sites()]
    found: dict[str, SiteFindings] = {}
    for some in how.tasks.run(learn_sites, _bundles(works, lambda work: work.files.rows)):
        found |= {one.site: one for one in some}
        if say is not None:
            say(f"{len(found)} of {len(works)} sites learned")
    sites = [found[name] for name in sorted(found)]
    learned, parts = Learned(dataset.about.captures, dataset.about.studied, wish.time), wish.parts
    for one in sites:
        _count(learned, one)
    if "patterns" in parts:
        learned.patterns = _patterns(sites)
    if "rules" in parts:
        learned.rules = [one.rules for one in sites if one.rules is not None]
        learned.states = {one.site: one.state for one in sites if one.state is not None}
    if "classes" in parts:
        learned.rates = _rates(dataset, sites, wish, how)
    return Mined(
        learned, None if wish.hours is None else _together([one.past for one in sites if one.past is not None])
    )


def _bundles(works: Sequence[T], rows: Callable[[T], int]) -> list[list[T]]:
    """Works in tasks of about the same size, the largest sites first."""
    bundles: list[list[T]] = []
    size = _TOGETHER
    for work in sorted(works, key=rows, reverse=True):
        if size >= _TOGETHER:
            bundles.append([])
            size = 0
        bundles[-1].append(work)
        size += rows(work)
    return bundles


def _count(learned: Learned, one: SiteFindings) -> None:
    learned.clocks[one.site] = one.clock
    learned.lasts |= zip(one.pages.tolist(), one.lasts.tolist(), strict=True)
    learned.pages += len(one.pages)
    learned.captures += one.captures
    learned.unstudied += one.unstudied
    if one.first is not None and one.last is not None:
        learned.first = one.first if learned.first is None else min(learned.first, one.first)
        learned.last = one.last if learned.last is None else max(learned.last, one.last)


class PackedSeries(Mapping[int, PageSeries]):
    """Series of all pages, unpacked a few at a time."""

    def __init__(self, packs: Sequence[SeriesPack]) -> None:
        self._packs = packs
        numbers = [pack.pages for pack in packs]
        self._pages = np.concatenate([np.empty(0, np.int64), *numbers])
        self._pack_of = np.repeat(np.arange(len(packs)), [len(some) for some in numbers])
        self._order = np.argsort(self._pages)
        self._opened = lru_cache(maxsize=2)(self._open)

    def _open(self, number: int) -> dict[int, PageSeries]:
        return dict(self._packs[number].unpacked())

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[int]:
        return iter(self._pages.tolist())

    def __getitem__(self, page: int) -> PageSeries:
        place = int(np.searchsorted(self._pages, page, sorter=self._order))
        if place == len(self._order) or self._pages[self._order[place]] != page:
            raise KeyError(page)
        return self._opened(int(self._pack_of[self._order[place]]))[page]


def _shape_of(series: PageSeries) -> PageSeries:
    """What groups are found by; copies, because a part of a pack would keep all of it in memory."""
    changes = series.changes.copy()
    return PageSeries(series.periods, changes, changes, series.observed.copy())


def _patterns(sites: Sequence[SiteFindings]) -> Patterns:
    """Series and trust of all sites, and the pages that share their hours."""
    book = TrustBook()
    for one in sites:
        book.entries |= one.trust.entries
    packs = [pack for one in sites for pack in one.series]
    changing = {
        str(page): _shape_of(series) for pack in packs for page, series in pack.unpacked() if series.changes.sum() > 0
    }
    # Reads as the dictionary that an archive's own learning fills.
    return Patterns(book, cast(dict[int, PageSeries], PackedSeries(packs)), shared_patterns(changing))


def _rates(dataset: Dataset, sites: Sequence[SiteFindings], wish: Wish, how: Mining) -> Rates:
    known = {one.site: one.rates for one in sites if one.rates is not None}
    coefficients, means = first_priors(known)
    works = [RateWork(dataset.site(name), how.room, wish.time, means[name]) for name in known]
    rated: dict[str, list[PageRate]] = {}
    for some in how.tasks.run(rate_sites, _bundles(works, lambda work: work.files.rows)):
        rated |= {one.site: one.rates(means[one.site]) for one in some}
    return settled_rates(known, {name: rated[name] for name in known}, coefficients, max(1, wish.settings.classes))


def _together(past: Sequence[History]) -> History:
    """Captures of all sites in the order of time; those of one moment by page."""
    columns = [np.concatenate([getattr(one, name) for one in past]) if past else np.empty(0) for name in _HISTORY]
    order = np.lexsort((columns[0], columns[1]))
    row, time, changed, importance, last_change = (column[order] for column in columns)
    return History(row.astype(np.int64), time, changed.astype(np.bool_), importance, last_change)


_HISTORY: Final = ("row", "time", "changed", "importance", "last_change")


def learn_on_engine(
    archive: Archive, parts: Sequence[str], how: Mining, now: float, tell: Tell | None = None
) -> tuple[dict[str, Any], Measured | None]:
    """Learn from an archive's whole history and keep it; returns the summary, and quality when it was asked for."""
    for part in parts:
        if part not in EVERYTHING:
            raise UsageError(f"cannot learn {part!r}; there are {', '.join(EVERYTHING)}")
    wanted = tuple(part for part in EVERYTHING if part in parts or not parts)
    dataset = how.dataset or archive.folder / FOLDER
    if how.dataset is None and not archive.folder.is_dir():
        raise UsageError("a cluster has no folder of its own: name one for the Parquet files with --dataset")
    planning: Planning | None = None
    past: History | None = None

    def miner(known: LearnedReading, settings: LearnSettings, parts: Sequence[str], say: Tell) -> Learned:
        nonlocal planning, past
        export_archive(archive, dataset, say)
        if QUALITY in wanted:
            planning = Planning(archive, now)
        asked = tuple(parts) if set(wanted) - {QUALITY} else ()
        wish = Wish(settings, asked, known.lived_time(), planning.hours if planning else None)
        found = mine(Dataset(dataset), wish, how, say)
        past = found.past
        return found.learned

    summary = learn(archive, tuple(part for part in wanted if part != QUALITY) or PARTS, tell, miner)
    if planning is None or past is None:
        return summary, None
    planning.past = _in_rows(past, planning)
    return summary, measured(planning)


def _in_rows(past: History, planning: Planning) -> History:
    """The same captures with the rows of planning instead of the numbers of pages."""
    numbers = np.array([page.page for page in planning.pages], dtype=np.int64)
    row = np.searchsorted(numbers, past.row)
    known = numbers[np.minimum(row, len(numbers) - 1)] == past.row
    return History(*(column[known] for column in (row, past.time, past.changed, past.importance, past.last_change)))
