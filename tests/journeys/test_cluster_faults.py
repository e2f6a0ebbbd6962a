"""What a cluster loses and gets back: the network of a worker, the database, the object store, an older release.

`STRANDLINE_OUTAGE=600` lets database and store be away for ten minutes instead of some seconds.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections import Counter

import psycopg
import pytest

from journeys.test_cluster import done, indexed, init, place, readable, worker
from servers import object_stores, postgres
from servers.lines import Cable, Gate
from servers.sites import sites
from strandline.errors import Unreachable
from strandline.store.postgres import session
from strandline.store.postgres.session import Session

pytestmark = postgres.GROUP
__all__ = ["place"]

OUTAGE = float(os.environ.get("STRANDLINE_OUTAGE", "8"))
"""Seconds database or store are away: longer than a lease lasts."""
LEASE = 3


def through(place, line):
    """The same cluster, with its database behind a gate or cable."""
    database, store, environment = place
    near = f"@{postgres.running().url().rpartition('@')[2].partition('/')[0]}/"
    assert near in database
    return database.replace(near, f"@{line.address}:{line.port}/"), store, environment


def wait_for(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def captured(place):
    return [one for one in indexed(place) if not one.url.endswith("/robots.txt")]


def by_worker(place):
    """How many captures each worker recorded."""
    with psycopg.connect(place[0]) as connection:
        return dict(connection.execute("SELECT worker, captures FROM workers WHERE captures > 0").fetchall())


def hosts_of(place):
    """Who holds hosts by leases that did not run out."""
    with psycopg.connect(place[0]) as connection:
        query = (
            "SELECT owner, count(*) FROM hosts WHERE owner IS NOT NULL AND held_until > clock_timestamp() GROUP BY 1"
        )
        return dict(connection.execute(query).fetchall())


def nothing_lost(place, site, ended):
    """Every page is in the index once and can be read, and so is every promise."""
    kept = captured(place)
    assert sorted(one.url for one in kept) == sorted(site.urls), "a page is missing, or there twice"
    recorded = Counter((one.place.file, one.place.offset) for one in indexed(place))
    promised = [
        (line["file"], line["offset"]) for _, lines, _ in ended for line in lines if line["event"] == "captured"
    ]
    assert set(promised) <= set(recorded) and len(promised) == len(set(promised))
    readable(place, kept[::7])


def test_a_worker_that_is_cut_off_from_the_database_loses_its_hosts_and_records_nothing_twice(place, tmp_path):
    with contextlib.closing(Cable(postgres.running().port)) as cable, sites(tmp_path, 6, 25, 400) as site:
        init(place, site, **{"politeness.delay": "0.3"})
        cut_off = worker(through(place, cable), lease=LEASE)
        wait_for(lambda: len(captured(place)) > 6)
        (number,) = by_worker(place)
        assert hosts_of(place).get(number), "it holds hosts"
        cable.cut()
        other = worker(place, lease=LEASE)
        before = by_worker(place)[number]
        wait_for(lambda: sum(count for one, count in by_worker(place).items() if one != number) > 30)
        wait_for(lambda: number not in hosts_of(place))  # the other may be quicker than a lease runs out
        assert by_worker(place)[number] == before, "control: it is really cut off"
        cable.mend()
        ended = [done(cut_off), done(other)]
        assert [code for code, _, _ in ended] == [0, 0], [err for _, _, err in ended]
        nothing_lost(place, site, ended)
        assert max(site.asked().values()) <= 2, "what was under way when the line was cut, once more"


def test_a_question_does_not_wait_for_ever_on_a_line_that_is_cut():
    """A cut line sends nothing back; without a bound the kernel tries for a quarter of an hour."""
    server = postgres.running()
    with contextlib.closing(Cable(server.port)) as cable:
        near = server.url().replace(f"@127.0.0.1:{server.port}/", f"@{cable.address}:{cable.port}/")
        bounded, unbounded = (Session(one, 0.0, empty=True) for one in (near, f"{near}?tcp_user_timeout=0"))
        ended: list[str] = []

        def ask(asked, name):
            with contextlib.suppress(Unreachable):
                asked.run(lambda connection: connection.execute("SELECT 1"), at_once=True)
            ended.append(name)

        cable.cut()
        asking = [
            threading.Thread(target=ask, args=(asked, name), daemon=True)
            for asked, name in ((bounded, "bounded"), (unbounded, "control"))
        ]
        for thread in asking:
            thread.start()
        asking[0].join(90.0)
        assert ended == ["bounded"], "control: who sets no bound still waits"
        cable.mend()
        asking[1].join(90.0)
        for asked in (bounded, unbounded):
            asked.close()


@pytest.mark.parametrize("patience", [OUTAGE + 300, 1], ids=["patient", "impatient"])
def test_the_database_is_away_for_longer_than_leases_last(place, tmp_path, patience):
    with contextlib.closing(Gate(postgres.running().port)) as gate, sites(tmp_path, 6, 12, 400) as site:
        init(place, site, **{"politeness.delay": "0.2"})
        words = ("--patience", patience)
        workers = [worker(through(place, gate), *words, lease=LEASE) for _ in range(2)]
        wait_for(lambda: len(captured(place)) > 6)
        gate.shut()
        time.sleep(LEASE)  # what was under way is done
        before = sum(site.asked().values())
        time.sleep(OUTAGE)
        assert sum(site.asked().values()) == before, "nobody asks for what nobody can record"
        gate.open()
        ended = [done(one) for one in workers]
        codes = {code for code, _, _ in ended}
        if patience < OUTAGE:
            assert codes == {9} and all(len(err.strip().splitlines()) == 1 for _, _, err in ended), ended
            assert len(captured(place)) < len(site.urls), "control: they ended before all was done"
            ended.append(done(worker(through(place, gate), lease=LEASE)))
        else:
            assert codes == {0}, [err for _, _, err in ended]
        nothing_lost(place, site, ended)


def test_the_object_store_is_away_for_longer_than_leases_last(place, tmp_path):
    server = object_stores.running()
    with contextlib.closing(Gate(server.port)) as gate, sites(tmp_path, 6, 12, 400) as site:
        init(place, site, **{"politeness.delay": "0.2"})
        behind = place[0], place[1], place[2] | server.environment(gate.port)
        workers = [worker(behind, "--patience", OUTAGE + 300, lease=LEASE) for _ in range(2)]
        wait_for(lambda: len(captured(place)) > 6)
        gate.shut()
        time.sleep(LEASE)
        before = len(captured(place))
        time.sleep(OUTAGE)
        assert len(captured(place)) == before, "control: what is in no store is not recorded"
        gate.open()
        ended = [done(one) for one in workers]
        assert [code for code, _, _ in ended] == [0, 0], [err for _, _, err in ended]
        nothing_lost(place, site, ended)


NEXT_RELEASE = """
from strandline.store.postgres import session
later = (*session.steps(), (session.newest_format() + 1, "CREATE TABLE of_the_next_release (x integer)"))
session.steps = lambda: later
from strandline.cli.main import main
main()
"""


def newer_worker(place):
    words = ["worker", "--database", place[0], "--json", "--quiet", "--lease", LEASE, "--commit-seconds", 0.3]
    out = subprocess.PIPE
    command = [sys.executable, "-c", NEXT_RELEASE, *map(str, words)]
    return subprocess.Popen(command, stdout=out, stderr=out, text=True, env=place[2])


def test_an_older_release_goes_on_beside_a_newer_one_until_it_has_to_connect_anew(place, tmp_path, monkeypatch):
    with sites(tmp_path, 6, 40, 400) as site, contextlib.ExitStack() as stack:
        init(place, site, **{"politeness.delay": "1"})
        older = worker(place, lease=LEASE)
        wait_for(lambda: len(captured(place)) > 6)
        newer = newer_worker(place)
        later = (*session.steps(), (session.newest_format() + 1, ""))
        monkeypatch.setattr(session, "steps", lambda: later)  # this test reads what the newer one made
        stack.callback(newer.kill)
        wait_for(lambda: len(by_worker(place)) == 2 or newer.poll() is not None)
        assert newer.poll() is None, done(newer)
        start = by_worker(place)
        wait_for(lambda: all(count > start[one] for one, count in by_worker(place).items()))
        with psycopg.connect(place[0], autocommit=True) as connection:
            assert connection.execute("SELECT to_regclass('of_the_next_release')::text").fetchone()[0]
            connection.execute(
                """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()"""
            )
        ended = [done(older), done(newer)]
        assert ended[0][0] == 4 and "use a newer strandline" in ended[0][2], ended[0][2]
        assert "Traceback" not in ended[0][2]
        assert ended[1][0] == 0, ended[1][2]
        code, _, err = done(worker(place))
        assert code == 4 and len(err.strip().splitlines()) == 1, "control: it is refused from then on"
        nothing_lost(place, site, ended)
