"""Logins of a cluster: encrypted in its database, used by its workers, in no file; a logout pauses the site for all."""

import base64
import threading
import time
from contextlib import closing, suppress

import pytest

from cli.test_login import cookies_file
from made.receivers import Webhook, wait_for
from made.shared_secrets import remains_shared
from servers import object_stores, postgres
from servers.login_site import NAME, PASSWORD, RENEWED, SESSION, members_only
from strandline.app.alerts_listing import alarms
from strandline.archive.login_store import VARIABLE
from strandline.cluster import logins as cluster_logins
from strandline.cluster.archive import open_shared
from strandline.cluster.logins import ClusterLogins, logins_job
from strandline.cluster.migrating import to_folder
from strandline.cluster.monitor import SharedAlertMonitor
from strandline.cluster.shared import init_cluster, open_cluster
from strandline.cluster.worker import WorkerRequest, run_worker
from strandline.core.logins import Cookie
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.errors import SettingError, UsageError
from strandline.keeping.logins import forget_login, import_cookies, keep_password, login_sites
from strandline.settings.file import with_overrides
from strandline.store.postgres.session import Session

pytestmark = postgres.GROUP
SECRETS = (SESSION, RENEWED, PASSWORD)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    object_stores.entered(monkeypatch)
    monkeypatch.setenv(VARIABLE, base64.b64encode(b"k" * 32).decode())


def made(*seeds, **settings):
    """A cluster of sites on loopback."""
    named = ", ".join(f'"{seed}/"' for seed in seeds)
    given = [
        "archive.contact=https://library.example/bot",
        f"scope.seeds=[{named}]",
        'fetch.allow_address=["127.0.0.0/8"]',
        "politeness.delay=0",
        "study.workers=0",
        *(f"{name.replace('__', '.')}={value}" for name, value in settings.items()),
    ]
    store = f"{object_stores.running().bucket()}/web"
    return init_cluster(postgres.running().database(), store, lambda known: with_overrides(known, given))


def passed(cluster, say=lambda _: None, **limits):
    """One pass of one worker, with the settings as they are now."""
    request = WorkerRequest(CrawlRequest(limits=Limits(**limits)), lease=5.0, say=say)
    return run_worker(open_cluster(cluster.database), request)


def bodies(archive, url):
    found = [one for one in archive.captures(url) if not one.revisit]
    return [archive.records.read(one.place).body.read().decode() for one in found]


def test_workers_are_logged_in_and_the_session_stands_in_no_object_and_no_table(tmp_path):
    told = []
    with members_only() as (base, members), members_only(host="127.0.0.2") as (other, strangers):
        members.other = other
        cluster = made(base, other)
        with closing(open_shared(cluster.database)) as archive:
            kept = import_cookies(archive, base, cookies_file(tmp_path))
            assert kept.cookies == 1 and login_sites(archive) == ["127.0.0.1"]
            passed(cluster, told.append)
            assert "Members read line 3" in bodies(archive, f"{base}/one")[0]
            assert (f"session={SESSION}", "") in members.sent("/one")
            assert members.sent("/robots.txt") == [("", "")], "nothing is sent for robots.txt"
            assert strangers.asked and not any(cookie for _, cookie, _ in strangers.asked)
            assert remains_shared(archive, SECRETS) == [] and not any(word in " ".join(told) for word in SECRETS)
            assert archive.verify().ok
    to_folder(cluster.database, tmp_path / "folder", lambda _: None)
    for path in (tmp_path / "folder").rglob("*"):
        assert path.is_dir() or not any(word.encode() in path.read_bytes() for word in SECRETS), path
        assert not path.name.startswith("logins.")


def test_what_a_page_asks_for_in_a_browser_is_logged_in_too(tmp_path):
    with members_only() as (base, members):
        cluster = made(base, capture__browser='"always"', capture__screenshots="true")
        with closing(open_shared(cluster.database)) as archive:
            import_cookies(archive, base, cookies_file(tmp_path))
            passed(cluster, captures=6)
            assert members.sent("/news.json") and all(cookie for cookie, _ in members.sent("/news.json"))
            shown = [one for one in archive.captures(f"{base}/") if one.rendering is not None]
            assert shown and remains_shared(archive, SECRETS) == []


def test_the_search_for_secrets_finds_what_is_kept_on_purpose(tmp_path):
    with members_only() as (base, _members):
        cluster = made(base, keep__keep_secrets="true")
        with closing(open_shared(cluster.database)) as archive:
            import_cookies(archive, base, cookies_file(tmp_path))
            passed(cluster)
            assert remains_shared(archive, SECRETS)


