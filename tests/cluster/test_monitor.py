"""Alerts and alarms of a cluster: decided once and delivered once, whoever keeps the monitor, and whoever dies."""

import time
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest

from contracts.stores import capture, found, visited
from made.alerting import settings_for
from made.receivers import Webhook, wait_for
from made.worded import versions
from servers import postgres
from strandline.alerts.targets import shown
from strandline.app.alerts_listing import alarms, told, try_targets
from strandline.app.opening import place_of
from strandline.cluster.archive import open_shared
from strandline.cluster.monitor import SharedAlertMonitor, StandIn
from strandline.cluster.shared import init_cluster
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.errors import LeaseLost
from strandline.keeping.searches import save_search
from strandline.ports import Batch
from strandline.report.spans import ReportRequest, report
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.outbox import DeliveryOutbox, SharedOutbox
from strandline.store.postgres.session import Session
from strandline.store.postgres.studying import DeskStudies

pytestmark = postgres.GROUP
HOUR = 3600.0


class Made:
    """A cluster with a webhook, and what workers do in it."""

    def __init__(self, store, *hooks, **settings):
        self.database = postgres.running().database()
        given = settings_for(*(hook.url for hook in hooks), **settings)
        self.cluster = init_cluster(self.database, store.as_uri(), lambda _: given)
        self.session = Session(self.database)
        self.offset = 0

    def do(self, statement):
        return self.session.run(lambda connection: connection.execute(statement).fetchall())

    def change(self, *urls, importance=0.8):
        """Captures of pages, each studied as a change."""
        now = time.time()
        with closing(PostgresCatalog(self.database)) as catalog:
            catalog.add([found(url, due=now) for url in urls])
            batch = []
            for url in urls:
                self.offset += 1
                taken = capture(url, now, self.offset * 100)
                batch.append(visited(catalog.page(url).page, taken, time=now, due=now + 1e6))
            catalog.commit(Batch(batch))
        self.study(importance)

    def study(self, importance=0.8):
        studies = DeskStudies(self.session, 1, 60.0)
        pending = [*studies.reading.pending()]
        studies.record([_study(one, importance) for one in pending], pending[-1].seq)

    def monitor(self, session):
        return SharedAlertMonitor(self.cluster, session, 1, HOUR)

    def close(self):
        self.session.close()


def test_saved_searches_tell_of_new_pages_and_of_changes_once(made, hook):
    old, new = "http://a.test/old", "http://a.test/new"
    now = time.time()

    def seen(url, at, text):
        with closing(PostgresCatalog(made.database)) as catalog:
            catalog.add([found(url, due=at)])
            made.offset += 1
            taken = capture(url, at, made.offset * 100)
            catalog.commit(Batch([visited(catalog.page(url).page, taken, time=at, due=at + 1e6)]))
        studies = DeskStudies(made.session, 1, 60.0)
        (one,) = studies.reading.pending()
        known = studies.reading.state(one.page)
        (sight,) = versions([(at, text)])
        changes = (replace(_study(one, 0.01).changes[0], after=now - 200.0),) if known else ()
        state = replace(known or PageState(), seen=at, time=at)
        studies.record([PageStudy(one.page, state, changes, (replace(sight, seq=one.seq),))], one.seq)

    seen(old, now - 200.0, "Nothing of note")
    with closing(Session(made.database)) as session, closing(made.monitor(session)) as monitor:
        assert monitor.step()
        with closing(open_shared(made.database)) as archive:
            save_search(place_of(archive), "port", "harbour")
        monitor._next_troubles = 0.0
        assert monitor.step(), "settings are taken as they are now"
        seen(old, now - 100.0, "The harbour is open")
        seen(new, now - 90.0, "A harbour of its own")
        assert monitor.step() and wait_for(lambda: len(hook.got) == 2)
        assert monitor.decide() == 0
    assert sorted((one["url"], one["search"], one["event"]) for one in hook.got) == [
        (new, "port", "appeared"),
        (old, "port", "appeared"),
    ]
    assert made.do("SELECT count(*) FROM new_pages") == [(0,)]


