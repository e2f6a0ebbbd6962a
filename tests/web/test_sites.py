"""Sites in operation, in the interface and the API, and who may change them."""

import json
import re
from urllib.parse import urlencode

import pytest

from strandline.settings.edit import change_settings
from strandline.settings.file import NAME, read_settings
from web.archives import Builder, served

TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = Builder(tmp_path_factory.mktemp("sites"))
    made.add("http://site.test/a.html", "a", when="2026-03-01T10:00:00Z")
    folder = made.archive().folder
    change_settings(folder, {"archive.contact": '"https://keeper.example/"', "scope.seeds": '["http://site.test/"]'})
    return folder


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
    return server.get(path, headers, "POST", "interface", urlencode(values).encode())


def _api(server, method, path, document=None, token=TOKEN):
    body = None if document is None else json.dumps(document).encode()
    headers = _as(token, **{"Content-Type": "application/json"})
    status, _, answer = server.get(f"/api/v1{path}", headers, method, "interface", body)
    return status, json.loads(answer)


def test_a_keeper_pauses_and_sets_a_site_by_forms(server, folder):
    status, page = _page(server, "/sites")
    assert status == 200
    assert "site.test" in page
    key = re.search('name="key" value="([0-9a-f]+)"', page)[1]
    assert _post(server, "/sites/state", {"key": key, "site": "site.test", "state": "paused"})[0] == 303
    assert read_settings(folder / NAME).site[0].state == "paused"
    assert "paused" in _page(server, "/sites")[1]
    values = {
        "key": key,
        "site": "site.test",
        "budget": "9/day",
        "hours": "22:00-06:00\r\nsat 00:00-24:00",
        "weight": "2",
    }
    assert _post(server, "/sites/settings", values)[0] == 303
    said = read_settings(folder / NAME).site[0]
    assert (said.budget, said.hours, said.weight) == ("9/day", ("22:00-06:00", "sat 00:00-24:00"), 2.0)
    page = _page(server, "/sites/settings?site=site.test")[1]
    assert 'value="9/day"' in page
    assert "22:00-06:00\nsat 00:00-24:00" in page
    assert _post(server, "/sites/settings", {**values, "budget": "", "hours": "never"})[0] == 400
    assert _post(server, "/sites/state", {"key": key, "site": "site.test", "state": "gone"})[0] == 400
    assert _post(server, "/sites/state", {"key": "0" * 64, "site": "site.test", "state": "active"})[0] == 400
    assert _post(server, "/sites/state", {"key": key, "site": "site.test", "state": "active"})[0] == 303
    assert _page(server, "/sites/settings?site=nowhere.test")[0] == 404


def test_programs_do_the_same(server):
    status, found = _api(server, "GET", "/sites?weeks=2")
    assert (status, found[0]["site"], found[0]["pages"]) == (200, "site.test", 1)
    status, one = _api(server, "PATCH", "/sites/site.test", {"settings": {"delay": "5 s", "budget": None, "hops": 3}})
    assert (status, one["settings"]["delay"], one["settings"]["hops"], "budget" in one["settings"]) == (
        200,
        "5 s",
        3,
        False,
    )
    assert _api(server, "POST", "/sites/site.test/state", {"state": "paused"})[1]["state"] == "paused"
    assert _api(server, "POST", "/sites/site.test/state", {"state": "active"})[1]["state"] == "active"
    assert _api(server, "PATCH", "/sites/site.test", {"settings": {"delay": "soon"}})[0] == 400
    assert _api(server, "PATCH", "/sites/site.test", {"settings": {"colour": 1}})[0] == 400
    assert _api(server, "GET", "/sites/nowhere.test")[0] == 404


def test_readers_look_and_change_nothing(server):
    status, page = _page(server, "/sites", READER)
    assert status == 200
    assert '<form action="/sites/state"' not in page
    assert "Save" not in _page(server, "/sites/settings?site=site.test", READER)[1]
    assert _post(server, "/sites/state", {"key": "0" * 64, "site": "site.test", "state": "paused"}, READER)[0] == 403
    assert _api(server, "POST", "/sites/site.test/state", {"state": "paused"}, READER)[0] == 403
