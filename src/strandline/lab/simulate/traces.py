"""Change traces: every change of some pages as a file, and the world made from it.

A trace is a TSV (optionally .gz or .xz) or Parquet table `url  time  importance  [weight]`: time in ISO 8601, epoch
seconds or the 14 digits of web archives, importance of the change in 0..1, weight of the page (the last one given
counts). Page weights may also come in a second table `url  weight`. A first line may name the columns, then they come
in any order and others are left out. Lines need no order; the same change told twice is one.

Traces that know days only, and those that are very long, are simulated in days (`period_of`), others in hours.
"""

import csv
import gzip
import importlib
import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import numpy as np

from strandline.core.urls import directory_of
from strandline.lab.simulate.world import WEEK_BINS, Floats, Ints, Patterns, World

THURSDAY_TO_MONDAY = 72.0
COLUMNS = ("url", "time", "importance", "weight")
DAY = 86_400.0
LONG = 3.0 * 365.0 * DAY
"""Seconds from which on a trace is simulated in days."""
FIRST_YEAR, LAST_YEAR = -62_135_596_800.0, 253_402_300_800.0
"""Epoch seconds at which the years 1 and 10000 begin."""
ARCHIVE_DIGITS = 14
"""Of a time as web archives write it, 20260303080000."""


@dataclass(frozen=True)
class TraceOptions:
    """Length of a period, weeks at the start that are not scored, and the seconds added to reach local time."""

    period_hours: float = 1.0
    learning_weeks: float = 0.0
    zone_seconds: float = 0.0


@dataclass(frozen=True)
class Change:
    """One line of a trace; time in epoch seconds."""

    url: str
    time: float
    importance: float


def read_trace(path: Path) -> tuple[list[Change], dict[str, float]]:
    """All changes of a trace file and the page weights it names; ValueError with the line for what is not one."""
    changes: list[Change] = []
    weights: dict[str, float] = {}
    places, number = tuple(range(len(COLUMNS))), 0
    try:
        for line, row in _rows(path):
            first, number = number == 0, line
            if first and (named := _named(row)) is not None:
                places = named
                continue
            change, weight = _change([row[k] if 0 <= k < len(row) else "" for k in places])
            changes.append(change)
            if weight is not None:
                weights[change.url] = weight
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name}: this is not text in UTF-8 ({error.reason})") from error
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    except (ValueError, csv.Error) as error:
        where = f"{path.name}, line {number}" if number else path.name  # what is no table at all has no lines
        raise ValueError(f"{where}: {error}") from error
    if changes and not any(change.importance * weights.get(change.url, 1.0) > 0.0 for change in changes):
        raise ValueError(f"{path.name}: all importances or all weights are 0, so there is nothing to catch")
    return changes, weights


def _named(row: list[str]) -> tuple[int, ...] | None:
    """Places of the columns when a line names them (-1: there is none), else None."""
    names = [name.strip().lower() for name in row]
    if not {"url", "time"} <= set(names):
        return None
    if "importance" not in names:
        raise ValueError("the columns named here lack importance")
    return tuple(names.index(name) if name in names else -1 for name in COLUMNS)


def _change(row: list[str]) -> tuple[Change, float | None]:
    url, time, importance, weight = row
    if not (url and time and importance):
        raise ValueError("a change needs url, time and importance")
    counted = float(importance)
    if not 0.0 <= counted <= 1.0:
        raise ValueError(f"importance must be within 0..1, not {counted:g}")
    return Change(url, _seconds(time), counted), None if weight == "" else _weight(weight)


def _weight(text: str) -> float:
    weight = float(text)
    if not (np.isfinite(weight) and weight >= 0.0):
        raise ValueError(f"a weight must be a number from 0 on, not {text}")
    return weight


def period_of(changes: Sequence[Change]) -> float:
    """Hours of a period that suits a trace: 24 when all its times are whole days, or when it is longer than three
    years; else 1.

    >>> period_of([Change("/a", 86_400.0, 1.0), Change("/a", 864_000.0, 1.0)]), period_of([Change("/a", 90_000.0, 1.0)])
    (24.0, 1.0)
    """
    if not changes:
        return 1.0
    times = np.array([change.time for change in changes])
    return 24.0 if times.max() - times.min() > LONG or not (times % DAY).any() else 1.0


