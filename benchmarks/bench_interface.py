"""The interface over a large archive, and under readers while an archive is being written.

    python -m benchmarks interface [--archive FOLDER] [--pages 100000] [--captures 1000000] [--readers 100]

1. Every page over a made-up archive (benchmarks/large_archive.py): CPU seconds of the server per page, the second time
   it is opened. Target: each under 0.5 s. What takes thought (quality, plans) is worked out by a process of its own and
   is told apart.
2. Readers who open a page every few seconds while a watch (or, with --beside crawl, a crawl) writes the same archive:
   99th percentile of the time to the whole page, and captures a second against work that nobody looks at. The budget of
   the watch is more than it can spend. Targets: under 1 s, above 80 %.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from benchmarks.large_archive import Size, make
from benchmarks.loopback import loopback
from strandline.archive.folder import create
from strandline.settings.edit import change_settings

TICK = os.sysconf("SC_CLK_TCK")
OTHERS: list[str] = []
"""Pages that were not there yet, or not answered."""
HOUR, BUDGET = 6.0, 3000
"""Seconds of an hour of the watch, and requests it may make in one."""
THINK = 5.0
"""Seconds between two pages of one reader."""


def cpu_of(process: int) -> float:
    """CPU seconds a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def served(folder: Path):
    """Address and process of a server."""
    command = [sys.executable, "-m", "strandline", "serve", str(folder), "--port", "0", "--replay-port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process.stdout.readline().strip().rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait()


def fetch(address: str) -> tuple[int, bytes]:
    request = urllib.request.Request(address, headers={"Accept": "text/html"})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as problem:
        return problem.code, b""


def large_pages(address: str) -> dict[str, str]:
    """A page of every kind, about the largest site."""
    listed = json.loads(fetch(f"{address}/api/v1/site/pages?site=site0.test&limit=1")[1])
    page = urllib.parse.quote(listed["pages"][0]["url"], safe="")
    return {
        "overview": "/",
        "site": "/site?site=site0.test",
        "directory": "/site?site=site0.test&at=test%2Csite0%29%2Fd1%2F",
        "pages": "/pages?site=site0.test",
        "page": f"/page?url={page}",
        "captures": f"/captures?url={page}",
        "replay frame": f"/web/2025/{urllib.parse.unquote(page)}",
        "changes": "/changes",
        "changes of a small site": "/changes?site=site150.test&min=0.25",
        "feed": "/feeds/atom?min_importance=0.1",
        "search for a common word": "/search?q=harbour",
        "search for a rare word": "/search?q=unique777",
        "search in topics": "/search?q=harbour&by=topic",
        "search in addresses": "/search?q=page99999&by=url",
        "rules": "/rules",
        "patterns": "/patterns",
        "classes": "/classes?class=1",
        "simulate": "/simulate",
        "health": "/health",
    }


def measure_pages(folder: Path) -> float:
    """CPU of the server per page; returns the most."""
    most = 0.0
    with served(folder) as (address, process):
        print(f"{'page':28}{'status':>8}{'KB':>8}{'CPU s':>9}")
        for name, path in large_pages(address).items():
            fetch(address + path)
            before = cpu_of(process)
            rounds = 3
            for _ in range(rounds):
                status, body = fetch(address + path)
            used = (cpu_of(process) - before) / rounds
            most = max(most, used)
            print(f"{name:28}{status:8}{len(body) / 1024:8.0f}{used:9.3f}", flush=True)
        peak = next(line for line in Path(f"/proc/{process}/status").read_text().splitlines() if "VmHWM" in line)
        print(f"most: {most:.3f} s (target 0.5); memory of the server: {peak.split()[1]} kB at most")
    return most


async def read_pages(
    address: str, paths: list[str], working: asyncio.Task[float], times: list[float], number: int
) -> None:
    """One reader: opens pages as long as the work goes on."""
    host, port = address.removeprefix("http://").split(":")
    await asyncio.sleep(THINK * number / 100.0)
    while not working.done():
        began = time.monotonic()
        reader, writer = await asyncio.open_connection(host, int(port))
        path = paths[(number + len(times)) % len(paths)]
        request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        answer = await reader.read()
        writer.close()
        times.append(time.monotonic() - began)
        if not answer.startswith(b"HTTP/1.1 200"):
            OTHERS.append(path)
        await asyncio.sleep(THINK)


def work(kind: str, folder: Path, seed: str, seconds: float) -> float:
    """Captures a second of a crawl or watch that runs for a while, from its first capture to its last."""
    command = [sys.executable, "-m", "strandline", kind, str(folder), "--seeds", seed, "--json", "--quiet"]
    if kind == "crawl":
        command += ["--time-limit", f"{seconds:g}s"]
    else:
        command += ["--budget", f"{BUDGET}/hour", "--hour-seconds", f"{HOUR:g}", "--for", f"{seconds / HOUR:g}h"]
        command += ["--set", "plan.least_chance=0.0"]
    made = subprocess.run(command, capture_output=True, text=True)
    said = [json.loads(line) for line in made.stdout.splitlines()]
    times = sorted(datetime.fromisoformat(one["time"]).timestamp() for one in said if one["event"] == "captured")
    if len(times) < 2:
        sys.exit(f"the {kind} captured nothing: {made.stderr[-500:]}")
    return (len(times) - 1) / (times[-1] - times[0])


def measure_readers(kind: str, readers: int, seconds: float) -> tuple[float, float]:
    """99th percentile of the time to a page, and the rate of the work against one that nobody looks at."""
    settings = {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0.01"'}
    with tempfile.TemporaryDirectory() as place, loopback(4000 if kind == "crawl" else 600) as seed:
        archive = create(Path(place) / "archive", contact="https://library.test/bot")
        change_settings(archive.folder, settings)
        if kind == "watch":
            work("crawl", archive.folder, seed, 120.0)
            work("watch", archive.folder, seed, 3 * HOUR)  # studies what was crawled, compiles what must be
        alone, read = archive.folder, archive.folder.with_name("read")
        shutil.copytree(alone, read)
        with served(alone):
            idle = work(kind, alone, seed, seconds)
        times: list[float] = []
        with served(read) as (address, _):
            rate = asyncio.run(_among_readers(partial(work, kind, read, seed, seconds), address, seed, readers, times))
    times.sort()
    worst, median = times[int(0.99 * (len(times) - 1))], times[len(times) // 2]
    print(f"{readers} readers, {len(times)} pages: median {median:.3f} s, 99 % within {worst:.3f} s (target 1)")
    print(f"{len(OTHERS)} answers other than 200: pages that were not captured yet")
    print(f"{kind}: {idle:.1f} captures/s alone, {rate:.1f} with readers: {rate / idle:.0%} (target 80 %)")
    print(f"load average of the machine: {os.getloadavg()[0]:.1f}")
    return worst, rate / idle


async def _among_readers(job: Callable[[], float], address: str, seed: str, readers: int, times: list[float]) -> float:
    """The rate of a job while readers look at the archive."""
    site = urllib.parse.quote(seed.removeprefix("http://").rstrip("/"), safe="")
    page = urllib.parse.quote(seed, safe="")
    paths = ["/", f"/site?site={site}", f"/page?url={page}", "/changes", "/search?q=harbour", "/health"]
    working = asyncio.create_task(asyncio.to_thread(job))
    reading = [asyncio.create_task(read_pages(address, paths, working, times, number)) for number in range(readers)]
    rate = await working
    await asyncio.gather(*reading)
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", type=Path)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--captures", type=int, default=1_000_000)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--beside", choices=["watch", "crawl"], default="watch")
    parser.add_argument("--only", choices=["pages", "readers"])
    given = parser.parse_args()
    if given.only != "readers":
        if given.archive is not None and given.archive.exists():
            measure_pages(given.archive)
        else:
            with tempfile.TemporaryDirectory() as place:
                measure_pages(make(given.archive or Path(place) / "large", Size(given.pages, given.captures)))
    if given.only != "pages":
        measure_readers(given.beside, given.readers, given.seconds)


if __name__ == "__main__":
    main()
