"""Collections in the interface and the API, and who may change them."""

import json
import re
from urllib.parse import urlencode

import pytest

from strandline.settings.file import NAME, read_settings
from web.archives import Builder, served

TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("collections"))
    made.add("http://site.test/a.html", "a", when="2026-03-01T10:00:00Z")
    return made.archive().folder


@pytest.fixture(scope="module")
def server(folder):
    from strandline.archive.folder import open_archive

    with served(open_archive(folder), token=TOKEN, read_token=READER) as running:
        yield running


def _as(token, **more):
    return {"Authorization": f"Bearer {token}", "Accept": "text/html", **more}


def _page(server, path, token=TOKEN):
    status, _, body = server.get(path, _as(token), origin="interface")
    return status, body.decode()


def _post(server, path, values, token=TOKEN):
    headers = _as(token, **{"Content-Type": "application/x-www-form-urlencoded"})
    return server.get(path, headers, "POST", "interface", urlencode(values).encode())[0]


def _api(server, method, path, document=None, token=TOKEN):
    body = None if document is None else json.dumps(document).encode()
    headers = _as(token, **{"Content-Type": "application/json"})
    status, _, answer = server.get(f"/api/v1{path}", headers, method, "interface", body)
    return status, json.loads(answer)


def test_a_keeper_makes_fills_and_puts_aside_a_collection_by_forms(server, folder):
    status, page = _page(server, "/collections")
    assert status == 200 and "No collections yet" in page
    key = {"key": re.search('name="key" value="([0-9a-f]+)"', page)[1]}
    assert _post(server, "/collections", {**key, "name": "votes", "title": "<i>Votes</i>"}) == 303
    of = {**key, "collection": "votes"}
    assert _post(server, "/collection/members", {**of, "members": "site.test\r\nhttp://b.test/x/*"}) == 303
    said = {"subject": "a\r\nb", "rights": "CC", "weight": "2", "objective": "page", "title": "<i>Votes</i>"}
    assert _post(server, "/collection", {**of, **said}) == 303
    (kept,) = read_settings(folder / NAME).collection
    assert (kept.sites, kept.pages, kept.subject) == (("site.test",), ("http://b.test/x/*",), ("a", "b"))
    page = _page(server, "/collection?collection=votes")[1]
    assert "&lt;i&gt;Votes&lt;/i&gt;" in page and "<i>Votes" not in page and "b.test/x/*" in page
    assert "Votes" in _page(server, "/collections")[1] and "Votes" in _page(server, "/changes?collection=votes")[1]
    assert _post(server, "/collection/members", {**of, "members": "http://b.test/x/*", "act": "remove"}) == 303
    assert _post(server, "/collection/state", {**of, "state": "aside"}) == 303
    assert "put aside" in _page(server, "/collections", READER)[1]
    assert "CC" in _page(server, "/collection?collection=votes", READER)[1]
    assert "every page alike" in _page(server, "/collection?collection=votes", READER)[1]
    assert _post(server, "/collection/state", {**of, "state": "gone"}) == 400
    assert _post(server, "/collection", {**of, "weight": "many"}) == 400
    assert _post(server, "/collection", {**of, "objective": "fame"}) == 400
    assert _post(server, "/collections", {"key": "0" * 64, "name": "x"}) == 400
    assert _post(server, "/collections", {**key, "name": "x"}, READER) == 403
    assert _page(server, "/collection?collection=x")[0] == 404
    assert _page(server, "/changes?collection=x")[0] == 400
    assert _post(server, "/collection/remove", of) == 303
    assert read_settings(folder / NAME).collection == ()


def test_a_program_does_the_same(server):
    assert _api(server, "POST", "/collections", {"collection": "c", "description": {"title": "C"}})[0] == 201
    assert _api(server, "POST", "/collections/c/members", {"add": ["site.test", "http://b.test/"]})[0] == 200
    assert _api(server, "POST", "/collections/c/members", {"remove": ["http://b.test/"]})[1]["pages"] == []
    status, told = _api(
        server, "PATCH", "/collections/c", {"description": {"rights": "CC", "objective": "count"}, "collection": "d"}
    )
    assert (status, told["collection"], told["captures"], told["addresses"]) == (200, "d", 1, 1)
    assert told["settings"] == {"objective": "count"}
    assert told["description"] == {"title": "C", "rights": "CC"} and told["first"].startswith("2026-03-01")
    assert _api(server, "POST", "/collections/d/state", {"state": "aside"})[1]["state"] == "aside"
    assert [one["collection"] for one in _api(server, "GET", "/collections", token=READER)[1]] == ["d"]
    assert _api(server, "GET", "/changes?collection=d")[0] == 200
    for method, path, document, status in (
        ("GET", "/collections/x", None, 404),
        ("PATCH", "/collections/x", {}, 404),
        ("POST", "/collections", {"collection": "d"}, 400),
        ("POST", "/collections/d/state", {"state": "gone"}, 422),
        ("GET", "/changes?collection=x", None, 400),
    ):
        assert _api(server, method, path, document)[0] == status, path
    assert _api(server, "DELETE", "/collections/d", token=READER)[0] == 403
    assert _api(server, "DELETE", "/collections/d")[1]["collection"] == "d"
    assert _api(server, "GET", "/collections")[1] == []
