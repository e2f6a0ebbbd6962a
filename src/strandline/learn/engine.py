"""Learning over a Parquet dataset on an engine: sites are shared out, and their answers put together here.

    mine               a dataset -> everything `learn` finds, and the captures quality is measured by

What tasks find out about pages they write to files; what is put together here are a few numbers a site, and what is
added up over all pages is added up some thousand rows at a time: pages that share their hours, the table behind first
sight, the rates that make classes. So the memory this takes hardly grows. Quality alone replays all captures in the
order of time; they stay in files until everything else is done. Answers may come in any order, and more than once: they
are put together by site, in the order of their names, so the result does not depend on who worked when.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.first_sight import COEFFICIENTS, refitted
from strandline.core.mining.classes import ChangeGroups, change_groups_of
from strandline.engines.mining import tasks_on
from strandline.engines.mining_dataset import Dataset, SiteFiles
from strandline.engines.mining_reading import Reading, Room
from strandline.engines.mining_scratch import pieces
from strandline.learn.dataset_places import Findings as Files
from strandline.learn.dataset_places import findings_of
from strandline.learn.history_columns import FoundPast
from strandline.learn.learning import Learned, periods_of
from strandline.learn.rate_tasks import (
    RATED_FROM,
    Rated,
    RatesWork,
    rate_pages,
    rows_to_refit,
    settle_rates,
    site_levels,
)
from strandline.learn.rates import site_bases
from strandline.learn.results import FoundPatterns, FoundRates, FoundRules, FoundStates
from strandline.learn.tasks import Findings, SiteFindings, SitesWork, Wish, learn_sites
from strandline.ports import Tasks

Tell = Callable[[str], None]
Floats = NDArray[np.float64]

_TOGETHER: Final = 200_000
"""Captures of neighbouring sites that make one task; a larger site is one of its own. Origin: a bound on memory."""


class Mined(contextlib.AbstractContextManager["Mined"]):
    """What a dataset taught. Its pages are read from files that are gone once it is closed."""

    def __init__(self, learned: Learned, past: FoundPast | None, files: Files) -> None:
        """`past`: all captures as planning learns from them; None when the wish did not ask for them."""
        self.learned = learned
        self.past = past
        self._files = files

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the files."""
        self._files.close()


@dataclass(frozen=True, slots=True)
class Mining:
    """How and where to mine."""

    tasks: Tasks
    room: Room = field(default_factory=Room)
    dataset: Path | str | None = None
    """A folder, or an object store such as s3://bucket/prefix; None: in the archive's own folder."""


def engine_tasks(engine: str, scheduler: str = "", workers: int = 0) -> Tasks:
    """An engine by its name: local or dask. Close it when done."""
    return tasks_on(engine, scheduler, workers)


def room_of(memory: str) -> Room:
    """What a task may use."""
    return Room(memory)


def mine(dataset: Dataset, wish: Wish, how: Mining, say: Tell | None = None) -> Mined:
    """Learn everything wished for from a dataset; close it when it was kept."""
    dataset.whole()
    files = findings_of(dataset.place)
    try:
        return _Joining(dataset, wish, how, files).mined(say or (lambda _: None))
    except BaseException:
        files.close()
        raise


