"""Many workers on one catalog: leases, fencing, commits whose outcome is not known, formats, refusals in one line."""

import contextlib
import threading
import time

import psycopg
import pytest

from contracts.stores import capture, found, take, visited
from servers import postgres
from strandline.core.capture import Kind
from strandline.errors import LeaseLost, SettingError, Unreachable
from strandline.ports import Batch, Found, HostState, Refusal
from strandline.store.postgres import session
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.frontier import LeaseTerms
from strandline.store.postgres.market import wanted_by_all
from strandline.store.postgres.reading import PostgresReading, on_postgres, spelled
from strandline.store.reading import Resume, Span
from strandline.store.standing import StandingReading

pytestmark = postgres.GROUP

SHORT = 1.0
"""Seconds a lease lasts in tests that wait for its end."""


@pytest.fixture
def database():
    return postgres.running().database()


@pytest.fixture
def workers(database):
    """Makes workers on one database, and ends them."""
    made = []

    def worker(lease=600.0, polite=lambda _: 0.0, patience=30.0):
        made.append(PostgresCatalog(database, LeaseTerms(lease, polite), patience=patience))
        return made[-1]

    yield worker
    for one in made:
        one.close()


def freeze(worker):
    """What a paused machine looks like from outside: no heartbeat, and leases that have run out."""
    worker._heartbeat.stop()
    with psycopg.connect(worker._session.url, autocommit=True) as connection:
        connection.execute(
            "UPDATE hosts SET held_until = clock_timestamp() - interval '1 second' WHERE owner = %s", (worker.worker,)
        )


def test_a_host_has_one_owner_at_a_time(workers):
    one, two = workers(), workers()
    one.add([found(f"http://{host}.example/{n}") for host in "abcd" for n in range(3)])
    mine, theirs = take(one, 2), take(two, 10)
    assert len(mine) == len(theirs) == 2
    assert {task.authority for task in mine}.isdisjoint(task.authority for task in theirs)
    assert {task.authority for task in take(one)} == {task.authority for task in mine}
    assert take(two, busy=[task.authority for task in theirs]) == []


@pytest.mark.parametrize("hosts", [8, 1])
def test_one_huge_site_is_shared_by_its_hosts(workers, hosts):
    """Also with a worker that comes when another has all of them. A single host is never asked by two at a time."""
    one, two = workers(), workers()
    one.add([found(f"http://n{number % hosts}.big.example/{number}") for number in range(160)])
    had = {one: [], two: []}
    deadline = time.monotonic() + 600
    while sum(map(len, had.values())) < 160 and time.monotonic() < deadline:
        under_way = {worker: take(worker, 8) for worker in had}
        asked = [task.authority for tasks in under_way.values() for task in tasks]
        assert len(asked) == len(set(asked)), "a host is asked by one at a time"
        for worker, tasks in under_way.items():
            had[worker] += [task.page for task in tasks]
            worker.commit(Batch([visited(task.page, due=1e12) for task in tasks]))
    assert sorted(had[one] + had[two]) == sorted(set(had[one] + had[two])), "every page once"
    assert (min(map(len, had.values())) >= 40) == (hosts > 1), {len(pages) for pages in had.values()}


