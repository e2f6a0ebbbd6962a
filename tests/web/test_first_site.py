"""A site step by step over HTTP: address, what was found, what matters, the watch and its first comparison."""

import json
import re
import time
from urllib.parse import quote, urlencode

import pytest

from servers.small_site import small_site
from strandline.archive.folder import create
from strandline.settings.edit import change_settings
from strandline.settings.file import NAME, read_settings
from web.archives import served

PAGE = (
    '<html lang="en"><title>The harbour</title><main><h1>The harbour</h1>'
    "<p>Seven boats left the harbour before the storm came in, and {missing} of them are missing.</p>"
    '<a href="/news/">News</a></main>'
)
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}


@pytest.fixture
def folder(tmp_path):
    made = create(tmp_path / "archive", operator="Tests")
    loopback = {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0.05"', "study.workers": "0"}
    change_settings(made.folder, loopback)
    return made.folder


@pytest.fixture
def server(folder):
    from strandline.archive.folder import open_archive

    with served(open_archive(folder)) as running:
        yield running


@pytest.fixture
def site():
    with small_site() as made:
        made.answers["/"] = PAGE.format(missing="two")
        yield made


def _page(server, path):
    status, _, body = server.get(path, {"Accept": "text/html"}, origin="interface")
    return status, body.decode()


def _post(server, path, values):
    key = re.search('name="key" value="([0-9a-f]+)"', _page(server, "/start")[1])[1]
    return server.get(path, FORM, "POST", "interface", urlencode({"key": key, **values}).encode())


def test_from_an_address_to_a_watch_and_its_first_comparison(server, folder, site):
    assert 'href="/start"' in _page(server, "/sites")[1]
    status, headers, _ = _post(server, "/start", {"url": site.url})
    assert (status, headers["location"]) == (303, f"/start/found?url={quote(site.url, safe='')}")
    page = _page(server, headers["location"])[1]
    for said in ("The harbour", "2 addresses so far", "none named by this page", "may be archived", "not needed"):
        assert said in page
    assert re.search(r"<dt>Language</dt><dd>en</dd>", page) and "Seven boats" in page
    site.answers["/"] = PAGE.format(missing="three")
    assert 'value="prefix"' not in page, "it holds what the host does"
    chosen = {"url": site.url, "scope": "prefix", "pace": "120", "browser": "never", "worth": "0.3"}
    hook = {"webhook": "https://hooks.example/in"}
    status, headers, _ = _post(server, "/start/watch", {**chosen, **hook})
    assert (status, headers["location"]) == (303, f"/start/watch?url={quote(site.url, safe='')}")
    settings = read_settings(folder / NAME)
    assert (settings.plan.budget, settings.site[0].scope, settings.site[0].seeds) == ("120/hour", "prefix", (site.url,))
    assert settings.alerts.webhooks == (f"https://hooks.example/in site={site.url.split('/')[2]} min=0.3",)
    assert "Watching 127.0.0.1" in _page(server, headers["location"])[1]
    part = f"/parts/first-comparison?url={quote(site.url)}"
    until = time.monotonic() + 900
    while "Waiting for the first capture" in (shown := _page(server, part)[1]):
        assert time.monotonic() < until, "nothing was captured"
        time.sleep(0.2)
    assert re.search(r"<del>two ?</del><ins>three ?</ins>", shown) and "altered" in shown


def test_what_cannot_be_is_said_and_nothing_is_changed(server, folder, site):
    before = (folder / NAME).read_text()
    _post(server, "/start", {"url": site.url})
    good = {"url": site.url, "scope": "host", "pace": "60", "browser": "never", "worth": "0.1"}
    for bad in (
        {"scope": "world"},
        {"pace": "0"},
        {"pace": "many"},
        {"browser": "sometimes"},
        {"webhook": "ftp://nowhere/"},
        {"webhook": "https://a.example/ min=0"},
        {"email": "anna@example.org"},  # there is no mail server
    ):
        assert _post(server, "/start/watch", {**good, **bad})[0] == 400, bad
    assert (folder / NAME).read_text() == before
    status, _, body = _post(server, "/start", {"url": "no-such-host.invalid"})
    assert (status, "no such host" in body.decode()) == (400, True)
    assert server.get("/start", FORM, "POST", "interface", b"key=0&url=http://a.example/")[0] == 400


def test_what_is_not_remembered_leads_back_to_the_first_step(server):
    status, headers, _ = server.get("/start/found?url=http://never.example/", origin="interface")
    assert (status, headers["location"]) == (303, "/start?url=http%3A%2F%2Fnever.example%2F")
    assert 'value="http://never.example/"' in _page(server, headers["location"])[1]
    assert "no longer in memory" in _page(server, "/parts/first-comparison?url=http://never.example/")[1]


def test_a_page_that_robots_closes_cannot_be_chosen(server, site):
    site.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nDisallow: /")
    page = _page(server, _post(server, "/start", {"url": site.url})[1]["location"])[1]
    assert "does not let archivers ask for this page" in page and 'action="/start/watch"' not in page


def test_beside_other_sites_a_site_has_its_own_budget(server, folder, site):
    change_settings(folder, {"scope.seeds": '["http://other.test/"]', "archive.contact": '"https://keeper.example/"'})
    _post(server, "/start", {"url": site.url})
    assert _post(server, "/start/watch", {"url": site.url, "scope": "page", "pace": "30", "browser": "never"})[0] == 303
    settings = read_settings(folder / NAME)
    assert (settings.plan.budget, settings.site[0].budget) == ("500/day", "30/hour")


def test_programs_look_at_a_site_too(server, site):
    wanted = json.dumps({"url": site.url}).encode()
    status, _, body = server.get("/api/v1/survey", {"Content-Type": "application/json"}, "POST", "interface", wanted)
    found = json.loads(body)
    assert (status, found["title"], found["robots"]["allowed"]) == (200, "The harbour", True)
    assert site.asked == ["/robots.txt", "/", "/sitemap.xml"]


def test_nobody_is_asked_before_they_can_reach_us(tmp_path):
    with served(create(tmp_path / "archive", operator="Tests")) as server:
        status, _, body = _post(server, "/start", {"url": "http://example.org/"})
        assert (status, "reach you" in body.decode()) == (400, True)
