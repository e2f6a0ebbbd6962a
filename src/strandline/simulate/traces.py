"""Change traces: every change of some pages as a file, and the world made from it.

A trace is a TSV (optionally .gz or .xz) or Parquet table `url  time  importance  [weight]`: time in ISO 8601 or
epoch seconds, importance of the change in 0..1, weight of the page (the last one given counts). Page weights may
also come in a second table `url  weight`. A first line that names the columns is allowed.
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

from strandline.simulate.world import WEEK_BINS, Floats, Ints, Patterns, World

THURSDAY_TO_MONDAY = 72.0


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
    """All changes of a trace file and the page weights it names."""
    changes: list[Change] = []
    weights: dict[str, float] = {}
    for number, row in enumerate(_rows(path), start=1):
        if number == 1 and row[:2] == ["url", "time"]:
            continue
        if len(row) < 3:
            raise ValueError(f"{path.name}, line {number}: a change needs url, time and importance")
        try:
            importance = float(row[2])
            changes.append(Change(row[0], _seconds(row[1]), importance))
            if len(row) > 3 and row[3] != "":
                weights[row[0]] = float(row[3])
        except ValueError as error:
            raise ValueError(f"{path.name}, line {number}: {error}") from error
        if not 0.0 <= importance <= 1.0:
            raise ValueError(f"{path.name}, line {number}: importance must be within 0..1, not {importance:g}")
    return changes, weights


def read_weights(path: Path) -> dict[str, float]:
    """A table of page weights: url and weight."""
    return {row[0]: float(row[1]) for row in _rows(path) if row[:2] != ["url", "weight"]}


def write_trace(path: Path, world: World) -> None:
    """Write the changes of a world as a trace; periods are counted from Monday 1970-01-05."""
    urls = world.urls or tuple(f"https://site{s}.example/page{i}" for i, s in enumerate(world.site))
    page = world.page_of_change
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("url", "time", "importance", "weight"))
        for i, time, importance in zip(page, world.time, world.importance, strict=True):
            seconds = (time * world.period_hours + 96.0) * 3600.0
            writer.writerow((urls[i], f"{seconds:.0f}", f"{importance:.6f}", f"{world.weight[i]:.6g}"))


def trace_world(
    name: str, changes: Sequence[Change], weights: dict[str, float], options: TraceOptions | None = None
) -> World:
    """The world of a trace. Periods count from the Monday midnight before the first change."""
    if not changes:
        raise ValueError("a trace needs at least one change")
    options = options or TraceOptions()
    urls = tuple(dict.fromkeys([change.url for change in changes] + list(weights)))
    row_of = {url: row for row, url in enumerate(urls)}
    page = np.array([row_of[change.url] for change in changes], dtype=np.int64)
    hours = (np.array([change.time for change in changes]) + options.zone_seconds) / 3600.0 + THURSDAY_TO_MONDAY
    monday = np.floor(float(hours.min()) / 168.0) * 168.0
    time = (hours - monday) / options.period_hours
    importance = np.array([change.importance for change in changes])
    order = np.lexsort((time, page))
    page, time, importance = page[order], time[order], importance[order]
    periods = int(np.ceil(float(time.max()))) or 1
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
        parts = urlsplit(url)
        path, _, last = parts.path.rpartition("/")
        path = path if last == "" or last.startswith("index.") else parts.path
        folder = parts.netloc + path.rsplit("/", 1)[0]
        found.append((sites.setdefault(parts.netloc, len(sites)), directories.setdefault(folder, len(directories))))
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
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _rows(path: Path) -> Iterator[list[str]]:
    if path.suffix == ".parquet":
        table = importlib.import_module("pyarrow.parquet").read_table(path)
        names = [name for name in ("url", "time", "importance", "weight") if name in table.column_names]
        for values in zip(*(table.column(name).to_pylist() for name in names), strict=True):
            yield ["" if value is None else str(value) for value in values]
        return
    with _text(path) as file:
        yield from (row for row in csv.reader(file, delimiter="\t") if row)


def _text(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")
