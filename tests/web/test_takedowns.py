"""What is taken down, in the interface and the API, and who may see and change it."""

import json
import re
from urllib.parse import urlencode

import pytest

from web.archives import Builder, served

PAGE = "http://site.test/a/one.html"
TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("kept"))
    for hour in range(2):
        made.add(PAGE, f"at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    with served(made.archive(), token=TOKEN, read_token=READER) as running:
        yield running


def _as(token, **more):
    return {"Authorization": f"Bearer {token}", "Accept": "text/html", **more}


def _post(server, path, values, token=TOKEN):
    body = urlencode(values).encode()
    headers = _as(token, **{"Content-Type": "application/x-www-form-urlencoded"})
    return server.get(path, headers, "POST", "interface", body)


def _api(server, method, path, document=None, token=TOKEN):
    body = None if document is None else json.dumps(document).encode()
    headers = _as(token, **{"Content-Type": "application/json"})
    status, _, answer = server.get(f"/api/v1{path}", headers, method, "interface", body)
    return status, json.loads(answer)


def _captures(server):
    return server.get(f"/api/v1/captures?url={PAGE}", _as(READER), origin="interface")[0]


def test_a_keeper_hides_and_shows_again_by_forms(server):
    page = server.get("/takedowns", _as(TOKEN), origin="interface")[2].decode()
    assert "Nothing is taken down" in page
    key = re.search('name="key" value="([0-9a-f]+)"', page)[1]
    status, headers, _ = _post(server, "/takedowns", {"key": key, "target": PAGE, "reason": "<Request> 17", "by": "me"})
    assert (status, headers["location"].split("?")[0]) == (303, "/takedowns")
    assert _captures(server) == 451
    page = server.get("/takedowns", _as(TOKEN), origin="interface")[2].decode()
    assert "&lt;Request&gt; 17" in page
    number = re.search('name="number" value="([0-9]+)"', page)[1]
    assert _post(server, "/takedowns/lift", {"key": key, "number": number})[0] == 303
    assert _captures(server) == 200
    assert _post(server, "/takedowns", {"key": "0" * 64, "target": PAGE, "reason": "x"})[0] == 400
    assert _post(server, "/takedowns", {"key": key, "target": PAGE, "reason": ""})[0] == 400
    assert _post(server, "/takedowns", {"key": key, "target": PAGE, "reason": "x", "until": "2001-01-01"})[0] == 400


def test_programs_do_the_same(server):
    status, hid = _api(server, "POST", "/takedowns", {"target": "http://site.test/a/*", "reason": "because"})
    assert (status, hid["captures"], hid["act"]["act"]) == (201, 2, "block")
    assert _captures(server) == 451
    listed = _api(server, "GET", "/takedowns")[1]
    assert [act["target"] for act in listed] == ["http://site.test/a/*"]
    status, act = _api(server, "POST", f"/takedowns/{hid['act']['number']}/lift", {"reason": "settled"})
    assert (status, act["of"]) == (200, hid["act"]["number"])
    assert _captures(server) == 200
    assert _api(server, "POST", "/takedowns/99/lift", {})[0] == 400
    assert len(_api(server, "GET", "/takedowns?history=true")[1]) >= 2


def test_readers_neither_see_the_list_nor_change_it(server):
    assert server.get("/takedowns", _as(READER), origin="interface")[0] == 403
    assert _api(server, "GET", "/takedowns", token=READER)[0] == 403
    assert _api(server, "POST", "/takedowns", {"target": PAGE, "reason": "x"}, token=READER)[0] == 403
    assert _post(server, "/takedowns", {"target": PAGE, "reason": "x"}, token=READER)[0] == 403


def test_erasing_for_good(tmp_path):
    made = Builder(tmp_path)
    made.add(PAGE, "to be erased", when="2026-03-01T10:00:00Z")
    made.add("http://site.test/b.html", "stays", when="2026-03-01T10:00:00Z")
    archive = made.archive()
    with served(archive, token=TOKEN, read_token=READER) as running:
        with archive.writing("watch"):
            status, said = _api(running, "POST", "/takedowns", {"target": PAGE, "reason": "x", "erase": True})
            assert (status, "hidden now" in said["detail"]) == (409, True)
            assert _captures(running) == 451
        status, hid = _api(running, "POST", "/takedowns", {"target": PAGE, "reason": "x", "erase": True})
        assert (status, hid["act"]["act"]) == (201, "erase")
        page = running.get("/takedowns", _as(TOKEN), origin="interface")[2].decode()
        key = re.search('name="key" value="([0-9a-f]+)"', page)[1]
        erased = {"key": key, "target": "http://site.test/b.html", "reason": "x", "erase": "yes"}
        assert _post(running, "/takedowns", {**erased, "until": "2100-01-01"})[0] == 400
        assert _post(running, "/takedowns", erased)[0] == 303
    assert list(archive.everything.all_captures()) == []
    assert archive.verify().ok
