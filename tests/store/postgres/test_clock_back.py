"""The clock of the database was ahead by a year and is set right: nothing waits for a year because of that."""

import contextlib
import time

import psycopg
import pytest

from contracts.stores import found
from servers import postgres
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.clock_back import follow_clock
from strandline.store.postgres.desks import add_desks, claim_plans, mark_learned
from strandline.store.postgres.frontier import LeaseTerms
from strandline.store.postgres.purse import Entry, Limit, SharedBook
from strandline.store.postgres.session import Session
from strandline.store.postgres.workers import bury

pytestmark = postgres.GROUP

YEAR, HOUR = 365.0 * 86_400.0, 3600.0
AHEAD = {
    "hosts": ("held_until", "not_before"),
    "workers": ("seen", "hungry"),
    "site_desks": ("until", "planned"),
    "pages": ("due", "not_before"),
    "robots": ("time",),
    "spending": ("start",),
    "plan_hours": ("start",),
}


@pytest.fixture
def database():
    return postgres.running().database()


@pytest.fixture
def session(database):
    with contextlib.closing(Session(database)) as opened:
        yield opened


def time_of(session):
    row = session.run(lambda connection: connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone())
    return float(row[0])


def ahead(database, by):
    """As if the clock had been ahead until a moment ago, for all there is."""
    with psycopg.connect(database, autocommit=True) as connection:
        for table, columns in AHEAD.items():
            for column in columns:
                stamp = column in ("held_until", "seen", "hungry", "until")
                more = "interval '1 second' * %s" if stamp else "%s"
                dated = f"{column} > now() - interval '1 day'" if stamp else f"{column} BETWEEN 1e9 AND 1e10"
                connection.execute(f"UPDATE {table} SET {column} = {column} + {more} WHERE {dated}", (by,))
        connection.execute(
            "UPDATE notes SET value = (convert_from(value, 'UTF8')::float8 + %s)::text::bytea WHERE key = 'clock'",
            (by,),
        )


@pytest.fixture
def cluster(database, session):
    """One worker died over a page; sites are planned, half of the hour's money is spent, pages were found."""
    catalog = PostgresCatalog(database, LeaseTerms(30.0))
    now = time_of(session)
    follow_clock(session)
    catalog.add([found("http://a.example/1", due=now - 5.0), found("http://b.example/1", due=now + 20.0)])
    (held,) = catalog.take(1, now, now, ())
    session.run(add_desks)
    for desk in claim_plans(session, catalog.worker, now + HOUR, 60.0, 9):
        assert desk.site in ("a.example", "b.example")
    mark_learned(session, now + 24 * HOUR)
    SharedBook(session).add(Entry("", now - 60.0, 50.0, 50))
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE site_desks SET planned = %s, owner = NULL WHERE work = 'plan'", (now + HOUR,))
        connection.execute("INSERT INTO plan_hours VALUES (%s, 0, %s, 9, 9, 1, NULL)", (now - 60.0, now))
    catalog._heartbeat.stop()  # it is dead
    yield catalog, held, now
    catalog._session.close()


def left(session, now):
    return SharedBook(session).left("", Limit(100.0, now - HOUR, 100.0, now - HOUR))


def test_what_bears_a_time_ahead_goes_back_and_what_was_spent_stays_spent(database, session, cluster):
    dead, held, now = cluster
    ahead(database, YEAR)
    later = now + 2 * HOUR
    assert claim_plans(session, 9, later, 60.0, 9) == [], "the control: it would be so for a year"
    assert left(session, later + 300.0) == 50.0
    assert follow_clock(session) == pytest.approx(YEAR, abs=120.0)
    assert follow_clock(session) == 0.0, "once"
    with psycopg.connect(database, autocommit=True) as connection:
        known = connection.execute("SELECT extract(epoch FROM max(held_until) - now()) FROM hosts").fetchone()
        assert -60.0 < float(known[0]) < 60.0
        connection.execute("UPDATE hosts SET held_until = held_until - interval '2 minutes'")
        connection.execute("UPDATE site_desks SET until = until - interval '2 minutes'")
        connection.execute("UPDATE workers SET seen = seen - interval '10 minutes'")
        assert connection.execute("SELECT count(*) FROM plan_hours").fetchone() == (0,)
    assert bury(session, 300.0) == [dead.worker]
    assert {desk.site for desk in claim_plans(session, 9, later, 60.0, 9)} == {"a.example", "b.example"}
    assert left(session, now) == 50.0, "of this hour"
    assert left(session, later) == 100.0, "and of no other"
    with contextlib.closing(PostgresCatalog(database, LeaseTerms(30.0))) as other:
        urls = {task.url for task in other.take(9, now + 60.0, now + 60.0, ())}
    assert urls == {held.url, "http://b.example/1"}


@pytest.mark.parametrize("by", [30.0, -YEAR])
def test_a_clock_that_is_a_little_wrong_or_goes_forward_moves_nothing(database, session, cluster, by):
    with psycopg.connect(database, autocommit=True) as connection:
        query = "SELECT held_until::text FROM hosts ORDER BY host"
        before = connection.execute(query).fetchall()
        connection.execute(
            "UPDATE notes SET value = (convert_from(value, 'UTF8')::float8 + %s)::text::bytea WHERE key = 'clock'",
            (by,),
        )
        assert follow_clock(session) == 0.0
        assert connection.execute(query).fetchall() == before
        assert left(session, cluster[2]) == 50.0


def test_every_worker_looks_when_it_starts_and_with_its_heartbeat(database, session, cluster):
    ahead(database, YEAR)
    with contextlib.closing(PostgresCatalog(database, LeaseTerms(0.4))):
        assert planned_for_long(database) == 0
        ahead(database, YEAR)
        deadline = time.monotonic() + 600.0
        while planned_for_long(database) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert planned_for_long(database) == 0


def planned_for_long(database):
    with psycopg.connect(database) as connection:
        query = "SELECT count(*) FROM site_desks WHERE planned > extract(epoch FROM now()) + 1e6"
        return connection.execute(query).fetchone()[0]
