"""What tasks found out, read from their files as it is wanted: as learning keeps it, some pages at a time.

    FoundPatterns   series of all pages and the groups they are in
    FoundRates      rates of all pages
    FoundRules      rules of all sites; FoundStates, what the site-level policy knows of them

Held are a byte for each page that changed (its group), and a few numbers for each site.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.pieces import Floats
from strandline.core.history.series import PageSeries
from strandline.core.mining.learned import PageRate, SiteRules
from strandline.core.mining.patterns import pattern_groups
from strandline.core.mining.shared_shapes import shared_shapes
from strandline.core.mining.site_state import SiteState
from strandline.engines.mining_scratch import pieces, site_runs
from strandline.learn.patterns import Patterns
from strandline.learn.rate_tasks import kept_rates
from strandline.learn.rates import Rates
from strandline.learn.series_book import StillPages

Files = Sequence[str]


@dataclass(slots=True)
class FoundPatterns(Patterns):
    """Patterns whose series are in files; `series` stays empty."""

    changed: Files = ()
    still: Files = ()
    periods: Mapping[int, Periods] = field(default_factory=dict)
    """How the time of each site is cut."""
    _groups: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))

    def share(self) -> None:
        """Find the pages that keep the same hours, over all sites."""
        forms = {(len(one.kinds), one.count) for one in self.periods.values()}
        found = shared_shapes(self._counted, next(iter(forms))) if self.changed else None
        if found is not None:
            self.groups, self._groups = pattern_groups(found, next(iter(forms))), found.number

    def _counted(self) -> Iterator[tuple[Floats, ...]]:
        for one in pieces(self.changed, ("changes", "observed")):
            counted = one["changes"].sum(axis=1) > 0  # a change without importance is in no period
            columns = (one["changes"], one["observed"])
            yield columns if counted.all() else tuple(column[counted] for column in columns)

    def to_keep(self) -> Iterator[tuple[int, PageSeries, int | None]]:
        """Page, series and group of all pages."""
        place = 0
        for site, run in site_runs(pieces(self.changed)):
            for page, series in _series(run, self.periods[site]):
                shared = series.changes.sum() > 0
                yield page, series, int(self._groups[place]) if shared else None
                place += bool(shared)
        calendars: dict[Periods, LocalCalendar] = {}
        for site, run in site_runs(pieces(self.still)):
            cut = self.periods[site]
            if cut not in calendars:
                calendars[cut] = LocalCalendar(cut)
            columns = (run[name] for name in ("page", "first", "last", "captures"))
            for page, series in StillPages(calendars[cut], *columns).series():
                yield page, series, None


def _series(run: Mapping[str, Any], periods: Periods) -> Iterator[tuple[int, PageSeries]]:
    form = (-1, len(periods.kinds), periods.count)
    sums = (run[name].reshape(form) for name in ("importance", "changes", "observed"))
    about = (run[name].tolist() for name in ("page", "last", "captures"))
    for page, last, captures, importance, changes, observed in zip(*about, *sums, strict=True):
        yield page, PageSeries(periods, importance, changes, observed, last, captures)


@dataclass(frozen=True, slots=True, eq=False)
class FoundRates(Rates):
    """Rates whose pages are in files; `pages` stays empty."""

    files: Files = ()

    def to_keep(self, lasts: Mapping[int, float]) -> Iterator[tuple[int, PageRate, float]]:
        """Page, rate, and time of the last capture, which the files know, too."""
        for columns in pieces(self.files):
            yield from kept_rates(columns)


class FoundRules(Sequence[SiteRules]):
    """Rules of all sites, in the order of names."""

    def __init__(self, files: Files, count: int) -> None:
        self._files = files
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[SiteRules]:
        for one in pieces(self._files, ("rules",)):
            for text in one["rules"]:
                yield SiteRules.from_data(json.loads(text.decode("utf-8", "surrogatepass")))

    @overload
    def __getitem__(self, place: int) -> SiteRules: ...
    @overload
    def __getitem__(self, place: slice) -> list[SiteRules]: ...
    def __getitem__(self, place: int | slice) -> SiteRules | list[SiteRules]:
        return list(self)[place]


class FoundStates(Mapping[str, SiteState]):
    """What the site-level policy knows of each site; made to be read from one end to the other."""

    def __init__(self, files: Files, names: Mapping[int, str]) -> None:
        self._files = files
        self._names = names

    def __iter__(self) -> Iterator[str]:
        return (self._names[site] for site, _ in self._kept())

    def __len__(self) -> int:
        return sum(1 for _ in self._kept())

    def __getitem__(self, name: str) -> SiteState:
        for site, state in self._kept():
            if self._names[site] == name:
                return SiteState.from_bytes(state)
        raise KeyError(name)

    def _kept(self) -> Iterator[tuple[int, bytes]]:
        for one in pieces(self._files, ("site", "state")):
            yield from ((site, state) for site, state in zip(one["site"].tolist(), one["state"], strict=True) if state)

    def items(self) -> Any:  # noqa: ANN401 - a view of its own would say no more
        """Sites and states, one after the other."""
        return ((self._names[site], SiteState.from_bytes(state)) for site, state in self._kept())
