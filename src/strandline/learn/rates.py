"""From captures to rates: what a page promises at first sight, and what its captures made of it.

The prior of a page is level of its site x factor of its directory x factor of the page itself (core/learn/first_sight).
The table behind the last factor is moved by the archive's own captures once there are enough of them. A change found
after a long wait may stand for several; how many depends on the rate believed in, so the counts are made twice: first
every find is one change, then as many as the prior of the page makes likely.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.features import Directories, DirectoryTree, PageSummary, ReadAddresses, model_features
from strandline.core.beliefs.first_sight import (
    COEFFICIENTS,
    DEFAULT,
    SitePrior,
    archive_base,
    refit_rows,
    refitted,
    site_level,
    site_prior,
    static_factors,
)
from strandline.core.history.rates import change_rate
from strandline.core.mining.classes import ChangeGroups, change_groups
from strandline.core.mining.learned import DAY, PageRate, Visits
from strandline.learn.known_pages import path_of
from strandline.learn.packed_looks import Looked
from strandline.learn.rate_columns import RateColumns, SiteColumns

Floats = NDArray[np.float64]
Counts = tuple[Floats, Floats]
"""Of the pages of a site: changes found, and days watched."""
Site = TypeVar("Site", str, int)
"""A name or a number."""
_TOGETHER: Final = 65_536
"""Pages whose features are looked at together. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True, eq=False)
class SitePages:
    """The pages of a site as rates see them: what they look like, where they lie, and what was found."""

    pages: Sequence[int]
    features: Floats
    directories: DirectoryTree
    counts: Counts

    @classmethod
    def of(cls, visits: Sequence[Visits], summaries: Mapping[int, PageSummary]) -> "SitePages":
        """Read the addresses of captured pages and count what was found."""
        pages = array("q", (one.page for one in visits))
        return cls.at(pages, [one.url for one in visits], FirstSights.of(summaries), counted(visits))

    @classmethod
    def at(cls, pages: Sequence[int], urls: Sequence[str], sights: "FirstSights", counts: Counts) -> "SitePages":
        """Read the addresses of pages whose captures were counted; they are gone through twice, and not kept."""
        addresses = ReadAddresses(_Paths(urls))
        directories = Directories(addresses)
        features = model_features(addresses, *sights.columns(pages), directories=directories)
        return cls(pages, features, DirectoryTree(directories.of_page, directories.parent, directories.level), counts)

    def level(self, counts: Counts, coefficients: Floats) -> float:
        """Changes a day of an average page of the site, whatever other sites do."""
        return site_level(*counts, static_factors(self.features, coefficients), DEFAULT.first_base)

    def prior(self, counts: Counts, coefficients: Floats, base: float) -> SitePrior:
        """What is expected of the pages, by what was found on them and on other sites."""
        return site_prior(self.directories, static_factors(self.features, coefficients), counts, base)

    def to_refit(self, base: float) -> Iterator[tuple[Floats, Floats, Floats]]:
        """What these pages say about the table behind first sight, some at a time; see first_sight.refit_rows."""
        prior = self.prior(self.counts, COEFFICIENTS, base)
        rate = prior.level * prior.directory
        for begin in range(0, len(self.pages), _TOGETHER):
            some = slice(begin, begin + _TOGETHER)
            yield refit_rows(self.features[some], (self.counts[0][some], self.counts[1][some]), rate[some])


class _Paths(Sequence[str]):
    """The paths of addresses, each worked out when it is asked for."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls

    def __len__(self) -> int:
        return len(self._urls)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        found = self._urls[place]
        return path_of(found) if isinstance(found, str) else list(map(path_of, found))


class FirstSights:
    """What pages looked like at first sight, as columns: 32 bytes a page.

    >>> sights = FirstSights([(3, 900, 2, 40), (8, 700, 1, 20)])
    >>> [column.tolist() for column in sights.columns([8, 5, 3])]  # page 5 could not be read
    [[700.0, 800.0, 900.0], [1.0, 1.5, 2.0], [20.0, 30.0, 40.0]]
    """

    def __init__(self, rows: Iterable[tuple[int, int, int, int]] = ()) -> None:
        """Page, bytes of text, headings and links; pages ascend."""
        self._columns = tuple(array("q") for _ in range(4))
        self.add(rows)

    @classmethod
    def of(cls, summaries: Mapping[int, PageSummary]) -> "FirstSights":
        """Those of pages that were read."""
        known = ((page, summaries[page]) for page in sorted(summaries))
        return cls((page, one.text_bytes, one.headings, one.links) for page, one in known)

    def add(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        """More pages, with larger numbers."""
        for row in rows:
            for column, value in zip(self._columns, row, strict=True):
                column.append(value)

    def columns(self, pages: Sequence[int]) -> tuple[Floats, Floats, Floats]:
        """Bytes, headings and links of pages; one that could not be read is taken for a typical page of its site."""
        known, asked = np.array(self._columns[0]), np.array(pages, dtype=np.int64)
        place = np.searchsorted(known, asked)
        place[place == known.size] = 0
        read = known[place] == asked if known.size else np.zeros(asked.size, dtype=np.bool_)

        def of(column: "array[int]") -> Floats:
            values = np.zeros(asked.size)
            values[read] = np.array(column)[place[read]]
            values[~read] = np.median(values[read]) if read.any() else 0.0
            return values

        _, text_bytes, headings, links = self._columns
        return of(text_bytes), of(headings), of(links)


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Everything `learn classes` finds out."""

    pages: Mapping[int, PageRate]
    levels: Mapping[str, float]
    """Changes a day of an average page of each site."""
    coefficients: Floats
    groups: ChangeGroups | None
    """None while no page was seen twice."""

    @property
    def moved(self) -> bool:
        """Whether the archive's own captures moved the shipped table."""
        return not np.array_equal(self.coefficients, COEFFICIENTS)

    @property
    def base(self) -> float:
        """What to expect of a page of a site that was never seen."""
        return archive_base(np.array(list(self.levels.values())))

    def to_keep(self, lasts: Mapping[int, float]) -> Iterator[tuple[int, PageRate, float]]:
        """Page, rate, and time of the last capture."""
        return ((page, rate, lasts[page]) for page, rate in self.pages.items())


