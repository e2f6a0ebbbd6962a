"""Rules, experiments and simulations: from files, from an archive's own history, or synthetic."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path

from strandline.app.opening import is_archive, open_archive
from strandline.archive.given_files import missing
from strandline.checks import registered_strategies
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.learned import SiteRules
from strandline.core.plan.objective import Objective
from strandline.core.urls import authority, canonical, site
from strandline.crawl.skipping import SkipStanding, skip_standings
from strandline.errors import UsageError
from strandline.lab.experiments.report import Report
from strandline.lab.own_history import archive_world
from strandline.lab.simulate.grid import BESIDE, NAMES, SIGNALLED, Request, Row
from strandline.lab.simulate.grid import simulate as run_grid
from strandline.lab.simulate.signals import SignalQuality
from strandline.lab.simulate.site_history import read_site_history
from strandline.lab.simulate.traces import read_trace, trace_world
from strandline.lab.simulate.world import Recipe, World, synthetic_world
from strandline.learn.learning import Lore, by_clock, site_visits
from strandline.learn.rules import GivenThresholds, MinedSite, RuleWish, learn_rules, mine_history
from strandline.settings.units import rate, seconds
from strandline.store.catalog import DATABASE

EXPERIMENTS = ("near", "patterns", "classes", "blocks", "content", "news", "quality", "scheduling")
_OBJECTIVES: tuple[Objective, ...] = ("pool", "page", "count", "content")

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RulesWanted:
    """What `rules` was asked for."""

    source: Path
    given: GivenThresholds
    site: str = ""
    period: str = ""
    plain: bool = False
    figures: bool = False


def found_rules(wanted: RulesWanted, tell: Tell | None = None) -> tuple[list[SiteRules], list[MinedSite]]:
    """Rules per site of an archive, or of a history file; with the trees they were mined from when figures are wanted.

    Thresholds that are not given are chosen from the history itself. An archive's rules are those that were learned,
    unless something is asked for that was not.
    """
    try:
        if not is_archive(wanted.source):
            mined = mine_history("", _history(wanted.source), RuleWish(given=wanted.given))
            return [mined.learned], [mined]
        lore = Lore(open_archive(wanted.source), say=tell)
        if wanted.given.all_open and not (wanted.period or wanted.plain or wanted.figures) and not _host(lore, wanted):
            return lore.rules(wanted.site), []
        sites = [_mined(lore, name, wanted) for name in _sites(lore, wanted)]
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    return [one.learned for one in sites], sites


def standings(wanted: RulesWanted) -> dict[str, SkipStanding]:
    """How what crawls leave out of an archive's sites stands; nothing for a history file."""
    if not is_archive(wanted.source):
        return {}
    return skip_standings(open_archive(wanted.source).folder / DATABASE, wanted.site)


def _host(lore: Lore, wanted: RulesWanted) -> bool:
    """Whether a single host of a site is asked for."""
    known = lore.reading.learned_sites()
    if not wanted.site or wanted.site in known:
        return False
    if not known or _site_of(wanted.site) not in known:
        raise UsageError(f"no captures of {wanted.site!r} in this archive")
    return True


def _site_of(host: str) -> str:
    return site(canonical(f"http://{host}/"))


def _sites(lore: Lore, wanted: RulesWanted) -> list[str]:
    if not wanted.site:
        return lore.reading.learned_sites()
    return [_site_of(wanted.site) if _host(lore, wanted) else wanted.site]


def _mined(lore: Lore, name: str, wanted: RulesWanted) -> MinedSite:
    pages = list(site_visits(lore.reading, name))
    if wanted.site and wanted.site != name:
        pages = [visits for visits in pages if authority(visits.url) == wanted.site]
    try:
        period = seconds(wanted.period) if wanted.period else lore.settings.version
    except ValueError as problem:
        raise UsageError(f"--period: {problem}") from None
    wish = RuleWish(period, lore.settings.recall, not wanted.plain, wanted.given)
    mined = learn_rules(wanted.site or name, pages, wish)
    return replace(mined, learned=by_clock(mined.learned, lore.reading.lived_time()))


def _history(file: Path) -> SiteHistory:
    if not file.is_file():
        raise UsageError(f"{file}: no such file or archive")
    return read_site_history(file)


