"""What every catalog keeps of alerts and alarms."""

import contextlib
from pathlib import Path

import pytest

from contracts.stores import EACH, capture, found, visited
from servers import postgres
from strandline.alerts.alarms import AlarmKeeper
from strandline.core.capture import Evidence, Outcome
from strandline.core.quality.alarms import Point
from strandline.ports import Batch
from strandline.store.alarming import AlarmWriter, Observation, Visits
from strandline.store.catalog import DATABASE, open_catalog
from strandline.store.outbox import Alert, Outbox
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.outbox import SharedAlarms, SharedOutbox
from strandline.store.postgres.session import Session

DAY = 86_400.0


@pytest.fixture(params=EACH)
def opened(request, tmp_path):
    """A catalog, its alarms and its outbox."""
    with contextlib.ExitStack() as stack:
        if request.param == "sqlite":
            path = Path(tmp_path) / DATABASE
            made = (open_catalog(tmp_path, "test"), AlarmWriter.open(path), Outbox.open(path))
        else:
            url = postgres.running().database()
            made = (PostgresCatalog(url), SharedAlarms(Session(url)), SharedOutbox(Session(url)))
        for one in made:
            stack.enter_context(contextlib.closing(one))
        yield made


def _alert(number, **changes):
    given = {"kind": "change", "time": 100.0 * number, "site": "a.test", "url": f"http://a.test/{number}"}
    return Alert(**(given | {"importance": 0.5, "document": {"text": f"é {number}"}, "key": f"key-{number}"} | changes))


def test_an_alarm_opens_once_and_closes_once(opened):
    _, alarms, _ = opened
    assert alarms.raise_alarm("gone", "a.test", 10.0, "why") and not alarms.raise_alarm("gone", "a.test", 11.0, "again")
    assert alarms.raise_alarm("gone", "b.test", 12.0, "too")
    assert [(one.subject, one.opened, one.explanation) for one in alarms.open_alarms()] == [
        ("a.test", 10.0, "why"),
        ("b.test", 12.0, "too"),
    ]
    closed = alarms.clear_alarm("gone", "a.test", 20.0, "over")
    assert (closed.kind, closed.closed, closed.ending) == ("gone", 20.0, "over")
    assert alarms.clear_alarm("gone", "a.test", 21.0, "over") is None
    assert not alarms.is_open("gone", "a.test") and alarms.is_open("gone", "b.test")
    assert [one.subject for one in alarms.alarms(since=15.0)] == ["b.test", "a.test"]
    assert [one.subject for one in alarms.alarms(since=25.0)] == ["b.test"] and alarms.alarms(until=9.0) == []
    assert alarms.raise_alarm("gone", "a.test", 30.0, "once more")


def test_observations_are_kept_trimmed_and_settled(opened):
    _, alarms, _ = opened
    for number in range(110):
        point = Point(number / 200, 10, strange=number > 100)
        alarms.keep([Observation("a.test", "gone", point)], float(number), ("windows", {"seq": number}))
    points = alarms.points("a.test", "gone")
    assert len(points) == 100 and points[-1] == Point(109 / 200, 10, True)
    assert alarms.note("alarms", "windows") == b'{"seq": 109}'
    alarms.settle("a.test", "gone")
    assert not any(point.strange for point in alarms.points("a.test", "gone"))
    assert 0 < len(alarms.points("a.test", "gone")) < 100
    alarms.keep_note("audit", "file", 1.5)
    alarms.keep_note("audit", "file", 2.5)
    assert dict(alarms.notes("audit")) == {"file": b"2.5"}


