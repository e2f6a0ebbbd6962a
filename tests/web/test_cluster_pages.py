"""The whole interface over a cluster: its index in PostgreSQL, its records in an S3 store."""

import http.client
import json
import os
import time
import xml.etree.ElementTree as ElementTree
from contextlib import closing, contextmanager
from urllib.parse import quote, urlencode

import pytest
from typer.testing import CliRunner

from made.two_sites import SITES, cluster, folder
from servers import object_stores, postgres
from strandline.app.opening import place_of
from strandline.cli.main import app
from strandline.errors import Unreachable
from strandline.web.menu import GROUPS
from web.archives import served

pytestmark = postgres.GROUP
__all__ = ["cluster", "folder"]
PAGE = f"{SITES[0]}/0"


def settled(server, path):
    """A part that takes long, once it is worked out: on a busy machine its processes start slowly."""
    found = server.get(path, {"Accept": "text/html", "HX-Request": "true"}, origin="interface")
    while b"Being worked out for" in found[2]:
        time.sleep(0.05)
        found = server.get(path, {"Accept": "text/html", "HX-Request": "true"}, origin="interface")
    return found


@contextmanager
def awake(archive):
    """A server whose answering processes have started."""
    with served(archive) as running:
        for path in ("/parts/next", f"/parts/week?url={quote(PAGE)}"):
            settled(running, path)
        yield running


@pytest.fixture(scope="module")
def server(cluster):
    with awake(cluster) as running:
        yield running


@pytest.fixture(scope="module")
def both(folder, server):
    """What a folder and a cluster tell, by the same path of the API."""
    with awake(folder) as beside:

        def told(path):
            return [json.loads(one.get(f"/api/v1{path}", origin="interface")[2]) for one in (beside, server)]

        yield told


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/site?site=news.example", "/pages?site=news.example", f"/page?url={quote(PAGE)}", "/search?q=edition"),
        *("/changes", "/rules", "/patterns", "/classes", "/simulate", "/health", "/?like=news", "/search?by=url&q=/0"),
        *(f"/captures?url={quote(PAGE)}", f"/compare?url={quote(PAGE)}", f"/web/2026/{PAGE}", f"/coherent/2026/{PAGE}"),
        *(f"/parts/why?url={quote(PAGE)}", f"/parts/week?url={quote(PAGE)}", "/parts/next", "/parts/quality"),
        *("/parts/cards", "/parts/site-quality?site=news.example", f"/parts/together?url={quote(PAGE)}"),
        *("/changes?site=news.example&min=0.01", "/site?site=news.example&since=2026-01-10"),
        *sorted({page.path for group in GROUPS for page in group.pages} - {"/", "/changes", "/search", "/health"}),
    ],
)
def test_pages_open(server, path):
    if path.startswith("/parts/"):
        status, headers, body = settled(server, path)
        assert b"could not be worked out" not in body
    else:
        status, headers, body = server.get(path, {"Accept": "text/html"}, origin="interface")
    assert status == 200 and headers["content-type"].startswith("text/html"), body
    assert b"for tests only" not in body


def test_what_is_not_there_is_said(server):
    for path, expected in (
        ("/site?site=nowhere.test", 404),
        ("/page?url=nowhere.test", 404),
        ("/site?site=news.example&at=nonsense", 400),
        ("/site?site=%00", 404),
        ("/search?q=%00%27%22%5c", 200),
        ("/pages?site=news.example&after=%00", 200),
    ):
        assert server.get(path, {"Accept": "text/html"}, origin="interface")[0] == expected, path


@pytest.mark.parametrize(
    "path",
    [
        *("/site?site=news.example", "/pages?site=shop.example", f"/page?url={quote(PAGE)}", "/search?words=edition"),
        *("/rules", "/patterns", "/classes", f"/captures?url={quote(PAGE)}", f"/compare?url={quote(PAGE)}"),
        *("/changes?min_importance=0.01", f"/page/week?url={quote(PAGE)}", "/sites", "/cards", "/search?url=/1"),
    ],
)
def test_the_api_tells_what_a_folder_tells(both, path):
    ours, theirs = (_without(one, "change", "block", "quality", "next", "behind") for one in both(path))
    assert ours == theirs


def _without(found, *names):
    """What is told, but for numbers of rows, and what depends on the time of asking."""
    if isinstance(found, dict):
        return {name: _without(one, *names) for name, one in found.items() if name not in names}
    return [_without(one, *names) for one in found] if isinstance(found, list) else found


def test_replay_comes_from_the_object_store(server):
    status, _, body = server.get(f"/web/2026mp_/{PAGE}")
    assert status == 307 or b"About the tide" in body
    assert server.get(f"/timemap/link/{PAGE}", origin="interface")[2].count(b"rel=") >= 6
    assert len(server.get(f"/cdx?url={PAGE}&output=json", origin="interface")[2].splitlines()) == 6


def test_feeds_metrics_and_live_events(server):
    for form in ("atom", "rss"):
        status, _, body = server.get(f"/feeds/{form}?min_importance=0", origin="interface")
        assert status == 200 and b"news.example/0" in body
        ElementTree.fromstring(body)
    metrics = server.get("/metrics", origin="interface")[2].decode()
    assert "strandline_captures 48" in metrics and "strandline_pages 8" in metrics and "cannot be read" not in metrics
    assert "disk_free" not in metrics
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
    with closing(connection):
        connection.request("GET", "/events")
        answer = connection.getresponse()
        while not (line := answer.readline()).startswith(b"data: "):
            pass
    assert json.loads(line[6:])["captures"] == 48


