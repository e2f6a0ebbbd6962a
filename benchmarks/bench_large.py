"""What an archive costs as it grows: CPU and memory against the number of pages, each measured in a process of its own.

    python -m benchmarks large [--pages 10000 100000] [--captures 4] [--together 1] [--sites 1] [--only plan]
        [--keep FOLDER]

Archives are made up in the catalog alone (benchmarks/large_archive.py), as a watch would leave them, in FOLDER or for
this run; `--pages 1000000` takes ten minutes and 3 GB of disk. With `--together 1` each page stands in a directory of
its own, as topics of a forum do; else sites have 85 directories at most. With `--sites 1` all pages are of one site.
The last column is the growth: the power of the number of pages that cost follows between the smallest and the largest
archive (1: in proportion, 0: not at all).

    plan, opened     what was learned read from its note, as when a watch is started again
    plan, anew       the same learned from all captures, as when there is no note
    an hour          what 5,000 visits taught taken in, and the next 5,000 planned; in parts of a core below
    a capture        what it takes to learn from one of these
    learn            patterns, rules and classes from the whole history
    quality          `strandline quality`
    start            `strandline watch` from its start to its first request; a large plan is opened beside it
    verify, rows     an audit, without the bytes of the WARC files
    pages            of the interface, opened for the second time: CPU of the server and of what it asks
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from math import log
from pathlib import Path
from typing import Any

from benchmarks.bench_interface import cpu_of, fetch, served
from benchmarks.large_archive import SITES, START, YEAR, Size, make
from strandline.archive.folder import open_archive
from strandline.core.changes.versions import packed
from strandline.settings.edit import change_settings

NOW = START + YEAR + 3600.0
VISITS = 5_000
"""Visits of an hour."""
HOURS = 3
"""Hours that are planned one after the other; the last one is told."""
LONGEST = 7_200
"""Seconds a part of the interface may be worked out."""
VERSIONS = 2_000
"""Pages whose versions are made up: only searching and comparing ask for them."""

Figures = dict[str, tuple[float, float]]
"""CPU seconds and MiB at most, by name."""


def peak(process: int | str = "self") -> float:
    """MiB a process held at most. (ru_maxrss would be that of the process which started it, if that was larger.)"""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and what came out."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def measure_plan(folder: Path) -> Figures:
    """Opening the plan, and hours of it."""
    from strandline.plan.archive_plan import ArchivePlan
    from strandline.plan.planning import Planning
    from strandline.store.standing import StandingReading

    planning = Planning(open_archive(folder), NOW)
    reading = StandingReading.open(folder / "strandline.db", everything=True)
    plan = ArchivePlan(planning.maker, reading)
    opened, _ = timed(lambda: plan.outlook(NOW))
    name = "plan, anew" if plan.anew else "plan, opened"
    found: Figures = {name: (opened, peak())}
    hour = int(planning.hours.at(NOW))
    for number in range(HOURS):
        chosen = plan.visits(hour + number, VISITS)
        _visited(folder, [(one.page, one.due) for one in chosen])
        plan.touched(one.page for one in chosen)
        learning, _ = timed(lambda: plan.outlook(planning.hours.seconds(hour + number + 1)))  # noqa: B023
        planned, _ = timed(lambda: plan.visits(hour + number + 1, VISITS))  # noqa: B023
    found["an hour"] = (learning + planned, peak())
    found["a capture"] = (learning / max(len(chosen), 1), peak())
    if plan.anew:
        planning.keep(plan)
    return found


def _visited(folder: Path, visits: list[tuple[int, float]]) -> None:
    """Writes down visits as study leaves them: every third found a change."""
    import sqlite3

    with closing(sqlite3.connect(folder / "strandline.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        seq = int(connection.execute("SELECT max(seq) FROM captures").fetchone()[0])
        file = int(connection.execute("SELECT max(file) FROM files").fetchone()[0]) + 1
        connection.execute("INSERT INTO files VALUES (?, ?)", (file, f"visited-{file:05}.warc.gz"))
        for number, (page, due) in enumerate(visits, 1):
            connection.execute(
                """INSERT INTO captures (seq, page, time, status, mime, digest, file, offset, length, revisit,
                       truncated, redirect, record_id, entity)
                       VALUES (?, ?, ?, 200, 'text/html', ?, ?, ?, 900, 0, '', '', '', '')""",
                (seq + number, page, due, f"sha1:v{seq + number}", file, number * 1000),
            )
            if number % 3 == 0:
                connection.execute(
                    """INSERT INTO changes (page, after_seq, by_seq, after, by, importance, impch, visible, held,
                           operations, blocks) VALUES (?, 1, ?, ?, ?, 0.2, 0.1, 1, 0, 1, ?)""",
                    (page, seq + number, due - 3600.0, due, packed(b"[]")),
                )
        connection.executemany(
            "UPDATE pages SET visited = ?, captures = captures + 1 WHERE page = ?",
            ((due, page) for page, due in visits),
        )
        connection.execute("UPDATE study_progress SET seq = ?", (seq + len(visits),))
        connection.execute("UPDATE heads_read SET seq = ?", (seq + len(visits),))
        connection.execute("COMMIT")


def measure_learn(folder: Path) -> Figures:
    """Everything learned anew."""
    from strandline.learn.learning import learn

    used, _ = timed(lambda: learn(open_archive(folder), (), weighing=False))
    return {"learn": (used, peak())}


def measure_quality(folder: Path) -> Figures:
    """Measures of all sites."""
    from strandline.plan.planning import Planning
    from strandline.report.measuring import measured

    used, _ = timed(lambda: measured(Planning(open_archive(folder), NOW)))
    return {"quality": (used, peak())}


def measure_verify(folder: Path) -> Figures:
    """An audit of files that are all left out: what is left are the rows."""
    from strandline.store.auditing import AuditReading
    from strandline.warc.verify import Course, verify

    with closing(AuditReading.open(folder / "strandline.db")) as reading:
        files = list(reading.warc_files())
    archive = open_archive(folder)
    for name in files:
        (folder / "archive" / name).touch()
    used, _ = timed(lambda: verify(folder / "archive", archive.everything.all_captures, Course(leave_out=set(files))))
    for name in files:
        (folder / "archive" / name).unlink()
    return {"verify, rows": (used, peak())}


def measure_start(folder: Path) -> Figures:
    """A watch, looked at when its first request comes."""
    asked, figures = threading.Event(), []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not figures:
                figures.append((cpu_of(process.pid), peak(process.pid)))
            asked.set()
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = HTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    words = [sys.executable, "-m", "strandline", "watch", str(folder), "--json", "--quiet"]
    words += ["--seeds", f"http://127.0.0.1:{server.server_port}/", "--allow-address", "127.0.0.1/32"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while not asked.wait(1.0):
            if process.poll() is not None:
                sys.exit(f"the watch ended before it asked for anything: {process.communicate()[1][-500:]}")
    finally:
        process.kill()
        process.wait()
        server.shutdown()
    return {"start": figures[0]}


PAGES = {
    "page: overview": "/",
    "page: changes": "/changes",
    "page: site": "/site?site=site0.test",
    "page: quality": "/parts/quality",
    "page: plan": "/parts/next",
    "page: health": "/health",
    "page: storage": "/storage",
}


def measure_pages(folder: Path) -> Figures:
    """Pages of the interface; what is asked of its second process is counted with it."""
    found: Figures = {}
    with served(folder) as (address, process):
        for name, path in PAGES.items():
            status = fetch(address + path)[0]  # a part that is worked out for the first time
            if status != 200:
                sys.exit(f"{path} was answered with {status}")
            _settled(address + path)
            family = _family(process)
            before = sum(map(cpu_of, family))
            fetch(address + path)
            found[name] = (sum(map(cpu_of, family)) - before, max(map(peak, family)))
    return found


def _settled(address: str) -> None:
    """Wait for a part that says it is still being worked out."""
    request = urllib.request.Request(address, headers={"Accept": "text/html", "HX-Request": "true"})
    for _ in range(LONGEST):
        with urllib.request.urlopen(request, timeout=600) as answer:
            if b"load delay" not in answer.read():
                return
        time.sleep(1.0)
    sys.exit(f"{address} was not worked out within {LONGEST} s")


def _family(process: int) -> list[int]:
    """A process and those it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(one for child in children for one in _family(int(child)))]


