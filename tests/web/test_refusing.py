"""What is taken down answers 451 in every door, and is in no list, as soon as it is taken down."""

import json
import zipfile
from urllib.parse import quote

import pytest

from strandline.archive.folder import open_archive
from strandline.errors import TakenDown
from strandline.exchange.moving import Wanted, export
from strandline.keeping.takedowns import Wish, block, lift
from web.living import SITE

HIDDEN = f"{SITE}/news/1.html"
STAMP = "20260110120000"
FORMS = {"Accept": "text/html"}


@pytest.fixture
def archive(living):
    return living


@pytest.fixture
def server(living_server):
    return living_server


@pytest.fixture
def hidden(archive):
    act, found = block(archive, Wish(HIDDEN, "Request 17 of the author"))
    assert found.captures > 10
    yield act
    lift(archive, str(act.number))


ESCAPED = quote(HIDDEN, safe="")
NAMING = [
    ("replay", f"/web/{STAMP}/{HIDDEN}"),
    ("replay", f"/web/{STAMP}id_/{HIDDEN}"),
    ("replay", f"/web/{STAMP}mp_/{HIDDEN}"),
    ("replay", f"/web/{HIDDEN}"),
    ("replay", f"/web/{STAMP}im_/http://www.{HIDDEN.removeprefix('http://')}"),
    ("replay", f"/timemap/link/{HIDDEN}"),
    ("replay", f"/web/timemap/json/{HIDDEN}"),
    ("replay", f"/web/timemap/cdxj/{HIDDEN}"),
    ("replay", f"/cdx?url={ESCAPED}"),
    ("interface", f"/cdx?url={ESCAPED}&output=json"),
    ("interface", f"/timemap/link/{HIDDEN}"),
    ("interface", f"/web/{STAMP}/{HIDDEN}"),
    ("interface", f"/coherent/{STAMP}/{HIDDEN}"),
    ("interface", f"/parts/together?url={ESCAPED}&time={STAMP}"),
    ("interface", f"/page?url={ESCAPED}"),
    ("interface", f"/captures?url={ESCAPED}"),
    ("interface", f"/compare?url={ESCAPED}"),
    ("interface", f"/parts/why?url={ESCAPED}"),
    ("interface", f"/parts/week?url={ESCAPED}"),
    ("interface", f"/feeds/atom?page={ESCAPED}"),
    ("interface", f"/feeds/rss?page={ESCAPED}"),
    ("interface", f"/api/v1/captures?url={ESCAPED}"),
    ("interface", f"/api/v1/parts?url={ESCAPED}"),
    ("interface", f"/api/v1/page?url={ESCAPED}"),
    ("interface", f"/api/v1/page/calendar?url={ESCAPED}"),
    ("interface", f"/api/v1/page/blocks?url={ESCAPED}"),
    ("interface", f"/api/v1/page/week?url={ESCAPED}"),
    ("interface", f"/api/v1/why?url={ESCAPED}"),
    ("interface", f"/api/v1/compare?url={ESCAPED}"),
]
LISTS = [
    ("replay", f"/cdx?url={quote(SITE)}/*"),
    ("interface", "/"),
    ("interface", "/changes"),
    ("interface", "/site?site=courier.test"),
    ("interface", "/pages?site=courier.test"),
    ("interface", "/search?q=courier&by=url"),
    ("interface", "/health"),
    ("interface", "/patterns"),
    ("interface", "/classes"),
    ("interface", "/ratings"),
    ("interface", "/feeds/atom?min_importance=0&limit=500"),
    ("interface", "/feeds/rss?min_importance=0&limit=500&site=courier.test"),
    ("interface", "/api/v1/overview"),
    ("interface", "/api/v1/changes?limit=500"),
    ("interface", "/api/v1/site?site=courier.test"),
    ("interface", "/api/v1/site/pages?site=courier.test&limit=1000"),
    ("interface", "/api/v1/site/report?site=courier.test"),
    ("interface", "/api/v1/site/tree?site=courier.test"),
    ("interface", "/api/v1/search?url=news"),
    ("interface", "/api/v1/search?words=council&limit=200"),
    ("interface", "/api/v1/classes?limit=500"),
    ("interface", "/api/v1/next?visits=100"),
]


