"""Mining a month of captures as Parquet: engines against plain DuckDB, memory, and a sample against the catalog.

    python -m benchmarks mining                                        1,000,000 captures
    python -m benchmarks.bench_mining --captures 1e7 --keep FOLDER     a month of 10,000,000; FOLDER is made once

Each way runs in a process of its own. Plain DuckDB works out the sums that learning starts from, on all cores:
captures, changes and days watched per page, importance per page, kind of day and hour, changed pages per directory and
week.
Learning then spreads changes over gaps, judges, mines and fits, which no SQL does; the ratio says what that costs.
Memory is the largest resident size of the process and of its largest worker.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import xxhash

from benchmarks import mining_month
from strandline.app.learning import PARTS, from_history
from strandline.app.learning_engine import Mining, engine_tasks, mine
from strandline.app.learning_tasks import Wish
from strandline.crawl.experience import Hours
from strandline.engines.mining_dataset import Dataset
from strandline.engines.mining_reading import Room, SiteReading
from strandline.experiments.report import Report, Table, Target
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedReading

WAYS = ("duckdb", "local", "dask")


def plain_duckdb(folder, _options):
    import duckdb

    connection = duckdb.connect()
    captures, changes, pages = (f"read_parquet('{folder}/{t}/**/*.parquet')" for t in ("captures", "changes", "pages"))
    connection.execute(
        f"""CREATE TEMP TABLE looks AS SELECT c.page, fetch_seconds AS time, coalesce(importance, 0.0) AS importance,
                coalesce(visible AND NOT held, false) AS changed
            FROM {captures} AS c LEFT JOIN {changes} AS ch ON ch.capture = c.capture"""
    )
    per_page = connection.execute(
        """SELECT count(*), sum(captures), sum(found) FROM (SELECT page, count(*) AS captures,
               count_if(changed) AS found, (max(time) - min(time)) / 86400 AS watched FROM looks GROUP BY page)"""
    ).fetchone()
    connection.execute(
        """SELECT count(*) FROM (SELECT page, dayofweek(to_timestamp(time)) IN (0, 6) AS free,
               hour(to_timestamp(time)) AS hour, count(*), sum(importance) FROM looks WHERE changed GROUP BY ALL)"""
    ).fetchone()
    connection.execute(
        f"""SELECT count(*) FROM (SELECT regexp_replace(url, '/[^/]*$', '') AS directory,
               time // 604800 AS week, count(DISTINCT looks.page), count_if(changed)
            FROM looks JOIN {pages} AS p ON p.page = looks.page GROUP BY ALL)"""
    ).fetchone()
    return {"pages": per_page[0], "captures": int(per_page[1])}


def on_engine(engine):
    def learned(folder, options):
        hours = Hours.since(mining_month.START) if options.quality else None
        with closing(engine_tasks(engine, workers=options.workers)) as tasks:
            how = Mining(tasks, Room(options.memory))
            found = mine(Dataset(folder), Wish(LearnSettings(), PARTS, hours=hours), how)
        rules = sum(len(one.rules) + len(one.dormant) for one in found.learned.rules)
        return {"pages": found.learned.pages, "captures": found.learned.captures, "rules": rules}

    return learned


def one_site(folder, options):
    """All captures of the one site there is, by page and time, and their digest: what a task begins with."""
    dataset = Dataset(folder)
    state, count = xxhash.xxh3_128(), 0
    with SiteReading(dataset.site(dataset.sites()[0]), Room(options.memory)) as reading:
        for batch in reading.looks():
            count += batch.page.size
            for column in batch:
                state.update(np.ascontiguousarray(column).tobytes())
    return {"captures": count, "digest": state.hexdigest()}


def measure(way, folder, options):
    """One way in this process, as JSON."""
    work = {"duckdb": plain_duckdb, "local": on_engine("local"), "dask": on_engine("dask"), "site": one_site}[way]
    began, cpu = time.monotonic(), _cpu()
    found = work(folder, options)
    # Not ru_maxrss of this process: that counts what its parent had when it was started.
    status = Path("/proc/self/status").read_text()
    here = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    there = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps(found | {"wall": time.monotonic() - began, "cpu": _cpu() - cpu, "here": here, "worker": there}))


def _cpu():
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in uses)


def same_as_catalog(folder, room):
    """Whether a sample learned over Parquet is what its catalog teaches, part by part."""
    with tempfile.TemporaryDirectory() as scratch:
        dataset = mining_month.sample(folder, Path(scratch) / "sample")
        archive = mining_month.as_archive(dataset, Path(scratch) / "archive")
        wish = Wish(LearnSettings(), PARTS)
        with closing(LearnedReading.open(archive / DATABASE)) as reading:
            here = from_history(reading, wish.settings, PARTS, lambda _: None)
        there = mine(dataset, wish, Mining(engine_tasks("local"), room)).learned
        series = all(
            np.array_equal(getattr(one, name), getattr(there.patterns.series[page], name))
            for page, one in here.patterns.series.items()
            for name in ("importance", "changes", "observed")
        )
        groups = [[one.members for one in learned.patterns.groups] for learned in (here, there)]
        rules = [[one.as_data() for one in learned.rules] for learned in (here, there)]
        return here.captures, {
            "patterns": series and groups[0] == groups[1],
            "rules": rules[0] == rules[1],
            "classes": here.rates.pages == there.rates.pages and here.rates.levels == there.rates.levels,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captures", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--keep", type=Path, help="where the month is, or is to be made")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="256MB", help="DuckDB's in each task")
    parser.add_argument("--quality", action="store_true", help="gather what quality is measured by, too")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.keep, options)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch) / "month"
        if not (folder / "dataset.json").exists():
            began = time.monotonic()
            mining_month.make(folder, options.captures)
            print(f"made {folder} in {time.monotonic() - began:.0f} s", file=sys.stderr)
        load = os.getloadavg()[0]
        found = {way: apart(way, folder, options, options.memory) for way in options.ways.split(",") if way}
        large = mining_month.make(Path(scratch) / "large", 0, [options.captures // 2 // mining_month.VISITS])
        narrow = {memory: apart("site", large, options, memory) for memory in ("4GB", "100MB")}
        same = same_as_catalog(folder, Room(options.memory)) if "local" in found or "dask" in found else (0, {})
        _report(folder, options, load, (found, narrow), same)


def apart(way, folder, options, memory):
    """One way in a process of its own."""
    words = ["--measure", way, "--keep", str(folder), "--workers", str(options.workers), "--memory", memory]
    command = [sys.executable, "-m", "benchmarks.bench_mining", *words, *(["--quality"] if options.quality else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{way}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _sizes(one):
    return one["here"], one["worker"]


def _report(folder, options, load, measured, sample):
    found, narrow = measured
    plain = found.get("duckdb", {"wall": float("nan")})["wall"]
    rows = tuple(
        (
            way,
            one["wall"],
            one["wall"] / plain,
            one["cpu"],
            1e6 * one["cpu"] / one["captures"],
            one["here"],
            one["worker"],
        )
        for way, one in found.items()
    )
    names = ("way", "wall s", "x DuckDB", "CPU s", "CPU us/capture", "process MiB", "worker MiB")
    whole = Dataset(folder)
    largest = max(whole.site(name).rows for name in whole.sites())
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet")) / 2**20
    targets = [
        Target(f"{part} of a sample of {sample[0]:,} captures as from the catalog", "equal", str(equal), equal)
        for part, equal in sample[1].items()
    ]
    notes = (
        f"{len(whole.sites())} sites, the largest with {largest:,} captures; {size:.0f} MiB of Parquet; DuckDB may use "
        f"{options.memory} in each task, {options.workers} Dask workers; load {load:.1f} on {os.cpu_count()} cores.",
    )
    lines = tuple((memory, one["wall"], one["cpu"], one["here"]) for memory, one in narrow.items())
    most, least = narrow["4GB"], narrow["100MB"]
    site = Table(
        f"One site of {most['captures']:,} captures, joined and sorted", ("memory", "wall s", "CPU s", "MiB"), lines
    )
    equal = most["digest"] == least["digest"]
    targets.append(Target("a site larger than DuckDB's memory", "the same captures", str(equal), equal))
    title = f"Mining {sum(whole.site(name).rows for name in whole.sites()):,} captures"
    print(Report(title, (Table("One month", names, rows), site), (), tuple(targets), notes).render())


if __name__ == "__main__":
    main()
