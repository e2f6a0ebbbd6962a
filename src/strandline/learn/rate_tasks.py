"""Rates over a Parquet dataset, the part of some sites, from what `learn_sites` wrote down about their pages.

    rows_to_refit    what the pages say about the table behind first sight
    site_levels      changes a day of an average page of each site, by that table
    rate_pages       what the captures make of what is expected of each page
    settle_rates     the same with what is expected once changes count as often as they are likely to have happened

Each step needs one number of every other site from the step before (learn/rates.py does the same in one go). The
pages of one site are held at a time; what was found is written to files, and a number a site travels back.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.features import DirectoryTree
from strandline.core.mining.learned import PageRate
from strandline.engines.mining_scratch import Columns, TableWriter, by_site, pieces, site_runs, whole_groups
from strandline.learn.dataset_places import FindingsPlace, here, sent, writing_to
from strandline.learn.rates import SitePages, rated_page, seen_rates, seen_twice

Floats = NDArray[np.float64]

RATED_FROM: Final[tuple[str, ...]] = ("pages", "directories", "gaps", "rated")
"""Tables these tasks read."""


class RatesWork(NamedTuple):
    """Some sites whose pages are to be rated."""

    number: int
    """Which task's findings these are."""
    files: Mapping[str, str]
    findings: FindingsPlace
    coefficients: Floats
    bases: Mapping[int, float]
    """What the other sites make expect of each."""


class Rated(NamedTuple):
    """What became of it: the file with the pages, and a level for each site."""

    number: int
    file: str
    levels: dict[int, float]


def _anywhere(step: Callable[[RatesWork], Rated]) -> Callable[[RatesWork], Rated]:
    """A step on files of this machine, wherever findings are."""

    @functools.wraps(step)
    def run(work: RatesWork) -> Rated:
        with here(work.findings, work.files) as files, writing_to(work.findings) as folder:
            done = step(work._replace(files=files, findings=FindingsPlace(folder)))
        return done._replace(file=sent(work.findings, done.file))

    return run


@_anywhere
def rows_to_refit(work: RatesWork) -> Rated:
    """What these pages say about the table behind first sight."""
    with closing(TableWriter(work.findings.folder, "refit")) as table:
        for site, pages, _ in _sites(work):
            for features, found, exposure in pages.to_refit(work.bases[site]):
                table.add({"features": features, "found": found, "exposure": exposure})
    return Rated(work.number, table.file if table.rows else "", {})


@_anywhere
def site_levels(work: RatesWork) -> Rated:
    """Changes a day of an average page of each site, whatever other sites do."""
    levels = {site: pages.level(pages.counts, work.coefficients) for site, pages, _ in _sites(work)}
    return Rated(work.number, "", levels)


@_anywhere
def rate_pages(work: RatesWork) -> Rated:
    """What the captures make of what is expected of each page."""
    levels = {}
    gaps = _Gaps(work.files.get("gaps"))
    with closing(TableWriter(work.findings.folder, "rated")) as table:
        for site, pages, columns in _sites(work):
            means = pages.prior(pages.counts, work.coefficients, work.bases[site]).mean
            changes = np.zeros(len(means), dtype=np.int64)
            found, watched = np.zeros(len(means)), columns["watched"].copy()
            for page, times, changed in gaps.of(site):
                place = int(np.searchsorted(columns["page"], page))
                rate = rated_page(times, changed, float(means[place]))
                changes[place], found[place], watched[place] = rate.changes, rate.found, rate.watched
            levels[site] = pages.level((found, watched), work.coefficients)
            table.add(
                {
                    "site": columns["site"],
                    "page": columns["page"],
                    "visits": columns["visits"],
                    "changes": changes,
                    "found": found,
                    "watched": watched,
                    "last": columns["last"],
                }
            )
    return Rated(work.number, table.file, levels)


@_anywhere
def settle_rates(work: RatesWork) -> Rated:
    """Rates with what is expected of each page in the end."""
    levels = {}
    rated = by_site(pieces([work.files["rated"]]))
    with closing(TableWriter(work.findings.folder, "rates")) as table:
        for (site, pages, _), (_, rates) in zip(_sites(work), rated, strict=True):
            prior = pages.prior((rates["found"], rates["watched"]), work.coefficients, work.bases[site])
            levels[site] = prior.level
            table.add({**rates, "prior": prior.mean, "rate": _rates(rates)})
    return Rated(work.number, table.file, levels)


def _rates(columns: Columns) -> Floats:
    """Changes a day of each page; NaN for one that was not seen twice."""
    visits, changes, watched = (columns[name].astype(np.float64) for name in ("visits", "changes", "watched"))
    rates = np.full(len(visits), np.nan)
    seen = seen_twice(visits, watched)
    rates[seen] = seen_rates(visits, changes, watched)
    return rates


def kept_rates(columns: Columns) -> Iterator[tuple[int, PageRate, float]]:
    """Page, rate, and time of the last capture, of rows that `settle_rates` wrote."""
    names = ("page", "visits", "changes", "found", "watched", "prior", "last")
    for page, *rate, last in zip(*(columns[name].tolist() for name in names), strict=True):
        yield page, PageRate(*rate), last


def _sites(work: RatesWork) -> Iterator[tuple[int, SitePages, Columns]]:
    """The sites, one at a time."""
    pages = by_site(pieces([work.files["pages"]]))
    trees = by_site(pieces([work.files["directories"]]))
    for (site, columns), (_, tree) in zip(pages, trees, strict=True):
        directories = DirectoryTree(columns["directory"], tree["parent"], tree["depth"])
        counts = (columns["found"], columns["watched"])
        yield site, SitePages(columns["page"], columns["features"], directories, counts), columns


class _Gaps:
    """Captures of pages that changed, site by site."""

    def __init__(self, file: str | None) -> None:
        self._runs = iter(()) if file is None else site_runs(whole_groups(file))
        self._next: tuple[int, Columns] | None = next(self._runs, None)

    def of(self, site: int) -> Iterator[tuple[int, Floats, NDArray[np.bool_]]]:
        """Page, times of its captures, and whether they had changed; sites are asked for in their order."""
        while self._next is not None and self._next[0] == site:
            yield from _pages(self._next[1])
            self._next = next(self._runs, None)


def _pages(columns: Columns) -> Iterator[tuple[int, Floats, NDArray[Any]]]:
    page = columns["page"]
    cuts = [0, *(np.flatnonzero(page[1:] != page[:-1]) + 1).tolist(), len(page)]
    for start, end in pairwise(cuts):
        yield int(page[start]), columns["time"][start:end], columns["changed"][start:end]