def test_visits_are_counted_by_site_and_judged(opened):
    catalog, alarms, _ = opened
    told, numbers = [], {}
    desk = AlarmKeeper(alarms, told.append)
    urls = [f"http://a.test/{n}" for n in range(12)]
    catalog.add([found(url) for url in urls])
    desk.observe(0, 50.0)
    for round_, status in enumerate((*[200] * 9, 403, 403, 403)):
        batch = []
        for n, url in enumerate(urls):
            taken = capture(url, 200.0 + round_, offset=1000 * round_ + n, status=status, file=f"F{round_}.warc.gz")
            numbers.setdefault(url, catalog.page(url).page)
            batch.append(visited(numbers[url], taken, time=200.0 + round_, due=1e9))
        catalog.commit(Batch(batch))
        newest = alarms.progress() + alarms.waiting()
        desk.observe(newest, 300.0 + round_)
    assert [(one.kind, one.subject, one.closed) for one in told] == [("refused", "a.test", None)]
    assert len(alarms.points("a.test", "refused")) == 12 and alarms.present() == {"a.test": 12}
    assert alarms.visits_between(0, newest) == {"a.test": Visits(visits=144, refused=36)}
    lost = visited(numbers[urls[0]], None, outcome=Outcome.TIMEOUT, evidence=Evidence.UNREACHABLE, time=900.0)
    catalog.commit(Batch([lost]))
    assert alarms.failed_between(850.0, 950.0) == {"a.test": 1} and alarms.failed_between(950.0, 990.0) == {}
    assert alarms.in_vain_between(850.0, 950.0) == {}, "it is not tried again"
    tried = {"evidence": Evidence.UNREACHABLE, "attempts": 1}
    catalog.commit(
        Batch(
            [
                visited(numbers[urls[0]], None, outcome=Outcome.TIMEOUT, time=910.0, **tried),
                visited(numbers[urls[1]], None, outcome=Outcome.ANSWERED, time=920.0, **tried),
                visited(numbers[urls[2]], None, outcome=Outcome.OFFLINE, time=930.0, **tried),
            ]
        )
    )
    assert alarms.in_vain_between(850.0, 950.0) == {"a.test": (2, 910.0)} and alarms.in_vain_between(930.0, 990.0) == {}
    assert alarms.answered_since({"a.test": 210.0, "b.test": 0.0}, 0) == {"a.test"}
    assert alarms.answered_since({"a.test": 850.0}, 0) == set(), "what was answered then was answered before"
    assert alarms.answered_since({"a.test": 210.0}, newest) == set(), "told in a round before"
    assert alarms.present() == {"a.test": 9}, "three could not be had when they were asked for last"
    back = visited(numbers[urls[0]], capture(urls[0], 940.0, offset=1, file="back.warc.gz"), time=940.0)
    catalog.commit(Batch([back, visited(numbers[urls[3]], None, outcome=Outcome.TIMEOUT, time=950.0, **tried)]))
    assert alarms.present() == {"a.test": 9}


def test_what_is_asked_each_hour_looks_at_no_other_pages(tmp_path):
    """Of ten million pages a look at each takes seconds."""
    with (
        contextlib.closing(open_catalog(tmp_path, "test")),
        contextlib.closing(AlarmWriter.open(tmp_path / DATABASE)) as alarms,
    ):
        asked = []
        alarms._connection.set_trace_callback(asked.append)
        alarms.failed_between(1.0, 2.0)
        alarms.in_vain_between(1.0, 2.0)
        alarms.answered_since({"a.test": 1.0}, 5)
        alarms.present()
        alarms._connection.set_trace_callback(None)
        for query in asked:
            steps = [row[3] for row in alarms._connection.execute(f"EXPLAIN QUERY PLAN {query}")]
            assert not any(step.startswith(("SCAN pages", "SCAN captures")) for step in steps), (query, steps)
        assert len(asked) == 4


def test_deliveries_wait_in_order_and_are_marked(opened):
    _, _, outbox = opened
    both, room = (lambda _: ["one", "two"]), 3
    assert outbox.add([_alert(1), _alert(2)], both, room) == 2
    assert outbox.add([_alert(2), _alert(3)], lambda _: ["one"], room) == 1, "the same news twice"
    assert [one.key for one in outbox.alerts()] == ["key-3", "key-2", "key-1"]
    first, second, third = outbox.next_for("one", 5)
    assert [one.alert.document["text"] for one in (first, second, third)] == ["é 1", "é 2", "é 3"]
    outbox.trying("one", [first.alert], 5.0)
    outbox.postponed("one", [first.alert], 9.0, "no answer")
    (again,) = outbox.next_for("one")
    assert (again.tries, again.not_before, outbox.why("one")) == (1, 9.0, "no answer")
    outbox.delivered("one", [first.alert], 10.0, "taken")
    outbox.given_up("one", [second.alert], 11.0, "never")
    assert outbox.last_delivered("one") == 10.0 and outbox.last_delivered("two") == 0.0
    assert outbox.deliveries_of(first.alert.number) == [("one", 1, 1, 10.0, "taken"), ("two", 0, 0, 0.0, "")]
    outbox.add([_alert(n) for n in range(4, 8)], lambda _: ["two"], room)
    queues = {queue.target: queue for queue in outbox.queues()}
    assert (queues["one"].waiting, queues["one"].delivered, queues["one"].given_up) == (1, 1, 1)
    assert (queues["two"].waiting, queues["two"].pushed_out) == (3, 3)
    outbox.tidy(["two"], 100.0)
    assert outbox.next_for("one") == [] and len(outbox.next_for("two", 9)) == 3
    outbox.tidy([], 1000 * DAY)
    assert [*outbox.alerts()] == [] and outbox.queues() == []