def test_a_name_and_a_password_of_the_environment(monkeypatch):
    monkeypatch.setenv("STRANDLINE_LOGIN_NAME", NAME)
    monkeypatch.setenv("STRANDLINE_LOGIN_PASSWORD", PASSWORD)
    with members_only("401") as (base, _members):
        cluster = made(base)
        with closing(open_shared(cluster.database)) as archive:
            assert keep_password(archive, base).password
            passed(cluster)
            assert "Members read line 3" in bodies(archive, f"{base}/one")[0]
            assert remains_shared(archive, SECRETS) == []


def test_without_the_key_nobody_logs_in_and_no_worker_asks_for_anything(tmp_path, monkeypatch):
    with members_only() as (base, members):
        cluster = made(base)
        with closing(open_shared(cluster.database)) as archive:
            key = base64.b64encode(b"l" * 32).decode()
            monkeypatch.delenv(VARIABLE)
            with pytest.raises(SettingError, match=VARIABLE):
                import_cookies(archive, base, cookies_file(tmp_path))
            assert ClusterLogins(cluster).sealed() == b"" and login_sites(archive) == []
            monkeypatch.setenv(VARIABLE, key)
            import_cookies(archive, base, cookies_file(tmp_path))
            sealed = ClusterLogins(cluster).sealed()
            assert SESSION.encode() not in sealed and b"session" not in sealed and b"127.0.0.1" not in sealed
            for other in (base64.b64encode(b"k" * 32).decode(), "short", ""):
                monkeypatch.setenv(VARIABLE, other)
                with pytest.raises(SettingError):
                    passed(cluster)
                with pytest.raises(SettingError):
                    login_sites(archive)
            assert members.asked == []
            monkeypatch.setenv(VARIABLE, key)
            forget_login(archive, base)
            assert login_sites(archive) == [] and ClusterLogins(cluster).sealed() == b""
            with pytest.raises(UsageError):
                forget_login(archive, base)


@pytest.mark.parametrize("how", ["form", "401"])
def test_a_site_that_logs_out_is_paused_for_all_told_and_goes_on_after_a_login(tmp_path, how):
    with members_only(how) as (base, members), closing(Webhook()) as hook:
        cluster = made(base, alerts__webhooks=f'["{hook.url} only=alarms"]', alerts__allow_address='["127.0.0.1/32"]')
        named = base.removeprefix("http://")
        with closing(open_shared(cluster.database)) as archive, closing(Session(cluster.database)) as session:
            import_cookies(archive, base, cookies_file(tmp_path))
            passed(cluster)
            members.out = True
            passed(cluster)
            assert [(one.kind, one.subject) for one in alarms(archive)] == [("login", named)]
            known = open_cluster(cluster.database)
            assert [(one.name, one.state) for one in known.settings.site] == [(named, "paused")]
            asked = len(members.asked)
            passed(cluster)
            assert len(members.asked) == asked, "nobody asks a site that is paused"
            with closing(SharedAlertMonitor(known, session, 1, 3600.0)) as monitor:
                assert monitor.step() and wait_for(lambda: any(one["alarm"] == "login" for one in hook.got))
                members.out = False
                assert import_cookies(archive, base, cookies_file(tmp_path)).resumed
                assert alarms(archive) == []
                monitor._next_troubles = 0.0
                assert monitor.step() and wait_for(lambda: [one["event"] for one in hook.got] == ["opened", "closed"])
            assert open_cluster(cluster.database).settings.site[0].state == "active"
            passed(cluster)
            assert len(members.asked) > asked
            assert remains_shared(archive, SECRETS) == []


def test_a_worker_begins_anew_with_other_logins(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_logins, "_EVERY", 0.1)
    with members_only() as (base, members):
        cluster = made(base)
        told = []
        request = WorkerRequest(CrawlRequest(limits=Limits(seconds=300.0)), lease=5.0, hour=3600.0, say=told.append)

        def work():
            # It goes on when the test is over, whose key it does not find any more then.
            with suppress(SettingError):
                run_worker(open_cluster(cluster.database), request)

        threading.Thread(target=work, daemon=True).start()
        assert wait_for(lambda: members.sent("/"), 120)
        with closing(open_shared(cluster.database)) as archive:
            import_cookies(archive, base, cookies_file(tmp_path))
            assert wait_for(lambda: "logins" in "".join(told), 60), told


def test_only_another_login_ends_a_run():
    cluster = made("http://127.0.0.1:9")
    shelf, ended = ClusterLogins(cluster), []
    job = logins_job(shelf, shelf.sealed(), lambda: ended.append(time.time()))
    with job.opened(lambda: False) as step:
        step()
        assert ended == []
        shelf.change(lambda known: known.with_cookies([Cookie("a", "1", "example.org")]))
        step()
        assert len(ended) == 1