def test_a_host_stays_closed_to_others_for_its_polite_delay(workers):
    one, two = workers(polite=lambda _: 1.5), workers()
    one.add([found("http://a.example/1"), found("http://a.example/2")])
    (task,) = take(one)
    one.commit(Batch([visited(task.page)]))
    with psycopg.connect(one._session.url) as connection:
        (left,) = connection.execute("SELECT extract(epoch FROM held_until - clock_timestamp()) FROM hosts").fetchone()
    assert left <= 1.5
    if left > 0.5:  # else this machine is too slow to see the delay
        assert take(two) == []
    count, earliest = two.waiting(100.0)
    assert count == 1 and (earliest == 0.0 or abs(earliest - time.time()) < 60)
    deadline = time.monotonic() + 600
    while not (tasks := take(two)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [task.url for task in tasks] == ["http://a.example/2"]


def test_what_others_are_fetching_is_waited_for(workers):
    one, two = workers(), workers()
    one.add([found("http://a.example/")])
    (task,) = take(one)
    assert one.waiting(100.0)[0] == 0
    assert two.waiting(100.0)[0] == 1
    one.commit(Batch([visited(task.page)]))
    assert two.waiting(100.0)[0] == 0


def test_a_late_commit_is_refused_whole_and_the_page_is_fetched_by_another(workers):
    late, other = workers(), workers()
    late.add([found("http://a.example/"), found("http://b.example/")])
    tasks = {task.authority: task for task in take(late)}
    freeze(late)
    again = {task.authority: task for task in take(other)}
    assert {task.page for task in again.values()} == {task.page for task in tasks.values()}
    first, second = (tasks[name] for name in ("a.example", "b.example"))
    other.commit(Batch([visited(first.page, capture(first.url, file="OTHER.warc.gz"))]))
    with pytest.raises(LeaseLost):
        late.commit(
            Batch(
                [
                    visited(task.page, capture(task.url, offset=n, file="LATE.warc.gz"))
                    for n, task in enumerate((first, second))
                ],
                found=[found("http://a.example/from-the-late-one")],
                refused=[Refusal("late", "http://a.example/")],
            )
        )
    assert [kept.place.file for kept in other.all_captures()] == ["OTHER.warc.gz"]
    assert other.page("http://a.example/from-the-late-one") is None and other.refusals() == []
    late.release([first.page, second.page])  # must not touch what is another's by now
    assert take(late) == [] and other.waiting(100.0)[0] == 0
    other.commit(Batch([visited(second.page, capture(second.url, file="OTHER.warc.gz", offset=9))]))
    assert len(list(other.all_captures())) == 2


def test_without_fencing_the_late_commit_would_be_recorded(workers, monkeypatch):
    """The control: what the test above sees is the fencing's doing."""
    from strandline.store.postgres.recording import SharedRecorder

    monkeypatch.setattr(SharedRecorder, "_see_leases", lambda *_: None)
    late, other = workers(), workers()
    late.add([found("http://a.example/")])
    (task,) = take(late)
    freeze(late)
    (again,) = take(other)
    other.commit(Batch([visited(again.page, capture(task.url, file="OTHER.warc.gz"))]))
    late.commit(Batch([visited(task.page, capture(task.url, file="LATE.warc.gz"))]))
    assert len(other.captures(task.url)) == 2


def test_a_lease_that_ran_out_is_lost_even_when_nobody_took_the_host_since(workers):
    late, other = workers(), workers()
    late.add([found("http://a.example/", due=50.0)])
    (task,) = take(late)
    freeze(late)
    assert other.waiting(100.0) == (1, 0.0)
    with pytest.raises(LeaseLost):
        late.commit(Batch([visited(task.page)]))


def test_the_heartbeat_keeps_what_the_worker_knows_of(workers):
    one, two = workers(lease=SHORT), workers()
    one.add([found("http://a.example/"), found("http://b.example/")])
    tasks = {task.authority: task for task in take(one)}
    # The answer to a take that was lost: leased in the database, unknown to the worker.
    one._frontier.drop(tasks["b.example"].page)
    deadline = time.monotonic() + 600
    while not (got := take(two)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [task.authority for task in got] == ["b.example"]
    one.commit(Batch([visited(tasks["a.example"].page, capture("http://a.example/"))]))
    assert len(one.captures("http://a.example/")) == 1


def test_a_worker_that_was_ended_may_not_commit(workers):
    one = workers()
    one.add([found("http://a.example/")])
    with psycopg.connect(one._session.url, autocommit=True) as connection:
        connection.execute("UPDATE workers SET ended = clock_timestamp()")
    with pytest.raises(LeaseLost):
        one.commit(Batch(found=[found("http://b.example/")]))


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_commit_whose_outcome_is_unknown_is_made_once(workers, monkeypatch, cut):
    """The connection is cut just before, or just after, the server makes the commit."""
    one = workers()
    one.add([found("http://a.example/")])
    (task,) = take(one)
    real, cuts = psycopg.Connection.transaction, []

    class Cutting:
        def __init__(self, connection):
            self.connection, self.inner = connection, real(connection)

        def __enter__(self):
            return self.inner.__enter__()

        def __exit__(self, *what):
            if not cuts:
                cuts.append(cut)
                if cut == "before":
                    self.connection.close()
                    raise psycopg.OperationalError("cut before the commit")
                self.inner.__exit__(*what)
                self.connection.close()
                raise psycopg.OperationalError("cut after the commit")
            return self.inner.__exit__(*what)

    monkeypatch.setattr(psycopg.Connection, "transaction", lambda connection: Cutting(connection))
    one.commit(
        Batch(
            [visited(task.page, capture(task.url))],
            found=[found("http://a.example/new")],
            refused=[Refusal("trap", "http://a.example/t", 3)],
        )
    )
    monkeypatch.undo()
    assert cuts == [cut]
    assert one.page(task.url).captures == 1 and one.refusals() == [Refusal("trap", "http://a.example/t", 3)]
    assert [row.pages for row in one.reading.sites()] == [2]
    one.commit(Batch(refused=[Refusal("trap", "http://a.example/t")]))
    assert one.refusals()[0].count == 4


def test_restarts_and_killed_connections_are_outlived(workers):
    server = postgres.running()
    one = workers()
    one.add([found(f"http://a.example/{n}") for n in range(4)])
    for n in range(4):
        (task,) = take(one)
        if n % 2:
            server.restart()
        else:
            with psycopg.connect(server.url(), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    " AND backend_type = 'client backend'"
                )
        one.commit(Batch([visited(task.page, capture(task.url, offset=n))]))
    assert len(list(one.all_captures())) == 4 and one.waiting(100.0)[0] == 0


def test_a_server_that_stays_away_is_one_clear_error(database):
    server = postgres.running()
    catalog = PostgresCatalog(database, patience=0.5)
    server.stop()
    try:
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1"):
            catalog.waiting(0.0)
        with pytest.raises(Unreachable):
            PostgresCatalog(database, patience=0.5)
    finally:
        server.start()
    assert catalog.waiting(0.0) == (0, float("inf"))
    catalog.close()


def test_many_workers_started_together_make_the_tables_once(database):
    started, troubles = [], []

    def start():
        try:
            started.append(PostgresCatalog(database))
        except Exception as trouble:  # noqa: BLE001 - told below
            troubles.append(trouble)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == [] and len({catalog.worker for catalog in started}) == 6
    for catalog in started:
        catalog.close()


def test_formats_are_brought_up_to_date_or_refused(database, monkeypatch):
    PostgresCatalog(database).close()
    newer = (*session.steps(), (session.newest_format() + 1, "CREATE TABLE of_a_later_release (x integer)"))
    with monkeypatch.context() as later:
        later.setattr(session, "steps", lambda: newer)
        with pytest.raises(SettingError, match="older format"):
            PostgresReading.at(database)
        PostgresCatalog(database).close()
        PostgresReading.at(database).close()
    with pytest.raises(SettingError, match="use a newer strandline"):
        PostgresCatalog(database)
    with pytest.raises(SettingError, match="use a newer strandline"):
        PostgresReading.at(database)


def test_a_step_that_fails_leaves_the_old_format(database, monkeypatch):
    PostgresCatalog(database).close()
    broken = (*session.steps(), (session.newest_format() + 1, "CREATE TABLE half (x integer); SELECT no_such_thing()"))
    with monkeypatch.context() as later:
        later.setattr(session, "steps", lambda: broken)
        with pytest.raises(psycopg.errors.UndefinedFunction):
            PostgresCatalog(database)
    PostgresCatalog(database).close()
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regclass('half')").fetchone() == (None,)


def test_an_empty_database_is_not_an_archive_to_readers(database):
    with pytest.raises(SettingError, match="is empty"):
        PostgresReading.at(database)


def test_workers_that_find_the_same_addresses_at_the_same_time_make_one_page_of_each(workers):
    several, troubles = [workers() for _ in range(4)], []
    addresses = [f"http://h{n % 7}.example/{n}" for n in range(300)]

    def find(worker, order):
        try:
            for start in range(0, 300, 30):
                batch = Batch(
                    found=[Found(url, Kind.PAGE, "link", 0, 1, 0.0, 100.0) for url in order[start : start + 30]]
                )
                batch.refused.append(Refusal("trap", "http://a.example/"))
                batch.hosts.append(HostState(f"h{start % 7}.example"))
                worker.commit(batch)
        except Exception as trouble:  # noqa: BLE001 - told below
            troubles.append(trouble)

    orders = [addresses, addresses[::-1], addresses[150:] + addresses[:150], sorted(addresses)]
    threads = [threading.Thread(target=find, args=pair) for pair in zip(several, orders, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert several[0].waiting(100.0)[0] == 300
    assert sum(row.pages for row in several[0].reading.sites()) == 300
    assert several[0].refusals()[0].count == 40


def test_text_that_postgresql_cannot_hold_is_kept_without_what_it_cannot(workers):
    one = workers()
    one.add([found("http://a.example/")])
    (task,) = take(one)
    kept = capture(task.url, mime="text/\0html")
    one.commit(Batch([visited(task.page, kept, detail="a\0b \udcff", etag='"\0"')]))
    assert one.captures(task.url)[0].mime == "text/\N{REPLACEMENT CHARACTER}html"


def test_long_answers_come_in_pieces(workers, monkeypatch):
    from strandline.store.postgres import reading as postgres_reading

    monkeypatch.setattr(postgres_reading, "_PIECE", 3)
    one = workers()
    urls = [f"http://a.example/{n}" for n in range(10)]
    one.bring([capture(url, 100.0 + n, n) for n, url in enumerate(urls)])
    reading = one.reading
    assert [kept.url for kept in one.all_captures()] == urls
    assert [row.url for row in reading.pages("a.example")] == urls
    five = list(reading.index(Span(), limit=5))
    rest = list(reading.index(Span(), resume=Resume(five[-1].surt, five[-1].capture.time, five[-1].resume.seq)))
    assert [indexed.capture.url for indexed in five + rest] == urls
    assert reading.closest(urls[3], 0.0).url == urls[3] and reading.count() == 10
    assert [capture.url for capture in reading.before("example,a)/3", 1e9, 5)] == [urls[3]]
    assert reading.committed("A.warc.gz") == 19
    assert one.bring([capture(url, 100.0 + n, n) for n, url in enumerate(urls)]) == 0


def test_queries_are_spelled_anew():
    assert spelled("a ? :b offset 'x%y' offset_") == "a %s %(b)s \"offset\" 'x%%y' offset_"


def test_who_falls_asleep_in_a_transaction_does_not_stop_the_others(workers, monkeypatch):
    monkeypatch.setattr(session, "_ASLEEP_MS", 300)
    one = workers()
    one.add([found("http://a.example/")])
    tries = []

    def sleepy(connection):
        connection.execute("SELECT FROM frontier FOR UPDATE")
        if not tries:
            tries.append(1)
            time.sleep(1.5)
        connection.execute("UPDATE frontier SET horizon = horizon")

    one._session.drop()
    asleep = threading.Thread(target=one._session.run, args=(sleepy,))
    asleep.start()
    while not tries:
        time.sleep(0.01)
    assert len(take(workers())) == 1, "the row was never free"
    asleep.join()


def test_what_waits_for_a_host_that_is_gone_is_not_due(database, workers):
    """Budgets keep requests free for what is due by itself, not for pictures that nobody will ask for."""
    catalog = workers()
    for name in ("gone", "tired", "fine"):
        catalog.add([found(f"http://{name}.example/{number}") for number in range(4)])
    tasks = {task.authority: task for task in take(catalog)}
    catalog.release([tasks["tired.example"].page])
    again = [
        visited(tasks[f"{name}.example"].page, due=90.0, not_before=400.0, attempts=1) for name in ("gone", "fine")
    ]
    hosts = [HostState("gone.example", not_before=180.0, failures=3), HostState("tired.example", not_before=500.0)]
    catalog.commit(Batch(again, hosts=hosts))
    with contextlib.closing(session.Session(database)) as asking:
        reading = on_postgres(StandingReading, asking)
        moments, counted = (170.0, 200.0, 450.0, 600.0), [3, 4, 5, 9]
        assert [reading.count_due(moment, False) for moment in moments] == counted
        assert [len(reading.due_by_themselves(moment, False, 20)) for moment in moments] == counted

        def due(moment, closed=()):
            return asking.run(lambda connection: wanted_by_all(connection, moment, 100, closed)).waiting

        assert [due(moment) for moment in moments] == counted
        assert [due(moment, ["fine.example"]) for moment in moments] == [0, 1, 1, 5]
