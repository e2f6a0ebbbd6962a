"""What a search costs in CPU, against the number of versions whose words are found.

    python -m benchmarks search [--versions 100000]

Pages of ten versions, of five blocks each, of which one is another one in each version: words drawn from 50,000 by
Zipf's law, and one sentence that a thousandth of the pages shows for a while. Only the catalog is made; the archive
of 100,000 versions takes half a minute.
"""

import argparse
import itertools
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks.large_archive import START, _pages, _without
from strandline.archive.folder import create
from strandline.core.blocks.tree import Item
from strandline.core.changes.versions import BlockRecord, LayoutRecord, Sight
from strandline.store.browsing import BrowsingReading
from strandline.store.catalog import DATABASE
from strandline.store.history_rows import HistoryWriter
from strandline.store.studies import Wanted
from strandline.study.searching import over_time

VERSIONS, BLOCKS, WORDS, SITES = 10, 5, 40, 200
VOCABULARY = 50_000
SENTENCE = "the tariff rises to eleven ducats"
TARGET = 0.2
"""Seconds of CPU a query may take."""


def made(folder: Path, versions: int) -> float:
    """A catalog; returns the CPU seconds it took."""
    began = time.process_time()
    create(folder, contact="https://library.test/bot")
    rng = np.random.default_rng(5)
    pages = versions // VERSIONS
    share = 1.0 / np.arange(1, VOCABULARY + 1)
    share /= share.sum()
    drawn = rng.choice(VOCABULARY, 1 << 22, p=share)
    at = 0
    layout = LayoutRecord(tuple(("html/body/main", n, "main", "") for n in range(BLOCKS)), 2, 1)

    def block(with_sentence: bool) -> BlockRecord:
        nonlocal at
        at = at + WORDS if at + 2 * WORDS < len(drawn) else int(rng.integers(0, WORDS))
        words = [f"w{n}" for n in drawn[at : at + WORDS].tolist()]
        text = " ".join([*words, *(SENTENCE.split() if with_sentence else ())])
        return BlockRecord((Item("text", text),), len(text), 0, words[0])

    site = np.minimum(rng.zipf(1.4, pages) - 1, SITES - 1)
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        triggers = _without(connection, "trigger")
        connection.execute("BEGIN")
        hosts = [(n + 1, f"site{n}.test", f"site{n}.test", n) for n in range(SITES)]
        connection.executemany("INSERT INTO hosts (host, authority, site, turn) VALUES (?, ?, ?, ?)", hosts)
        _pages(connection, [f"http://site{s}.test/d{n % 17}/page{n}.html" for n, s in enumerate(site)], site)
        rows = ((n, START + 864e3, START) for n in range(1, pages + 1))
        connection.executemany("INSERT INTO page_states VALUES (?, 2, 1, x'', 1, '', 0, ?, 0, 0, 1, 1, 0, ?, 1)", rows)
        writer, seq = HistoryWriter(connection), itertools.count(1)
        for page in range(1, pages + 1):
            shown = [block(False) for _ in range(BLOCKS)]
            sights = []
            for number in range(VERSIONS):
                shown[number % BLOCKS] = block(page % 1000 == 0 and number == 4)
                start = START + number * 86_400.0 + page % 86_400
                sights.append(Sight(next(seq), start, start + 3600, layout, tuple(shown), True))
            writer.add(page, tuple(sights), {})
        for trigger in triggers:
            connection.execute(trigger)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
    return time.process_time() - began


QUERIES = {
    "a rare word": Wanted("w40000"),
    "a word of every tenth block": Wanted("w20"),
    "the most common word": Wanted("w0"),
    "two common words": Wanted("w1 w2"),
    "a rare phrase": Wanted(f'"{SENTENCE}"'),
    "a phrase of common words": Wanted('"w0 w1"'),
    "either of two, without a third": Wanted("w20 OR w30 -w0"),
    "a common word on one site": Wanted("w1", site="site7.test"),
}


def cpu(act: Callable[[], object], times: int = 3) -> float:
    """Seconds of CPU, the middle of three."""
    found = []
    for _ in range(times):
        began = time.process_time()
        act()
        found.append(time.process_time() - began)
    return sorted(found)[times // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", type=int, default=100_000)
    parser.add_argument(
        "--folder", type=Path, default=None, help="Keep the archive here, or use the one that is there."
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder.parent if given.folder else None) as place:
        folder = given.folder or Path(place) / "archive"
        if not folder.exists():
            seconds = made(folder, given.versions)
            size = (folder / DATABASE).stat().st_size
            print(f"{given.versions:,} versions made in {seconds:.0f} s of CPU; the catalog has {size / 1e6:,.0f} MB")
        with closing(BrowsingReading.open(folder / DATABASE)) as reading:
            for name, wanted in QUERIES.items():
                hits: list[object] = []

                def page(wanted: Wanted = wanted, hits: list[object] = hits) -> None:
                    hits[:] = reading.search_blocks(wanted, 20)

                taken = cpu(page)
                mark = "" if taken <= TARGET else f"  more than {TARGET}"
                print(f"{name:32} {taken * 1000:8.1f} ms of CPU, {len(hits)} shown{mark}")
            turns: list[object] = []

            def story() -> None:
                turns[:] = over_time(reading.search_blocks(Wanted(f'"{SENTENCE}"'), 1000))

            taken = cpu(story)
            print(f"{'when the sentence came and went':32} {taken * 1000:8.1f} ms of CPU, {len(turns)} turns")


if __name__ == "__main__":
    main()
