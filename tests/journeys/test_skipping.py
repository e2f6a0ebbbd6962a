"""Eight weeks of a site are known; from then on its quiet parts are left out, tested by samples, and taken back."""

import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from journeys.command import LOOPBACK, here, strandline

NEWS = [f"/news/{n}.html" for n in range(8)]
OLD = [f"/old/{n}.html" for n in range(60)]
NAMED = {"/": ["/news/", "/old/"], "/news/": NEWS, "/old/": OLD}
PATHS = [*NAMED, *NEWS, *OLD]
WEEKS = 8


class Site:
    """Pages whose versions are set by the test."""

    def __init__(self):
        self.versions = dict.fromkeys(PATHS, 0)
        self.asked = []
        self.listed = True
        """Whether a sitemap names all pages."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                known = self.path in outer.versions
                sitemap = self.path == "/sitemap.xml" and outer.listed
                body = (outer.html(self.path) if known else outer.sitemap() if sitemap else "none").encode()
                if known:
                    outer.asked.append(self.path)
                self.send_response(200 if known or sitemap else 404)
                self.send_header("Content-Type", "text/html" if known else "application/xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.place = self.url.removeprefix("http://")

    def html(self, path):
        links = "".join(f"<a href='{link}'>{link}</a>" for link in NAMED.get(path, []))
        words = " ".join(f"word{self.versions[path]}of{n}" for n in range(40))
        return f"<html><head><title>{path}</title></head><body><h1>{path}</h1><p>{words}</p>{links}</body></html>"

    def sitemap(self):
        """Names every page: those brought in from elsewhere become pages of the crawl by it."""
        named = "".join(f"<url><loc>{self.url}{path}</loc></url>" for path in PATHS)
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{named}</urlset>'

    def change(self, *paths):
        for path in paths:
            self.versions[path] += 1

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def run(*words):
    return here(*words).stdout


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """The site with an archive of its last eight weeks, learned."""
    folder = tmp_path_factory.mktemp("known")
    with Site() as site:
        rows = []
        now = datetime.now(UTC)
        for week in range(WEEKS, 0, -1):
            site.change(NEWS[week % 8], NEWS[(week + 3) % 8], "/news/")
            moment = (now - timedelta(weeks=week)).isoformat()
            rows += [json.dumps({"url": site.url + path, "time": moment, "html": site.html(path)}) for path in PATHS]
        (folder / "versions.jsonl").write_text("\n".join(rows))
        run("init", folder / "archive", "--seeds", f"{site.url}/")
        run("import", folder / "archive", folder / "versions.jsonl")
        run("learn", folder / "archive", "rules", "--quiet")
        yield site, folder / "archive"


def crawl(known, method):
    site, folder = known
    site.asked.clear()
    done = strandline("crawl", folder, *LOOPBACK, "--skip", method)
    assert done.code == 0, done.err
    return list(site.asked), done.lines[-1]


def test_from_learning_to_leaving_out_to_giving_up(known):
    site, folder = known
    site.change(NEWS[0], NEWS[3], "/news/")
    asked, report = crawl(known, "dormant")
    assert {NEWS[0], NEWS[3], "/news/", "/"} <= set(asked)
    assert len(asked) < 0.3 * len(PATHS)
    assert report["skipped"] == report["refusals"]["quiet directory"] == len(PATHS) - len(asked)

    quiet = next(path for path in OLD if path not in asked)
    reasons = json.loads(run("why", folder, site.url + quiet, "--json"))
    told = json.dumps(reasons)
    assert f"quiet directory {site.place}/old: it never changed in 8 versions" in told
    shown = run("rules", folder)
    assert f"{site.place}/old  (dormant; re-tested once, failed 0)" in shown
    assert "crawl --skip policy asks for pages from a chance of" in shown

    for _ in range(2):
        site.change(*OLD)
        asked, report = crawl(known, "dormant")
    assert set(OLD) <= set(asked), "the pass that gives a directory up asks for all of it"
    assert report["ended"] == "complete"
    (record,) = (
        one
        for one in json.loads(run("rules", folder, "--policy", "--json"))[site.place]["retests"]
        if one["directory"] == f"{site.place}/old"
    )
    assert (record["tests"], record["failed"], record["active"]) == (3, 2, False)
    assert "had changed; 2 of the last 3 re-tests failed" in record["why"]
    assert "given up" in run("rules", folder)


def looks_at_old(site, folder, method, crawls, old=OLD, first_crawled=False):
    """Pages of /old that so many crawls tested, each; its index is the only page that names them."""
    site.listed = False
    rows, paths = [], [*NAMED, *NEWS, *old]
    for week in range(WEEKS, 0, -1):
        site.change(*NEWS, "/news/", "/")
        moment = (datetime.now(UTC) - timedelta(weeks=week)).isoformat()
        rows += [json.dumps({"url": site.url + path, "time": moment, "html": site.html(path)}) for path in paths]
    (folder.parent / "versions.jsonl").write_text("\n".join(rows))
    run("init", folder, "--seeds", f"{site.url}/")
    run("import", folder, folder.parent / "versions.jsonl")
    if first_crawled:
        site.change(*NEWS, "/news/", "/")
        crawl((site, folder), "none")
    run("learn", folder, "rules", "--quiet")
    tested = []
    for _ in range(crawls):
        asked, report = crawl((site, folder), method)
        tested.append([path for path in asked if path.startswith("/old/")])
        assert report["ended"] == "complete"
    assert all(tested), "each crawl tests the directory"
    return tested


@pytest.mark.long
@pytest.mark.parametrize("first_crawled", [False, True])
def test_six_crawls_test_all_of_eleven_pages_the_longest_unseen_first(tmp_path, monkeypatch, first_crawled):
    """Two pages a crawl, none a second time before all others had their turn: nine crawls see all, six are enough."""
    monkeypatch.setitem(NAMED, "/old/", OLD[:10])
    with Site() as site:
        tested = looks_at_old(site, tmp_path / "archive", "near", 9, OLD[:10], first_crawled)
    assert [len(paths) for paths in tested] == [2] * 9
    last = dict.fromkeys(["/old/", *OLD[:10]], -1)
    for number, paths in enumerate(tested):
        others = [seen for path, seen in last.items() if path not in paths]
        assert max(last[path] for path in paths) <= min(others), f"crawl {number} tested the longest unseen"
        last.update(dict.fromkeys(paths, number))
    assert -1 not in last.values()


def test_what_only_its_own_index_names_is_tested_too_the_longest_unseen_first(tmp_path):
    """Brought in from elsewhere, no page of /old is due by itself, and the one that names them is left out."""
    folder = tmp_path / "archive"
    with Site() as site:
        tested = looks_at_old(site, folder, "near", 5)
        every = [path for paths in tested for path in paths]
        assert len(set(every)) == len(every), "none a second time while others were not seen"
        assert f"{site.place}/old" in run("rules", folder) and "re-tested 5 times" in run("rules", folder)


def test_a_word_that_is_no_method_is_refused(known):
    done = strandline("crawl", known[1], *LOOPBACK, "--skip", "guess")
    assert done.code == 2
    assert "crawl.skip" in done.err


def test_plans_leave_out_quiet_directories_but_for_tests_and_say_so(tmp_path, known):
    site, _ = known
    folder = tmp_path / "archive"
    rows = []
    for week in range(WEEKS, 0, -1):
        moment = (datetime.now(UTC) - timedelta(weeks=week)).isoformat()
        site.change(*NEWS)
        rows += [json.dumps({"url": site.url + path, "time": moment, "html": site.html(path)}) for path in PATHS]
    (tmp_path / "versions.jsonl").write_text("\n".join(rows))
    run("init", folder)
    run("import", folder, tmp_path / "versions.jsonl")
    run("learn", folder, "rules", "--quiet")
    plain = json.loads(run("next", folder, "--visits", "100", "--json"))
    assert len(plain) == len(PATHS)
    settings = folder / "strandline.toml"
    before, plan, after = settings.read_text().partition("[plan]")
    for method in ("policy", "dormant"):
        settings.write_text(before + plan + after.replace('skip = "none"', f'skip = "{method}"', 1))
        chosen = json.loads(run("next", folder, "--visits", "100", "--json"))
        urls = {one["url"].removeprefix(site.url) for one in chosen}
        assert set(NEWS) <= urls
        assert len(urls & set(OLD)) < 12
        tests = [one for one in chosen if "re-test of the quiet directory" in one["reason"]]
        assert {f"{site.place}/old"} == {one["reason"].split(": ")[0].split(" ")[-1] for one in tests}
        quiet = next(path for path in OLD if path not in urls)
        assert "not fetched: quiet directory" in run("why", folder, site.url + quiet)
