"""The three reference traces, made from real histories kept in a folder of data (never part of the product).

    news   25 front pages of 5 German news sites, hourly for 26 weeks, local time. A change = items new or gone;
           its importance = 1/sqrt(1 + position) summed over them, over the total of both states.
    slow   pages of documentation sites over 182 days; importance 1; periods of a day.
    mix    news and 1,000 slow pages in whole directories; a slow change counts 0.15, and the pages of a directory
           that change on one day change within 25 minutes.
Four weeks are for learning and not scored.
"""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import numpy as np

from strandline.exchange.page_versions import unpacked
from strandline.lab.simulate.histories import Histories, read_histories
from strandline.lab.simulate.traces import fitted_patterns, groups_of, starts
from strandline.lab.simulate.world import Floats, Ints, Items, World

LEARNING_DAYS = 28
BERLIN = ZoneInfo("Europe/Berlin")


@dataclass
class _NewsPage:
    """Versions of one page: change times, importances, and item lists (the first list precedes all changes)."""

    times: list[float]
    importances: list[float]
    lists: list[tuple[Ints, Floats]]


def _local_hours(text: str) -> float:
    """Hours of local wall-clock time since the year 1."""
    local = datetime.fromisoformat(text).astimezone(BERLIN).replace(tzinfo=None)
    return (local - datetime(1, 1, 1)).total_seconds() / 3600.0  # noqa: DTZ001 - wall-clock on purpose


def has_news(folder: Path) -> bool:
    """Whether a folder of data has lists of items."""
    return bool(list(_pages(folder).glob("*items*.jsonl*")))


def _pages(folder: Path) -> Path:
    return folder / "pages" if (folder / "pages").is_dir() else folder


def _news_file(folder: Path, what: str, ending: str) -> Path:
    """A file of the news, whatever stands before and behind `items`, `captures` or `table` in its name."""
    found = sorted(_pages(folder).glob(f"*{what}*{ending}*"))
    if not found:
        raise ValueError(f"{folder}: no file *{what}*{ending}[.gz|.xz|.zst] here or in pages/")
    return found[0]


def histories_file(folder: Path) -> Path:
    """The change histories with features of a folder of data."""
    place = folder / "histories" if (folder / "histories").is_dir() else folder
    found = sorted(place.glob("*histories*.tsv*")) or sorted(place.glob("*.tsv*"))
    if not found:
        raise ValueError(f"{folder}: no change histories (NAME.tsv[.gz|.xz|.zst]) here or in histories/")
    return found[0]


@contextmanager
def _text(file: Path) -> Iterator[IO[str]]:
    with file.open("rb") as raw, unpacked(raw) as plain:
        yield io.TextIOWrapper(plain, encoding="utf-8")


def _item_names(folder: Path) -> dict[tuple[str, int], int]:
    """One number per item (article and title) over all pages."""
    names: dict[tuple[str, str], int] = {}
    found: dict[tuple[str, int], int] = {}
    with _text(_news_file(folder, "table", ".tsv")) as file:
        for line in file:
            url, number, url_hash, title_hash, *_ = line.rstrip("\n").split("\t")
            if number.isdigit():
                found[url, int(number)] = names.setdefault((url_hash, title_hash), len(names))
    return found


def _weigh(items: list[int]) -> tuple[Ints, Floats]:
    """Distinct items in number order, each with the weight of its first position."""
    distinct, first = np.unique(np.array(items, dtype=np.int64), return_index=True)
    return distinct, 1.0 / np.sqrt(1.0 + first)


def _difference(old: tuple[Ints, Floats], new: tuple[Ints, Floats]) -> float:
    gone = old[1][~np.isin(old[0], new[0], assume_unique=True)].sum()
    fresh = new[1][~np.isin(new[0], old[0], assume_unique=True)].sum()
    total = old[1].sum() + new[1].sum()
    return float((gone + fresh) / total) if total > 0 else 0.0


