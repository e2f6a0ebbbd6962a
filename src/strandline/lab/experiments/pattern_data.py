"""Real pages for the experiment `patterns`: when each was captured and how important each change was.

Two kinds of rows are read from files `.jsonl[.gz|.xz|.zst]` of a folder (or its `pages`), whatever their names: page
versions `{"url", "time", "html"}`, and lists of items `{"url", "time", "items"}`, kept whenever they changed. The times
of all captures of lists may lie beside them, one a line, in a file with `captures` where theirs has `items`.

Importance of a change between HTML versions is the paper's, by blocks; between two lists of items it is the weight
of the items that came and went, 1 / sqrt(1 + position), over the weight of both lists.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.delta.impch import impch
from strandline.core.changes.delta.vidiff import compare
from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting
from strandline.core.history.zones import guess_zone
from strandline.dom.html import blocks
from strandline.exchange.page_versions import unpacked

Floats = NDArray[np.float64]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Trace:
    """Captures of one page in the order of time; importance 0 where nothing changed.

    `exact`: the captures are the moments of change themselves (a repository's commits), so there are no gaps.
    """

    url: str
    zone: str
    country: str | None
    times: Floats
    importances: Floats
    exact: bool = False

    def periods(self, count: int = 24, cycle: Cycle = Cycle.DAY) -> Periods:
        """How this page's time is cut."""
        return Periods(self.zone, self.country, cycle, count)

    def sightings(self, since: int = 0, until: int | None = None) -> list[Sighting]:
        """Some of the captures, for a series; the first change of a series is unknown."""
        rows = zip(self.times[since:until], self.importances[since:until], strict=True)
        return [Sighting(float(at), float(amount), float(at) if self.exact else None) for at, amount in rows]

    def series(self, count: int = 24, cycle: Cycle = Cycle.DAY) -> PageSeries:
        """All captures, summed up per kind and period."""
        series = PageSeries.empty(self.periods(count, cycle))
        series.observe_all(LocalCalendar(series.periods), self.sightings())
        return series


def read_traces(data: Path, most_versions: int, progress: Progress) -> tuple[list[Trace], list[Trace]]:
    """Pages kept as lists of items, and pages with HTML; at most so many versions of an HTML page."""
    lists: list[Trace] = []
    pages: list[Trace] = []
    folder = data / "pages" if (data / "pages").is_dir() else data
    files = [data] if data.is_file() else sorted(folder.glob("*.jsonl*"))
    for file in files:
        kind = _kind(file)
        if kind == "items":
            progress(f"reading {file.name}")
            lists += _lists(file)
        elif kind == "html":
            progress(f"comparing the versions of {file.name}")
            pages += _versions(file, most_versions)
    if not lists and not pages:
        raise ValueError(f"{data}: no page versions or lists of items (NAME.jsonl, .gz, .xz, .zst) here or in pages/")
    return lists, pages


def _kind(file: Path) -> str:
    """What the rows of a file hold: html, items, or neither."""
    first = next(_rows(file), {})
    return next((name for name in ("html", "items") if name in first), "")


def _lists(file: Path) -> list[Trace]:
    states: dict[str, list[tuple[float, list[int]]]] = {}
    for row in _rows(file):
        states.setdefault(row["url"], []).append((_epoch(row["time"]), row["items"]))
    times = _capture_times(file)
    found = []
    for url, kept in states.items():
        guess = guess_zone(urlsplit(url).netloc)
        mine = np.array([at for at, _ in kept]) if times is None else times[times >= kept[0][0]]
        amounts = np.zeros(mine.size)
        for (_, before), (at, after) in pairwise(kept):
            amounts[min(int(np.searchsorted(mine, at)), mine.size - 1)] += item_importance(before, after)
        found.append(Trace(url, guess.zone, guess.country, mine, amounts, exact=times is None))
    return found


def _capture_times(file: Path) -> Floats | None:
    """The times of all captures of the lists in a file, where they are told."""
    stem = file.name.partition(".jsonl")[0]
    if "items" not in stem:
        return None
    beside = sorted(file.parent.glob(f"{stem.replace('items', 'captures')}.tsv*"))
    if not beside:
        return None
    with beside[0].open("rb") as raw, unpacked(raw) as lines:
        times = [line.decode().strip() for line in lines]
    return np.array(sorted(_epoch(time) for time in times if time[:1].isdigit()))


def _versions(file: Path, most: int) -> list[Trace]:
    kept: dict[str, tuple[list[float], list[float]]] = {}
    url, last = "", None
    for row in _rows(file):
        times, amounts = kept.setdefault(row["url"], ([], []))
        if len(times) >= most:
            continue
        tree = blocks(row["html"].encode("utf-8", "replace"), url=row["url"])
        amounts.append(0.0 if last is None or row["url"] != url else impch(compare(last, tree)))
        times.append(_epoch(row["time"]))
        url, last = row["url"], tree
    zones = {address: guess_zone(urlsplit(address).netloc) for address in kept}
    return [
        Trace(address, zones[address].zone, zones[address].country, np.array(times), np.array(amounts), exact=True)
        for address, (times, amounts) in kept.items()
    ]


def item_importance(before: list[int], after: list[int]) -> float:
    """Weight of the items that came or went; a mere reordering is no change.

    >>> item_importance([1, 2], [2, 1]), round(item_importance([1, 2], [3, 1]), 3)
    (0.0, 0.5)
    """
    old, new = set(before), set(after)
    weight = sum(1.0 / (1.0 + place) ** 0.5 for place, item in enumerate(after) if item not in old)
    weight += sum(1.0 / (1.0 + place) ** 0.5 for place, item in enumerate(before) if item not in new)
    total = sum(1.0 / (1.0 + place) ** 0.5 for states in (before, after) for place in range(len(states)))
    return weight / total if total else 0.0


def made_traces(rng: np.random.Generator, days: int = 56) -> list[Trace]:
    """Pages with a known pattern, captured every hour: office, evening and round the clock, weekends calmer."""
    hours = np.arange(24) + 0.5
    shapes = {
        "office": np.exp(-(((hours - 11.0) / 3.0) ** 2) / 2) + 0.05,
        "evening": np.exp(-(((hours - 20.0) / 2.0) ** 2) / 2) + 0.05,
        "always": np.ones(24),
    }
    start = dt.datetime(2025, 1, 6, tzinfo=dt.UTC).timestamp()
    found = []
    for name, shape in shapes.items():
        for number in range(4):
            day = shape / shape.mean() * rng.uniform(0.1, 0.4)
            rate = np.concatenate([day * (0.3 if d % 7 >= 5 and name != "always" else 1.0) for d in range(days)])
            changed = rng.random(rate.size) < -np.expm1(-rate)
            amounts = np.append(0.0, changed * rng.beta(2, 8, rate.size))
            times: Floats = start + 3600.0 * np.arange(rate.size + 1, dtype=np.float64)
            found.append(Trace(f"https://{name}.example/{number}", "UTC", None, times, amounts))
    return found


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as raw, unpacked(raw) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as problem:
                raise ValueError(f"{file.name}, line {number}: {problem}") from problem
            if not isinstance(row, dict) or "url" not in row or "time" not in row:
                raise ValueError(f"{file.name}, line {number}: url and time are wanted")
            yield row


def _epoch(time: str | float) -> float:
    """ISO 8601, UTC when no zone is given, or seconds since 1970."""
    if isinstance(time, int | float):
        return float(time)
    moment = dt.datetime.fromisoformat(time)
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
