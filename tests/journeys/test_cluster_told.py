"""Workers of a watch tell people what changed: each change once, although several study and one is killed."""

import signal
from contextlib import closing

import psycopg

from journeys.test_cluster import command, done, init, place, worker
from made.receivers import Webhook, wait_for
from servers import postgres
from servers.sites import sites
from strandline.watch.watch_plan import warm_up

pytestmark = postgres.GROUP
__all__ = ["place"]

HOUR = 3.0


def test_changes_are_told_once_by_workers_that_die(place, tmp_path):
    warm_up()
    with closing(Webhook()) as hook, sites(tmp_path, hosts=2, pages=5, size=400, period=HOUR / 2) as site:
        settings = {"plan.budget": "200/hour", "study.workers": "1", "politeness.delay": "0.02"}
        settings |= {"alerts.webhooks": f'["{hook.url} min=0.0"]', "alerts.allow_address": '["127.0.0.0/8"]'}
        init(place, site, **settings)
        words = ("--watch", "--hour-seconds", HOUR, "--time-limit", "180s")
        workers = [worker(place, *words, "--spool", tmp_path / f"spool{n}") for n in range(2)]
        assert wait_for(lambda: any(one["kind"] == "change" for one in hook.got))
        with psycopg.connect(place[0]) as connection:
            (name,) = connection.execute(
                "SELECT name FROM site_desks JOIN workers ON owner = worker WHERE work = 'lookout'"
            ).fetchone()
        (first,) = (one for one in workers if name.startswith(f"{one.pid}@"))
        first.send_signal(signal.SIGKILL)
        done(first)
        with psycopg.connect(place[0], autocommit=True) as connection:  # nobody has to wait a minute for it
            connection.execute("UPDATE site_desks SET until = '-infinity' WHERE work = 'lookout'")
        (second,) = (one for one in workers if one is not first)
        told = len(hook.got)
        assert wait_for(lambda: len(hook.got) > told)
        second.send_signal(signal.SIGINT)
        code, _, err = done(second)
        assert code == 11, err
        kinds = [one["kind"] for one in hook.got]
        keys = [one["id"] for one in hook.got]
        print(f"{kinds.count('change')} changes and {kinds.count('alarm')} alarms told, {len(set(keys))} different")
        assert len(keys) == len(set(keys)) and len(keys) > told > 0
        assert [one["sequence"] for one in hook.got] == sorted(one["sequence"] for one in hook.got)
        shown = command(place[2], "alerts", place[0], "--json", "--limit", 500)
        code, (listed,), err = done(shown)
        assert code == 0, err
        found = {one["id"] for one in listed["alerts"]}
        assert set(keys) <= found, "what was told is known"
        assert listed["targets"][0]["waiting"] == len(found) - len(keys), "the rest waits: its worker was stopped"
