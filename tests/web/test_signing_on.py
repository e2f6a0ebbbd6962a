"""Signing on in the interface at a real provider on loopback: there, back, and in; not by somebody else's link."""

from urllib.parse import urlsplit

import pytest

from keeping.test_openid import code_of
from servers.openid_provider import CLIENT, SECRET, openid_provider
from strandline.keeping import openid
from strandline.keeping.people import add_person, journal, people, remove_person
from web.archives import served
from web.test_accounts import _archive, _get


@pytest.fixture(scope="module")
def provider():
    with openid_provider() as running:
        yield running


@pytest.fixture(scope="module")
def archive(tmp_path_factory, provider):
    said = {"people.oidc_issuer": provider.issuer, "people.oidc_client": CLIENT, "people.oidc_role": "rater"}
    found = _archive(tmp_path_factory.mktemp("signing"), **{key: f'"{value}"' for key, value in said.items()})
    add_person(found, "keeper", "keeper", by="test")
    return found


@pytest.fixture
def server(archive, monkeypatch):
    monkeypatch.setenv(openid.SECRET, SECRET)
    with served(archive) as running:
        yield running


def begun(server, to="/account"):
    status, answered, _ = _get(server, f"/login/sign-on?to={to}")
    assert status == 303
    return answered["location"], answered["set-cookie"]


def test_there_and_back_and_in(server, archive, provider):
    status, _, page = _get(server, "/login")
    assert status == 200 and "Sign on at 127.0.0.1" in page
    place, cookie = begun(server)
    assert place.startswith(f"{provider.issuer}/authorize?") and "code_challenge_method=S256" in place
    assert "HttpOnly" in cookie and "samesite=lax" in cookie.lower()
    code, state = code_of(place)
    back = f"/login/back?code={code}&state={state}"
    assert _get(server, back)[0] == 400, "a browser that began nothing"
    place, cookie = begun(server)
    code, state = code_of(place)
    status, answered, page = _get(server, f"/login/back?code={code}&state={state}", cookie.partition(";")[0])
    assert status == 200 and "signed on as anna" in page and "url=/account" in page
    assert "samesite=strict" in answered["set-cookie"].lower()
    session = answered["set-cookie"].partition(";")[0]
    status, _, page = _get(server, "/account", session)
    assert status == 200 and "anna" in page
    assert {one.name: one.role for one in people(archive)}["anna"] == "rater"
    assert journal(archive)[0].target == "anna"
    again = _get(server, f"/login/back?code={code}&state={state}", cookie.partition(";")[0])
    assert again[0] == 400, "what was used up"


def test_what_is_refused_is_said_and_nobody_is_led_elsewhere(server, archive, provider):
    place, cookie = begun(server, "//evil.example/")
    code, state = code_of(place)
    cookie = cookie.partition(";")[0]
    provider.wrong = {"nonce": "other"}
    status, _, page = _get(server, f"/login/back?code={code}&state={state}", cookie)
    provider.wrong = {}
    assert status == 400 and "does not hold" in page
    place, cookie = begun(server, "//evil.example/")
    code, state = code_of(place)
    status, _, page = _get(server, f"/login/back?code={code}&state={state}", cookie.partition(";")[0])
    assert status == 200 and "evil" not in page
    place, cookie = begun(server)
    state = dict(part.split("=", 1) for part in urlsplit(place).query.split("&"))["state"]
    status, _, page = _get(server, f"/login/back?error=access_denied&state={state}", cookie.partition(";")[0])
    assert status == 400 and "access_denied" in page
    if any(one.name == "anna" for one in people(archive)):
        remove_person(archive, "anna")


def test_without_a_provider_there_is_no_way(tmp_path):
    with served(_archive(tmp_path)) as server:
        status, _, page = _get(server, "/login/sign-on")
        assert status == 400 and "no provider" in page