def run_experiment(name: str, data: Path | None, quick: bool, tell: Tell | None) -> Report:
    """One of the experiments; the module of the name has a `run`."""
    if name not in EXPERIMENTS:
        raise UsageError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    if data is not None and not data.exists():
        raise UsageError(f"{data}: no such folder")
    try:
        report: Report = import_module(f"strandline.lab.experiments.{name}").run(data, tell or (lambda _: None), quick)
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
    signals: str = ""
    """Part of the changes that are signalled, and part of the signals that are right: .8,.5."""


def run_simulation(wish: SimulationWish, tell: Tell | None) -> list[Row]:
    """Run what was wished for, on all cores."""
    if not 0.0 <= wish.coherence < float("inf"):
        raise UsageError(f"--coherence is a number from 0 on, not {wish.coherence:g}")
    try:
        world = _world(wish)
        others = {name: make for name, make in registered_strategies().items() if name not in NAMES}
        known = not wish.cold and wish.archive is None  # nobody was told the truth of an archive's own history
        signals = _signals(wish.signals)
        every = (*(BESIDE if known else NAMES), *others, *(SIGNALLED if signals else ()))
        names = every if wish.strategies == "all" else tuple(name.strip() for name in wish.strategies.split(","))
        request = Request(
            strategies=names,
            budgets=tuple(_percentage(text, world) for text in wish.budgets.split(",")),
            objectives=tuple(_objective(text) for text in wish.objectives.split(",")),
            coherence=wish.coherence,
            known=known,
            bounds=wish.bounds,
            others=tuple(others.items()),
            signals=signals,
            seed=wish.synthetic[3],
        )
    except ValueError as problem:
        raise UsageError(str(problem)) from None

    def progress(done: int, all_cells: int) -> None:
        if tell is not None:
            tell(f"{done} of {all_cells} simulated")

    return run_grid(world, request, wish.results, progress=progress)


def _signals(text: str) -> SignalQuality | None:
    """How good signals are, as written."""
    if not text:
        return None
    try:
        recall, precision = (float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"--signals are two parts, of changes told and of signals right, such as .8,.5; not {text!r}"
        ) from None
    return SignalQuality(recall, precision)


def _percentage(text: str, world: World) -> float:
    """A budget in percent of the pages a period: written so, or as requests like 500/day."""
    if "/" in text:
        wanted = rate(text.strip())
        if wanted.in_bytes:
            raise ValueError(f"--budgets: a simulation counts requests, not bytes; not {text!r}")
        return min(100.0, 100.0 * wanted.amount / wanted.span * 3600.0 * world.period_hours / max(len(world), 1))
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"--budgets are percentages or requests separated by commas, such as 5,10,20 or 100/day; not {text!r}"
        ) from None


def _objective(text: str) -> Objective:
    for known in _OBJECTIVES:
        if text.strip() == known:
            return known
    raise ValueError(f"no objective {text!r}; there are {', '.join(_OBJECTIVES)}")


def _world(wish: SimulationWish) -> World:
    if sum(source is not None for source in (wish.archive, wish.world, wish.trace)) > 1:
        raise ValueError("an archive, --world and --trace exclude one another")
    if wish.archive is not None:
        return archive_world(open_archive(wish.archive))
    if wish.trace is not None:
        if not wish.trace.is_file():
            raise ValueError(f"{wish.trace}: {missing(wish.trace)}")
        return trace_world(wish.trace.name, *read_trace(wish.trace))
    days, pages, sites, seed = wish.synthetic
    recipe = _recipe(wish.world) if wish.world is not None else Recipe(seed=seed)
    return synthetic_world(
        replace(recipe, days=days or recipe.days, pages=pages or recipe.pages, sites=sites or recipe.sites)
    )


def _recipe(file: Path) -> Recipe:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ValueError(f"{file}: {problem.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise ValueError(f"{file}: {problem}") from None
    known = {field.name for field in fields(Recipe)} - {"groups"}
    unknown = set(table) - known
    if unknown:
        raise ValueError(f"{file}: unknown key {sorted(unknown)[0]!r}; known: {', '.join(sorted(known))}")
    for key, value in table.items():
        kind = type(getattr(Recipe(), key))
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError(f"{file}: {key} must be like {getattr(Recipe(), key)!r}, not {value!r}")
    return Recipe(**table)