def _paths(openapi):
    """Routes of the API that take the address of a page."""
    return {
        path
        for path, methods in openapi["paths"].items()
        for one in methods.get("get", {}).get("parameters", [])
        if one["name"] == "url" and one.get("required")
    }


def test_the_table_below_names_every_route_that_takes_an_address(server):
    openapi = json.loads(server.get("/api/v1/openapi.json", origin="interface")[2])
    listed = {path.partition("?")[0].removeprefix("/api/v1") for _, path in NAMING}
    assert _paths(openapi) <= listed


@pytest.mark.parametrize(("origin", "path"), NAMING)
def test_every_door_answers_451(server, hidden, origin, path):
    status, headers, body = server.get(path, FORMS, origin=origin)
    assert status == 451, (status, body[:300])
    assert b"Request 17 of the author" in body
    assert "memento-datetime" not in headers


def test_without_the_block_every_door_opens(server):
    refused = [(path, server.get(path, FORMS, origin=origin)[0]) for origin, path in NAMING]
    assert {status for _, status in refused} <= {200, 302, 307}, refused


@pytest.mark.parametrize(("origin", "path"), LISTS)
def test_no_list_names_it(server, hidden, origin, path):
    status, _, body = server.get(path, FORMS, origin=origin)
    assert status == 200, body[:300]
    assert b"news/1.html" not in body.replace(b"%2F", b"/")


def test_the_lists_do_name_it_when_it_is_not_hidden(server):
    naming = [path for origin, path in LISTS if b"news/1.html" in server.get(path, FORMS, origin=origin)[2]]
    assert len(naming) >= 8, naming


def test_a_part_of_another_page_is_not_shown_either(server, hidden):
    status, _, body = server.get(f"/web/{STAMP}if_/{HIDDEN}", {"Sec-Fetch-Dest": "iframe"})
    assert status == 451
    assert b"Request 17" in body


def test_exports_leave_it_out(archive, hidden, tmp_path):
    fresh = open_archive(archive.folder)
    export(fresh, Wanted(tmp_path / "all.wacz"))
    with zipfile.ZipFile(tmp_path / "all.wacz") as packed:
        names = packed.namelist()
        assert not [name for name in names if b"news/1.html" in packed.read(name)]
        pages = packed.read("pages/pages.jsonl")
    assert b"news/2.html" in pages
    export(fresh, Wanted(tmp_path / "all.cdxj"))
    assert b"news/1.html" not in (tmp_path / "all.cdxj").read_bytes()


def test_python_says_so(archive, hidden):
    fresh = open_archive(archive.folder)
    with pytest.raises(TakenDown, match="Request 17"):
        fresh.captures(HIDDEN)
    with pytest.raises(TakenDown, match="Request 17"):
        fresh.page(HIDDEN)


def test_one_capture_alone_is_refused_and_its_neighbours_are_shown(archive, server):
    capture = archive.everything.captures(HIDDEN)[5]
    stamp = server.get(f"/cdx?url={ESCAPED}")[2].split(b"\n")[5].split(b" ")[1].decode()
    act, found = block(archive, Wish(capture.record_id, "One version only"))
    try:
        assert found.captures == 1
        status, _, body = server.get(f"/web/{stamp}id_/{HIDDEN}")
        assert (status, b"One version only" in body) == (451, True)
        status, headers, _ = server.get(f"/web/{int(stamp) + 1}id_/{HIDDEN}")
        assert status == 200
        assert headers["content-location"].split("/")[-4] != f"{stamp}id_"
        lines = server.get(f"/cdx?url={ESCAPED}")[2].splitlines()
        assert not [line for line in lines if stamp.encode() in line]
        assert len(lines) == len(archive.everything.captures(HIDDEN)) - 1
        assert server.get(f"/api/v1/page/blocks?url={ESCAPED}", origin="interface")[2] == b"[]"
    finally:
        lift(archive, str(act.number))
