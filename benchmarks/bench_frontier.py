"""A million queued addresses: memory, time to take a page, rows per second of a group commit.

    python benchmarks/bench_frontier.py [pages]

Three shapes: one host with all pages, hosts of ten pages each, and commits of 64 captures with 60 links each into the
full frontier. Each shape runs in a process of its own, so that peak memory is its own.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from strandline.core.capture import Capture, Evidence, Kind, Outcome, Place
from strandline.ports import Batch, Found, Visited
from strandline.store.catalog import open_catalog

LIMIT_MIB = 300
ROWS_PER_SECOND = 20_000


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fill(catalog, pages, hosts):
    """Queue pages in batches, as commits do; return rows per second."""
    start = time.perf_counter()
    for first in range(0, pages, 4096):
        numbers = range(first, min(first + 4096, pages))
        catalog.add(
            Found(
                f"http://host{n % hosts}.example/section-{n // 1000 % 97}/article-{n}.html",
                Kind.PAGE,
                "link",
                0,
                3,
                n % 7,
                50.0,
            )
            for n in numbers
        )
    return pages / (time.perf_counter() - start)


def take_all(catalog, calls, limit):
    """Median and worst of `take` in milliseconds, with every page taken then visited."""
    spent, offset = [], 0
    for call in range(calls):
        start = time.perf_counter()
        tasks = catalog.take(limit, 100.0 + call, 60.0, ())
        spent.append(1000 * (time.perf_counter() - start))
        visits = []
        for task in tasks:
            offset += 1000
            kept = Capture(
                task.url,
                100.0 + call,
                200,
                "text/html",
                f"sha1:{offset}",
                Place("A.warc.gz", offset, 900),
                entity=f"e{offset}",
            )
            visits.append(
                Visited(task.page, Outcome.ANSWERED, "", kept, Evidence.PRESENT, 100.0 + call, 1e6 + call, 0.0, 0)
            )
        catalog.commit(Batch(visits))
    first, *later = spent
    later.sort()
    return first, later[len(later) // 2], later[-1]


def commits(catalog, pages, count):
    """Group commits of 64 visits with 60 links each, four fifths of them known: rows per second, wall and CPU."""
    rows = offset = 0
    start, cpu = time.perf_counter(), time.process_time()
    for number in range(count):
        batch = Batch()
        for nth in range(64):
            page = (number * 64 + nth) * 13 % pages + 1
            offset += 1000
            url = f"http://host0.example/section-{(page - 1) // 1000 % 97}/article-{page - 1}.html"
            kept = Capture(
                url, 100.0, 200, "text/html", f"sha1:{offset}", Place("B.warc.gz", offset, 900), entity=f"f{offset}"
            )
            batch.visited.append(Visited(page, Outcome.ANSWERED, "", kept, Evidence.PRESENT, 100.0, 1e6, 0.0, 0))
            for link in range(60):
                target = (page * 61 + link * 17) % pages
                name = f"new-{number}-{nth}-{link}" if link % 5 == 0 else f"article-{target}.html"
                batch.found.append(
                    Found(
                        f"http://host0.example/section-{target // 1000 % 97}/{name}",
                        Kind.PAGE,
                        "link",
                        page,
                        4,
                        4.0,
                        50.0,
                    )
                )
        catalog.commit(batch)
        rows += 64 * 2 + 64 * 60 + 64 * 12
    return rows / (time.perf_counter() - start), rows / (time.process_time() - cpu)


def run(shape, pages):
    folder = Path(tempfile.mkdtemp(prefix="frontier-"))
    try:
        hosts = 1 if shape in ("one-host", "commits") else max(1, pages // 10)
        catalog = open_catalog(folder, "bench")
        filled = fill(catalog, pages, hosts)
        line = f"{shape:10} {pages:>9} pages {hosts:>7} hosts  queue {filled:>8.0f} rows/s"
        if shape == "commits":
            wall, cpu = commits(catalog, pages, 40)
            line += f"  commit {wall:>8.0f} rows/s, {cpu:.0f} rows/CPU-s (target {ROWS_PER_SECOND})"
        else:
            first, middle, worst = take_all(catalog, 200, 25)
            line += f"  take(25) first {first:.0f} ms, median {middle:.2f} ms, worst {worst:.2f} ms"
        catalog.close()
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{line}  peak {peak_mib():.0f} MiB (target < {LIMIT_MIB})  disk {size:.0f} MiB", flush=True)
    finally:
        shutil.rmtree(folder)


def main():
    if len(sys.argv) == 3:
        run(sys.argv[1], int(sys.argv[2]))
        return
    pages = sys.argv[1] if len(sys.argv) > 1 else "1000000"
    for shape in ("one-host", "many-hosts", "commits"):
        subprocess.run([sys.executable, __file__, shape, pages], check=True)


if __name__ == "__main__":
    main()
