"""Rules, experiments and simulations: from files, from an archive's own history, or synthetic."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path

from strandline.app.archive import Archive, open_archive
from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.learn.near import NearRule, Thresholds, dormant_paths, mine
from strandline.core.plan.objective import Objective
from strandline.core.plan.skip_choice import choose_for_site
from strandline.core.urls import path_segments, site
from strandline.errors import UsageError
from strandline.experiments.report import Report
from strandline.settings.units import seconds
from strandline.simulate.grid import NAMES, Request, Row
from strandline.simulate.grid import simulate as run_grid
from strandline.simulate.site_history import read_site_history
from strandline.simulate.traces import read_trace, trace_world
from strandline.simulate.world import Recipe, World, synthetic_world

EXPERIMENTS = ("near", "patterns", "classes", "blocks", "quality", "scheduling")
_OBJECTIVES: tuple[Objective, ...] = ("pool", "page", "count", "content")

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FoundRules:
    """What was mined, and from what."""

    rules: list[NearRule]
    thresholds: Thresholds
    versions: int
    directories: int
    dormant: list[str]


def mined_rules(source: Path, given: tuple[float | None, ...], literal: bool, only: str, period: str) -> FoundRules:
    """Rules of a history file or an archive; thresholds not given are chosen from the history itself."""
    try:
        history = _archive_history(open_archive(source), only, seconds(period)) if source.is_dir() else _history(source)
        alpha, beta, gamma, theta = given
        chosen = choose_for_site(history) if alpha is None and beta is None and theta is None else None
        thresholds = chosen.thresholds if chosen else Thresholds()
        thresholds = Thresholds(
            thresholds.alpha if alpha is None else alpha,
            thresholds.beta if beta is None else beta,
            thresholds.theta if theta is None else theta,
            thresholds.gamma if gamma is None else gamma,
            "none" if literal else "never-together",
        )
        window = DeltaTree.of(history, (thresholds.alpha,)).window()
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    return FoundRules(
        mine(window, thresholds), thresholds, history.versions, len(window.parents), dormant_paths(window)
    )


def _history(file: Path) -> SiteHistory:
    if not file.is_file():
        raise UsageError(f"{file}: no such file or archive")
    return read_site_history(file)


def _archive_history(archive: Archive, only: str, period: float) -> SiteHistory:
    """The archive's own captures as a site history; a page that answered 404 or 410 is gone."""
    return SiteHistory.from_captures(sorted(_sightings(archive, only)), period)


def _sightings(archive: Archive, only: str) -> Iterator[tuple[float, str, str | None]]:
    for capture in archive.reading.all_captures():
        if only and site(capture.url) != only:
            continue
        path = "/".join(path_segments(capture.url))
        if capture.status in (404, 410):
            yield capture.time, path, None
        elif capture.status == 200 or capture.status == 304:
            yield capture.time, path, capture.original.digest if capture.original else capture.digest


def run_experiment(name: str, data: Path | None, quick: bool, tell: Tell | None) -> Report:
    """One of the experiments; the module of the name has a `run`."""
    if name not in EXPERIMENTS:
        raise UsageError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    if data is not None and not data.exists():
        raise UsageError(f"{data}: no such folder")
    try:
        report: Report = import_module(f"strandline.experiments.{name}").run(data, tell or (lambda _: None), quick)
    except (ValueError, FileNotFoundError) as problem:
        raise UsageError(str(problem)) from None
    return report


@dataclass(frozen=True, slots=True)
class SimulationWish:
    """What `simulate` was asked for, as written."""

    archive: Path | None
    world: Path | None
    trace: Path | None
    strategies: str
    budgets: str
    objectives: str
    coherence: float
    synthetic: tuple[int | None, int | None, int | None, int]
    """Days, pages, sites, seed."""
    cold: bool
    bounds: bool
    results: Path | None


def run_simulation(wish: SimulationWish, tell: Tell | None) -> list[Row]:
    """Run what was wished for, on all cores."""
    try:
        world = _world(wish)
        names = NAMES if wish.strategies == "all" else tuple(wish.strategies.split(","))
        request = Request(
            strategies=names,
            budgets=tuple(float(text) for text in wish.budgets.split(",")),
            objectives=tuple(_objective(text) for text in wish.objectives.split(",")),
            coherence=wish.coherence,
            known=not wish.cold,
            bounds=wish.bounds,
        )
    except ValueError as problem:
        raise UsageError(str(problem)) from None

    def progress(done: int, all_cells: int) -> None:
        if tell is not None:
            tell(f"{done} of {all_cells} simulated")

    return run_grid(world, request, wish.results, progress=progress)


def _objective(text: str) -> Objective:
    for known in _OBJECTIVES:
        if text.strip() == known:
            return known
    raise ValueError(f"no objective {text!r}; there are {', '.join(_OBJECTIVES)}")


def _world(wish: SimulationWish) -> World:
    if sum(source is not None for source in (wish.archive, wish.world, wish.trace)) > 1:
        raise ValueError("an archive, --world and --trace exclude one another")
    if wish.trace is not None:
        if not wish.trace.is_file():
            raise ValueError(f"{wish.trace}: no such file")
        return trace_world(wish.trace.name, *read_trace(wish.trace))
    days, pages, sites, seed = wish.synthetic
    recipe = _recipe(wish.world) if wish.world is not None else Recipe(seed=seed)
    return synthetic_world(
        replace(recipe, days=days or recipe.days, pages=pages or recipe.pages, sites=sites or recipe.sites)
    )


def _recipe(file: Path) -> Recipe:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ValueError(f"{file}: {problem}") from None
    known = {field.name for field in fields(Recipe)} - {"groups"}
    unknown = set(table) - known
    if unknown:
        raise ValueError(f"{file}: unknown key {sorted(unknown)[0]!r}; known: {', '.join(sorted(known))}")
    return Recipe(**table)
