"""A month of captures made up as a Parquet dataset, site by site in columns; and a sample of it as an archive.

    python -m benchmarks.mining_month FOLDER [--captures 10000000]

Sites follow a power law: the largest holds about a tenth. A page is captured 20 times; a third of the pages change, in
hours of their own, the others never. Every capture was studied.
"""

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from strandline.archive.folder import create
from strandline.core.urls import surt_key
from strandline.engines.mining_dataset import Dataset, Writing
from strandline.exchange.parquet import SCHEMAS
from strandline.store.addresses import key as address_key
from strandline.store.catalog import DATABASE

START = 1_790_812_800.0  # 1 October 2026
MONTH = "2026-10"
LENGTH = 31 * 86_400.0
VISITS = 20
AT_ONCE = 1_000_000


def site_sizes(captures):
    """Pages of each site."""
    pages = max(captures // VISITS, 20)
    count = int(np.clip(pages // 500, 5, 2000))
    share = 1.0 / np.arange(1, count + 1) ** 0.7
    return np.maximum((share / share.sum() * pages).astype(np.int64), 3)


def make(folder, captures, sites=None, seed=11, visits=VISITS):
    """The dataset in a new folder; `sites` are the pages of each, captured `visits` times."""
    rng = np.random.default_rng(seed)
    first_page, first_capture = 1, 1
    with Writing(folder, SCHEMAS) as writing:
        for number, pages in enumerate(sites or site_sizes(captures).tolist()):
            site = f"site{number:04}.example"
            one = SiteMonth(rng, site, (pages, visits), first_page, first_capture)
            writing.add_tables(("pages", site, ""), [one.page_table()])
            writing.add_tables(("captures", site, MONTH), one.capture_tables())
            writing.add_tables(("changes", site, MONTH), [one.change_table()])
            first_page += pages
            first_capture += one.page.size
        writing.contents.captures = writing.contents.studied = first_capture - 1
        writing.contents.source = "made up"
        writing.commit()
    return folder


class SiteMonth:
    """One site in columns, by page and time."""

    def __init__(self, rng, site, size, first_page, first_capture):
        pages, visits = size
        self.site, self.numbers = site, np.arange(first_page, first_page + pages)
        own = np.arange(pages)
        self.urls = [f"http://www.{site}/d{n % 40}/e{n % 7}/page{n}-{n % 13}.html" for n in own.tolist()]
        place = np.repeat(own, visits)
        time = START + (np.arange(visits) + rng.random((pages, visits))) * (LENGTH / visits)
        self.time = np.round(time.ravel(), 3)
        self.place, self.page = place, self.numbers[place]
        self.capture = np.arange(first_capture, first_capture + self.page.size)
        chance = np.where(rng.random(pages) < 1 / 3, rng.beta(1, 3, pages), 0.0) * (own % 40 >= 10)
        changed = rng.random(self.page.size) < chance[place]
        changed[::visits] = False
        self.changed = np.flatnonzero(changed)
        self.importance = np.round(rng.beta(1, 4, self.changed.size), 6)
        self.visits = visits
        self.digest = np.cumsum(changed) + place
        self.counts = rng.integers(1, [9000, 200, 20], (pages, 3))

    def page_table(self):
        count = len(self.urls)
        columns = {
            "page": self.numbers,
            "url": self.urls,
            "kind": pa.repeat("page", count),
            "authority": pa.repeat(f"www.{self.site}", count),
            "evidence": pa.repeat("present", count),
            "weight": np.ones(count),
            "captures": np.full(count, self.visits),
            "text_bytes": self.counts[:, 0],
            "links": self.counts[:, 1],
            "headings": self.counts[:, 2],
            "images": np.zeros(count, np.int64),
            "emails": np.zeros(count, np.int64),
            "language": pa.repeat("en", count),
        }
        return pa.table(columns)

    def capture_tables(self):
        urls = pa.array(self.urls)
        for start in range(0, self.page.size, AT_ONCE):
            part = slice(start, start + AT_ONCE)
            count = self.page[part].size
            digest = pc.binary_join_element_wise("sha1:", pa.array(self.digest[part]).cast(pa.string()), "")
            yield pa.table(
                {
                    "url": urls.take(pa.array(self.place[part])),
                    "url_host_name": pa.repeat(f"www.{self.site}", count),
                    "url_host_registered_domain": pa.repeat(self.site, count),
                    "fetch_time": pa.array((self.time[part] * 1000).astype(np.int64)).cast(
                        pa.timestamp("ms", tz="UTC")
                    ),
                    "fetch_status": np.full(count, 200),
                    "content_digest": digest,
                    "content_mime_type": pa.repeat("text/html", count),
                    "warc_filename": pa.repeat("made-up.warc.gz", count),
                    "warc_record_offset": self.capture[part] * 1000,
                    "warc_record_length": np.full(count, 900),
                    "capture": self.capture[part],
                    "page": self.page[part],
                    "fetch_seconds": self.time[part],
                    "payload_digest": digest,
                    "revisit": pa.repeat(pa.scalar(False), count),
                }
            )

    def change_table(self):
        at = self.changed
        return pa.table(
            {
                "capture": self.capture[at],
                "capture_before": self.capture[at - 1],
                "page": self.page[at],
                "importance": self.importance,
                "visible": pa.repeat(pa.scalar(True), at.size),
                "held": pa.repeat(pa.scalar(False), at.size),
                "operations": np.full(at.size, 3),
            }
        )


def sample(folder, target, captures=50_000):
    """Sites from the middle of a dataset, with about so many captures, as a dataset of its own (by links)."""
    whole = Dataset(folder)
    names = whole.sites()
    chosen, rows = set(), 0
    for name in names[len(names) // 3 :]:
        if rows >= captures:
            break
        chosen.add(name)
        rows += whole.site(name).rows
    return linked(folder, target, chosen)


def linked(folder, target, sites=None):
    """The same files as a dataset of its own, of some sites or of all."""
    whole = Dataset(folder)
    with Writing(target, SCHEMAS) as writing:
        contents = writing.contents
        contents.parts = [one for one in whole.about.parts if sites is None or one.site in sites]
        contents.captures, contents.studied, contents.number = whole.about.captures, whole.about.studied, 10**6
        for one in contents.parts:
            (target / one.folder).mkdir(parents=True, exist_ok=True)
            (target / one.file).hardlink_to(folder / one.file)
        writing.commit()
    return Dataset(target)


def as_archive(dataset, folder):
    """The same captures in a catalog, without WARC files."""
    create(folder, contact="https://library.test/bot")
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        # Made up in one go, in memory as far as it goes: whatever ends this, it is begun anew.
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -2000000"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO files (file, name) VALUES (1, 'made-up.warc.gz')")
        for number, site in enumerate(dataset.sites(), 1):
            _insert(connection, dataset.site(site).files, number, site)
        connection.execute(
            "UPDATE pages SET captures = (SELECT count(*) FROM captures WHERE captures.page = pages.page)"
        )
        connection.execute("UPDATE study_progress SET seq = ?", (dataset.about.studied,))
        connection.execute("UPDATE heads_read SET seq = ?", (dataset.about.captures,))  # there are no heads to read
        connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'captures'", (dataset.about.captures,))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    return folder


def _insert(connection, files, number, site):
    connection.execute(
        "INSERT INTO hosts (host, authority, site, turn) VALUES (?, ?, ?, ?)", (number, f"www.{site}", site, number)
    )
    pages = list(_rows(files["pages"], "page url text_bytes links headings images emails language"))
    connection.executemany(
        """INSERT INTO pages (page, key, url, host, kind, via, hops, state, priority, due, evidence, visited, surt)
           VALUES (?, ?, ?, ?, 'page', 'link', 1, 0, 0, 9e9, 'present', 1, ?)""",
        ((page, address_key(url), url, number, surt_key(url)) for page, url, *_ in pages),
    )
    connection.executemany(
        "INSERT INTO first_sights VALUES (?, ?, ?, ?, ?, ?, NULL, ?)", ((page, *sight) for page, _, *sight in pages)
    )
    captures = list(_rows(files["captures"], "capture page fetch_seconds payload_digest"))
    connection.executemany(
        """INSERT INTO captures (seq, page, time, status, mime, digest, file, offset, length, revisit, truncated,
               redirect, record_id, entity) VALUES (?, ?, ?, 200, 'text/html', ?, 1, ?, 900, 0, '', '', '', '')""",
        ((*row, row[0] * 1000) for row in captures),
    )
    times = {seq: time for seq, _, time, _ in captures}
    connection.executemany(
        """INSERT INTO changes (page, after_seq, by_seq, after, by, importance, impch, visible, held, operations,
               blocks) VALUES (?, ?, ?, ?, ?, ?, 0.0, 1, 0, 3, x'')""",
        (
            (page, before, seq, times[before], times[seq], importance)
            for seq, before, page, importance in _rows(files["changes"], "capture capture_before page importance")
        ),
    )


def _rows(files, names):
    for file in files:
        table = pq.read_table(file, columns=names.split(), partitioning=None)
        yield from zip(*(table[name].to_pylist() for name in names.split()), strict=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--captures", type=lambda text: int(float(text)), default=10_000_000)
    given = parser.parse_args()
    print(make(given.folder, given.captures))
