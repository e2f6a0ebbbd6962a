"""What takes room, and keeping less, in the interface and the API."""

import json
import re
from urllib.parse import quote, urlencode

import pytest

from made.secrets import secretive
from strandline.archive.folder import open_archive
from web.archives import served

TOKEN, READER = "operate-" + "x" * 20, "read-" + "y" * 20
RULE = "*: older 1h, keep monthly, importance 0.99"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    secretive(tmp_path / "archive")
    monkeypatch.setattr("strandline.keeping.retention.time.time", lambda: 1_830_000_000.0)
    return tmp_path / "archive"


def _get(server, path, token=TOKEN):
    status, _, body = server.get(path, {"Authorization": f"Bearer {token}", "Accept": "text/html"}, origin="interface")
    return status, body.decode()


def test_a_page_shows_room_a_preview_and_drops_it(folder):
    with served(open_archive(folder), token=TOKEN, read_token=READER) as server:
        status, page = _get(server, "/storage", READER)
        assert (status, "By site" in page, "Drop them" in page) == (200, True, False)
        status, page = _get(server, f"/storage?rule={quote(RULE)}")
        assert status == 200
        dropped = re.search('name="dropped" value="([0-9]+)"', page)[1]
        key = re.search('name="key" value="([0-9a-f]+)"', page)[1]
        assert _get(server, "/storage?rule=nonsense")[0] == 400
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/x-www-form-urlencoded"}
        before = open_archive(folder).everything.count()
        other = urlencode({"key": key, "rule": RULE, "dropped": int(dropped) + 1}).encode()
        assert server.get("/retention", headers, "POST", "interface", other)[0] == 400
        sent = urlencode({"key": key, "rule": RULE, "dropped": dropped, "by": "me"}).encode()
        assert server.get("/retention", headers, "POST", "interface", sent)[0] == 303
    assert open_archive(folder).everything.count() == before - int(dropped)
    assert open_archive(folder).verify().ok


def test_programs_do_the_same(folder):
    with served(open_archive(folder), token=TOKEN, read_token=READER) as server:
        found = json.loads(_get(server, "/api/v1/storage", READER)[1])
        assert sum(one["bytes"] for one in found["sites"]) > 0
        would = json.loads(_get(server, f"/api/v1/retention?rule={quote(RULE)}")[1])
        assert would["important_dropped"] == 0
        assert _get(server, "/api/v1/retention")[0] == 400
        body = json.dumps({"rules": [RULE]}).encode()
        headers = {"Content-Type": "application/json"}
        reader = {**headers, "Authorization": f"Bearer {READER}"}
        assert server.get("/api/v1/retention", reader, "POST", "interface", body)[0] == 403
        keeper = {**headers, "Authorization": f"Bearer {TOKEN}"}
        status, _, answer = server.get("/api/v1/retention", keeper, "POST", "interface", body)
        assert (status, json.loads(answer)["dropped"]) == (201, would["dropped"])
