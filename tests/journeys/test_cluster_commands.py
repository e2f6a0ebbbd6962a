"""The commands of a cluster once each, and one killed worker, on PostgreSQL and a folder for an object store."""

import contextlib
import json
import signal

import pytest

from journeys.command import start, strandline
from servers import postgres
from servers.sites import sites
from strandline.store.postgres.reading import PostgresReading

pytestmark = postgres.GROUP
QUICK = ("--json", "--quiet", "--lease", "2", "--commit-seconds", "0.1")


@pytest.fixture
def cluster(tmp_path):
    """The words that name a new cluster, and its sites."""
    at = ("--database", postgres.running().database())
    with sites(tmp_path, hosts=2, pages=12, size=400) as site:
        seeds = [word for seed in site.seeds for word in ("--seeds", seed)]
        chosen = ("politeness.delay=0.1", "keep.disk_reserve=0", "scope.sitemaps=false", "study.workers=0")
        settings = [word for one in chosen for word in ("--set", one)]
        store = ("--store", (tmp_path / "store").as_uri())
        made = strandline("cluster", "init", *at, *store, *seeds, "--allow-address", "127.0.0.0/8", *settings, "--json")
        assert made.code == 0, made.err
        yield at, site


def pages(events):
    """Addresses of what was captured."""
    urls = [event["url"] for event in events if event["event"] == "captured"]
    return [url for url in urls if not url.endswith("/robots.txt")]


def test_from_init_to_a_folder_and_to_a_cluster_again(cluster, tmp_path):
    at, site = cluster
    worker = strandline("worker", *at, *QUICK, "--spool", tmp_path / "spool")
    assert worker.code == 0, worker.err
    assert sorted(pages(worker.lines)) == sorted(site.urls)
    (status,) = strandline("cluster", "status", *at, "--json").lines
    assert status["captures"] >= len(site.urls) and status["queued"] == status["leased"] == 0
    back = strandline("migrate", tmp_path / "back", *at, "--back", "--json", "--quiet")
    assert back.code == 0, back.err
    (audit,) = strandline("verify", tmp_path / "back", "--json").lines
    assert audit["ok"] and audit["captures"] == status["captures"]
    other = ("--database", postgres.running().database())
    again = strandline("migrate", tmp_path / "back", *other, "--store", (tmp_path / "again").as_uri(), "--quiet")
    assert again.code == 0, again.err
    assert strandline("cluster", "status", *other, "--json").lines[0]["captures"] == status["captures"]


def test_what_a_killed_worker_promised_is_kept_and_the_next_one_does_the_rest(cluster, tmp_path):
    at, site = cluster
    killed = start("worker", *at, *QUICK, "--spool", tmp_path / "killed")
    said = [killed.stdout.readline() for _ in range(3)]
    killed.send_signal(signal.SIGKILL)
    said += [line for line in killed.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
    worker = strandline("worker", *at, *QUICK, "--spool", tmp_path / "next")
    assert worker.code == 0, worker.err
    promised = pages(map(json.loads, said)) + pages(worker.lines)
    with contextlib.closing(PostgresReading.at(at[1])) as reading:
        kept = [capture.url for capture in reading.all_captures() if not capture.url.endswith("/robots.txt")]
    assert sorted(kept) == sorted(site.urls)
    assert len(promised) == len(set(promised)) and set(promised) <= set(kept)