def _study(one, importance):
    seen = Observed(
        after_seq=max(one.seq - 1, 1),
        by_seq=one.seq,
        after=one.capture.time - 50.0,
        by=one.capture.time,
        importance=importance,
        impch=importance,
        visible=True,
        held=False,
        operations=3,
        blocks=({"path": "html/body", "kind": "update", "why": "new words", "topic": "tide"},),
    )
    return PageStudy(one.page, PageState(), (seen,))


@pytest.fixture
def hook():
    with closing(Webhook()) as receiver:
        yield receiver


@pytest.fixture
def made(tmp_path, hook):
    with closing(Made(tmp_path, hook)) as cluster:
        yield cluster


def test_each_change_is_told_once_whoever_keeps_the_monitor(made, hook):
    urls = [f"http://a.test/{n}" for n in range(4)]
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(closing(made.monitor(stack.enter_context(closing(Session(made.database))))))
            for _ in range(2)
        )
        assert first.step() and not second.step(), "two keep the monitor"
        made.change(*urls[:2])
        made.change("http://a.test/dull", importance=0.01)
        assert first.step() and wait_for(lambda: len(hook.got) == 2)
        # The first falls asleep; its duty goes to the second, and what it wants to write then is refused.
        made.change(urls[2])
        made.do("UPDATE site_desks SET until = '-infinity' WHERE work = 'lookout' RETURNING 1")
        second._next_turn = 0.0
        assert second.step()
        made.change(urls[3])
        with pytest.raises(LeaseLost):
            first.decide()
        with pytest.raises(LeaseLost):
            first.step()
        assert second.step() and wait_for(lambda: len(hook.got) == 4)
    assert [one["url"] for one in hook.got] == urls and len({one["id"] for one in hook.got}) == 4
    with closing(open_shared(made.database)) as archive:
        listed = told(archive).as_data()
    assert listed["targets"][0] | {"last": ""} == {
        "target": shown(hook.url),
        **{"waiting": 0, "delivered": 4, "given_up": 0, "pushed_out": 0, "last": "", "problem": ""},
    }


def test_what_is_studied_anew_is_not_told_again(made, hook):
    with closing(made.monitor(made.session)) as monitor:
        assert monitor.step()
        made.change("http://a.test/")
        assert monitor.decide() == 1
        made.do("DELETE FROM changes RETURNING 1")
        made.do(
            """INSERT INTO changes
                   (page, after_seq, by_seq, after, by, importance, impch, visible, held, operations, blocks)
               SELECT page, 0, seq, time - 1, time, 0.9, 0.9, 1, 0, 1, '' FROM captures RETURNING 1"""
        )
        assert monitor.decide() == 0 and made.do("SELECT * FROM undecided") == []


def test_one_delivery_process_sees_to_a_target_and_a_late_one_sends_nothing(made):
    target = "https://hooks.example/"
    with ExitStack() as stack:
        outbox, first, second = (
            stack.enter_context(closing(kind(Session(made.database))))
            for kind in (SharedOutbox, DeliveryOutbox, DeliveryOutbox)
        )
        assert first.next_for(target) == []
        with closing(made.monitor(made.session)) as monitor:
            monitor.step()
            made.change("http://a.test/1", "http://a.test/2")
            monitor._dispatch.wanted = lambda _: [target]
            assert monitor.decide() == 2
        (delivery,) = first.next_for(target)
        assert second.next_for(target) == [], "two deliver to one target"
        first.trying(target, [delivery.alert], 1.0)
        made.do("UPDATE site_desks SET until = '-infinity' WHERE work = 'delivery' RETURNING 1")
        assert [one.alert.key for one in second.next_for(target)] == [delivery.alert.key]
        with pytest.raises(LeaseLost):
            first.trying(target, [delivery.alert], 2.0)
        first.delivered(target, [delivery.alert], 3.0, "taken")  # the answer came after all: that is so
        (rest,) = second.next_for(target, 5)
        second.trying(target, [rest.alert], 4.0)
        second.delivered(target, [rest.alert], 5.0, "taken")
        assert second.next_for(target) == [] == first.next_for(target)
        assert made.do("SELECT until FROM site_desks WHERE work = 'delivery' AND until > now()") == []
        assert [queue.delivered for queue in outbox.queues() if queue.target == target] == [2]


