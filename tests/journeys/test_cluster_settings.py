"""Workers follow other settings while they work: no page is lost or asked twice, what is wrong changes nothing."""

import contextlib
import json
import threading
from pathlib import Path

import psycopg
import pytest

from journeys.test_cluster import indexed, init, place, readable, worker
from servers import postgres
from servers.sites import sites
from strandline.app.opening import open_archive
from strandline.cluster.following import Account, Following, mark_of
from strandline.cluster.shared import Cluster, init_cluster, kept_settings
from strandline.cluster.worker import WorkerRequest, run_worker
from strandline.core.urls import surt_key
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.crawl.tally import Tally
from strandline.errors import SettingError
from strandline.keeping.erasing import erase
from strandline.keeping.takedowns import Wish
from strandline.settings.file import settings_text, with_overrides
from strandline.settings.schema import Settings
from strandline.store.postgres.reading import PostgresReading

pytestmark = postgres.GROUP
__all__ = ["place"]


def change(database, *assignments):
    return init_cluster(database, "", lambda known: with_overrides(known, assignments))


def keep(database, text):
    """Write settings past all checks, as another release might."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE notes SET value = %s WHERE kind = 'cluster' AND key = 'settings'", (text.encode(),))


def kept(database):
    with contextlib.closing(PostgresReading.at(database)) as reading:
        return kept_settings(reading).decode()


def test_scope_and_pauses_change_while_a_worker_fetches(place, tmp_path):
    database = place[0]
    with sites(tmp_path, hosts=2, pages=40, size=300) as site:
        init(place, site, **{"politeness.delay": "1.5"})
        process, heard, said = worker(place, lease=2), [], []
        captured, refused = threading.Event(), threading.Event()

        def listen():
            for line in process.stdout:
                heard.append(json.loads(line))
                if len(heard) >= 4:
                    captured.set()

        def read():
            for line in process.stderr:
                said.append(line)
                if "cannot be used here" in line:
                    refused.set()

        readers = [threading.Thread(target=one) for one in (listen, read)]
        for one in readers:
            one.start()
        assert captured.wait(600)
        good = kept(database)
        keep(database, good + "\n[later]\nkey = 1\n")
        assert refused.wait(600)
        with pytest.raises(SettingError, match=r"plan\.budget"):
            keep(database, good)
            change(database, "plan.budget=much")
        second = surt_key(site.seeds[1])
        change(database, f'scope.exclude=["{second}"]', "politeness.delay=0")
        assert process.wait(600) == 0, said
        for one in readers:
            one.join()
        for pipe in (process.stdout, process.stderr):
            pipe.close()
        lines = "".join(said)
        assert lines.count("cannot be used here") == 1 and "later" in lines
        assert lines.count("other settings from now on: scope.exclude, politeness.delay") == 1, lines
        asked = site.asked()
        first = {url for url in site.urls if url.startswith(site.seeds[0])}
        assert first <= set(asked) and max(asked.values()) == 1
        assert 0 < sum(url.startswith(site.seeds[1]) for url in asked) < len(first), "what is out of scope was fetched"
        captures = indexed(place)
        assert heard[-1]["event"] == "done" and len(captures) == len(heard) - 1
        assert heard[-1]["captured"] + heard[-1]["unchanged"] == len(captures), "of both runs"
        readable(place, captures)
        assert len({capture.place.file for capture in captures}) == 2, "it went on under another number"


def test_a_wider_scope_reads_pages_again_that_did_not_change(place, tmp_path):
    with sites(tmp_path, hosts=1, pages=3, size=300) as site:
        start = [
            *("archive.contact=https://a.example/", f'scope.seeds=["{site.seeds[0]}"]', "scope.sitemaps=false"),
            *("scope.hops=0", "politeness.delay=0", "study.workers=0", "keep.disk_reserve=0"),
            'fetch.allow_address=["127.0.0.0/8"]',
        ]
        cluster = init_cluster(place[0], place[1], lambda known: with_overrides(known, start))
        kept = [run_worker(cluster, WorkerRequest(lease=2.0, commit_seconds=0.1))]
        cluster = change(place[0], "scope.hops=5")
        kept.append(run_worker(cluster, WorkerRequest(lease=2.0, commit_seconds=0.1)))
        assert [(tally.unchanged, tally.captured) for tally in kept] == [(0, 2), (1, 4)], "the first with robots.txt"
        assert {url for url in site.asked() if not url.endswith("robots.txt")} == site.urls


def test_what_no_worker_follows_is_taken_in_silence_and_what_is_wrong_is_told_once(place):
    said = []
    change_all = ["archive.contact=https://a.example/"]
    cluster = init_cluster(place[0], place[1], lambda known: with_overrides(known, change_all))
    following = Following(cluster, said.append)

    def look():
        return following.look(mark_of(kept(place[0]).encode()))

    assert not look() and not following.look("")
    change(place[0], "serve.port=9000")
    assert not look() and said == [] and following.cluster.settings.serve.port == 9000
    change(place[0], "plan.budget=9/hour", "study.hold=5 s")
    assert look() and said.pop() == "other settings from now on: plan.budget, study.hold"
    assert not look()
    wrong = settings_text(following.cluster.settings).replace('"9/hour"', '"much"')
    keep(place[0], wrong)
    assert not look() and not look() and len(said) == 1 and "plan.budget" in said[0]
    assert following.cluster.settings.plan.budget == "9/hour"
    gone = Following(
        Cluster("postgresql://nobody@127.0.0.1:1/none?connect_timeout=1", place[1], Settings()), said.append
    )
    gone._read = lambda: Following(cluster, said.append)._read()
    assert not gone.look(mark_of(wrong.encode())) and len(said) == 2


def test_a_wrong_setting_is_refused_where_it_is_set(place):
    right = ["archive.contact=https://a.example/"]
    init_cluster(place[0], place[1], lambda known: with_overrides(known, right))
    before = kept(place[0])
    wrong = {
        "alerts.webhooks": '["nonsense"]',
        "plan.campaigns": '["x"]',
        "keep.disk_reserve": "much",
        "politeness.delay": "long",
        "archive.contact": "nobody",
    }
    for key, value in wrong.items():
        with pytest.raises(SettingError, match=key.replace(".", r"\.")):
            change(place[0], f"{key}={value}")
    assert kept(place[0]) == before


def test_limits_hold_over_all_runs_of_a_worker():
    account = Account(CrawlRequest(limits=Limits(captures=10, octets=500)))
    assert account.rest().limits == Limits(10, 0.0, 500)
    account.add(Tally(captured=3, unchanged=2, octets=100, ended="settings"))
    heard = []
    account = Account(CrawlRequest(limits=Limits(captures=10), progress=heard.append))
    account.add(Tally(captured=3, unchanged=2, octets=100, ended="settings"))
    rest = account.rest()
    assert rest.limits.captures == 5
    rest.progress(Tally(captured=1))
    assert (heard[0].captured, heard[0].unchanged) == (4, 2)
    account.add(Tally(captured=5, ended="settings"))
    assert account.rest() is None and account.total.ended == "limit" and account.total.captured == 8
    over = Account(CrawlRequest(limits=Limits(seconds=1e-9)))
    assert over.rest() is None and over.total.ended == "time"


def test_what_was_erased_is_not_asked_for_again(place, tmp_path):
    with sites(tmp_path, hosts=1, pages=4, size=300) as site:
        start = [
            *("archive.contact=https://a.example/", f'scope.seeds=["{site.seeds[0]}"]', "scope.sitemaps=false"),
            *("politeness.delay=0", "study.workers=0", "keep.disk_reserve=0", 'fetch.allow_address=["127.0.0.0/8"]'),
        ]
        cluster = init_cluster(place[0], place[1], lambda known: with_overrides(known, start))
        run_worker(cluster, WorkerRequest(lease=2.0, commit_seconds=0.1))
        before = site.asked()
        gone = sorted(site.urls - set(site.seeds))[0]
        with contextlib.closing(open_archive(Path(place[0]))) as archive:
            assert erase(archive, [Wish(gone, "because")]).captures == 1
        run_worker(cluster, WorkerRequest(lease=2.0, commit_seconds=0.1))
        again = site.asked() - before
        assert gone not in again, "it is still linked"
        assert site.urls - {gone} <= set(again), "all else is"
