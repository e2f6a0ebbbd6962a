"""Watching beside a bare crawl: captures per CPU-second with study and learning on, most fetches unchanged.

Target: >= 0.4 of a crawl of the same site that studies nothing. CPU of the whole commands, start-up and worker
processes included.
"""

import contextlib
import shutil
import sys
from pathlib import Path

from benchmarks.bench_crawl import strandline
from benchmarks.loopback import PAGES, loopback
from benchmarks.rivals import cpu_seconds, scratch
from strandline.store.catalog import DATABASE
from strandline.store.reading import Reading

TARGET = 0.4
HOURS, HOUR, BUDGET = 10, 6.0, 400


def captures(folder: Path) -> int:
    """Captures in an archive."""
    with contextlib.closing(Reading.open(folder / DATABASE)) as reading:
        return sum(1 for _ in reading.all_captures())


def watch(start: str, archive: Path) -> tuple[float, float]:
    """Watch an archive that has seen every page once."""
    command = [str(Path(sys.executable).parent / "strandline"), "watch", str(archive), "--seeds", start]
    budget = ["--budget", f"{BUDGET}/hour", "--hour-seconds", str(HOUR), "--for", f"{HOURS}h"]
    options = ["--allow-address", "127.0.0.1/32", "--set", "plan.least_chance=0.0", "--json"]
    return cpu_seconds([*command, *budget, *options])


def main() -> None:
    with loopback() as start:
        folder = scratch()
        bare, _ = strandline(start, folder)
        watch(start, folder / "archive")  # compiles what has to be compiled, and studies the first captures
        before = captures(folder / "archive")
        watched, peak = watch(start, folder / "archive")
        made = captures(folder / "archive") - before
        shutil.rmtree(folder)
    ratio = (made / watched) / (PAGES / bare)
    print(f"{PAGES} pages crawled, then watched: {made} captures in {HOURS} hours of {HOUR:g} s")
    print(f"{'':26}{'cpu-s':>8}{'captures/cpu-s':>16}{'peak MiB':>10}")
    print(f"{'crawl, nothing studied':26}{bare:8.2f}{PAGES / bare:16.0f}")
    print(f"{'watch':26}{watched:8.2f}{made / watched:16.0f}{peak:10.0f}")
    print(f"watch has {ratio:.2f} of the crawl; target >= {TARGET}: {'holds' if ratio >= TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
