"""Desks of sites, the common purse and what is done for workers that are gone."""

import contextlib
import errno
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers import postgres
from strandline.cluster import background as beside
from strandline.cluster import finishing, worker
from strandline.cluster.background import BackgroundJob, BackgroundThread
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.learning import learn_all
from strandline.cluster.shared import Cluster, init_cluster, open_cluster
from strandline.cluster.studying import for_watch
from strandline.errors import (
    ArchiveBusy,
    ArchiveDamaged,
    OutOfSpace,
    SettingError,
    Unreachable,
    UsageError,
)
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.watching import WatchReading
from strandline.warc.objects import Objects, part_name
from strandline.warc.objects_joining import unfinished
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = postgres.GROUP

HOUR = 3600.0
START = 500_000 * HOUR


@pytest.fixture
def database():
    return postgres.running().database()


@pytest.fixture
def catalog(database):
    with contextlib.closing(PostgresCatalog(database)) as opened:
        yield opened


@pytest.fixture
def session(database, catalog):
    with contextlib.closing(Session(database)) as opened:
        yield opened


def settings(*assignments):
    return with_overrides(Settings(), ["archive.contact=https://a.example/", *assignments])


def test_a_file_with_a_missing_part_is_left_alone_and_the_others_are_finished(database, catalog, tmp_path):
    store = (tmp_path / "store").as_uri()
    objects, kept = Objects(store), {}
    for prefix in ("a", "b"):
        naming = WriterSettings(prefix=prefix, host=f"h-w{catalog.worker}")
        writer = ObjectWriter(objects, tmp_path / prefix, ABOUT, StillClock(), naming)
        for n in range(2):
            kept[prefix, n] = writer.keep(exchange(f"http://{prefix}.example/{n}", b"kept %d" % n))
            writer.sync()
    catalog.bring(kept.values())
    objects.delete([part_name(kept["a", 0].place.file, 0)])
    said, request = [], worker.WorkerRequest(say=lambda line: said.append(line), lease=0.0)
    with worker._janitor(Cluster(database, store, Settings()), request, tmp_path).opened(lambda: False) as step:
        step()
    assert list(unfinished(objects)) == [kept["a", 0].place.file] and len(said) == 1
    assert kept["a", 0].place.file in said[0] and "its parts are left" in said[0]
    reader = ObjectReader(objects)
    assert reader.read(kept["a", 1].place).body.read() == reader.read(kept["b", 1].place).body.read() == b"kept 1"
    with pytest.raises(ArchiveDamaged, match="cannot be finished"):
        finish_abandoned(Cluster(database, store, Settings()), tmp_path, 0.0)


def test_the_store_is_listed_at_the_start_and_after_a_worker_has_ended(database, catalog, tmp_path, monkeypatch):
    cluster, listed = Cluster(database, (tmp_path / "store").as_uri(), Settings()), []
    monkeypatch.setattr(finishing, "unfinished", lambda _objects: listed.append(1) or {})
    with worker._janitor(cluster, worker.WorkerRequest(), tmp_path).opened(lambda: False) as step:
        for _ in range(3):
            step()
        assert len(listed) == 1
        PostgresCatalog(database).close()
        for _ in range(3):
            step()
        assert len(listed) == 2


