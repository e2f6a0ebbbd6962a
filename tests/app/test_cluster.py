"""Desks of sites, the common purse and what is done for workers that are gone."""

import contextlib

import psycopg
import pytest

from contracts.stores import capture, found, take, visited
from servers import postgres
from strandline.app.cluster.desks import allowance_of, plan_due_sites
from strandline.app.cluster.shared import Cluster, init_cluster, open_cluster
from strandline.app.cluster.worker import finish_abandoned
from strandline.errors import LeaseLost, SettingError, UsageError
from strandline.ports import PLANNED, Batch
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.desks import PlanReading, claim_plans, hand_in
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.watching import WatchReading
from strandline.warc.objects import Objects
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


def history(catalog, site, changing, visits=12):
    """Pages of a site, visited each hour; `changing` of them had other bytes each time."""
    urls = [f"http://{site}/{n}" for n in range(6)]
    catalog.add([found(url, due=0.0) for url in urls])
    pages = {url: catalog.page(url).page for url in urls}
    for visit in range(visits):
        time = START - (visits - visit) * HOUR
        batch = []
        for n, url in enumerate(urls):
            digest = f"sha1:{site}{n}{visit if n < changing else 0}"
            kept = capture(url, time + n, 1000 * visit + n, digest=digest, file=f"{site}.warc.gz")
            batch.append(visited(pages[url], kept, time=time + n, due=PLANNED))
        catalog.commit(Batch(batch))
    return pages


def dues(database):
    with psycopg.connect(database) as connection:
        return dict(connection.execute("SELECT url, due FROM pages").fetchall())


def test_an_hour_of_every_site_is_planned_once_and_what_changes_comes_first(database, catalog, session):
    history(catalog, "a.example", changing=2)
    history(catalog, "b.example", changing=1)
    catalog.begin_watch(HOUR, START)
    wanted = settings("plan.budget=5/hour")
    assert plan_due_sites(session, wanted, catalog.worker, START, HOUR) == 2
    assert plan_due_sites(session, wanted, catalog.worker, START + 1, HOUR) == 0
    planned = {url: due for url, due in dues(database).items() if due < PLANNED}
    assert planned and all(START <= due <= START + HOUR for due in planned.values())
    assert len(planned) <= 4, "a fifth of the budget is for what is not planned"
    assert {"http://a.example/0", "http://a.example/1"} & set(planned)
    tasks = catalog.take(10, START + HOUR, START + HOUR, ())
    assert {task.url for task in tasks} <= set(planned)
    assert plan_due_sites(session, wanted, catalog.worker, START + HOUR, HOUR) == 2


def test_a_plan_that_comes_late_is_refused(database, catalog, session):
    pages = history(catalog, "a.example", changing=1, visits=2)
    (late,) = claim_plans(session, 1, START + HOUR, 600.0, 5)
    assert claim_plans(session, 2, START + HOUR, 600.0, 5) == []
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE site_desks SET until = '-infinity'")
    (again,) = claim_plans(session, 2, START + HOUR, 600.0, 5)
    visit = (pages["http://a.example/0"], START + 5.0, 0.0)
    assert not hand_in(session, late, START + HOUR, [visit])
    assert dues(database)["http://a.example/0"] == PLANNED
    assert hand_in(session, again, START + HOUR, [visit])
    assert dues(database)["http://a.example/0"] == START + 5.0


def test_a_page_being_fetched_is_not_planned(database, catalog, session):
    catalog.add([found("http://a.example/", due=50.0)])
    (task,) = take(catalog)
    (desk,) = claim_plans(session, 1, START + HOUR, 600.0, 5)
    assert hand_in(session, desk, START + HOUR, [(task.page, START + 5.0, 0.0)])
    assert dues(database)["http://a.example/"] == 50.0


def test_the_purse_never_gives_more_than_it_holds(catalog, database):
    with contextlib.closing(PostgresCatalog(database)) as other:
        given = [one.spend(START, 4, 10) for one in (catalog, other, catalog, other)]
    assert given == [4, 4, 2, 0]
    assert catalog.spend(START + HOUR, 4, 10) == 4


def test_sites_share_the_budget_by_their_pages_unless_told_otherwise():
    plan = settings("plan.budget=100/hour", 'plan.site_budgets=["big.example 7/day"]').plan
    shares = {"small.example": 10, "other.example": 30, "big.example": 40}
    assert allowance_of(plan, "small.example", shares).amount == pytest.approx(100 * 0.8 * 10 / 80)
    assert allowance_of(plan, "big.example", shares).amount == 7


def test_what_a_dead_worker_left_is_finished_and_it_may_not_commit(database, catalog, session, tmp_path):
    store = (tmp_path / "store").as_uri()
    objects = Objects(store)
    writer = ObjectWriter(objects, tmp_path / "dead", ABOUT, StillClock(), WriterSettings(host=f"h-w{catalog.worker}"))
    kept = writer.keep(exchange("http://a.example/1", b"kept"))
    writer.sync()
    cluster = Cluster(database, store, Settings())
    assert finish_abandoned(cluster, tmp_path, 3600.0) == [], "it was heard of a moment ago"
    assert finish_abandoned(cluster, tmp_path, 0.0) == [kept.place.file]
    assert unfinished(objects) == {} and ObjectReader(objects).read(kept.place).body.read() == b"kept"
    with pytest.raises(LeaseLost):
        catalog.commit(Batch(found=[found("http://a.example/late")]))


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
    for wrong in (
        lambda: init_cluster(database, "file:///tmp/other", lambda _: settings()),
        lambda: open_cluster(database, "s3://x"),
    ):
        with pytest.raises(SettingError, match="belongs to the store"):
            wrong()
    with pytest.raises(UsageError, match="postgresql"):
        open_cluster("/some/folder")


def test_desks_tell_changes_by_bytes(catalog, session):
    history(catalog, "a.example", changing=1, visits=3)
    seen = PlanReading(session).sightings("a.example")
    changed = [(one.url.rpartition("/")[2], one.changed) for one in seen]
    assert changed[:3] == [("0", False), ("0", True), ("0", True)]
    assert not any(flag for name, flag in changed if name != "0")
    assert PlanReading(session).shares() == {"a.example": 6}


def test_hours_of_another_length_are_kept_once(catalog, session):
    reading = on_postgres(WatchReading, session)
    catalog.begin_watch(HOUR, START)
    assert reading.watch_time() is None, "those of the clock need no telling"
    for now in (START, START + 50.0):
        catalog.begin_watch(100.0, now)
    assert reading.watch_time() == (START, 0.0, 100.0)
    catalog.begin_watch(50.0, START + 200.0)
    assert reading.watch_time() == (START + 200.0, 2.0, 50.0)