def trace_world(
    name: str, changes: Sequence[Change], weights: dict[str, float], options: TraceOptions | None = None
) -> World:
    """The world of a trace. Periods count from the Monday midnight before the first change; without options they are
    as long as `period_of` says.
    """
    if not changes:
        raise ValueError("a trace needs at least one change")
    options = options or TraceOptions(period_of(changes))
    urls = tuple(dict.fromkeys([change.url for change in changes] + list(weights)))
    row_of = {url: row for row, url in enumerate(urls)}
    page = np.array([row_of[change.url] for change in changes], dtype=np.int64)
    hours = (np.array([change.time for change in changes]) + options.zone_seconds) / 3600.0 + THURSDAY_TO_MONDAY
    monday = np.floor(float(hours.min()) / 168.0) * 168.0
    time = (hours - monday) / options.period_hours
    importance = np.array([change.importance for change in changes])
    order = np.lexsort((-importance, time, page))
    order = order[np.concatenate([[True], (np.diff(page[order]) != 0) | (np.diff(time[order]) != 0)])]
    page, time, importance = page[order], time[order], importance[order]
    periods = int(np.floor(float(time.max()))) + 1
    site, directory = groups_of(urls)
    start = starts(page, len(urls))
    return World(
        name=name,
        periods=periods,
        site=site,
        directory=directory,
        weight=np.array([weights.get(url, 1.0) for url in urls]),
        start=start,
        time=time,
        importance=importance,
        patterns=fitted_patterns(start, time, importance, periods, options.period_hours),
        period_hours=options.period_hours,
        scored_from=options.learning_weeks * 168.0 / options.period_hours,
        accumulates=True,
        urls=urls,
    )


def starts(page: Ints, pages: int) -> Ints:
    """Where the changes of each page begin."""
    return np.concatenate([[0], np.cumsum(np.bincount(page, minlength=pages))]).astype(np.int64)


def groups_of(urls: Iterable[str]) -> tuple[Ints, Ints]:
    """Number of the site (host) and of the parent directory of each URL; an index page stands for its directory."""
    sites: dict[str, int] = {}
    directories: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for url in urls:
        try:
            host = urlsplit(url).netloc
        except ValueError as error:
            raise ValueError(f"{url!r} is no address: {error}") from error
        found.append((sites.setdefault(host, len(sites)), directories.setdefault(directory_of(url), len(directories))))
    return np.array([f[0] for f in found], dtype=np.int64), np.array([f[1] for f in found], dtype=np.int64)


def fitted_patterns(start: Ints, time: Floats, importance: Floats, periods: int, period_hours: float) -> Patterns:
    """Patterns fitted on a whole trace, scored part included: an oracle no crawler has.

    The chance that a period of a bin holds a change, shrunk to the page's own mean by four periods, read as a
    Poisson rate; the mean importance per bin shrunk to the page's mean by four changes.
    """
    cycle = WEEK_BINS if period_hours == 1.0 else np.zeros(1, dtype=np.int64)
    bins = int(cycle.max()) + 1
    pages = len(start) - 1
    page = np.repeat(np.arange(pages), np.diff(start))
    period = np.minimum(time.astype(np.int64), periods - 1)
    bin_of = cycle[period % len(cycle)]
    length = np.bincount(cycle[np.arange(periods) % len(cycle)], minlength=bins).astype(np.float64)
    distinct = np.unique(np.column_stack([page, period]), axis=0) if len(page) else np.empty((0, 2), dtype=np.int64)
    changed = np.zeros((pages, bins))
    np.add.at(changed, (distinct[:, 0], cycle[distinct[:, 1] % len(cycle)]), 1.0)
    mean = changed.sum(axis=1, keepdims=True) / periods
    chance = np.clip((4.0 * mean + changed) / (4.0 + length), 0.0, 0.985)
    counted = np.zeros((pages, bins))
    summed = np.zeros((pages, bins))
    np.add.at(counted, (page, bin_of), 1.0)
    np.add.at(summed, (page, bin_of), importance)
    overall = float(importance.mean()) if len(importance) else 0.5
    own = (overall + summed.sum(axis=1, keepdims=True)) / (1.0 + counted.sum(axis=1, keepdims=True))
    return Patterns(-np.log1p(-chance), (4.0 * own + summed) / (4.0 + counted), cycle)


def _seconds(text: str) -> float:
    """Epoch seconds of a time.

    >>> _seconds("1772524800"), _seconds("2026-03-03T08:00:00"), _seconds("20260303080000")
    (1772524800.0, 1772524800.0, 1772524800.0)
    """
    if len(text) == ARCHIVE_DIGITS and text.isdigit():
        return datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{text!r} is no time; write epoch seconds or 2026-03-03T08:00:00Z") from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not FIRST_YEAR <= seconds < LAST_YEAR:
        raise ValueError(f"{text} is no time of the years 1 to 9999 in epoch seconds (not milliseconds)")
    return seconds


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number of the line and what stands in it; empty lines are left out."""
    if path.suffix == ".parquet":
        table = importlib.import_module("pyarrow.parquet").read_table(path)
        names = [name for name in COLUMNS if name in table.column_names]
        yield 0, names
        for number, values in enumerate(zip(*(table.column(name).to_pylist() for name in names), strict=True), start=1):
            yield number, ["" if value is None else str(value) for value in values]
        return
    with _text(path) as file:
        reader = csv.reader(file, delimiter="\t")
        yield from ((reader.line_num, row) for row in reader if row)


def _text(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