def test_a_job_outlives_a_full_disk_and_a_defect_and_says_so_once(monkeypatch):
    monkeypatch.setattr(beside, "_AGAIN", 0.01)
    monkeypatch.delenv("STRANDLINE_DEBUG", raising=False)
    steps, said, over = [], [], threading.Event()
    full = OSError(errno.ENOSPC, "No space left on device", "/spool")

    @contextlib.contextmanager
    def opened(_stopped):
        def step():
            steps.append(1)
            if len(steps) < 7:
                raise (full, OutOfSpace("full"), ValueError("odd"))[(len(steps) - 1) // 2]
            over.set()

        yield step

    with BackgroundThread(BackgroundJob("janitor", 0.01, opened, "files are not finished"), said.append):
        assert over.wait(600.0)
    first = "files are not finished: [Errno 28] No space left on device: '/spool'; it is tried again"
    defect = "files are not finished: unexpected ValueError: odd (a defect); it is tried again"
    assert said == [first, "files are not finished: full; it is tried again", defect]


def test_a_lesson_that_cannot_be_given_is_one_line(database, tmp_path, monkeypatch, caplog):
    cluster = init_cluster(database, (tmp_path / "store").as_uri(), lambda _: settings())
    for problem, said in ((ArchiveBusy("somebody learns"), ""), (Unreachable("away"), "nothing was learned: away")):

        def learn(*_, problem=problem, **__):
            raise problem

        monkeypatch.setattr("strandline.learn.learning.learn", learn)
        with pytest.raises(SystemExit) as ended:
            learn_all(cluster)
        assert ended.value.code == problem.exit_code
        assert "".join(caplog.messages) == said


def test_settings_of_a_cluster_changed_at_the_same_moment_are_all_kept(database, tmp_path):
    init_cluster(database, (tmp_path / "store").as_uri(), lambda _: settings())
    values = ("plan.budget=9/day", "scope.hops=3", "fetch.redirects=4")

    def slowly(known, value):
        time.sleep(0.2)
        return with_overrides(known, [value])

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda value: init_cluster(database, "", lambda known: slowly(known, value)), values))
    found = open_cluster(database).settings
    assert (found.plan.budget, found.scope.hops, found.fetch.redirects) == ("9/day", 3, 4)


def test_a_cluster_is_made_once_and_keeps_its_store(database, tmp_path):
    with pytest.raises(SettingError, match="not ready"):
        open_cluster(database)
    with pytest.raises(UsageError, match="--store"):
        init_cluster(database, "", lambda _: settings())
    store = (tmp_path / "store").as_uri()
    made = init_cluster(database, store, lambda _: settings("plan.budget=7/day"))
    assert open_cluster(database) == made and made.settings.plan.budget == "7/day"
    again = init_cluster(database, "", lambda known: with_overrides(known, ["fetch.connections=3"]))
    assert (again.settings.plan.budget, again.settings.fetch.connections) == ("7/day", 3)
    for assignment in (
        'plan.campaigns=["x"]',
        "keep.prefix=a/b",
        "plan.strategy=nonsense",
        "plan.coherence=-1",
        'plan.host_budgets=["a"]',
    ):
        with pytest.raises(SettingError, match=assignment.split("=")[0]):
            init_cluster(database, "", lambda known, given=assignment: with_overrides(known, [given]))
    assert open_cluster(database) == again, "what was wrong changed nothing"
    for wrong in (
        lambda: init_cluster(database, "file:///tmp/other", lambda _: settings()),
        lambda: open_cluster(database, "s3://x"),
    ):
        with pytest.raises(SettingError, match="belongs to the store"):
            wrong()
    with pytest.raises(UsageError, match="postgresql"):
        open_cluster("/some/folder")


def test_hours_of_another_length_are_kept_once(catalog, session):
    reading = on_postgres(WatchReading, session)
    catalog.begin_watch(HOUR, START)
    assert reading.watch_time() is None, "those of the clock need no telling"
    for now in (START, START + 50.0):
        catalog.begin_watch(100.0, now)
    assert reading.watch_time() == (START, 0.0, 100.0)
    catalog.begin_watch(50.0, START + 200.0)
    assert reading.watch_time() == (START + 200.0, 2.0, 50.0)


def test_a_watch_looks_twice_at_pages_whose_noise_is_not_known(database):
    cluster = Cluster(database, "file:///x", settings("study.hold=10min"))
    study = for_watch(cluster, HOUR / 10).settings.study
    assert (study.hold, study.double_fetch) == (60.0, 3.0)
    given = Cluster(database, "file:///x", settings("study.double_fetch=2min"))
    assert for_watch(given, HOUR).settings.study.double_fetch == 120.0
    assert cluster.settings.study.double_fetch == 0.0, "one pass does as it is told"


def test_a_clock_that_is_set_while_a_worker_runs_is_told_once():
    said, apart = [], 0.0

    class Clock:
        def look(self):
            return self.ahead

    clock = Clock()
    for ahead in (0.5, 1.0, 3600.0, 3600.5, 3601.0, 0.2):
        clock.ahead = ahead
        apart = worker._tell_wrong_clock(clock, said.append, apart)
    assert [line.partition(" the database's;")[0] for line in said] == [
        "this machine's clock is 3600 s ahead of",
        "this machine's clock is 0 s ahead of",
    ]
