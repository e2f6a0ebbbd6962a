"""A large archive made up in the catalog alone: 100,000 pages, 1,000,000 captures, changes, blocks, what was learned.

There are no WARC files behind it: lists, calendars and search work, replayed content does not. Made once and kept:

    python -m benchmarks.large_archive FOLDER [--pages 100000] [--captures 1000000]

It stands as a watch leaves it: every page was visited and studied, and rests until a plan wants it. Rows are written in
bulk, and what triggers would count row by row is counted once.
"""

import argparse
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from strandline.archive.folder import create
from strandline.core.beliefs.evidence import TrustBook
from strandline.core.blocks.tree import Item
from strandline.core.changes.versions import BlockRecord, LayoutRecord, Sight, packed
from strandline.core.history.calendar import Cycle, Periods
from strandline.core.history.series import PageSeries
from strandline.core.mining.learned import LearnedFrom, PageRate, SiteClock
from strandline.core.urls import surt_key
from strandline.ports import PLANNED
from strandline.store.addresses import key as address_key
from strandline.store.catalog import DATABASE
from strandline.store.history_rows import HistoryWriter
from strandline.store.learned import LearnedWriter

START = 1_735_689_600.0  # 1 January 2025
YEAR = 365 * 86_400.0
SITES = 200
BLOCKS = 60_000
IN_A_FILE = 20_000
"""Captures in one WARC file."""
BEGINNINGS = ["har", "bri", "sta", "mus", "lib", "riv", "mar", "ele"]
ENDINGS = ["bour", "dge", "tion", "eum", "rary", "er", "ket", "ction", "gate", "field", "ton", "by"]
WORDS = [beginning + ending for beginning in BEGINNINGS for ending in ENDINGS]


@dataclass(frozen=True)
class Size:
    """How large: `blocks` that differ, and pages whose `versions` are kept, as those of all pages would be; `together`
    pages stand in a directory, as in a forum that has one for each topic (0: in 85 directories of each site). Of so
    many `sites` one holds about a third of the pages, most are small.
    """

    pages: int = 100_000
    captures: int = 1_000_000
    blocks: int = BLOCKS
    versions: int = 1_000_000_000
    together: int = 0
    sites: int = SITES


def make(folder: Path, size: Size) -> Path:
    """The archive in a new folder."""
    pages, captures = size.pages, size.captures
    archive = create(folder, contact="https://library.test/bot")
    rng = np.random.default_rng(7)
    site = np.minimum(rng.zipf(1.4, pages) - 1, size.sites - 1)
    if size.together:
        site = np.repeat(site[:: size.together], size.together)[:pages]
    urls = [f"http://site{s}.test/{_directory(n, size)}/page{n}.html" for n, s in enumerate(site)]
    times = np.sort(START + rng.random(captures) * YEAR)
    page = rng.integers(1, pages + 1, captures)
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = OFF")  # nobody reads it yet; all of it once, not twice
        connection.execute("PRAGMA cache_size = -1000000")
        triggers, indexes = _without(connection, "trigger"), _without(connection, "index")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO hosts (host, authority, site, turn) VALUES (?, ?, ?, ?)",
            [(s + 1, f"site{s}.test", f"site{s}.test", s) for s in range(size.sites)],
        )
        _pages(connection, urls, site)
        _captures(connection, page, times)
        _study(connection, rng, (page, times), size)
        for statement in indexes:  # sums ask by page
            connection.execute(statement)
        _sums(connection)
        for statement in triggers:
            connection.execute(statement)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
        connection.execute("PRAGMA journal_mode = WAL")
    _learned(folder, rng, urls, size.sites)
    return archive.folder


def _directory(number: int, size: Size) -> str:
    """Where a page stands."""
    if size.together:
        return f"d{number // size.together % 17}/topic{number // size.together}"
    return f"d{number % 17}/e{number % 5}"


def _without(connection: sqlite3.Connection, kind: str) -> list[str]:
    """Drops triggers, which count row by row, or indexes, sooner built at the end; returns what makes them again."""
    found = list(
        connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql NOT LIKE 'CREATE UNIQUE%'", (kind,)
        )
    )
    for name, _ in found:
        connection.execute(f"DROP {kind} {name}")
    return [sql for _, sql in found]


