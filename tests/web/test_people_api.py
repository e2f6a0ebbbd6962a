"""Accounts over HTTP: made, changed, given tokens, removed."""

import json

import pytest

from strandline.keeping.people import journal
from web.archives import served
from web.test_accounts import _archive, _until

TOKEN = "operate-" + "x" * 20


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return _archive(tmp_path_factory.mktemp("api"))


@pytest.fixture(scope="module")
def server(archive):
    with served(archive, token=TOKEN) as running:
        yield running


def _call(server, method, path, document=None, token=TOKEN):
    body = None if document is None else json.dumps(document).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    status, _, answer = server.get(f"/api/v1{path}", headers, method, "interface", body)
    return status, json.loads(answer)


def test_people_come_change_and_go(server, archive):
    assert _call(server, "GET", "/me") == (200, {"person": "", "role": "keeper"})
    assert _call(server, "POST", "/people", {"person": "Anna", "role": "reader"})[0] == 400, "the first is a keeper"
    status, anna = _call(server, "POST", "/people", {"person": "Anna", "role": "keeper", "password": "a good password"})
    assert status == 201 and anna["password"] is True and "argon2" not in str(anna)
    assert _call(server, "POST", "/people", {"person": "Zo\u00eb", "role": "reader"})[0] == 201
    status, drawn = _call(server, "POST", "/people/Zo%C3%AB/tokens", {"label": "laptop"})
    assert status == 201 and _call(server, "GET", "/me", token=drawn["token"])[1] == {
        "person": "Zo\u00eb",
        "role": "reader",
    }
    assert [one["key"] for one in _call(server, "GET", "/people/Zo%C3%AB/tokens", token=drawn["token"])[1]] == [
        drawn["key"]
    ]
    assert _call(server, "GET", "/people/Anna/tokens", token=drawn["token"])[0] == 404
    assert _call(server, "GET", "/people", token=drawn["token"])[0] == 403
    status, zoe = _call(server, "PATCH", "/people/Zo%C3%AB", {"role": "operator", "password": "another password"})
    assert status == 200 and (zoe["role"], zoe["password"]) == ("operator", True)
    assert [one["person"] for one in _call(server, "GET", "/people")[1]] == ["Anna", "Zo\u00eb"]
    for method, path, document, status in (
        ("PATCH", "/people/Nobody", {"role": "rater"}, 404),
        ("DELETE", "/people/Nobody", None, 404),
        ("DELETE", "/people/Anna", None, 400),
        ("DELETE", "/people/Anna/tokens/00", None, 404),
        ("POST", "/people", {"person": "a/b", "role": "rater"}, 400),
        ("POST", "/people", {"person": "Ben", "role": "king"}, 422),
        ("POST", "/people", {"person": "Ben", "role": "rater", "password": "short"}, 400),
    ):
        assert _call(server, method, path, document)[0] == status, (method, path)
    assert _call(server, "DELETE", f"/people/Zo%C3%AB/tokens/{drawn['key']}")[0] == 200
    _until(
        lambda: server.get("/api/v1/me", {"Authorization": f"Bearer {drawn['token']}"}, origin="interface")[0] == 401
    )
    assert _call(server, "DELETE", "/people/Zo%C3%AB")[0] == 200
    told = _call(server, "GET", "/journal?limit=2")[1]
    assert [one["act"] for one in told] == ["people remove", "people token remove"]
    assert len(journal(archive)) == 7
