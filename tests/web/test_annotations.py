"""Tags and notes in the interface and the API: escaped, on pages and comparisons, hidden with what is taken down."""

import json
import re
from urllib.parse import quote, urlencode

import pytest

from strandline.keeping.takedowns import Wish, block, lift
from web.archives import Builder, served

TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20
URL = "http://site.test/a.html"
NASTY = "</textarea><script>alert(1)</script>\nsecond"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    from strandline.archive.folder import open_archive

    made = Builder(tmp_path_factory.mktemp("annotations"))
    for hour in range(2):
        made.add(URL, f"<p>Price {hour} euro</p>", when=f"2026-03-01T1{hour}:00:00Z")
    return open_archive(made.archive().folder)


@pytest.fixture(scope="module")
def server(archive):
    with served(archive, token=TOKEN, read_token=READER) as running:
        yield running


def _as(token, **more):
    return {"Authorization": f"Bearer {token}", "Accept": "text/html", **more}


def _page(server, path, token=TOKEN):
    status, _, body = server.get(path, _as(token), origin="interface")
    return status, body.decode()


def _post(server, path, values, token=TOKEN):
    headers = _as(token, **{"Content-Type": "application/x-www-form-urlencoded"})
    return server.get(path, headers, "POST", "interface", urlencode(values).encode())


def _api(server, method, path, document=None, token=TOKEN):
    body = None if document is None else json.dumps(document).encode()
    headers = _as(token, **{"Content-Type": "application/json"})
    status, _, answer = server.get(f"/api/v1{path}", headers, method, "interface", body)
    return status, json.loads(answer)


def test_people_write_on_pages_and_comparisons(server, archive):
    page = _page(server, f"/page?url={quote(URL)}")[1]
    assert "Nothing was written about this page yet." in page
    key = {"key": re.search('name="key" value="([0-9a-f]+)"', page)[1]}
    status, headers, _ = _post(server, "/notes", {**key, "kind": "note", "url": URL, "text": NASTY, "author": "A & B"})
    assert status == 303 and dict(headers)["location"].startswith("/page?url=")
    ends = {"from": "20260301100000", "to": "20260301110000"}
    made = {**key, **ends, "kind": "tag", "url": URL, "text": "prices", "capture": "20260301110000"}
    status, headers, _ = _post(server, "/notes", made)
    assert status == 303 and dict(headers)["location"].startswith("/compare?")
    for path in (f"/page?url={quote(URL)}", f"/compare?url={quote(URL)}", "/notes"):
        status, page = _page(server, path, READER)
        assert status == 200 and "&lt;script&gt;alert(1)" in page and "<script>alert" not in page, path
        assert "A &amp; B" in page and "/notes/remove" not in page
    assert "prices" in _page(server, f"/compare?url={quote(URL)}")[1]
    assert URL.rpartition("/")[2] in _page(server, "/notes?tag=prices")[1]
    assert "Changes with this tag" in _page(server, "/notes?tag=prices")[1]
    assert _page(server, "/changes?tag=prices")[0] == 200 and _page(server, "/search?q=price&tag=prices")[0] == 200
    assert _post(server, "/notes", {**key, "kind": "note", "url": URL, "text": "x" * 10_001})[0] == 400
    assert _post(server, "/notes", {**key, "kind": "tag", "url": URL, "text": "-"})[0] == 400
    assert _post(server, "/notes", {**made, "key": "0" * 64})[0] == 400
    assert _post(server, "/notes", made, READER)[0] == 403
    try:
        block(archive, Wish(URL, "Request 1"))
        assert "prices" not in _page(server, "/notes?tag=prices")[1].partition("<main")[2].partition("<ul")[2]
        assert "second" not in _page(server, "/notes")[1]
        assert _api(server, "GET", "/annotations")[1] == [] == _api(server, "GET", "/tags")[1]
        assert _api(server, "GET", f"/annotations?url={quote(URL)}")[0] == 451
        assert _post(server, "/notes", made)[0] == 451
    finally:
        lift(archive, URL)
    (note,) = _api(server, "GET", "/annotations?kind=note")[1]
    assert _post(server, "/notes/remove", {**key, "annotation": note["key"]})[0] == 303
    assert _post(server, "/notes/remove", {**key, "annotation": note["key"]})[0] == 400


def test_a_program_does_the_same(server):
    wish = {"kind": "note", "url": URL, "text": NASTY, "capture": "2026-03-01T11:00:00Z", "author": "A"}
    status, made = _api(server, "POST", "/annotations", wish)
    assert status == 201 and made["text"] == NASTY and made["capture"].startswith("2026-03-01T11:00:00")
    assert _api(server, "POST", "/annotations", {**wish, "kind": "tag", "text": "figures", "capture": ""})[0] == 201
    assert {"tag": "figures", "count": 1} in _api(server, "GET", "/tags", token=READER)[1]
    found = _api(server, "GET", f"/annotations?url={quote('https://www.site.test/a.html')}&kind=note")[1]
    assert found == [made]
    assert _api(server, "GET", "/annotations?tag=figures")[1][0]["author"] == "A"
    for document, status in (
        ({**wish, "kind": "rating"}, 422),
        ({**wish, "text": ""}, 422),
        ({**wish, "url": "http://site.test/nowhere"}, 400),
        ({**wish, "capture": "then"}, 400),
    ):
        assert _api(server, "POST", "/annotations", document)[0] == status, document
    assert _api(server, "DELETE", f"/annotations/{made['key']}", token=READER)[0] == 403
    assert _api(server, "DELETE", f"/annotations/{made['key']}")[1] == made
    assert _api(server, "DELETE", f"/annotations/{made['key']}")[0] == 404
