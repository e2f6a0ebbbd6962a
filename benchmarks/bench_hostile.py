"""A site that does everything wrong, with twenty good pages in between: how soon are they all captured?

Targets: 20 of 20 good pages within 20 s, memory growth below 64 MiB. Everyone waits 5 s for a server that says nothing
(wget -T 5), and has a minute. Strandline is shown with its own patience, too: 30 s for the first byte, 300 s in all.
Wall time: run it on an idle machine.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.rivals import scratch

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from hostile.crawled import crawled
from hostile.server import GOOD_PAGES, HostileSite

SECONDS, MEMORY, PATIENCE = 20.0, 64.0, 60
HURRIED = ("fetch.connect=5s", "fetch.first_byte=5s", "fetch.between_reads=5s", "fetch.total=15s")


def strandline(name: str, folder: Path, assignments: tuple[str, ...] = ()) -> None:
    """The command as a user starts it, without pauses between requests."""
    flags = [word for one in assignments for word in ("--set", one)]
    with HostileSite() as site:
        crawl = crawled(site, folder, flags, lambda crawl: not crawl.missing, limit=f"{PATIENCE}s")
    captured = GOOD_PAGES - len(crawl.missing)
    after = f"in {PATIENCE} s"
    if crawl.good_after is not None:
        after = f"after {crawl.good_after:.1f} s, {crawl.good_cpu:.1f} s of them at work"
    soon = crawl.good_after is not None and crawl.good_after <= SECONDS
    told = (f"  <= {SECONDS:.0f} s {_verdict(soon)}", f"  < {MEMORY:.0f} MiB {_verdict(crawl.growth < MEMORY)}")
    print(f"{name:34}{captured} of {GOOD_PAGES} good pages {after}{told[0] if assignments else ''}")
    print(f"{'':34}{crawl.growth:.0f} MiB of memory beyond ordinary pages{told[1]}", flush=True)


def wget(folder: Path) -> None:
    """What it had asked for when the minute was over."""
    if not shutil.which("wget"):
        print("wget: not available here, not measured")
        return
    command = ["wget", "-q", "-r", "-l", "inf", "-T", "5", "-t", "1", "-P", str(folder), "--warc-file", "w"]
    with HostileSite() as site:
        running = subprocess.Popen([*command, f"{site.url}/"], cwd=folder, stderr=subprocess.DEVNULL)
        try:
            running.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        asked = len({path for path in dict(site.hits) if path.startswith("/good/")})
    print(f"{'wget -T 5':34}{asked} of {GOOD_PAGES} good pages in {PATIENCE} s")


def _verdict(holds: bool) -> str:
    return "holds" if holds else "MISSED"


def main() -> None:
    folder = scratch()
    strandline("strandline, waits 5 s", folder / "hurried", HURRIED)
    strandline("strandline, its own limits", folder / "patient")
    (folder / "wget").mkdir()
    wget(folder / "wget")


if __name__ == "__main__":
    main()
