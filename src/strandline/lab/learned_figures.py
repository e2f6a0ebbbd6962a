"""Figures of what was learned, as files; needs the extra `study`."""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from strandline.core.beliefs.evidence import TrustBook
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries, day_series, only_days_looked_at
from strandline.core.mining.learned import Visits
from strandline.core.mining.patterns import page_pattern
from strandline.errors import SettingError, UsageError
from strandline.learn.learning import Lore, periods_of
from strandline.learn.patterns import Claimed, gathered, page_series, that_matter
from strandline.learn.rules import MinedSite

MOST_PAGES = 20
"""Pages drawn when no address is given: those with most changes."""
_WEEK_HOURS = 168


def _drawing(name: str, folder: Path, form: str) -> ModuleType:
    if form not in ("svg", "png"):
        raise UsageError(f"--format is svg or png, not {form!r}")
    try:
        module = import_module(f"strandline.lab.plots.{name}")
    except ImportError:
        raise SettingError("figures need matplotlib: pip install 'strandline[study]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    return module


def draw_patterns(lore: Lore, pages: Sequence[tuple[int, str]], folder: Path, form: str) -> Iterator[Path]:
    """Two figures a page: its days with their pattern, and change by weekday and hour."""
    plots = _drawing("patterns", folder, form)
    trust = lore.trust()
    for page, url in pages[:MOST_PAGES]:
        visits = next(iter(that_matter(gathered(lore.reading.visits_of(page)))), None)
        if visits is None or visits.times.size < 2:
            continue
        claims = lore.reading.claims(page)
        clock = lore.clock(url)
        daily = periods_of(clock, lore.settings)
        if daily.cycle is not Cycle.DAY:
            daily = Periods(clock.zone, clock.country)
        calendar = LocalCalendar(daily)
        week = LocalCalendar(Periods(clock.zone, clock.country, Cycle.WEEK, _WEEK_HOURS))
        pattern = page_pattern(_shown(visits, calendar, trust, claims))
        days = day_series(calendar, visits.times, visits.importance)
        kind = next(iter(pattern.kinds), "workday")
        files = [folder / f"{_slug(url)}-{page}-{what}.{form}" for what in ("pattern", "week")]
        plots.draw_series_and_pattern(days, pattern, files[0], url, kind)
        plots.draw_week(_shown(visits, week, trust, claims), files[1], url)
        yield from files


def _shown(visits: Visits, calendar: LocalCalendar, trust: TrustBook, claims: Sequence[Claimed]) -> PageSeries:
    return only_days_looked_at(page_series(visits, calendar, trust, claims), calendar, visits.times)


def draw_classes(lore: Lore, folder: Path, form: str) -> Iterator[Path]:
    """How many pages each class holds."""
    plots = _drawing("classes", folder, form)
    groups = lore.change_groups()
    if groups is not None:
        file = folder / f"classes.{form}"
        plots.draw_class_sizes(groups, file)
        yield file


def draw_rules(sites: Sequence[MinedSite], folder: Path, form: str) -> Iterator[Path]:
    """The directories of each site, coloured by change, hatched where a rule skips them."""
    plots = _drawing("site", folder, form)
    for one in sites:
        if one.window.root < 0 or not one.history.versions:
            continue
        live = one.history.live_at(one.history.versions - 1)
        view = plots.view_tree(one.window, one.history.shape, live, one.skipped.directories)
        file = folder / f"{_slug(one.learned.site) or 'site'}-directories.{form}"
        plots.draw_directory_tree(view, file, one.learned.site or "Directories")
        yield file


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text.partition("//")[2] or text).strip("-.")[:80]