class _Joining:
    """One run: what tasks answer, put together by site in the order of names."""

    def __init__(self, dataset: Dataset, wish: Wish, how: Mining, findings: Files) -> None:
        self._dataset = dataset
        self._wish = wish
        self._how = how
        self._findings = findings
        self._found: dict[int, Findings] = {}

    def mined(self, say: Tell) -> Mined:
        """Run the tasks and join what they found."""
        self._learn(say)
        parts = self._wish.parts
        about = self._dataset.about
        learned = Learned(about.captures, about.studied, self._wish.time)
        for one in self._sites():
            _count(learned, one)
        if "patterns" in parts:
            learned.patterns = self._patterns()
            say("pages that share their hours found")
        if "rules" in parts:
            names = {one.number: one.site for one in self._sites()}
            files = self._files("rules")
            learned.rules, learned.states = FoundRules(files, len(names)), FoundStates(files, names)
        if "classes" in parts:
            learned.rates = self._rates(say)
        asked = self._wish.hours is not None
        return Mined(learned, FoundPast(self._files("past"), self._how.room) if asked else None, self._findings)

    def _learn(self, say: Tell) -> None:
        sites = [self._dataset.site(name) for name in self._dataset.sites()]
        room, place = self._how.room, self._findings.place
        works = [SitesWork(number, some, self._wish, room, place) for number, some in enumerate(bundles(sites))]
        # The largest first: what is left at the end is soon done.
        works.sort(key=lambda work: -sum(one.rows for _, one in work.sites))
        say(f"{len(sites)} sites to learn, in {len(works)} tasks")
        sizes = {work.number: len(work.sites) for work in works}
        done = 0
        for found in self._how.tasks.run(learn_sites, works):
            self._found[found.number] = found
            done += sizes[found.number]
            say(f"{done} of {len(sites)} sites learned")

    def _sites(self) -> Iterator[SiteFindings]:
        return (one for place in sorted(self._found) for one in self._found[place].sites)

    def _files(self, table: str) -> list[str]:
        """The files of a table in the order of their sites."""
        found = (self._found[place].files.get(table) for place in sorted(self._found))
        return [self._findings.local(file) for file in found if file]

    def _local(self, rated: Mapping[int, Rated]) -> list[str]:
        return [self._findings.local(rated[place].file) for place in sorted(rated) if rated[place].file]

    def _patterns(self) -> FoundPatterns:
        """Series and trust of all sites, and the pages that share their hours."""
        periods = {one.number: periods_of(one.clock, self._wish.settings) for one in self._sites()}
        found = FoundPatterns(changed=self._files("changed"), still=self._files("still"), periods=periods)
        for one in self._sites():
            found.trust.entries |= one.trust.entries
        found.share()
        return found

    def _rates(self, say: Tell) -> FoundRates:
        """Rates of all pages: every step needs a number of each site from the one before."""
        levels = {one.number: one.level for one in self._sites() if one.level is not None}
        fit = self._step(rows_to_refit, COEFFICIENTS, levels)
        files = self._local(fit)
        coefficients = refitted(lambda: ((one["features"], one["found"], one["exposure"]) for one in pieces(files)))
        say("first sights compared with what was found")
        levels = _levels(self._step(site_levels, coefficients, levels))
        rated = self._step(rate_pages, coefficients, levels)
        say("pages rated")
        for place, one in rated.items():
            self._found[place].files["rated"] = one.file
        settled = self._step(settle_rates, coefficients, _levels(rated))
        files = self._local(settled)
        names = {one.number: one.site for one in self._sites()}
        found = _levels(settled)
        named = {names[site]: found[site] for site in sorted(found)}
        groups = self._classes(files, max(1, self._wish.settings.classes))
        return FoundRates({}, named, coefficients, groups, files)

    def _classes(self, files: Sequence[str], count: int) -> ChangeGroups | None:
        """Pages put into groups by their rate; None while none was seen twice."""

        def rates() -> Iterator[tuple[Floats, ...]]:
            return ((one["rate"][~np.isnan(one["rate"])],) for one in pieces(files, ("rate",)))

        def ordered() -> Iterator[tuple[Floats, ...]]:
            # Not `NOT isnan(rate)`: by the statistics of the files, which know no NaN, DuckDB 2 takes that to be true.
            with Reading(self._how.room) as reading:
                yield from ((column,) for (column,) in reading.ordered(files, ("rate",), "rate", "isfinite(rate)"))

        return change_groups_of(rates, ordered, count) if any(len(some) for (some,) in rates()) else None

    def _step(
        self, function: Callable[[RatesWork], Rated], coefficients: Floats, levels: Mapping[int, float]
    ) -> dict[int, Rated]:
        bases = site_bases(levels)
        works = []
        for place, found in self._found.items():
            if "pages" in found.files:
                own = {one.number: bases[one.number] for one in found.sites if one.number in bases}
                files = {table: found.files[table] for table in RATED_FROM if table in found.files}
                works.append(RatesWork(place, files, self._findings.place, coefficients, own))
        return {one.number: one for one in self._how.tasks.run(function, works)}


def _levels(rated: Mapping[int, Rated]) -> dict[int, float]:
    """Of all sites, in the order of names."""
    found = {site: level for one in rated.values() for site, level in one.levels.items()}
    return {site: found[site] for site in sorted(found)}


def bundles(sites: Sequence[SiteFiles]) -> Iterator[tuple[tuple[int, SiteFiles], ...]]:
    """Sites with their numbers as they are shared out: neighbours together, a large one by itself."""
    some: list[tuple[int, SiteFiles]] = []
    rows = 0
    for place in enumerate(sites):
        if some and rows + place[1].rows > _TOGETHER:
            yield tuple(some)
            some, rows = [], 0
        some.append(place)
        rows += place[1].rows
    if some:
        yield tuple(some)


def _count(learned: Learned, one: SiteFindings) -> None:
    learned.clocks[one.site] = one.clock
    learned.pages += one.pages
    learned.captures += one.captures
    learned.unstudied += one.unstudied
    if one.first is not None and one.last is not None:
        learned.first = one.first if learned.first is None else min(learned.first, one.first)
        learned.last = one.last if learned.last is None else max(learned.last, one.last)
