"""Mining a month of captures as Parquet: engines against plain DuckDB, memory, and a sample against the catalog.

    python -m benchmarks mining                                        1,000,000 captures
    python -m benchmarks.bench_mining --captures 1e7 --keep FOLDER     a month of 10,000,000; FOLDER is made once
    python -m benchmarks.bench_mining ... --archive FOLDER             the whole command, with quality, of an archive

Each way runs in a process of its own. Plain DuckDB works out the sums that learning starts from, on all cores:
captures, changes and days watched per page, importance per page, kind of day and hour, changed pages per directory and
week.
Learning then spreads changes over gaps, judges, mines and fits, which no SQL does; the ratio says what that costs.
Memory is the largest resident size of the process that joins the answers, and of each worker. In the way `killed` a
Dask worker is killed a third of the way; all ways must find the same. Then one site is learned by one task, with few
and with many captures a page. With `--archive` the same captures are also put into an archive (without WARC files): the
way `whole` is `strandline learn DIR --engine dask` on it, from the look for new captures to what is kept, and quality,
which must be what the way `catalog` (`strandline quality DIR`) says.
"""

import argparse
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import numpy as np
import xxhash

from benchmarks import mining_month
from strandline.archive.folder import open_archive
from strandline.cli.quality import quality_data
from strandline.engines.mining_dataset import Dataset
from strandline.engines.mining_reading import Room
from strandline.lab.experiments.report import Report, Table, Target
from strandline.learn.engine import Mining, engine_tasks, mine
from strandline.learn.known_pages import Hours
from strandline.learn.learning import PARTS, from_history
from strandline.learn.tasks import Wish
from strandline.plan.planning import Planning
from strandline.report.engine_learning import learn_on_engine
from strandline.report.measuring import measured
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.learned import LearnedReading

WAYS = ("duckdb", "local", "dask", "killed")
HOURS = Hours.since(mining_month.START)
END = mining_month.START + mining_month.LENGTH


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


def on_engine(engine, killing=False):
    """Learning on an engine; what it found as a digest. `killing`: a Dask worker is killed a third of the way."""

    def learned(folder, options):
        wish = Wish(LearnSettings(), PARTS, hours=HOURS)
        with closing(engine_tasks(engine, workers=options.workers)) as tasks, Workers() as workers:
            killer = workers.killer() if killing else None
            with mine(Dataset(folder), wish, Mining(tasks, Room(options.memory)), killer) as found:
                numbers = {"pages": found.learned.pages, "captures": found.learned.captures}
                peaks = sorted((peak for peak in workers.peaks().values() if peak > 100), reverse=True)
                return numbers | {"digest": digest(found), "workers": peaks, "killed": workers.killed}

    return learned


def digest(found):
    """Everything that would be kept."""
    state, learned = xxhash.xxh3_128(), found.learned
    for page, one, group in learned.patterns.to_keep():
        state.update(repr((page, group, one.last, one.captures)).encode())
        for column in (one.importance, one.changes, one.observed):
            state.update(np.ascontiguousarray(column))
    for group in learned.patterns.groups:
        state.update(repr((group.number, group.pages, group.changes)).encode() + group.shape.tobytes())
    for row in learned.rates.to_keep(learned.lasts):
        state.update(repr(row).encode())
    state.update(repr((learned.rates.levels, learned.rates.groups)).encode() + learned.rates.coefficients.tobytes())
    for rules in learned.rules:
        state.update(json.dumps(rules.as_data()).encode())
    for site, policy in learned.states.items():
        state.update(site.encode() + policy.to_bytes())
    for batch in found.past.batches() if found.past else ():
        for column in batch:
            state.update(np.ascontiguousarray(column))
    return state.hexdigest()


class Workers(contextlib.AbstractContextManager):
    """The processes below this one: the most memory each had, asked for twice a second."""

    def __init__(self):
        self._peaks, self.killed = {}, 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def peaks(self):
        return dict(self._peaks)

    def killer(self):
        """Progress is told to it; at a third it kills the largest worker, once."""

        def told(line):
            words = line.split()
            if not self.killed and words[1:2] == ["of"] and int(words[0]) * 3 >= int(words[2]):
                self.killed = max(self._alive(), key=lambda pid: self._peaks.get(pid, 0.0))
                os.kill(self.killed, signal.SIGKILL)

        return told

    def _watch(self):
        while not self._done.wait(0.5):
            for pid in self._alive():
                self._peaks[pid] = max(self._peaks.get(pid, 0.0), peak_of(pid))

    @staticmethod
    def _alive():
        found, waiting = [], [os.getpid()]
        while waiting:
            parent = waiting.pop()
            for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    waiting += (own := [int(pid) for pid in tasks.read_text().split()])
                    found += own
        return found


