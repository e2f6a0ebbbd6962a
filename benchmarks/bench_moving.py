"""An archive folder becomes a cluster and a folder again while it is written: how long the first pass and the stop are.

    python -m benchmarks.bench_moving [captures ...] [--catalog]

PostgreSQL and an S3 store are real and are started here. The archives are made here, too: a capture has 4 kB of text
that packs to half, a page has four captures. Somebody goes on to add ten captures a second (36,000 an hour), on either
side, until the stop, half a minute after the passes are done. The stop is the last pass as a whole, from the moment
nobody writes until workers, or a watch, may begin. With --catalog there are no WARC files but for what is added
(benchmarks/large_archive.py): a million captures by default, of 100,000 pages.
"""

import contextlib
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.large_archive import Size, make
from made.catalog_words import found, visited
from servers import postgres, s3
from strandline.archive.folder import create, open_archive
from strandline.cluster.migrating import Migration, to_cluster, to_folder
from strandline.ports import Batch
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.warc.objects import Objects
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

SIZES = (3_000, 30_000, 300_000)
HOSTS = 50
TOGETHER = 200
PAUSE = 0.1
"""Seconds between two captures of whoever goes on to write."""
BETWEEN = 30.0
"""Seconds a keeper takes to stop the archive when the passes are done."""


class Keeper:
    """Keeps made-up captures of pages in turn, in a folder or as a worker."""

    def __init__(self, catalog, writer, pages: int, start: int = 0) -> None:
        self._catalog, self._writer, self._pages = catalog, writer, pages
        self.kept = start

    def add(self, count: int) -> None:
        batch = []
        for _ in range(count):
            url = self._url(self.kept)
            body = b"<p>" + os.urandom(2_000).hex().encode() + b"</p>"
            capture = self._writer.keep(exchange(url, body, started=1.7e9 + self.kept))
            batch.append(visited(self._catalog.page(url).page, capture, time=capture.time, due=1e12))
            self.kept += 1
        self._writer.sync()
        self._catalog.commit(Batch(batch))

    def _url(self, number: int) -> str:
        page = number % self._pages
        return f"http://h{page % HOSTS}.example/{page}"

    def seed(self) -> None:
        self._catalog.add([found(self._url(page), due=1e12) for page in range(self._pages)])


@contextlib.contextmanager
def going_on(keeper: Keeper):
    """Ten captures a second beside."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(PAUSE):
            keeper.add(1)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextlib.contextmanager
def in_folder(folder: Path, pages: int):
    with open_archive(folder).writing("watch") as catalog:
        writer = WarcWriter(folder / "archive", ABOUT, StillClock(1.7e9), WriterSettings(host="h"))
        with contextlib.closing(writer):
            yield Keeper(catalog, writer, pages)


@contextlib.contextmanager
def as_worker(database: str, store: str, spool: Path, pages: int, kept: int):
    with contextlib.closing(PostgresCatalog(database)) as catalog:
        settings = WriterSettings(host=f"h-w{catalog.worker}")
        with ObjectWriter(Objects(store), spool, ABOUT, StillClock(1.7e9 + kept), settings) as writer:
            yield Keeper(catalog, writer, pages, kept)


def told(way: str, size: int, first: Migration, stop: float, last: Migration) -> None:
    one, then = first.passes[0], last.passes[0]
    print(
        f"{way} {size:8,} captures, {one.octets / 1e6:7.1f} MB: first pass {one.seconds:7.1f} s ({one.rows:,} rows), "
        f"then {', '.join(f'{more.seconds:.1f}' for more in first.passes[1:])} s; "
        f"stop {stop:5.2f} s ({then.rows} rows, {then.octets / 1e6:.2f} MB; foretold {first.stop_seconds:.1f} s)",
        flush=True,
    )


def measure(size: int, place: Path, catalog_only: bool) -> None:
    database, store = postgres.running().database(), f"{s3.running().bucket()}/moved"
    folder, back, pages = place / "archive", place / "back", 500 if catalog_only else size // 4
    if catalog_only:
        make(folder, Size(pages=size // 10, captures=size, versions=1000))
    else:
        create(folder, contact="https://library.example/bot")
    with in_folder(folder, pages) as keeper:
        keeper.seed()
        for _ in range(0, 0 if catalog_only else size, TOGETHER):
            keeper.add(TOGETHER)
        with going_on(keeper):  # the last WARC file, of up to 1 GB, is still open
            first = to_cluster(folder, database, store, lambda _: None, while_running=True)
            time.sleep(BETWEEN)
    began = time.monotonic()
    last = to_cluster(folder, database, store, lambda _: None)
    told("there", size, first, time.monotonic() - began, last)
    with as_worker(database, store, place / "spool", pages, keeper.kept) as keeper, going_on(keeper):
        first = to_folder(database, back, lambda _: None, while_running=True)
        time.sleep(BETWEEN)
    began = time.monotonic()
    last = to_folder(database, back, lambda _: None)
    told("back ", size, first, time.monotonic() - began, last)


def main() -> None:
    os.environ |= s3.running().environment()
    catalog_only = "--catalog" in sys.argv
    sizes = [int(word) for word in sys.argv[1:] if word != "--catalog"]
    for size in sizes or ((1_000_000,) if catalog_only else SIZES):
        place = Path(tempfile.mkdtemp(prefix="strandline-moving-"))
        try:
            measure(size, place, catalog_only)
        finally:
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
