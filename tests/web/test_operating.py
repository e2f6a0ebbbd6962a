"""What people change from the interface, and who may: forms, jobs, roles."""

import errno
import json
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from strandline.core.plan.objective import OBJECTIVES
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.demo.server import DemoServer
from strandline.errors import SettingError, UsageError
from strandline.python_archive import create_folder as create
from strandline.settings.edit import change_settings
from strandline.settings.file import read_settings
from strandline.store.lock import WriteLock
from strandline.study.comparing import compare_versions
from strandline.study.rating import rate, taught
from strandline.web.options import ServeOptions
from strandline.web.tokens import open_access
from web.archives import Builder, served

URL = "http://site.test/"
TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20


def _post(server, path, values, headers=None):
    return server.get(
        path,
        {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})},
        "POST",
        "interface",
        urlencode(values).encode(),
    )


def _json(server, method, path, document=None, headers=None):
    body = None if document is None else json.dumps(document).encode()
    status, _, answer = server.get(
        f"/api/v1{path}", {"Content-Type": "application/json", **(headers or {})}, method, "interface", body
    )
    return status, json.loads(answer) if answer.startswith((b"{", b"[")) else answer


def _key(server, headers=None):
    page = server.get("/", {"Accept": "text/html", **(headers or {})}, origin="interface")[2].decode()
    return re.search('name="key" value="([0-9a-f]+)"', page)[1]


def _wait(server, number, states, headers=None):
    for _ in range(600):
        job = _json(server, "GET", f"/jobs/{number}", headers=headers)[1]
        if job["state"] in states:
            return job
        time.sleep(0.1)
    raise AssertionError(job)


