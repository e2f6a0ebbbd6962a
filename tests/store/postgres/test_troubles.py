"""What is evident from the database of a cluster: dead workers, late desks, hosts nobody asks."""

import inspect
from contextlib import closing

import pytest

from contracts.stores import capture, found, visited
from servers import postgres
from strandline.ports import Batch
from strandline.store.alarming import AlarmReading
from strandline.store.postgres.browsing import reading_of
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.hours import UNANSWERED
from strandline.store.postgres.session import Session
from strandline.store.postgres.troubles import troubles, workers_alive

pytestmark = postgres.GROUP
NOW = "extract(epoch FROM statement_timestamp())::float8"


@pytest.fixture(scope="module")
def database():
    """One page captured, another waiting, by a worker that has ended."""
    url = postgres.running().database()
    with closing(PostgresCatalog(url)) as catalog:
        catalog.add([found("http://a.test/"), found("http://a.test/waiting", due=1.0)])
        catalog.commit(Batch([visited(catalog.page("http://a.test/").page, capture("http://a.test/"), due=1e12)]))
        catalog.take(1, 150.0, 100.0, ())
    return url


@pytest.fixture
def session(database):
    with closing(Session(database)) as made:
        yield made
        _do(
            made,
            "DELETE FROM workers WHERE name LIKE '%test'",
            "DELETE FROM site_desks",
            "DELETE FROM watch_time",
            "DELETE FROM plan_hours",
            "DELETE FROM spending",
            "UPDATE hosts SET waiting = 0",
            "UPDATE pages SET due = 1 WHERE state = 1",
        )


def _do(session, *statements):
    session.run(lambda connection: [connection.execute(one) for one in statements])


def _worker(session, name, *, seen, started="1 hour", ended="NULL"):
    _do(
        session,
        f"""INSERT INTO workers (name, started, seen, ended) VALUES ('{name}', clock_timestamp() - interval '{started}',
            clock_timestamp() - interval '{seen}', {ended})""",
    )


def _watch(session, hours_ago):
    """An hour of a watch was opened then."""
    _do(session, f"INSERT INTO plan_hours VALUES ({NOW} - {hours_ago} * 3600, 0, 0, 10, 0, 0, NULL)")


def _kinds(session):
    return [(one.kind, one.subject) for one in troubles(session)]


def test_nobody_works_although_pages_wait(session):
    assert _kinds(session) == [], "there are some minutes to start others"
    _do(session, "UPDATE workers SET ended = ended - interval '1 hour', seen = seen - interval '1 hour'")
    (trouble,) = troubles(session)
    assert trouble.kind == "workers" and workers_alive(session) == 0
    assert trouble.why == "1 page waits and no worker is at work"
    _worker(session, "1@one.test", seen="3 seconds")
    assert _kinds(session) == [] and workers_alive(session) == 1


def test_a_dead_worker_is_missed_until_its_machine_has_another(session):
    _worker(session, "1@one.test", seen="3 seconds")
    _worker(session, "2@two.test", seen="10 minutes")
    _worker(session, "3@three.test", seen="20 minutes", ended="clock_timestamp() - interval '17 minutes'")
    _worker(session, "4@four.test", seen="20 minutes", ended="clock_timestamp() - interval '1199 seconds'")
    _worker(session, "5@five.test", seen="2 days", started="3 days", ended="clock_timestamp() - interval '1 day'")
    _worker(session, "cluster init", seen="10 minutes")
    assert _kinds(session) == [("worker", "2@two.test"), ("worker", "3@three.test")]
    raised = reading_of(AlarmReading, session).open_alarms()
    assert [(one.kind, one.subject) for one in raised] == [("worker", "3@three.test"), ("worker", "2@two.test")]
    assert "others take over" in raised[0].explanation and raised[0].closed is None
    _worker(session, "6@two.test", seen="1 second", started="5 minutes")
    assert _kinds(session) == [("worker", "3@three.test")]
    _do(session, "DELETE FROM workers WHERE name = 'cluster init'")


def test_desks_where_nothing_moves(session):
    _worker(session, "1@one.test", seen="1 second")
    _do(
        session,
        f"INSERT INTO site_desks (site, work, planned) VALUES ('a.test', 'plan', {NOW} - 4 * 3600)",
        f"INSERT INTO site_desks (site, work, planned) VALUES ('', 'learn', {NOW} - 4 * 86400)",
        f"UPDATE pages SET due = {NOW} WHERE state = 1",
    )
    assert _kinds(session) == [], "a single pass has no hours"
    _watch(session, 30)
    assert _kinds(session) == [], "the watch has ended long ago"
    _do(session, f"INSERT INTO spending (start, spent, requests) VALUES ({NOW} - 300, 5, 5)")
    assert len(_kinds(session)) == 3, "it goes on, though no hour is planned any more"
    _do(session, "DELETE FROM spending")
    _watch(session, 4)
    assert _kinds(session) == [("desk", "plan"), ("desk", "study"), ("desk", "learn")]
    assert "a.test" in troubles(session)[0].why
    _do(session, "INSERT INTO watch_time VALUES (0, 0, 86400)")
    assert _kinds(session) == [("desk", "study")], "hours of this watch are days"
    _do(session, f"UPDATE site_desks SET planned = {NOW} + 60", "DELETE FROM unstudied")
    assert _kinds(session) == []


def test_hosts_nobody_asks(session):
    _worker(session, "1@one.test", seen="1 second")
    _watch(session, 1)
    _do(session, "DELETE FROM unstudied")
    (trouble,) = troubles(session)
    assert (trouble.kind, trouble.subject) == ("hosts", "") and "a.test" in trouble.why
    _do(
        session,
        f"INSERT INTO watch_hours VALUES (1, {NOW} - 7200, 48, 0, 0, 0, 0, 0, 0, 0, 0, 0)",
        f"INSERT INTO spending (start, spent, requests) VALUES ({NOW} - 300, 20, 20)",
    )
    assert _kinds(session) == [("hosts", "")], "the budget has room"
    _do(session, f"INSERT INTO spending (start, spent, requests) VALUES ({NOW} - 900, 20, 20)")
    assert _kinds(session) == [], "pages wait for the budget, not for a worker"
    _do(session, "DELETE FROM spending", "DELETE FROM watch_hours")
    _do(session, "UPDATE hosts SET waiting = 1, not_before = 1e12")
    assert _kinds(session) == []


def test_what_failed_in_an_hour_is_found_by_an_index(session):
    """Each hour is asked for it, of all pages there are; the alarms of sites ask in the same words."""
    assert UNANSWERED.removeprefix("kind = 'page' AND ") in inspect.getsource(AlarmReading.failed_between)

    def explain(connection):
        connection.execute("SET LOCAL enable_seqscan = off")
        question = f"EXPLAIN SELECT count(*) FROM pages WHERE visited >= 1.0 AND visited < 2.0 AND {UNANSWERED}"
        return "".join(str(line) for (line,) in connection.execute(question.encode()))

    assert "pages_failed" in session.run(explain)
