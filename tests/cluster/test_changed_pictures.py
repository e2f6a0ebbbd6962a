"""The alerts of a cluster link the pictures of a change, and mail brings them, as those of a folder."""

import time
from contextlib import closing
from dataclasses import replace

import pytest

from access.test_pictures import URL, pictured
from made.receivers import MailServer, Webhook, wait_for
from servers import object_stores, postgres
from strandline.access.timestamps import timestamp
from strandline.cluster.archive import open_shared
from strandline.cluster.changed_pictures import ChangedPictures
from strandline.cluster.migrating import to_cluster
from strandline.cluster.monitor import SharedAlertMonitor
from strandline.cluster.shared import open_cluster
from strandline.keeping.takedowns import Wish, block
from strandline.settings.file import with_overrides
from strandline.store.postgres.session import Session
from strandline.study.framed_pictures import framed_pictures
from strandline.study.pending import study
from study.test_framed_pictures import LOOKS
from warc.exchanges import START

pytestmark = postgres.GROUP


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """A cluster with a page that was shown twice, studied."""
    object_stores.entered(monkeypatch)
    folder, _ = pictured(tmp_path / "archive", LOOKS)
    database = postgres.running().database()
    to_cluster(folder.folder, database, f"{object_stores.running().bucket()}/web", lambda _: None)
    with closing(open_shared(database)) as archive:
        study(archive)
        yield archive, database


def test_a_change_of_a_cluster_has_pictures_until_it_is_taken_down(shared):
    archive, database = shared
    (change,) = archive.studies.changes()
    on = with_overrides(archive.settings, ["capture.screenshots=true"])
    renewed = []
    with closing(ChangedPictures(open_cluster(database))) as pictures:
        assert pictures.looking(on, lambda: renewed.append(1))(change) and renewed == [1]
        assert not pictures.looking(archive.settings, lambda: None)(change), "nobody takes any"
        assert framed_pictures(archive, URL, change.after, change.by) is not None
        block(archive, Wish(f"{timestamp(change.after)}/{URL}", "somebody asked"))
        assert wait_for(lambda: not pictures.looking(on, lambda: None)(change), 30)


def test_a_store_that_is_away_costs_the_pictures_and_nothing_else(shared, tmp_path):
    archive, database = shared
    (change,) = archive.studies.changes()
    on = with_overrides(archive.settings, ["capture.screenshots=true"])
    elsewhere = replace(open_cluster(database), store=(tmp_path / "empty").as_uri())
    with closing(ChangedPictures(elsewhere)) as pictures:
        assert not pictures.looking(on, lambda: None)(change)
    nowhere = replace(open_cluster(database), store="s3://no-such-bucket/web")
    looks = []
    with closing(ChangedPictures(nowhere)) as pictures:
        looking = pictures.looking(on, lambda: looks.append(1))
        assert not looking(change) and not looking(change) and looks == [1], "it is not waited for again and again"


def test_alerts_link_and_mail_brings_them(shared, monkeypatch):
    archive, database = shared
    (change,) = archive.studies.changes()
    monkeypatch.setattr("strandline.alerts.alert.HISTORY", time.time() - START + 86400.0)
    with closing(Webhook()) as hook, closing(MailServer()) as mail, closing(Session(database)) as session:
        given = [
            f'alerts.webhooks=["{hook.url} min=0"]',
            'alerts.email=["anna@example.org min=0"]',
            f'alerts.smtp="smtp://127.0.0.1:{mail.port}"',
            'alerts.sender="archive@example.org"',
            'alerts.allow_address=["127.0.0.1/32"]',
            'alerts.link="https://archive.example/"',
            "capture.screenshots=true",
        ]
        # What was moved here is history; as if a worker had found it now:
        session.run(lambda connection: connection.execute("INSERT INTO undecided SELECT change FROM changes"))
        cluster = open_cluster(database)
        cluster = replace(cluster, settings=with_overrides(cluster.settings, given))
        monkeypatch.setattr("strandline.cluster.monitor.kept_settings", lambda _: b"")
        with closing(SharedAlertMonitor(cluster, session, 1, 3600.0)) as monitor:
            assert monitor.step() and wait_for(lambda: hook.got and mail.messages)
    (told,), (message,) = hook.got, mail.messages
    old, new = timestamp(change.after), timestamp(change.by)
    assert told["picture"] == f"https://archive.example/framed/{new}/{old}/{URL}" and told["pictured"] is True
    assert told["picture_before"] == f"https://archive.example/framed/{old}/{new}/{URL}"
    assert sum(part.get_content_maintype() == "image" for part in message.walk()) == 2