@contextmanager
def _site(pages):
    """A site on loopback: its host and port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            mime, body = pages.get(self.path, ("text/plain", b""))
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", mime)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def archive(tmp_path):
    made = create(tmp_path / "archive")
    values = {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0"', "study.workers": "0"}
    change_settings(made.folder, values)
    return made


def test_a_site_is_crawled_paused_resumed_and_audited(archive):
    with DemoServer(hour_seconds=3600.0) as site, served(archive) as server:
        status, added = _json(server, "POST", "/sites", {"url": site.url})
        assert (status, added["job"]["kind"]) == (201, "crawl")
        assert _json(server, "POST", "/jobs", {"kind": "learn"})[0] == 400, "one writer at a time"
        assert _json(server, "POST", "/jobs/1", {"action": "pause"})[1]["state"] == "pausing"
        job = _wait(server, 1, ("paused", "done"))
        if job["state"] == "paused":
            assert _json(server, "POST", "/jobs/1", {"action": "resume"})[0] == 200
            job = _wait(server, 1, ("done", "failed"))
        assert job["state"] == "done" and job["captured"] > 100
        assert site.url in read_settings(archive.folder / "strandline.toml").scope.seeds
        assert _json(server, "POST", "/jobs", {"kind": "verify"})[0] == 201
        _wait(server, 2, ("done",))
        health = _json(server, "GET", "/health")[1]
        assert health["audit"]["ok"] is True and health["audit"]["captures"] > 100 and health["writer"] is None
        assert _json(server, "POST", "/jobs/2", {"action": "stop"})[0] == 400
        assert _json(server, "POST", "/jobs/77", {"action": "stop"})[0] == 400
        assert _json(server, "GET", "/jobs/77")[0] == 404


def test_adding_a_site_takes_none_of_the_others_away(archive):
    settings = read_settings(archive.folder / "strandline.toml")
    with DemoServer(hour_seconds=3600.0) as site, served(archive) as server:
        archive.crawl(settings, CrawlRequest((site.url,), Limits(captures=3)))
        assert _json(server, "POST", "/sites", {"url": "http://127.0.0.1:1/", "start": False})[0] == 201
        assert _json(server, "POST", "/sites", {"url": "http://127.0.0.1:2/", "start": False})[0] == 201
        seeds = read_settings(archive.folder / "strandline.toml").scope.seeds
        assert seeds == (site.url, "http://127.0.0.1:1/", "http://127.0.0.1:2/")
        assert _json(server, "GET", "/overview")[1]["seeds"] == list(seeds)


def test_forms_need_the_key_of_a_page_of_ours(archive):
    with served(archive) as server:
        assert _post(server, "/budget", {"budget": "9/day"})[0] == 400
        assert _post(server, "/budget", {"budget": "9/day", "key": "0" * 64})[0] == 400
        key = _key(server)
        assert _post(server, "/budget", {"budget": "many", "key": key})[0] == 400
        assert read_settings(archive.folder / "strandline.toml").plan.budget == "500/day"
        status, headers, _ = _post(server, "/budget", {"budget": "9/day", "key": key})
        assert status == 303 and headers["location"].startswith("/?notice=")
        told = server.get(headers["location"], origin="interface")[2]
        forged = server.get(headers["location"].replace("9", "8", 1), origin="interface")[2]
        assert b'class="toast"' in told and b'class="toast"' not in forged
        assert b"believe me" not in server.get("/?notice=believe+me", origin="interface")[2]
        assert read_settings(archive.folder / "strandline.toml").plan.budget == "9/day"
        for path, values in (
            ("/jobs", {"kind": "reindex"}),
            ("/jobs/1", {"action": "explode"}),
            ("/rate", {"url": "http://x.test/", "rating": "lovely"}),
            ("/unrate", {"url": "http://x.test/", "block": "html"}),
            ("/label", {"url": "http://x.test/", "block": "html", "label": "x"}),
            ("/simulate", {"strategy": "none", "budgets": "5", "objective": "pool"}),
            ("/simulate", {"strategy": "frequency", "budgets": "0", "objective": "pool"}),
            ("/adopt", {"strategy": "none"}),
            ("/sites", {"url": "ftp://x"}),
        ):
            assert _post(server, path, {**values, "key": key})[0] == 400, path
        origins = ("http://evil.test", "null", server.replay)
        for headers in (*({"Origin": origin} for origin in origins), {"Sec-Fetch-Site": "cross-site"}):
            assert _post(server, "/budget", {"budget": "1/day", "key": key}, headers)[0] == 403
            assert _json(server, "POST", "/jobs", {"kind": "verify"}, headers)[0] == 403


def test_who_may_look_and_who_may_operate(tmp_path):
    made = Builder(tmp_path)
    made.add("http://site.test/", "<p>1</p>")
    with served(made.archive(), token=TOKEN, read_token=READER) as server:
        operate, read = ({"Authorization": f"Bearer {token}"} for token in (TOKEN, READER))
        status, said = _json(server, "GET", "/overview")
        assert status == 401 and "token" in said["detail"]
        assert _json(server, "GET", "/overview", headers=read)[0] == 200
        status, said = _json(server, "PUT", "/plan", {"budget": "7/day"}, read)
        assert status == 403 and "needs the role Operator; yours is Reader" in said["detail"]
        status, said = _json(server, "PUT", "/plan", {"budget": "7" * 70_000}, operate)
        assert status == 413 and "bytes" in said["detail"]
        status, plan = _json(server, "PUT", "/plan", {"budget": "7/day", "objective": "page"}, operate)
        assert (status, plan) == (200, {"budget": "7/day", "strategy": "priced-plan", "objective": "page"})
        assert _json(server, "PUT", "/plan", {"strategy": "none"}, operate)[0] == 400
        for objective in OBJECTIVES:
            assert _json(server, "PUT", "/plan", {"objective": objective}, operate)[1]["objective"] == objective
        status, said = _json(server, "PUT", "/plan", {"objective": "all"}, operate)
        assert status == 400 and "middle" in said["detail"]
        for token, sees in ((TOKEN, True), (READER, False)):
            cookie = _post(server, "/login", {"token": token})[1]["set-cookie"].partition(";")[0]
            page = server.get("/", {"Cookie": cookie, "Accept": "text/html"}, origin="interface")[2].decode()
            assert ("Add and watch" in page) == sees and "site.test" in page
            assert _post(server, "/jobs", {"kind": "crawl"}, {"Cookie": cookie})[0] == (400 if sees else 403)


def test_a_read_token_needs_another_one():
    for options in (ServeOptions(read_token=READER), ServeOptions(token=TOKEN, read_token="short")):
        with pytest.raises(SettingError, match="read token"):
            open_access(options.token_file, options.token, options.read_token)


def test_a_contact_is_asked_for_before_the_web_is_crawled(tmp_path):
    with served(create(tmp_path / "archive")) as server:
        status, said = _json(server, "POST", "/sites", {"url": "example.org"})
        assert status == 400 and "reach you" in said["detail"]
        given = {"url": "example.org", "contact": "https://library.test/bot", "start": False}
        assert _json(server, "POST", "/sites", given) == (201, {"url": "https://example.org/", "job": None})
        settings = read_settings(tmp_path / "archive" / "strandline.toml")
        assert (settings.archive.contact, settings.scope.seeds) == (
            "https://library.test/bot",
            ("https://example.org/",),
        )


def test_a_full_disk_is_said_in_one_sentence(archive, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with served(archive) as server:
        key = _key(server)
        before = (archive.folder / "strandline.toml").read_text()
        monkeypatch.setattr("strandline.settings.edit._write", full)
        status, answer = _json(server, "POST", "/sites", {"url": "http://127.0.0.1:1/", "start": False})
        assert status == 507 and "no room for" in answer["detail"], answer
        page = _post(server, "/budget", {"budget": "9/day", "key": key})
        assert page[0] == 507 and b"no room for" in page[2]
        assert (archive.folder / "strandline.toml").read_text() == before


def test_a_job_waits_for_a_busy_archive_and_says_why_it_failed(archive):
    with served(archive) as server:
        with archive.writing("test"):
            assert _json(server, "POST", "/jobs", {"kind": "learn"})[0] == 201
            time.sleep(2.0)
            assert _json(server, "GET", "/jobs/1")[1]["state"] == "running"
        assert _wait(server, 1, ("done", "failed"))["state"] == "done"
        (archive.folder / "strandline.toml").write_text("[nonsense]\n")
        assert _json(server, "POST", "/jobs", {"kind": "verify"})[0] == 201
        assert "nonsense" in _wait(server, 2, ("failed",))["problem"]


def test_long_comparisons_come_in_parts_and_impossible_ones_are_refused(tmp_path):
    made = Builder(tmp_path)
    once, paper, long = (f"http://site.test/{name}" for name in ("once.html", "paper.pdf", "long.html"))
    made.add(once, "<p>Seen one time.</p>")
    for number, when in enumerate(("2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z")):
        made.add(paper, b"%PDF" + bytes([number]) * 99, "application/pdf", when=when)
        texts = (f"word{i + 1000 * number * (i % 20 == 0)} text " * 20 for i in range(520))
        made.add(long, "<body>" + "".join(f"<div><h2>Part</h2><p>{text}</p></div>" for text in texts), when=when)
    with served(made.archive()) as server:
        status, first = _json(server, "GET", f"/compare?url={long}")
        assert status == 200 and len(first["blocks"]) == 500 and first["more"] == 500
        status, rest = _json(server, "GET", f"/compare?url={long}&after=500")
        assert rest["more"] is None and rest["counts"] == first["counts"]
        assert len(first["blocks"]) + len(rest["blocks"]) == sum(first["counts"].values())
        status, differ = _json(server, "GET", f"/compare?url={long}&only=true")
        assert differ["blocks"] and differ["changed"]
        assert "unchanged" not in {block["kind"] for block in differ["blocks"]}
        page = server.get(f"/compare?url={long}", origin="interface")[2].decode()
        assert "after=500" in page and page.count('<section class="block') == 500
        assert b"only capture" in server.get(f"/compare?url={once}", origin="interface")[2]
        status, said = _json(server, "GET", f"/compare?url={paper}")
        assert status == 404 and "application/pdf" in said["detail"]
        assert server.get(f"/compare?url={paper}", origin="interface")[0] == 404


def test_blocks_are_labelled_and_found_by_label(tmp_path):
    made = Builder(tmp_path)
    made.add(URL, "<main><h1>News</h1><p>The harbour opened today.</p></main>", when="2026-03-01T12:00:00Z")
    archive = made.archive()
    archive.study()
    with served(archive) as server:
        (block,) = _json(server, "GET", f"/page/blocks?url={URL}")[1]
        assert block["labels"] == ["main"]
        status, _ = _json(server, "POST", "/labels", {"url": URL, "block": block["path"], "label": "harbour news"})
        assert status == 201
        found = _json(server, "GET", "/search?label=harbour")[1]["blocks"]
        assert [one["labels"][0] for one in found] == ["harbour news"]
        assert _json(server, "POST", "/labels", {"url": URL, "block": "nowhere", "label": "x"})[0] == 400
        page = server.get(f"/page?url={URL}", origin="interface")[2].decode()
        assert 'action="/label"' in page and "harbour news" in page
        form = {"url": URL, "block": block["path"], "label": "", "key": _key(server)}
        assert _post(server, "/label", form)[0] == 303
        assert _json(server, "GET", "/search?label=harbour")[1]["blocks"] == []
        assert b"harbour opened" in server.get("/search?q=main&by=label", origin="interface")[2]


def test_a_change_that_names_no_block_is_not_rated():
    change = SimpleNamespace(visible=True, blocks=[{"path": ""}])  # of a PDF, say
    studies = SimpleNamespace(changes_of=lambda url: [change])
    archive = SimpleNamespace(page=lambda url: SimpleNamespace(url=url), studies=studies)
    with pytest.raises(UsageError, match="no block"):
        rate(archive, URL, "noise")


def test_a_change_is_rated_while_another_process_writes(tmp_path):
    made = Builder(tmp_path)
    made.add(URL, "<h1>News</h1><p>The harbour opened today.</p>", when="2026-03-01T12:00:00Z")
    made.add(URL, "<h1>News</h1><p>The verdict was heard in court.</p>", when="2026-03-02T12:00:00Z")
    archive = made.archive()
    ends = {"from": "2026-03-01T12:00:00Z", "to": "2026-03-02T12:00:00Z"}
    with served(archive) as server, archive.writing("watch"):
        status, paths = _json(server, "POST", "/ratings", {"url": URL, "rating": "noise", **ends})
        assert status == 201 and paths
        assert archive.studies.ratings(URL) == dict.fromkeys(paths, "noise")
        form = {"url": URL, "rating": "matters", "from": "20260301120000", "to": "20260302120000", "view": "one"}
        status, headers, _ = _post(server, "/rate", {**form, "key": _key(server)})
        assert status == 303 and "view=one" in headers["location"]
        assert archive.studies.ratings(URL) == dict.fromkeys(paths, "matters")
        listed = _json(server, "GET", "/ratings")[1]
        assert [(one["url"], one["rating"]) for one in listed] == [(URL, "matters")] * len(paths)
        assert "Take back" in server.get("/ratings", origin="interface")[2].decode()
        beside = URL + "other"
        assert {one.reach for one in taught(archive, beside).values()} == {"site"}
        form = {"url": URL, "block": paths[0], "key": _key(server)}
        assert _post(server, "/unrate", form)[0] == 303
        assert paths[0] not in archive.studies.ratings(URL) and not taught(archive, beside).get(paths[0])
        assert _json(server, "POST", "/ratings/undo", {"url": URL, "block": paths[0]})[0] == 400, "it is gone"
        same = {"url": URL, "rating": "noise", "from": ends["to"], "to": ends["to"]}
        assert _json(server, "POST", "/ratings", same)[0] == 400, "nothing differs"
    with served(archive) as server, WriteLock(archive.folder, "reindex"):
        assert _json(server, "POST", "/ratings", {"url": URL, "rating": "noise", **ends})[0] == 409


def test_one_change_has_one_score_wherever_it_is_shown(tmp_path):
    made = Builder(tmp_path)
    body = "<h1>Fees</h1><p>A ticket is 3 euros.</p><p class=clock>{0}</p><p>{1}</p>"
    for day, text in enumerate(("The harbour opened.", "The verdict was heard.", "The ferry was late again."), 1):
        made.add(URL, body.format(day, text), when=f"2026-03-0{day}T12:00:00Z")
    archive = made.archive()
    archive.study()
    recorded = list(archive.studies.changes_of(URL))
    assert len(recorded) == 2
    rate(archive, URL, "noise")  # what is known of the page's noise has grown since
    with served(archive) as server:
        listed = _json(server, "GET", "/changes")[1]["changes"]
        for change, row in zip(reversed(recorded), listed, strict=True):
            ends = f"from={row['after']}&to={row['by']}"
            shown = _json(server, "GET", f"/compare?url={URL}&{ends}")[1]
            assert shown["importance"] == row["importance"] == change.importance > 0.0
            assert (shown["impch"], shown["held"]) == (change.impch, change.held)
            assert (shown["recorded"], shown["between"]) == (True, 0)
        whole = _json(server, "GET", f"/compare?url={URL}&from=2026-03-01T13:00Z&to=2026-03-04")[1]
        assert (whole["recorded"], whole["between"]) == (False, 1)
        page = server.get(f"/compare?url={URL}&from=20260301120000&to=20260303120000", origin="interface")[2]
        assert b"1 capture lies between them" in page
    found, _, _ = compare_versions(archive, URL, recorded[0].after, recorded[0].by)
    assert found.as_data()["importance"] == round(recorded[0].importance, 6)


def test_a_writer_that_was_started_elsewhere_is_named_and_no_button_fails(archive):
    code = (
        "import sys, pathlib; from strandline.store.lock import WriteLock\n"
        "with WriteLock(pathlib.Path(sys.argv[1]), 'watch'): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, archive.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        with served(archive) as server:
            view = _json(server, "GET", "/overview")[1]
            assert (view["writer"]["command"], view["writer"]["process"]) == ("watch", other.pid)
            page = server.get("/", {"Accept": "text/html"}, origin="interface")[2].decode()
            assert f"process {other.pid}" in page and 'value="learn"' not in page
            status, said = _json(server, "POST", "/jobs", {"kind": "crawl"})
            assert status == 400 and "Try again when it has ended" in said["detail"]
            status, job = _json(server, "POST", "/jobs", {"kind": "learn"})
            assert status == 201, "one may learn beside a watch"
            assert _wait(server, job["number"], ("done", "failed"))["state"] == "done"
            status, added = _json(server, "POST", "/sites", {"url": "http://127.0.0.1:8/"})
            assert (status, added["job"]) == (201, None)
            other.stdin.close()
            assert other.wait(60) == 0
            assert _json(server, "GET", "/overview")[1]["writer"] is None


def test_a_site_without_captures_has_no_date(archive):
    change_settings(archive.folder, {"scope.seeds": '["http://127.0.0.1:1/"]'})
    archive.crawl(read_settings(archive.folder / "strandline.toml"), CrawlRequest())
    with served(archive) as server:
        for path in ("/", "/site?site=127.0.0.1:1"):
            assert b"1970" not in server.get(path, {"Accept": "text/html"}, origin="interface")[2]


def test_the_box_for_sites_takes_the_scheme_a_host_speaks_and_knows_no_such_host(archive, monkeypatch):
    asked = {"plain.test": "http", "secure.test": "https", "mistyped.test": ""}
    monkeypatch.setattr("strandline.web.operating.scheme_of", lambda typed, _settings: asked[typed])
    with served(archive) as server:
        key = _key(server)
        for typed in ("plain.test", "secure.test"):
            assert _post(server, "/sites", {"url": typed, "contact": "https://a.test/", "key": key})[0] == 303
        status, _, page = _post(server, "/sites", {"url": "mistyped.test", "contact": "https://a.test/", "key": key})
        assert status == 400 and b"There is no such host: mistyped.test" in page
    seeds = read_settings(archive.folder / "strandline.toml").scope.seeds
    assert seeds == ("http://plain.test/", "https://secure.test/")


def test_hosts_that_only_give_parts_stand_under_the_sites_they_serve(archive):
    with _site({"/paper.svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>")}) as pictures:
        page = f'<img src="http://{pictures}/paper.svg"><p>Hello</p>'
        with _site({"/": ("text/html", page.encode())}) as home, served(archive) as server:
            archive.crawl(read_settings(archive.folder / "strandline.toml"), CrawlRequest((f"http://{home}/",)))
            cards = _json(server, "GET", "/cards")[1]
            [card] = cards["sites"]
            assert card["site"] == home and [one["site"] for one in card["parts"]] == [pictures]
            assert card["parts"][0]["serves"] == [home] and cards["parts"] == []
            shown = server.get("/", {"Accept": "text/html"}, origin="interface")[2].decode()
            assert shown.count('<li class="card">') == 1 and "Parts of its pages come from" in shown
            found = _json(server, "GET", f"/cards?like={pictures}")[1]
            assert [one["site"] for one in found["sites"]] == [pictures], "whoever looks for it finds it"