def _read_news(folder: Path, seed: int) -> tuple[dict[str, _NewsPage], float]:
    names = _item_names(folder)
    with _text(_news_file(folder, "captures", ".tsv")) as file:
        captures = np.array(sorted(_local_hours(line.strip()) for line in file if line[:1].isdigit()))
    monday = np.floor(captures[0] / 168.0) * 168.0  # 0001-01-01 was a Monday
    captures -= monday
    rng = np.random.default_rng(seed)
    pages: dict[str, _NewsPage] = {}
    with _text(_news_file(folder, "items", ".jsonl")) as file:
        for line in file:
            state = json.loads(line)
            url = state["url"]
            listed = _weigh([names[url, number] for number in state["items"]])
            if url not in pages:
                pages[url] = _NewsPage([], [], [listed])
                continue
            page = pages[url]
            importance = _difference(page.lists[-1], listed)
            if importance <= 0.0:
                page.lists[-1] = listed  # a pure reordering: the same version, other positions
                continue
            time = _local_hours(state["time"]) - monday
            before = captures[max(int(np.searchsorted(captures, time - 1e-6)) - 1, 0)]
            page.times.append(_moment(float(before), time, float(rng.random())))
            page.importances.append(importance)
            page.lists.append(listed)
    return pages, float(captures[-1])


def _moment(before: float, after: float, part: float) -> float:
    """A moment between two captures; hourly captures count as made on the hour, so that an hour has one change."""
    low, high = np.floor(before), np.floor(after)
    if high <= low:
        low, high = before, after
    return float(low + part * max(high - low, 1e-3))


def _items(pages: list[_NewsPage], others: int) -> Items:
    """Item lists of all versions; `others` further pages have none."""
    first, base, count = [0], [], 0
    for page in pages:
        base.append(count)
        count += len(page.lists)
        for items, _ in page.lists:
            first.append(first[-1] + len(items))
    item = np.concatenate([items for page in pages for items, _ in page.lists])
    weight = np.concatenate([weights for page in pages for _, weights in page.lists])
    born = np.full(int(item.max()) + 1, np.inf)
    for page in pages:
        for time, (items, _) in zip([-1.0, *page.times], page.lists, strict=True):
            born[items] = np.minimum(born[items], time)
    # Items never shown by a version (only by reorderings) are not counted.
    born[np.isinf(born)] = -1.0
    bases = np.array(base + [-1] * others, dtype=np.int64)
    return Items(np.array(first, dtype=np.int64), item, weight, born, bases)


def news_world(folder: Path, seed: int = 0) -> World:
    """The trace `news`."""
    pages, end = _read_news(folder, seed)
    urls = tuple(pages)
    page = np.repeat(np.arange(len(urls)), [len(p.times) for p in pages.values()])
    time = np.array([t for p in pages.values() for t in p.times])
    importance = np.array([x for p in pages.values() for x in p.importances])
    periods = int(end)
    time = np.minimum(time, periods - 1e-6)
    order = np.lexsort((time, page))
    time, importance = time[order], importance[order]
    start = starts(page, len(urls))
    site, directory = groups_of(_one_site(url) for url in urls)
    return World(
        name="news",
        periods=periods,
        site=site,
        directory=directory,
        weight=np.ones(len(urls)),
        start=start,
        time=time,
        importance=importance,
        patterns=fitted_patterns(start, time, importance, periods, 1.0),
        scored_from=24.0 * LEARNING_DAYS,
        accumulates=True,
        items=_items(list(pages.values()), 0),
        urls=urls,
    )


def _one_site(url: str) -> str:
    """The mobile pages of a site belong to it."""
    parts = urlsplit(url)
    host = parts.netloc.removeprefix("www.").removeprefix("m.")
    return f"https://{host}{parts.path or '/'}"


def _slow_urls(table: Histories) -> tuple[str, ...]:
    return tuple(f"https://{table.sites[s]}/{path}" for s, path in zip(table.site, table.paths, strict=True))


