"""What was learned about single pages, ready to be shown: patterns, classes, and reasons."""

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strandline.core.history.calendar import Cycle, LocalCalendar
from strandline.core.history.series import PageSeries, only_days_looked_at
from strandline.core.mining.classes import ChangeGroups, interval_in_words, seen_in_words
from strandline.core.mining.learned import PageRate
from strandline.core.mining.patterns import PagePattern, page_pattern
from strandline.core.urls import canonical
from strandline.errors import UsageError
from strandline.learn.learning import Lore
from strandline.learn.observations import NOISE
from strandline.settings.setting import PERIODS

_DOUBT = 5.0
"""Periods without a change that are added to those watched, when the busiest one is looked for. Origin: a guess."""
_STANDS_OUT = 1.5
"""Times the mean: a change that could have been at any hour of a week makes no hour of it the busiest.
Origin: a guess."""
_DAY_PERIODS = {Cycle.DAY: 24, Cycle.WEEK: 168, Cycle.MONTH: 31}
"""Periods of a cycle that is shown. Origin: a unit."""


@dataclass(frozen=True, slots=True)
class ShownPattern:
    """The pattern of one page."""

    page: int
    url: str
    pattern: PagePattern
    changes: float
    peak: tuple[str, int] | None
    """Kind and period with most change; None when none stands out, or nothing was ever seen to change."""
    periods: int
    slight: int = 0
    """Differences a reader sees that are too small to count; asked only of pages without any that counts."""

    def as_data(self) -> dict[str, Any]:
        """The shape of `patterns --json`."""
        busiest = None if self.peak is None else {"kind": self.peak[0], "period": self.peak[1]}
        return self.pattern.as_data() | {"periods": self.periods, "changes": self.changes, "busiest": busiest}


def with_cycle(lore: Lore, cycle: str | None, periods: int | None) -> Lore:
    """The same archive with time cut otherwise; `periods` follow the cycle when they are not given."""
    if cycle is None and periods is None:
        return lore
    names = [one.value for one in Cycle]
    if cycle is not None and cycle not in names:
        raise UsageError(f"--cycle is {', '.join(names)}, not {cycle!r}")
    chosen = Cycle(cycle or lore.settings.cycle)
    if periods is not None and not 1 <= periods <= PERIODS:
        raise UsageError(f"--periods must lie between 1 and {PERIODS}")
    return lore.with_settings(cycle=chosen.value, periods=periods or _DAY_PERIODS[chosen])


def page_patterns(lore: Lore, url: str | None = None) -> list[ShownPattern]:
    """Patterns of all pages, or of one."""
    if url is None:
        return _with_slight(lore, [_shown(lore, *row) for row in lore.series()])
    address = _address(url)
    found = lore.series_of(address)
    if found is None:
        raise UsageError(f"{url}: no captures of this page in the archive")
    return _with_slight(lore, [_shown(lore, *found)])


def _with_slight(lore: Lore, shown: list[ShownPattern]) -> list[ShownPattern]:
    slight = lore.reading.slight_changes([one.page for one in shown if not one.changes], NOISE)
    return [replace(one, slight=slight[one.page]) if one.page in slight else one for one in shown]


_calendar = functools.cache(LocalCalendar)


def _shown(lore: Lore, page: int, url: str, series: PageSeries, group: int | None) -> ShownPattern:
    changes, threshold = float(series.changes.sum()), page_pattern(series).threshold
    times = [one.time for one in lore.reading.visits_of(page)]
    series = only_days_looked_at(series, _calendar(series.periods), times)
    # A mean that is drawn towards 0 by the time not observed: one holiday must not outdo forty workdays.
    sure = series.importance / (series.observed + _DOUBT)
    peak = None
    if sure.max(initial=0.0) > 0.0:
        kind, period = np.unravel_index(int(sure.argmax()), sure.shape)
        mean = series.importance.sum() * series.observed[kind, period] / max(series.observed.sum(), 1e-9)
        if series.importance[kind, period] >= _STANDS_OUT * mean:
            peak = series.periods.kinds[int(kind)], int(period)
    pattern = replace(page_pattern(series, group), threshold=threshold)
    return ShownPattern(page, url, pattern, changes, peak, series.periods.count)


@dataclass(frozen=True, slots=True)
class ShownRate:
    """How often one page changes."""

    url: str
    rate: PageRate
    number: int | None
    """Class, the fastest is 0; by what is expected at first sight while the page was seen only once."""
    slight: int = 0
    """Differences a reader sees that are too small to count; asked only of pages without any that counts."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        seen = self.rate.rate
        return {
            "url": self.url,
            "class": self.number,
            "changes_a_day": seen,
            "expected_a_day": self.rate.expected,
            "first_sight_a_day": self.rate.prior,
            "by": "first sight" if seen is None else "captures",
            "visits": self.rate.visits,
            "changes": self.rate.changes,
            "slight": self.slight,
        }


@dataclass(frozen=True, slots=True)
class ShownClasses:
    """Classes and the pages in them, fastest first."""

    groups: ChangeGroups | None
    pages: list[ShownRate]
    about: dict[str, Any]

    def as_data(self) -> dict[str, Any]:
        """The shape of `classes --json`."""
        return {
            "classes": [] if self.groups is None else self.groups.as_data(),
            "pages": [one.as_data() for one in self.pages],
            "levels": self.about["levels"],
            "coefficients": self.about["coefficients"],
            "moved": self.about["moved"],
        }


def page_classes(lore: Lore) -> ShownClasses:
    """All pages with their classes."""
    groups = lore.change_groups()
    rates = list(lore.rates())
    slight = lore.reading.slight_changes([page for page, _, rate in rates if not rate.changes], NOISE)
    pages = []
    for page, url, rate in rates:
        shown = rate.expected if rate.rate is None else rate.rate
        number = None if groups is None else int(groups.assign(shown))
        pages.append(ShownRate(url, rate, number, slight.get(page, 0)))
    pages.sort(key=lambda one: (-(one.rate.expected if one.rate.rate is None else one.rate.rate), one.url))
    return ShownClasses(groups, pages, lore.rates_data())


def learned_reasons(lore: Lore, url: str) -> list[str]:
    """What was learned about one page, a line each; empty when nothing was."""
    address = _address(url)
    page = lore.reading.page(address)
    known = None if page is None else lore.reading.page_knowledge(page.page)
    if known is None:
        return []
    series, rate, _ = known
    shown = _shown(lore, 0 if page is None else page.page, address, series, None)
    seen = rate.rate
    slight = 0 if page is None or rate.changes else lore.reading.slight_changes([page.page], NOISE).get(page.page, 0)
    lines = [
        f"expected at first sight: a change {interval_in_words(rate.prior)}",
        f"{rate.changes} of {rate.visits} later captures had changed"
        + ("" if seen is None else f": {seen_in_words(seen, slight)}"),
    ]
    if shown.peak is not None:
        hours = series.periods.seconds / 3600.0
        lines.append(f"changes most on a {shown.peak[0]} around {shown.peak[1] * hours:g}:00, {series.periods.zone}")
    return lines


def _address(url: str) -> str:
    try:
        return canonical(url)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