def test_health_shows_the_workers(server, cluster):
    cluster._session.run(
        lambda connection: connection.execute(
            """INSERT INTO workers (name, started, seen) VALUES ('1@here', now(), now()),
               ('2@lost', now() - interval '2 hours', now() - interval '1 hour')"""
        )
    )
    found = json.loads(server.get("/api/v1/health", origin="interface")[2])
    assert found["disk"] is None and found["writer"] is None and found["auditable"]
    assert found["cluster"]["store"].startswith(f"{object_stores.running().scheme}://")
    assert "for tests" not in found["cluster"]["database"]
    assert found["cluster"]["files"] == 1 and found["cluster"]["at_work"] == 1
    assert {one["name"]: one["silent"] for one in found["cluster"]["workers"]} == {"1@here": False, "2@lost": True}
    assert [(one["kind"], one["subject"]) for one in found["alarms"]] == [("worker", "2@lost")]
    page = server.get("/health", {"Accept": "text/html"}, origin="interface")[2]
    assert b"2@lost" in page and b"others take over" in page
    metrics = server.get("/metrics", origin="interface")[2]
    assert b'strandline_alarm{kind="worker",subject="2@lost"} 1' in metrics and b"strandline_workers 1\n" in metrics
    assert b"1 worker at work" in server.get("/", {"Accept": "text/html"}, origin="interface")[2]
    cluster._session.run(lambda connection: connection.execute("UPDATE workers SET ended = seen WHERE name LIKE '_@%'"))


def test_the_terminal_tells_the_same(cluster):
    def told(command, *words):
        return CliRunner().invoke(app, [command, cluster.cluster.database, *words])

    metrics = told("status", "--quick", "--metrics")
    assert metrics.exit_code == 0 and "strandline_captures 48" in metrics.stdout and "disk_free" not in metrics.stdout
    assert told("status", "--check").exit_code == 9, "no worker is alive"
    assert json.loads(told("alarms", "--json").stdout) == [] and "No open alarms." in told("alarms").stdout
    assert json.loads(told("report", "--json").stdout)["sites"] and told("alerts").exit_code == 0


def test_settings_are_those_of_all_workers(server, cluster):
    key = _form_key(server)
    status, headers, _ = _post(server, "/budget", {"key": key, "budget": "777/day"})
    assert status == 303 and "within+a+minute" in headers["location"]
    assert cluster.cluster.settings.plan.budget != "777/day" == place_of(cluster).settings().plan.budget
    assert b"777/day" in server.get("/", {"Accept": "text/html"}, origin="interface")[2]
    assert _post(server, "/budget", {"key": key, "budget": "many"})[0] == 400
    assert _post(server, "/sites", {"key": key, "url": "https://new.example/", "start": "crawl"})[0] == 303
    assert "https://new.example/" in place_of(cluster).settings().scope.seeds
    status, _, body = _post(server, "/jobs", {"key": key, "kind": "watch"})
    assert status == 400 and b"affair of its workers" in body
    rated = {"key": key, "url": PAGE, "rating": "noise", "block": "html/body"}
    stamps = {"from": "20260101000000", "to": "20260201000000"}
    assert _post(server, "/rate", rated | stamps)[0] == 303
    assert cluster.studies.ratings(PAGE) == {"html/body": "noise"}


def _form_key(server):
    page = server.get("/", {"Accept": "text/html"}, origin="interface")[2].decode()
    return page.partition('name="key" value="')[2].partition('"')[0]


def _post(server, path, form):
    fields = {"Content-Type": "application/x-www-form-urlencoded", "Origin": server.interface}
    return server.get(path, fields, "POST", "interface", urlencode(form).encode())


def test_a_database_that_is_away_is_said_in_one_sentence(cluster, server, monkeypatch):
    def away(*_, **__):
        raise Unreachable("postgresql://db/web: the connection was lost")

    monkeypatch.setattr(cluster._session, "run", away)
    for path, expected in (("/", 503), ("/api/v1/overview", 503), ("/feeds/atom", 503), ("/health", 503)):
        status, _, body = server.get(path, {"Accept": "text/html"}, origin="interface")
        assert status == expected and b"the connection was lost" in body, path
    for path in (f"/web/2026mp_/{PAGE}", f"/timemap/link/{PAGE}"):
        assert [server.get(path, origin=origin)[0] for origin in ("replay", "interface")] in ([503, 307], [503, 503])
    assert server.get("/healthz", origin="interface")[0] == 200
    assert server.get("/metrics", origin="interface")[0] == 200
    monkeypatch.undo()
    assert server.get("/", {"Accept": "text/html"}, origin="interface")[0] == 200


def test_a_store_that_is_away_is_said_in_one_sentence(cluster, server, monkeypatch):
    def away(*_):
        raise Unreachable("s3://bucket/web: the store does not answer")

    monkeypatch.setattr(cluster.records, "read", away)
    status, _, body = server.get(f"/web/2026mp_/{PAGE}")
    assert status == 503 and b"does not answer" in body
    assert server.get(f"/captures?url={quote(PAGE)}", origin="interface")[0] == 200


def test_a_process_of_its_own_gets_no_password_anyone_sees(cluster):
    address = place_of(cluster).address
    assert "tests" not in address.name and "tests" not in repr(address)
    assert address.environment["PGPASSWORD"] == "for tests only" and "PATH" in address.environment
    assert place_of(cluster).jobs == ("verify", "learn", "simulate") and os.environ.get("PGPASSWORD") is None