def _change_days(table: Histories) -> tuple[Ints, Ints]:
    """Page and day (from 1) of every change."""
    page, day = np.nonzero(np.diff(table.seen, axis=1) > 0)
    return page, day + 1


def slow_world(folder: Path, seed: int = 0) -> World:
    """The trace `slow`: periods of a day; the pages of a directory that change on a day change together.

    Pages come in a drawn order. In the order of their addresses round robin would go directory after directory, and
    whole directories change on one day.
    """
    table = read_histories(histories_file(folder))
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(table.paths))
    urls = tuple(np.array(_slow_urls(table), dtype=object)[drawn].tolist())
    site, directory = groups_of(urls)
    page, day = _change_days(table)
    page = np.argsort(drawn)[page]
    order = np.lexsort((day, page))
    page, day = page[order], day[order]
    time = day - 1.0 + 0.98 * rng.random((int(directory.max()) + 1, table.days + 1))[directory[page], day]
    importance = np.ones(len(page))
    start = starts(page, len(urls))
    return World(
        name="slow",
        periods=table.days,
        site=site,
        directory=directory,
        weight=np.ones(len(urls)),
        start=start,
        time=time,
        importance=importance,
        patterns=fitted_patterns(start, time, importance, table.days, 24.0),
        period_hours=24.0,
        scored_from=float(LEARNING_DAYS),
        accumulates=True,
        urls=urls,
    )


def mix_world(folder: Path, seed: int = 0, slow_pages: int = 1000) -> World:
    """The trace `mix`: news and whole directories of slow pages, hourly."""
    news, slow = news_world(folder, seed), slow_world(folder, seed)
    rng = np.random.default_rng(seed + 1)
    rows = _whole_directories(slow.directory, slow_pages, rng)
    taken = np.isin(np.arange(len(slow)), rows)
    page, day = slow.page_of_change, np.floor(slow.time).astype(np.int64)
    kept = taken[page]
    number = np.cumsum(taken) - 1
    hour = rng.random((int(slow.directory.max()) + 1, slow.periods + 1)) * 24.0
    moment = hour[slow.directory[page[kept]], day[kept]]
    time = np.minimum(24.0 * day[kept] + np.minimum(moment, 23.5) + rng.random(int(kept.sum())) * 25.0 / 60.0,
                      news.periods - 1e-6)  # fmt: skip
    page_all = np.concatenate([news.page_of_change, len(news) + number[page[kept]]])
    time_all = np.concatenate([news.time, time])
    importance = np.concatenate([news.importance, np.full(len(time), 0.15)])
    order = np.lexsort((time_all, page_all))
    page_all, time_all, importance = page_all[order], time_all[order], importance[order]
    count = len(news) + int(taken.sum())
    start = starts(page_all, count)
    assert news.items is not None
    bases = np.concatenate([news.items.page_base, np.full(count - len(news), -1, dtype=np.int64)])
    return World(
        name="mix",
        periods=news.periods,
        site=np.concatenate([news.site, slow.site[taken] + int(news.site.max()) + 1]),
        directory=np.concatenate([news.directory, slow.directory[taken] + int(news.directory.max()) + 1]),
        weight=np.ones(count),
        start=start,
        time=time_all,
        importance=importance,
        patterns=fitted_patterns(start, time_all, importance, news.periods, 1.0),
        scored_from=news.scored_from,
        accumulates=True,
        items=replace(news.items, page_base=bases),
        urls=news.urls + tuple(np.array(slow.urls, dtype=object)[taken]),
    )


def _whole_directories(directory: Ints, wanted: int, rng: np.random.Generator) -> Ints:
    """Rows of randomly picked directories of at most 120 pages, until there are enough."""
    size = np.bincount(directory)
    rows: list[Ints] = []
    left = wanted
    for name in rng.permutation(len(size)):
        if 0 < size[name] <= 120 and left > 0:
            members = np.flatnonzero(directory == name)[:left]
            rows.append(members)
            left -= len(members)
    return np.concatenate(rows)