MEASURES: dict[str, Callable[[Path], Figures]] = {
    "plan": measure_plan,
    "again": measure_plan,
    "learn": measure_learn,
    "quality": measure_quality,
    "verify": measure_verify,
    "pages": measure_pages,
    "start": measure_start,
}
"""In this order: the second plan finds what the first one kept, and what asks after it does, too. The watch comes last:
its seed leaves the pages of the archive out of scope.
"""


def measured_of(folder: Path, names: list[str]) -> Figures:
    """The figures of one archive."""
    found: Figures = {}
    for name in names:
        words = [sys.executable, "-m", "benchmarks.bench_large", "--measure", name, "--keep", str(folder)]
        made = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
        if made.returncode:
            print(f"{name} of {folder.name}: no figure", flush=True)
            continue
        for key, value in json.loads(made.stdout.splitlines()[-1]).items():
            found[key] = (value[0], value[1])
    return found


def growth(first: float, last: float, times: float) -> str:
    """The power that cost follows; costs below a hundredth of a second say nothing."""
    if times <= 1.0 or min(first, last) < 0.01:
        return "-"
    return f"{log(last / first) / log(times):.2f}"


def show(figures: dict[int, Figures]) -> None:
    """The table."""
    sizes = sorted(figures)
    names = list(dict.fromkeys(name for size in sizes for name in figures[size]))
    print(f"{'':16}" + "".join(f"{f'{size:,} pages':>22}" for size in sizes) + f"{'growth':>9}")
    print(f"{'':16}" + f"{'CPU s':>13}{'MiB':>9}" * len(sizes))
    for name in names:
        cells = [figures[size].get(name) for size in sizes]
        told = "".join(f"{'':>22}" if cell is None else f"{cell[0]:13.4f}{cell[1]:9.0f}" for cell in cells)
        first, last = cells[0], cells[-1]
        power = growth(first[0], last[0], sizes[-1] / sizes[0]) if first and last else "-"
        print(f"{name:16}{told}{power:>9}")
    for size in sizes:
        if "an hour" in figures[size]:
            share = figures[size]["an hour"][0] / 3600.0
            print(f"{size:,} pages, {VISITS:,} visits an hour: planning and learning take {share:.1%} of a core")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--captures", type=int, default=4, help="captures of a page")
    parser.add_argument("--together", type=int, default=0, help="pages of a directory (0: however many there are)")
    parser.add_argument("--sites", type=int, default=SITES, help="sites; one holds about a third of the pages")
    parser.add_argument("--only", nargs="+", choices=list(MEASURES), default=list(MEASURES))
    parser.add_argument("--keep", type=Path, help="folder for the archives; made there once")
    parser.add_argument("--measure", choices=list(MEASURES), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(MEASURES[given.measure](given.keep)))
        return
    figures: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory() as place:
        for pages in sorted(given.pages):
            by = f"by{given.together}" if given.together else ""
            of = f"of{given.sites}" if given.sites != SITES else ""
            folder = (given.keep or Path(place)) / f"{pages}x{given.captures}{by}{of}"
            if not folder.exists():
                captures, blocks = pages * given.captures, min(VERSIONS, pages)
                _made(folder, Size(pages, captures, blocks, VERSIONS, given.together, given.sites))
            figures[pages] = measured_of(folder, [name for name in MEASURES if name in given.only])
    show(figures)
    print(f"load average of the machine: {os.getloadavg()[0]:.1f}")


def _made(folder: Path, size: Size) -> None:
    began = time.process_time()
    make(folder, size)
    change_settings(folder, {"plan.budget": f'"{VISITS}/hour"'})
    used = time.process_time() - began
    print(f"{size.pages:,} pages with {size.captures:,} captures made in {used:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
