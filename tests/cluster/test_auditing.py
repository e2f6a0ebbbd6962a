"""Fixity in a cluster: `verify` and the audit beside the monitor find what was changed or taken away in the store."""

import time
from contextlib import closing

import obstore
import pytest

from contracts.stores import found, visited
from journeys.command import strandline
from made.alerting import settings_for
from made.receivers import Webhook, wait_for
from servers import object_stores, postgres
from strandline.alerts import fixity_audit as alarms_audit
from strandline.app import auditing as auditing_of_all
from strandline.app.alerts_listing import alarms
from strandline.app.auditing import audit_archive
from strandline.cluster import auditing
from strandline.cluster.archive import open_shared
from strandline.cluster.monitor import SharedAlertMonitor, StandIn
from strandline.cluster.shared import init_cluster
from strandline.errors import Unreachable, UsageError
from strandline.ports import Batch
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.session import Session
from strandline.warc.objects import Objects
from strandline.warc.objects_writer import ObjectWriter
from strandline.warc.writer import WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange

pytestmark = postgres.GROUP
URLS = [f"http://a.example/{n}" for n in range(3)]


class Kept:
    """A cluster with three captures in three files, and somebody who is told."""

    def __init__(self, folder, hook):
        self.database, store = postgres.running().database(), f"{object_stores.running().bucket()}/web"
        self.cluster = init_cluster(self.database, store, lambda _: settings_for(hook.url))
        self.objects = Objects(store)
        self.session = Session(self.database)
        now = time.time()
        with closing(PostgresCatalog(self.database)) as catalog:
            catalog.add([found(url, due=now) for url in URLS])
            parts = (self.objects, folder / "spool", ABOUT, StillClock(), WriterSettings(host="w1", rotate_bytes=1))
            with closing(ObjectWriter(*parts)) as writer:
                self.captures = []
                for url in URLS:
                    self.captures.append(writer.keep(exchange(url, url.encode() * 90, started=now)))
                    writer.sync()
            pages = [(catalog.page(one.url).page, one) for one in self.captures]
            catalog.commit(Batch([visited(page, one, time=now, due=now + 1e6) for page, one in pages]))
        self.names = [f"archive/{one.place.file}" for one in self.captures]

    def change(self, name, place):
        data = self.objects.get(name)
        self.put(name, data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        return data

    def put(self, name, data):
        obstore.put(self.objects._store, name, data, mode="overwrite")

    def alarms(self):
        with closing(open_shared(self.database)) as archive:
            return {one.subject: one.explanation for one in alarms(archive) if one.kind == "fixity"}

    def noted(self):
        query = "SELECT key FROM notes WHERE kind = 'audit' ORDER BY key"
        return [key for (key,) in self.session.run(lambda connection: connection.execute(query).fetchall())]

    def look(self, until, kind=SharedAlertMonitor):
        """Keep the monitor until something is so; whether it came to be."""
        self.session.run(lambda connection: connection.execute("DELETE FROM notes WHERE kind = 'audit'"))
        with closing(Session(self.database)) as session, closing(kind(self.cluster, session, 1, 1.0)) as monitor:
            return wait_for(lambda: monitor.step() is not None and until(), 600.0)


@pytest.fixture
def hook():
    with closing(Webhook()) as receiver:
        yield receiver


@pytest.fixture
def kept(tmp_path, hook, monkeypatch):
    object_stores.entered(monkeypatch)
    made = Kept(tmp_path, hook)
    yield made
    made.session.close()


def verified(kept, older_than=""):
    with closing(open_shared(kept.database)) as archive:
        return audit_archive(archive, older_than)


def test_verify_finds_what_was_changed_and_what_is_gone_and_says_so(kept, hook):
    sound = verified(kept)
    assert sound.ok and (sound.captures, sound.files) == (3, 3)
    files = [one.place.file for one in kept.captures]
    assert kept.noted() == files
    whole = kept.change(kept.names[1], kept.captures[1].place.offset + 200)
    lost = kept.objects.get(kept.names[2])
    kept.objects.delete([kept.names[2]])
    damaged = strandline("verify", kept.database, env=object_stores.running().environment())
    assert damaged.code == 6, damaged.err
    *lines, last = damaged.out.splitlines()
    assert len(lines) == 2 and last == "2 problems. 3 captures checked."
    assert lines[0].startswith(files[1]) and lines[0].endswith(URLS[1])
    assert "the file is missing" in lines[1] and lines[1].endswith(URLS[2])
    assert list(kept.alarms()) == [""] and wait_for(lambda: [one.get("alarm") for one in hook.got] == ["fixity"])
    # All were noted as sound before the damage: that counts no more for those that are not.
    again = verified(kept, "1 day")
    assert {one.file for one in again.problems} == set(files[1:]) and again.left_out == 1
    assert list(kept.alarms()) == [""]
    kept.put(kept.names[1], whole)
    kept.put(kept.names[2], lost)
    rest = verified(kept, "1 day")
    assert rest.ok and (rest.captures, rest.left_out) == (2, 1)
    assert kept.alarms() == {} and wait_for(lambda: hook.got[-1]["event"] == "closed")
    with pytest.raises(UsageError, match="--older-than"):
        verified(kept, "soon")


def test_a_database_that_goes_away_for_a_moment_does_not_end_an_audit(kept, monkeypatch):
    def away(*_):
        raise Unreachable("away")

    monkeypatch.setattr(auditing_of_all, "note_sound", away)
    monkeypatch.setattr(auditing_of_all, "note_audit", away)
    assert verified(kept).ok and kept.noted() == []


def test_the_monitor_compares_everything_and_raises_an_alarm_for_each_file(kept, hook, monkeypatch):
    monkeypatch.setattr(alarms_audit, "_LONGEST", 0.1)  # seconds for a file
    monkeypatch.setattr(auditing, "_EVERY", 0.2)
    files = [one.place.file for one in kept.captures]
    assert kept.look(lambda: kept.noted() == files) and kept.alarms() == {}
    whole = kept.change(kept.names[0], 9)
    lost = kept.objects.get(kept.names[2])
    kept.objects.delete([kept.names[2]])
    told = sorted([("opened", files[2]), ("opened", files[0])])
    assert kept.look(lambda: sorted((one["event"], one["subject"]) for one in hook.got) == told), hook.got
    assert set(kept.alarms()) == {files[0], files[2]}
    assert "is not as written" in kept.alarms()[files[0]] and "is missing" in kept.alarms()[files[2]]
    kept.put(kept.names[0], whole)
    kept.put(kept.names[2], lost)
    assert kept.look(lambda: [one["event"] for one in hook.got].count("closed") == 2)
    assert not kept.alarms()


def test_the_interface_keeps_the_monitor_but_reads_no_store(kept):
    with closing(Session(kept.database)) as session, closing(StandIn(kept.cluster, session, 0, 1.0)) as monitor:
        kept.session.run(lambda connection: connection.execute("UPDATE workers SET ended = clock_timestamp()"))
        assert monitor.step()
        monitor._next_audit = 0.0
        assert monitor.step() and monitor._audit is None
