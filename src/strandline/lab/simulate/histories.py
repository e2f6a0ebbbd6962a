"""Change histories of pages with first-sight features: the file format, and what a visit would have seen.

A history file is tab-separated with a header row, one page a row (optionally .gz or .xz):
    site, path, last_day (the last day the page existed), change_days (days 1.. on which it changed, with commas)
and the columns of counts that the first-sight features need: text_bytes, links, headings; also emails, images for the
experiment of paper 002. Other columns are kept when they are numbers. Day 0 is the first capture.
"""

import csv
import gzip
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.features import Address, Directories, model_features, read_address

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MADE_COLUMNS = ("text_bytes", "links", "headings", "images", "emails", "depth")
_NEEDED = ("site", "path", "last_day", "change_days")


@dataclass(frozen=True)
class Histories:
    """Pages in rows. `seen[i, d]` is the number of changes of page i on days 1..d (0 before day 1)."""

    sites: tuple[str, ...]
    """Names of the sites, each once."""
    site: Ints
    """Number of the site of each page."""
    paths: tuple[str, ...]
    last_day: Ints
    seen: NDArray[np.int32]
    columns: dict[str, Floats]

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.paths)

    @property
    def days(self) -> int:
        """Days in the window."""
        return int(self.seen.shape[1]) - 1

    def take(self, rows: Ints) -> "Histories":
        """The same table with some of the pages only; sites without a page are dropped."""
        kept, numbers = np.unique(self.site[rows], return_inverse=True)
        return Histories(
            tuple(self.sites[i] for i in kept),
            numbers.astype(np.int64),
            tuple(self.paths[i] for i in rows),
            self.last_day[rows],
            self.seen[rows],
            {name: column[rows] for name, column in self.columns.items()},
        )

    def of_site(self, name: str) -> "Histories":
        """The pages of one site."""
        return self.take(np.flatnonzero(self.site == self.sites.index(name)))

    def changes(self, since: int, until: int) -> Ints:
        """Changes of each page on days since+1..until."""
        return (self.seen[:, until] - self.seen[:, since]).astype(np.int64)

    def column(self, name: str) -> Floats:
        """A column of counts; zeros when the file has none of that name."""
        return self.columns.get(name, np.zeros(self.pages))


@dataclass(frozen=True)
class SitePages:
    """What first sight tells about the pages of one site: rows into the table, features, directories."""

    name: str
    rows: Ints
    features: Floats
    directories: Directories


def site_pages(histories: Histories) -> list[SitePages]:
    """First-sight features of every site; a site is described by its own pages only."""
    found = []
    for number, name in enumerate(histories.sites):
        rows = np.flatnonzero(histories.site == number)
        addresses: list[Address] = [read_address(histories.paths[i]) for i in rows]
        counts = (histories.column(column)[rows] for column in ("text_bytes", "headings", "links"))
        found.append(SitePages(name, rows, model_features(addresses, *counts), Directories(addresses)))
    return found


def read_histories(file: Path) -> Histories:
    """Read a file of change histories.

    Raises:
        ValueError: naming the line, when a column is missing or a number is not one.
    """
    with _open(file) as stream:
        reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = reader.fieldnames or []
        missing = [name for name in _NEEDED if name not in names]
        if missing:
            raise ValueError(f"{file}: the header row lacks {', '.join(missing)}")
        rows = list(reader)
    try:
        return _table(rows, [name for name in names if name not in _NEEDED])
    except ValueError as problem:
        raise ValueError(f"{file}: {problem}") from problem


def _table(rows: Sequence[dict[str, str]], extra: Sequence[str]) -> Histories:
    sites: dict[str, int] = {}
    site = np.array([sites.setdefault(row["site"], len(sites)) for row in rows], dtype=np.int64)
    last_day = np.zeros(len(rows), dtype=np.int64)
    changed: list[list[int]] = []
    for i, row in enumerate(rows):
        try:
            last_day[i] = int(row["last_day"])
            changed.append([int(day) for day in (row["change_days"] or "").split(",") if day])
        except (TypeError, ValueError) as problem:
            raise ValueError(f"line {i + 2}: {problem}") from problem
    latest = max((days[-1] for days in changed if days), default=0)
    days = max(int(last_day.max(initial=0)), latest)
    seen = np.zeros((len(rows), days + 1), dtype=np.int32)
    for i, list_of_days in enumerate(changed):
        if list_of_days and min(list_of_days) < 1:
            raise ValueError(f"line {i + 2}: a page cannot change before day 1")
        np.add.at(seen[i], list_of_days, 1)
    np.cumsum(seen, axis=1, out=seen)
    columns = {}
    for name in extra:
        try:
            columns[name] = np.array([float(row[name]) for row in rows])
        except (TypeError, ValueError):
            continue  # a column of words, such as the file extension
    return Histories(tuple(sites), site, tuple(row["path"] for row in rows), last_day, seen, columns)


def made_histories(rng: np.random.Generator, sites: int = 4, pages: int = 400, days: int = 182) -> Histories:
    """Sites whose directories, page sizes and dated addresses have to do with how often pages change.

    A tenth of the changes are bulk edits of a whole directory; some pages are removed.
    """
    paths: list[str] = []
    site, rate, directory = [], [], []
    columns: dict[str, list[float]] = {name: [] for name in _MADE_COLUMNS}
    for number in range(sites):
        level = 10.0 ** rng.uniform(-2.6, -1.6)
        factor = rng.lognormal(0.0, 0.7, size=12)
        for i in range(pages):
            area = int(rng.integers(12))
            size = rng.lognormal(7.0, 1.2)
            dated = area < 3
            paths.append(f"section-{area}/{'2019/' if dated else ''}{'index' if i < 12 else f'page-{i}'}.html")
            static = (size / 1100.0) ** 0.25 * (0.4 if dated else 1.0)
            rate.append(level * factor[area] * static * rng.gamma(2.0, 0.5))
            site.append(number)
            directory.append(number * 12 + area)
            for name, value in zip(
                _MADE_COLUMNS, (size, size / 150, size / 700, rng.poisson(1), 0, 1 + dated), strict=True
            ):
                columns[name].append(float(np.floor(value)))
    hit = rng.random((len(rate), days)) < 0.9 * np.array(rate)[:, None]
    bulk = rng.random((sites * 12, days)) < 0.1 * np.bincount(directory, rate, sites * 12)[:, None] / (pages / 12)
    hit |= bulk[np.array(directory)]
    last_day = np.where(rng.random(len(rate)) < 0.03, rng.integers(10, days, len(rate)), days)
    hit &= np.arange(1, days + 1) <= last_day[:, None]
    seen = np.zeros((len(rate), days + 1), dtype=np.int32)
    np.cumsum(hit, axis=1, out=seen[:, 1:])
    names = tuple(f"made-{number}" for number in range(sites))
    table = {name: np.array(column) for name, column in columns.items()}
    return Histories(names, np.array(site, dtype=np.int64), tuple(paths), last_day, seen, table)


def _open(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8", newline="")
    if file.suffix == ".xz":
        return lzma.open(file, "rt", encoding="utf-8", newline="")
    return file.open(encoding="utf-8", newline="")
