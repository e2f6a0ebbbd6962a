"""The pages of accounts: from none to the first, logging in, one's own password and tokens, and to none again."""

import re

import pytest

from strandline.keeping.people import remove_person
from web.archives import served
from web.test_accounts import PASSWORD, URL, _archive, _get, _log_in, _post, _until


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return _archive(tmp_path_factory.mktemp("pages"))


def _key(page):
    return re.search('name="key" value="([0-9a-f]+)"', page)[1]


def test_from_open_to_the_first_account_to_none(archive):
    with served(archive) as server:
        status, _, page = _get(server, "/people")
        assert status == 200 and "There are no accounts" in page, "without accounts everything is open on loopback"
        wanted = {"key": _key(page), "name": "Anna", "role": "keeper", "password": PASSWORD}
        assert _post(server, "/people", wanted)[0] == 303
        status, answered, _ = _get(server, "/")
        assert status == 303 and answered["location"] == "/login?to=%2F"
        assert server.get("/api/v1/sites", origin="interface")[0] == 401
        assert server.get("/web/20260301/" + URL)[0] == 401, "archived content is not open either"
        assert 'name="password"' in _get(server, "/login")[2]
        assert _log_in(server, "Anna", "wrong")[0] == 401 and _log_in(server, "Nobody", PASSWORD)[0] == 401
        status, cookie, whole = _log_in(server, "Anna", PASSWORD)
        assert status == 303 and "HttpOnly" in whole and "samesite=strict" in whole.lower()
        status, _, page = _get(server, "/account", cookie)
        assert status == 200 and "Logged in: Anna" in page and "Keeper" in page
        framed = _get(server, "/web/20260301/" + URL, cookie)[2]
        source = re.search(r'http://127\.0\.0\.1:\d+(/k/[0-9a-f]{32}/web/[^"]+)"', framed)[1]
        assert server.get(source)[0] == 200
        # Forms are bound to the person, changes to our own pages.
        key = _key(page)
        assert _post(server, "/people", {**wanted, "name": "Ben", "key": "0" * 64}, cookie)[0] == 400
        elsewhere = {"Origin": "http://evil.test"}
        assert _post(server, "/people", {**wanted, "key": key, "name": "Ben"}, cookie, **elsewhere)[0] == 403
        assert _log_in(server, "Anna", PASSWORD, **elsewhere)[0] == 403
        ben = {"key": key, "name": "Ben", "role": "rater", "password": "a password of Ben"}
        assert _post(server, "/people", ben, cookie)[0] == 303
        _, bens, _ = _log_in(server, "Ben", "a password of Ben")
        assert _key(_get(server, "/account", bens)[2]) != key
        assert _post(server, "/notes", {"key": key, "kind": "tag", "url": URL, "text": "x"}, bens)[0] == 400
        # One's own tokens and password.
        bens_key = _key(_get(server, "/account", bens)[2])
        page = _post(server, "/account/tokens", {"key": bens_key, "label": "laptop"}, bens)[2].decode()
        token = re.search(r"strandline_[\w-]{43}", page)[0]
        bearer = {"Authorization": f"Bearer {token}"}
        assert b'"person":"Ben","role":"rater"' in server.get("/api/v1/me", bearer, origin="interface")[2]
        named = re.search('name="token" value="([0-9a-f]+)"', page)[1]
        assert _post(server, "/account/tokens/remove", {"key": bens_key, "token": named}, bens)[0] == 303
        assert server.get("/api/v1/me", bearer, origin="interface")[0] == 401
        new = {"key": bens_key, "now": "wrong", "password": "another of Ben's"}
        assert _post(server, "/account/password", new, bens)[0] == 400
        assert _post(server, "/account/password", {**new, "now": "a password of Ben"}, bens)[0] == 303
        assert _get(server, "/account", bens)[0] == 303, "sessions of the old password end"
        _, bens, _ = _log_in(server, "Ben", "another of Ben's")
        changed = {"key": key, "name": "Ben", "role": "operator", "password": "", "act": "set"}
        assert _post(server, "/people/change", changed, cookie)[0] == 303
        assert "Operator" in _get(server, "/account", bens)[2]
        assert _post(server, "/people/change", {**changed, "act": "remove"}, cookie)[0] == 303
        assert _get(server, "/account", bens)[0] == 303, "and those of who is let in no more"
        assert "people remove" in _get(server, "/journal?person=Anna", cookie)[2]
        # Logged out is logged out, also for who copied the cookie.
        _, other, _ = _log_in(server, "Anna", PASSWORD)
        assert _post(server, "/logout", {"key": key}, cookie)[0] == 303
        assert _get(server, "/account", cookie)[0] == 303 and _get(server, "/account", other)[0] == 200
        remove_person(archive, "Anna")
        _until(lambda: _get(server, "/")[0] == 200)