def test_alarms_of_a_cluster_open_once_are_told_and_close(made, hook):
    made.do(
        """INSERT INTO workers (name, seen) VALUES ('1@here', clock_timestamp()),
           ('2@lost', clock_timestamp() - interval '10 minutes') RETURNING 1"""
    )
    with closing(made.monitor(made.session)) as monitor:
        monitor.step()
        monitor.look()
        monitor._cluster = replace(made.cluster, store="file:///proc/nowhere")
        monitor.try_store()
        monitor.try_store()
        with closing(open_shared(made.database)) as archive:
            assert {(one.kind, one.subject) for one in alarms(archive)} == {
                ("worker", "2@lost"),
                ("store", "file:///proc/nowhere"),
            }
        made.do("UPDATE workers SET ended = seen WHERE name = '2@lost' RETURNING 1")
        monitor.look()
        assert wait_for(lambda: len(hook.got) == 3)
    assert [(one["kind"], one["event"], one["alarm"]) for one in hook.got] == [
        ("alarm", "opened", "worker"),
        ("alarm", "opened", "store"),
        ("alarm", "closed", "worker"),
    ]


def test_somebody_tells_when_all_workers_are_dead(made, hook):
    made.change("http://a.test/")
    made.do("UPDATE hosts SET queued = 7 RETURNING 1")
    made.do("UPDATE workers SET seen = now() - interval '1 hour', ended = NULL, started = seen RETURNING 1")
    with closing(Session(made.database)) as session, closing(StandIn(made.cluster, session, 0, HOUR)) as stand_in:
        made.do("INSERT INTO workers (name) VALUES ('9@alive') RETURNING 1")
        assert not stand_in.step(), "a worker is there to do it"
        made.do("UPDATE workers SET seen = now() - interval '1 hour' RETURNING 1")
        assert stand_in.step()
        assert wait_for(lambda: {one.get("alarm") for one in hook.got} >= {"workers", "worker", None})
        made.do("UPDATE workers SET seen = now() WHERE name = '9@alive' RETURNING 1")
        assert not stand_in.step()
        with closing(made.monitor(made.session)) as monitor:
            assert monitor.step(), "the duty was not given back"
            assert "workers" not in {alarm.kind for alarm in monitor._alarms.open_alarms()}
    assert sorted(one["kind"] for one in hook.got)[-1] == "change"


def test_hours_are_accounted_for_and_reported(made):
    start = (time.time() // HOUR - 2) * HOUR
    made.change("http://a.test/1", "http://a.test/2", "http://b.test/1")
    made.do(f"UPDATE captures SET time = {start + 60} WHERE seq <= 2 RETURNING 1")
    for begin in (start, start + HOUR, start + 2 * HOUR):
        made.do(
            f"""INSERT INTO plan_hours (start, round, divided, visits, taken, price)
                VALUES ({begin}, 0, {begin}, 5, 4, 0) RETURNING 1"""
        )
    with closing(made.monitor(made.session)) as monitor:
        monitor.step()
        monitor.observe()
    assert made.do("SELECT start, planned, firsts, revisits FROM watch_hours ORDER BY start") == [
        (start, 4, 2, 0),
        (start + HOUR, 4, 0, 0),
    ]
    assert made.do("SELECT value FROM notes WHERE kind = 'lookout'") == [(b"2",)], "the hour under way comes next"
    with closing(open_shared(made.database)) as archive:
        told_of = report(archive, ReportRequest()).as_data()["intended"]
    assert (told_of["hours"], told_of["planned"], told_of["firsts"]) == (2, 8, 2)


def test_a_test_reaches_every_target(made, hook):
    with closing(open_shared(made.database)) as archive:
        assert try_targets(archive) == [(shown(hook.url), True, "answered 204")]
    assert [one["kind"] for one in hook.got] == ["test"]