def learn_rates(known: Mapping[str, SitePages], visits: Mapping[str, Sequence[Looked]], classes: int) -> Rates:
    """Rates of all pages and the groups they fall into; `visits` are those of the same pages, by site."""
    known = {name: one for name, one in known.items() if len(one.pages)}
    bases = site_bases({name: one.level(one.counts, COEFFICIENTS) for name, one in known.items()})
    coefficients = refitted(lambda: (some for name, one in known.items() for some in one.to_refit(bases[name])))
    bases = site_bases({name: one.level(one.counts, coefficients) for name, one in known.items()})
    rated: dict[str, SiteColumns] = {}
    counts: dict[str, Counts] = {}
    for name, one in known.items():
        means = one.prior(one.counts, coefficients, bases[name]).mean
        rated[name] = SiteColumns.of(rated_pages(visits[name], means))
        counts[name] = rated[name].found, rated[name].watched
    # Changes now count as often as they are likely to have happened.
    bases = site_bases({name: one.level(counts[name], coefficients) for name, one in known.items()})
    pages, levels = RateColumns(), {}
    for name, one in known.items():
        prior = one.prior(counts[name], coefficients, bases[name])
        levels[name] = prior.level
        pages.add(one.pages, rated[name], prior.mean)
    rates = seen_rates(*pages.seen())
    return Rates(pages, levels, coefficients, change_groups(rates, classes) if rates.size else None)


def site_bases(levels: Mapping[Site, float]) -> dict[Site, float]:
    """What to expect of each site from the levels of the others: their geometric mean.

    >>> {name: round(base, 6) for name, base in site_bases({"a": 0.01, "b": 0.0001, "c": 0.04}).items()}
    {'a': 0.002, 'b': 0.02, 'c': 0.001}
    >>> site_bases({"alone": 0.3})
    {'alone': 0.005}
    """
    if len(levels) < 2:
        return dict.fromkeys(levels, DEFAULT.first_base)
    logs = np.log(np.array(list(levels.values())))
    others = np.exp((logs.sum() - logs) / (len(levels) - 1))
    return dict(zip(levels, others.tolist(), strict=True))


def seen_rates(visits: Floats, changes: Floats, watched: Floats) -> Floats:
    """Changes a day (learned.PageRate.rate) of those pages that were seen more than once."""
    seen = seen_twice(visits, watched)
    rates: Floats = change_rate(visits[seen], changes[seen]) * visits[seen] / watched[seen]
    return rates


def seen_twice(visits: Floats, watched: Floats) -> NDArray[np.bool_]:
    """Pages that have a rate: those seen more than once, with time in between."""
    return (visits > 0) & (watched > 0.0)


def counted(visits: Sequence[Visits]) -> Counts:
    """Changes found, each counted once, and days watched."""
    found = np.array([float(one.changed.sum()) for one in visits])
    watched = np.array([float(one.times[-1] - one.times[0]) / DAY for one in visits])
    return found, watched


def joined_counts(parts: Sequence[Counts]) -> Counts:
    """Those of all pages."""
    found, watched = (np.concatenate([np.empty(0), *(one[place] for one in parts)]) for place in (0, 1))
    return found, watched


def rated_pages(pages: Iterable[Looked], means: Floats) -> Iterator[PageRate]:
    """What the captures of a site's pages make of what was expected of each."""
    for visits, mean in zip(pages, means.tolist(), strict=True):
        if visits.changed.any():
            yield rated_page(visits.times, visits.changed, mean)
        else:  # most pages
            watched = float(visits.times[-1] - visits.times[0]) / DAY
            yield PageRate(visits.times.size - 1, watched=watched, prior=mean)


def rated_page(times: Floats, changed: NDArray[np.bool_], mean: float) -> PageRate:
    """What the captures of a page make of what was expected of it."""
    rate = PageRate(prior=mean)
    for waited, found in zip((np.diff(times) / DAY).tolist(), changed[1:].tolist(), strict=True):
        rate.observe(waited, found)
    return rate
