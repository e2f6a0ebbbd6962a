"""More than one machine, as a user starts it: PostgreSQL, an S3 store, several workers, all of them real."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import psycopg
import pytest

from journeys.command import ENVIRONMENT
from servers import object_stores, postgres
from servers.commands import Command
from servers.sites import page, sites
from strandline.store.postgres.reading import PostgresReading
from strandline.warc.objects import Objects
from strandline.warc.objects_joining import unfinished
from strandline.warc.objects_reader import ObjectReader

pytestmark = postgres.GROUP


@pytest.fixture
def place(monkeypatch):
    """A new database and a new bucket: their addresses, and the environment workers need."""
    server = object_stores.entered(monkeypatch)
    return postgres.running().database(), f"{server.bucket()}/web", ENVIRONMENT | server.environment()


def command(environment, *words):
    return Command(*words, env=environment)


def done(process, timeout=1200):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


def init(place, site, **settings):
    database, store, environment = place
    given = {
        "politeness.delay": "0",
        "keep.disk_reserve": "0",
        "scope.sitemaps": "false",
        "study.workers": "0",
    } | settings
    given |= {"politeness.hanging_per_host": "0"}  # on a busy machine any answer may hang, and the log would show it
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    seeds = [word for seed in site.seeds for word in ("--seeds", seed)]
    made = command(
        environment, "cluster", "init", "--database", database, "--store", store, "--json", *seeds,
        "--allow-address", "127.0.0.0/8", *words,
    )  # fmt: skip
    code, _, err = done(made)
    assert code == 0, err


def worker(place, *words, lease=3, commit=0.3):
    database, _, environment = place
    return command(
        environment, "worker", "--database", database, "--json", "--quiet", "--lease", lease,
        "--commit-seconds", commit, *words,
    )  # fmt: skip


def indexed(place):
    with contextlib.closing(PostgresReading.at(place[0])) as reading:
        return list(reading.all_captures())


def readable(place, captures):
    """Every capture can be read back from the store, and is what it says."""
    reader = ObjectReader(Objects(place[1]))
    for capture in captures:
        record = reader.read(capture.place)
        assert record.headers["warc-target-uri"] == capture.url and record.http_head.startswith(b"HTTP/1.1 ")


def test_three_workers_crawl_politely_and_keep_every_page_once(place, tmp_path):
    with sites(tmp_path, hosts=8, pages=12, size=400, pause=0.002) as site:
        init(place, site, **{"politeness.delay": "0.05", "study.workers": "1"})
        workers = [worker(place) for _ in range(3)]
        ended = [done(one) for one in workers]
        assert [code for code, _, _ in ended] == [0, 0, 0], [err for _, _, err in ended]
        promised = [line for _, lines, _ in ended for line in lines if line["event"] == "captured"]
        captures = indexed(place)
        pages = [capture.url for capture in captures if not capture.url.endswith("/robots.txt")]
        assert sorted(pages) == sorted(site.urls)
        assert {(line["file"], line["offset"]) for line in promised} == {
            (capture.place.file, capture.place.offset) for capture in captures
        }
        assert len(promised) == len(captures)
        # Seen from the server: no host was asked twice at a time, nor sooner than its delay, whoever asked.
        assert site.shortest_pause() > 0.045
        assert all(times == 1 for url, times in site.asked().items() if url in site.urls)
        shares = sorted(sum(line["event"] == "captured" for line in lines) for _, lines, _ in ended)
        assert shares[-1] < len(promised), f"one worker did everything: {shares}"
        readable(place, captures)
        assert unfinished(Objects(place[1])) == {}
    with psycopg.connect(place[0]) as connection:
        studied = connection.execute("SELECT (SELECT count(*) FROM unstudied), (SELECT count(*) FROM page_states)")
        assert studied.fetchone() == (0, len(site.urls)), "what was fetched was not studied"
    status = command(place[2], "status", "--database", place[0], "--json")
    code, (found,), _ = done(status)
    assert code == 0 and found["captures"] == len(captures) and found["queued"] == found["leased"] == 0
    assert found["workers"] == [] and found["ended"] == 3, "who made the cluster ready is no worker"


@pytest.mark.timeout(7200)
def test_killed_workers_and_database_restarts_lose_nothing(place, tmp_path):
    """The short form; `make crash` runs the long one: 20,000 pages, 200 kills, 5 restarts."""
    kills = int(os.environ.get("STRANDLINE_WORKER_KILLS", "4"))
    # Politeness slows them down: there must be work left for the last worker that is killed.
    hosts, pages, restarts, delay = (40, 495, 5, "1") if kills >= 100 else (8, 38, 1, "0.3")
    with sites(tmp_path, hosts=hosts, pages=pages, size=1_000) as site:
        init(place, site, **{"politeness.delay": delay})
        figures = massacre(place, site, kills, restarts, tmp_path)
        captures = indexed(place)
        kept = [capture.url for capture in captures if not capture.url.endswith("/robots.txt")]
        assert sorted(set(kept)) == sorted(site.urls), "pages are missing"
        assert len(kept) == len(set(kept)), "a page is in the index twice"
        assert len({capture.place for capture in captures}) == len(captures)
        promised = {(line["file"], line["offset"], line["url"]) for line in figures.promised}
        recorded = {(capture.place.file, capture.place.offset, capture.url) for capture in captures}
        assert promised <= recorded, "a promise was broken"
        assert figures.killed == kills and figures.restarted == restarts
        print(f"{len(kept)} pages, {figures.killed} kills, {figures.restarted} restarts, {len(promised)} promises read")
        asked = site.asked()
        print(
            f"{sum(asked.values())} requests, {sum(count > 1 for count in asked.values())} pages asked more than once"
        )
        readable(place, captures if kills < 100 else captures[::37])


class Figures:
    def __init__(self):
        self.promised, self.killed, self.restarted, self.errors = [], 0, 0, []


def massacre(place, site, kills, restarts, folder):
    """Three workers at a time; one is killed again and again, the database goes down and up between."""
    server, figures, running = postgres.running(), Figures(), {}
    due = {round((n + 1) * kills / (restarts + 1)) for n in range(restarts)}
    serial = 0

    def start():
        nonlocal serial
        serial += 1
        out = (folder / f"worker-{serial}.out").open("w")
        err = (folder / f"worker-{serial}.err").open("w")
        database, _, environment = place
        words = ("worker", "--database", database, "--json", "--quiet", "--lease", "2", "--commit-seconds", "0.2")
        running[serial] = Command(*words, stdout=out, stderr=err, env=environment | {"TMPDIR": str(folder)})
        out.close()
        err.close()

    def lines(number):
        return [
            json.loads(line)
            for line in (folder / f"worker-{number}.out").read_text().splitlines()
            if line.endswith("}")
        ]

    for _ in range(3):
        start()
    try:
        while figures.killed < kills:
            victim = min(running)
            deadline = time.monotonic() + 600
            # It dies at work: with leases held, after a commit or between two.
            while not lines(victim) and running[victim].poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.05 * (figures.killed % 4))
            alive = running[victim].poll() is None
            running[victim].send_signal(signal.SIGKILL)
            running.pop(victim).wait()
            figures.killed += alive
            figures.promised += lines(victim)
            if figures.killed in due:
                due.discard(figures.killed)
                server.restart()
                figures.restarted += 1
            if not alive and (folder / f"worker-{victim}.err").read_text().strip():
                figures.errors.append((folder / f"worker-{victim}.err").read_text())
            if not alive and any(line["event"] == "done" for line in lines(victim)):
                break  # everything is fetched already
            start()
        while running:
            number, process = running.popitem()
            assert process.wait(timeout=3600) == 0, (folder / f"worker-{number}.err").read_text()
            figures.promised += lines(number)
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    figures.promised = [line for line in figures.promised if line["event"] == "captured"]
    return figures


SHIFTED = """
import resource, sys, time
shift, limit = float(sys.argv.pop(1)), int(sys.argv.pop(1))
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    sys.dont_write_bytecode = True  # Python would leave half a file, for others to stumble over
real = time.time
time.time = lambda: real() + shift
from strandline.cli.main import main
main()
"""
"""A machine whose clock is wrong, or whose disk takes no more than so many bytes of a file."""


def odd_worker(place, shift=0.0, limit=0, *words):
    database, _, environment = place
    given = ["worker", "--database", database, "--json", "--lease", 3, "--commit-seconds", 0.3, *words]
    return subprocess.Popen(
        [sys.executable, "-c", SHIFTED, *map(str, (shift, limit, *given))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_wrong_clocks_and_a_full_disk_are_survived(place, tmp_path):
    """One clock is five minutes ahead, one as far behind, and one machine has no room for its WARC file."""
    with sites(tmp_path, hosts=6, pages=15, size=3_000) as site:
        init(place, site, **{"politeness.delay": "0.05"})
        before = time.time()
        full = odd_worker(place, 0.0, 8_192)
        code, lines, err = done(full)
        assert code == 3 and "no room" in err and "Traceback" not in err
        early = [line for line in lines if line["event"] == "captured"]
        ahead, behind = odd_worker(place, 300.0), odd_worker(place, -300.0)
        ended = [done(ahead), done(behind)]
        assert [code for code, _, _ in ended] == [0, 0], [err for _, _, err in ended]
        assert "300 s ahead of" in ended[0][2] and "300 s behind" in ended[1][2]
        captures = indexed(place)
        pages = [capture.url for capture in captures if not capture.url.endswith("/robots.txt")]
        assert sorted(pages) == sorted(site.urls)
        recorded = {(capture.place.file, capture.place.offset) for capture in captures}
        assert {(line["file"], line["offset"]) for line in early} <= recorded
        assert all(before - 2 <= capture.time <= time.time() + 2 for capture in captures)
        assert site.shortest_pause() > 0.045
        readable(place, captures)
    page_is_served(place, site)


def page_is_served(place, site):
    """Replay from the object store, beside or after the workers."""
    server = command(place[2], "cluster", "serve", "--database", place[0], "--port", 0, "--replay-port", 0)
    try:
        server.stdout.readline()
        for line in server.stderr:
            if "archived content at" in line:
                break
        replay = line.split("archived content at ")[1].split()[0].rstrip(".")
        with urllib.request.urlopen(f"{replay}web/2030id_/{site.seeds[2]}p3", timeout=600) as answer:
            assert answer.read() == page("127.0.0.3", "/p3", 15, 3_000)
        with urllib.request.urlopen(f"{replay}cdx?url={site.seeds[0]}&matchType=host", timeout=600) as answer:
            assert len(answer.read().splitlines()) == 18
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=600)


def test_what_is_wrong_is_one_line_before_anything_is_fetched(place, tmp_path):
    database, _, environment = place
    with sites(tmp_path, hosts=1, pages=1) as site:
        wrong_user = database.replace("strandline:", "nobody:")
        no_bucket = command(
            environment, "cluster", "init", "--database", database, "--store", f"{object_stores.running().scheme}://no-such-bucket/x",
            "--seeds", site.seeds[0], "--allow-address", "127.0.0.0/8",
        )  # fmt: skip
        cases = {
            "not ready": command(environment, "worker", "--database", postgres.running().url()),
            "is wrong": command(environment, "cluster", "status", "--database", wrong_user),
            "there is no such": no_bucket,
        }
        both = command(environment, "watch", "--database", database, "--budget", "5/day")
        code, _, err = done(both)
        assert code == 2 and "cluster init" in err
        for words, process in cases.items():
            code, _, err = done(process)
            told = err.strip().splitlines()
            assert code == 4 and len(told) == 1, err
            assert words in told[0] or "is empty" in told[0]
            assert "tests%20only" not in err and "tests only" not in err
        init(place, site)
        refused = command(environment | object_stores.running().wrong_keys(), "worker", "--database", database)
        code, _, err = done(refused)
        assert code == 4 and "access is refused" in err and len(err.strip().splitlines()) == 1
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("UPDATE strandline_format SET format = 999")
            code, _, err = done(command(environment, "worker", "--database", database))
            assert code == 4 and "use a newer strandline" in err and len(err.strip().splitlines()) == 1
            connection.execute("UPDATE strandline_format SET format = 1")
        code, _, err = done(command(environment, "cluster", "status", "--database", database))
        assert code == 4 and "older format 1" in err and len(err.strip().splitlines()) == 1
        assert not site.log.read_text(), "something was fetched"