def _pages(connection: sqlite3.Connection, urls: list[str], site: np.ndarray) -> None:
    connection.executemany(
        """INSERT INTO pages (page, key, url, host, kind, via, hops, state, priority, due, evidence, visited, surt)
           VALUES (?, ?, ?, ?, 'page', 'link', 1, 0, 0, ?, ?, ?, ?)""",
        (
            (
                n + 1,
                address_key(url),
                url,
                int(site[n]) + 1,
                PLANNED,
                "absent" if n % 400 == 0 else "present",
                START + YEAR,
                surt_key(url),
            )
            for n, url in enumerate(urls)
        ),
    )


def _captures(connection: sqlite3.Connection, page: np.ndarray, times: np.ndarray) -> None:
    files = range(1 + len(times) // IN_A_FILE)
    connection.executemany("INSERT INTO files VALUES (?, ?)", ((n + 1, f"made-up-{n:05}.warc.gz") for n in files))
    rows = (
        (
            *(seq + 1, int(page[seq]), float(times[seq]), f"sha1:{page[seq]}-{seq}", 1 + seq // IN_A_FILE),
            *(seq % IN_A_FILE * 1000, int(seq % 3 == 0), f"r{seq}"),
        )
        for seq in range(len(times))
    )
    connection.executemany(
        """INSERT INTO captures (seq, page, time, status, mime, digest, file, offset, length, revisit, truncated,
               redirect, record_id, entity) VALUES (?, ?, ?, 200, 'text/html', ?, ?, ?, 900, ?, '', '', ?, '')""",
        rows,
    )


def _blocks(rng: np.random.Generator, count: int) -> list[BlockRecord]:
    found = []
    for number in range(1, count + 1):
        words = [WORDS[int(w)] for w in rng.integers(0, len(WORDS), 40)]
        topic, text = f"Topic {words[0]} {number}", " ".join(words) + f" unique{number}"
        found.append(BlockRecord((Item("text", text),), len(text), 0, topic))
    return found


def _study(
    connection: sqlite3.Connection, rng: np.random.Generator, captured: tuple[np.ndarray, np.ndarray], size: Size
) -> None:
    page, times = captured
    reason = {"path": "html/body/main", "topic": "Topic", "role": "main", "why": "new words", "contribution": 2.0}
    why = packed(json.dumps([reason]).encode())
    order = np.lexsort((times, page))
    same = page[order][1:] == page[order][:-1]
    changed = same & (rng.random(len(same)) < 0.4)
    before, after = order[:-1][changed], order[1:][changed]
    importance = rng.beta(1, 8, len(after))
    connection.executemany(
        """INSERT INTO changes (page, after_seq, by_seq, after, by, importance, impch, visible, held, operations,
               blocks) VALUES (?, ?, ?, ?, ?, ?, 0.1, 1, 0, 3, ?)""",
        (
            (int(page[b]), int(a) + 1, int(b) + 1, float(times[a]), float(times[b]), float(i), why)
            for a, b, i in zip(before, after, importance, strict=True)
        ),
    )
    told = after[page[after] <= size.versions]
    _versions(connection, rng, _blocks(rng, size.blocks), [(int(page[b]), int(b) + 1, float(times[b])) for b in told])
    changes = np.bincount(page[after], minlength=int(page.max()) + 1)
    total = np.bincount(page[after], weights=importance, minlength=int(page.max()) + 1)
    connection.executemany(
        "INSERT INTO page_states VALUES (?, 2, 1, x'', 1, '', 0, ?, 0, 0, ?, ?, 0, ?, 1)",
        ((n, START + YEAR, float(total[n]), int(changes[n]), START + YEAR) for n in range(1, int(page.max()) + 1)),
    )
    connection.executemany(
        "INSERT INTO first_sights VALUES (?, ?, ?, 5, 3, 0, NULL, 'en')",
        ((int(n), int(500 + n % 7000), int(n % 90)) for n in np.unique(page)),
    )
    connection.execute("UPDATE study_progress SET seq = ?", (len(times),))
    connection.execute("UPDATE heads_read SET seq = ?", (len(times),))


def _versions(
    connection: sqlite3.Connection,
    rng: np.random.Generator,
    blocks: list[BlockRecord],
    changed: list[tuple[int, int, float]],
) -> None:
    """The last two versions of each page, of five blocks, one of them found by its words."""
    layout = LayoutRecord(tuple(("html/body/main", n, "main", "") for n in range(5)), 2, 1)
    writer = HistoryWriter(connection)
    for number, rows in groupby(changed, key=itemgetter(0)):
        last = list(rows)[-2:]
        shown = [tuple(blocks[int(n)] for n in rng.integers(0, len(blocks), 5)) for _ in last]
        sights = (Sight(seq, time - 1e4, time, layout, shown[n], n == 0) for n, (_, seq, time) in enumerate(last))
        writer.add(number, tuple(sights), {})


def _sums(connection: sqlite3.Connection) -> None:
    connection.execute(
        """UPDATE pages SET captures = found.count, origin = found.seq FROM
               (SELECT page, count(*) AS count, max(seq) AS seq FROM captures GROUP BY page) AS found
               WHERE found.page = pages.page"""
    )
    connection.execute(
        """INSERT INTO present_pages
               SELECT host, count(*) FROM pages WHERE kind = 'page' AND evidence = 'present' GROUP BY host"""
    )
    connection.execute(
        """INSERT INTO host_days (host, day, captures, unchanged, octets)
               SELECT host, cast(time / 86400.0 AS INTEGER), count(*), sum(revisit), sum(length)
               FROM captures JOIN pages USING (page) GROUP BY 1, 2"""
    )
    connection.execute(
        """INSERT INTO host_days (host, day, changes, important, importance)
               SELECT host, cast(by / 86400.0 AS INTEGER), count(*), sum(importance >= 0.1), sum(importance)
               FROM changes JOIN pages USING (page) WHERE visible GROUP BY 1, 2
               ON CONFLICT DO UPDATE SET changes = excluded.changes, important = excluded.important,
                   importance = excluded.importance"""
    )
    connection.execute(
        """UPDATE hosts SET pages = found.pages, captures = found.captures FROM
               (SELECT host, count(*) AS pages, sum(captures) AS captures FROM pages GROUP BY host) AS found
               WHERE found.host = hosts.host"""
    )
    connection.execute(
        """UPDATE hosts SET first = found.first * 86400.0, last = found.last * 86400.0 + 86399 FROM
               (SELECT host, min(day) AS first, max(day) AS last FROM host_days WHERE captures > 0 GROUP BY host)
               AS found WHERE found.host = hosts.host"""
    )


def _learned(folder: Path, rng: np.random.Generator, urls: list[str], sites: int) -> None:
    with closing(LearnedWriter.open(folder / DATABASE)) as writer:
        seq, pages = writer.reading.newest(), len(urls)
        periods = Periods("UTC", None, Cycle.DAY, 24)
        series = PageSeries.empty(periods)
        series.observed += 10.0
        groups = [
            {"number": n, "pages": pages // 20, "changes": 9.0, "shape": rng.random((4, 24)).tolist()}
            for n in range(20)
        ]
        about = (seq, seq, seq, pages, 0, START, START + YEAR)
        data = {"cycle": "day", "periods": 24, "groups": groups}
        clocks = {f"site{s}.test": SiteClock("UTC", None, "made up") for s in range(sites)}
        rows = ((n + 1, series, n % 20) for n in range(pages))
        writer.replace_patterns(LearnedFrom("patterns", *about, data), clocks, rows, TrustBook())
        classes = {
            "classes": 4,
            "cuts": [0.01, 0.1, 1.0],
            "rates": [3.0, 0.3, 0.03, 0.003],
            "sizes": [pages // 4] * 4,
            "levels": {},
            "coefficients": {},
            "moved": 0,
            "base": 0.1,
        }
        rates = ((n + 1, PageRate(9, int(n % 9), float(n % 9), 300.0, 0.1), START + YEAR) for n in range(pages))
        writer.replace_rates(LearnedFrom("classes", *about, classes), rates)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--captures", type=int, default=1_000_000)
    parser.add_argument("--together", type=int, default=0, help="pages of a directory; as many as there are by default")
    parser.add_argument("--sites", type=int, default=SITES)
    given = parser.parse_args()
    print(make(given.folder, Size(given.pages, given.captures, together=given.together, sites=given.sites)))