def peak_of(pid="self"):
    """The largest resident size in MiB. Not ru_maxrss: that counts what the parent had when a process was started."""
    try:
        return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0


def one_task(folder, options):
    """All there is to learn from the one site there is, by one task."""
    with mine(
        Dataset(folder), Wish(LearnSettings(), PARTS), Mining(engine_tasks("local"), Room(options.memory))
    ) as found:
        return {"captures": found.learned.captures, "digest": digest(found)}


def whole(folder, options):
    """All of `learn DIR --engine dask`: seconds until what was learned was kept, and CPU that quality took here."""
    archive, turns = _opened(folder), []

    def told(line):
        if line.startswith("quality of"):
            turns.append((time.monotonic(), time.process_time()))

    began = time.monotonic()
    with closing(engine_tasks("dask", workers=options.workers)) as tasks, Workers() as workers:
        how = Mining(tasks, Room(options.memory), folder)
        found = learn_on_engine(archive, (), how, END, told)[1]
        peaks = sorted((peak for peak in workers.peaks().values() if peak > 100), reverse=True)
    kept, cpu = turns[0]
    return _judged(folder, found) | {
        "workers": peaks,
        "kept_after": kept - began,
        "quality_cpu": time.process_time() - cpu,
    }


def catalog(folder, options):
    """Quality from the catalog."""
    return _judged(folder, measured(Planning(_opened(folder), END)))


def _opened(folder):
    """The archive beside a dataset, without what another way has left for planning: each begins at the captures."""
    archive = folder.parent / "archive"
    with closing(open_catalog(archive)) as known:
        known.note("planning", [("learned", None)])
    return open_archive(archive)


def _judged(folder, found):
    told = json.dumps(quality_data(found))
    return {"captures": Dataset(folder).about.captures, "digest": xxhash.xxh3_128(told.encode()).hexdigest()}


def measure(way, folder, options):
    """One way in this process, as JSON."""
    works = {"duckdb": plain_duckdb, "local": on_engine("local"), "dask": on_engine("dask")}
    works |= {"killed": on_engine("dask", killing=True), "task": one_task}
    works |= {"whole": whole, "catalog": catalog}
    began, cpu = time.monotonic(), _cpu()
    found = works[way](folder, options)
    print(json.dumps(found | {"wall": time.monotonic() - began, "cpu": _cpu() - cpu, "here": peak_of()}))


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
        with mine(dataset, wish, Mining(engine_tasks("local"), room)) as found:
            there = found.learned
            series = [
                {
                    page: (group, *(np.asarray(x).tobytes() for x in (one.importance, one.changes, one.observed)))
                    for page, one, group in learned.patterns.to_keep()
                }
                for learned in (here, there)
            ]
            rules = [[one.as_data() for one in learned.rules] for learned in (here, there)]
            rates = [list(map(repr, sorted(one.rates.to_keep(one.lasts), key=itemgetter(0)))) for one in (here, there)]
            return here.captures, {
                "patterns": series[0] == series[1],
                "rules": rules[0] == rules[1],
                "classes": rates[0] == rates[1] and here.rates.levels == there.rates.levels,
            }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captures", type=lambda text: int(float(text)), default=1_000_000)
    parser.add_argument("--keep", type=Path, help="where the month is, or is to be made")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="256MB", help="DuckDB's in each task")
    parser.add_argument("--archive", type=Path, help="where an archive with these captures is, or is to be made")
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
        narrow = {}
        for visits in (mining_month.VISITS, 10 * mining_month.VISITS):
            large = mining_month.make(Path(scratch) / f"{visits}", 0, [options.captures // 1000], visits=visits)
            narrow |= {(visits, memory): apart("task", large, options, memory) for memory in ("4GB", "100MB")}
        judged = quality_ways(folder, options) if options.archive else {}
        same = same_as_catalog(folder, Room(options.memory)) if "local" in found or "dask" in found else (0, {})
        _report(folder, options, load, (found, narrow, judged), same)


def quality_ways(folder, options):
    """The whole command, and quality from the catalog, of an archive with the same captures."""
    dataset = options.archive / "parquet"
    if not (options.archive / "archive").exists():
        options.archive.mkdir(parents=True, exist_ok=True)
        mining_month.as_archive(mining_month.linked(folder, dataset), options.archive / "archive")
    return {way: apart(way, dataset, options, options.memory) for way in ("catalog", "whole")}


def apart(way, folder, options, memory):
    """One way in a process of its own."""
    words = ["--measure", way, "--keep", str(folder), "--workers", str(options.workers), "--memory", memory]
    command = [sys.executable, "-m", "benchmarks.bench_mining", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{way}: {done.stderr}")
    found = json.loads(done.stdout.splitlines()[-1])
    print(f"{way}: {json.dumps(found)}", file=sys.stderr)  # a long run may be cut short
    return found


def _peaks(one):
    return ", ".join(f"{peak:.0f}" for peak in one.get("workers", ())) or "-"


def _report(folder, options, load, figures, sample):
    found, narrow, judged = figures
    plain = found.get("duckdb", {"wall": float("nan")})["wall"]
    rows = tuple(
        (
            way,
            one["wall"],
            one["wall"] / plain,
            one["cpu"],
            1e6 * one["cpu"] / one["captures"],
            one["here"],
            _peaks(one),
        )
        for way, one in found.items()
    )
    names = ("way", "wall s", "x DuckDB", "CPU s", "CPU us/capture", "joining MiB", "workers MiB")
    whole = Dataset(folder)
    largest = max(whole.site(name).rows for name in whole.sites())
    size = sum(path.stat().st_size for path in folder.rglob("*.parquet")) / 2**20
    targets = [
        Target(f"{part} of a sample of {sample[0]:,} captures as from the catalog", "equal", str(equal), equal)
        for part, equal in sample[1].items()
    ]
    learned = {way: one["digest"] for way, one in found.items() if "digest" in one}
    if len(learned) > 1:
        equal = len(set(learned.values())) == 1
        targets.append(Target(f"what {', '.join(learned)} found, every page and rule", "equal", str(equal), equal))
    if "killed" in found:
        targets.append(
            Target("a worker was killed", "yes", str(found["killed"]["killed"] > 0), found["killed"]["killed"] > 0)
        )
    notes = (
        f"{len(whole.sites())} sites, the largest with {largest:,} captures; {size:.0f} MiB of Parquet; DuckDB may use "
        f"{options.memory} in each task, {options.workers} Dask workers; load {load:.1f} on {os.cpu_count()} cores.",
    )
    lines = tuple(
        (one["captures"], visits, memory, one["wall"], one["cpu"], one["here"])
        for (visits, memory), one in narrow.items()
    )
    names_of_site = ("captures", "a page", "DuckDB's memory", "wall s", "CPU s", "MiB")
    site = Table("One site, everything learned by one task", names_of_site, lines)
    for visits in {visits for visits, _ in narrow}:
        most, least = narrow[visits, "4GB"], narrow[visits, "100MB"]
        equal = most["digest"] == least["digest"]
        name = f"a site of {most['captures']:,} captures in little memory"
        targets.append(Target(name, "the same found", str(equal), equal))
    tables = [Table("One month", names, rows), site]
    if judged:
        columns = ("way", "wall s", "x DuckDB", "CPU s", "of that quality", "MiB", "workers MiB")
        lines = [
            (
                way,
                one["wall"],
                one["wall"] / plain,
                one["cpu"],
                one.get("quality_cpu", one["cpu"]),
                one["here"],
                _peaks(one),
            )
            for way, one in judged.items()
        ]
        tables.append(
            Table("An archive with these captures: the whole command, and quality alone", columns, tuple(lines))
        )
        equal = judged["whole"]["digest"] == judged["catalog"]["digest"]
        targets.append(Target("quality over Parquet as from the catalog", "equal", str(equal), equal))
    title = f"Mining {sum(whole.site(name).rows for name in whole.sites()):,} captures"
    print(Report(title, tuple(tables), (), tuple(targets), notes).render())


if __name__ == "__main__":
    main()
