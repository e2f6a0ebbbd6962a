"""The code flow with a real provider on loopback: who is believed, and what is not."""

import http.client
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from servers.openid_provider import CLIENT, SECRET, openid_provider
from strandline.errors import UsageError
from strandline.keeping import openid
from strandline.keeping.openid import OpenId, SignOnError

BACK = "http://127.0.0.1:8000/login/back"


@pytest.fixture(scope="module")
def running():
    with openid_provider() as provider:
        yield provider


@pytest.fixture
def provider(running, monkeypatch):
    monkeypatch.setenv(openid.SECRET, SECRET)
    running.wrong, running.signing = {}, "known"
    return running


def code_of(place):
    """What a browser brings back that follows an address."""
    parts = urlsplit(place)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = parse_qs(urlsplit(connection.getresponse().headers["Location"]).query)
    connection.close()
    return answer["code"][0], answer["state"][0]


def signed(own):
    place, begun = own.begin(BACK)
    code, state = code_of(place)
    assert state == begun.state
    return own.finish(begun, code)


def test_somebody_signs_on_and_a_code_works_once_and_only_for_who_began(provider):
    own = OpenId(provider.issuer, CLIENT)
    who = signed(own)
    assert (who.issuer, who.subject, who.name) == (provider.issuer, "subject-1", "anna")
    assert OpenId(provider.issuer, CLIENT, "email") != own and signed(
        OpenId(provider.issuer, CLIENT, "email")
    ).name == ("anna@example.org")
    (place, begun), (_, other) = own.begin(BACK), own.begin(BACK)
    code, _ = code_of(place)
    with pytest.raises(SignOnError, match="400"):
        own.finish(other, code)  # the verifier of another sign-on
    with pytest.raises(SignOnError, match="400"):
        own.finish(begun, code)  # used up


def test_a_new_key_of_the_provider_is_found(provider):
    own = OpenId(provider.issuer, CLIENT)
    assert signed(own).name == "anna"
    asked = provider.asked.count("/keys")
    assert signed(own).name == "anna" and provider.asked.count("/keys") == asked
    provider.rotate()
    assert signed(own).name == "anna" and provider.asked.count("/keys") == asked + 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://other.example"},
        {"aud": "somebody else"},
        {"aud": [CLIENT, "other"]},
        {"nonce": "of another"},
        {"exp": -3600},
        {"iat": +3600},
        {"sub": None},
    ],
    ids=str,
)
def test_what_does_not_hold_is_not_believed(provider, wrong):
    """Moments are told from now on: processes that share the tests must call them the same."""
    now = int(time.time())
    provider.wrong = {name: now + value if isinstance(value, int) else value for name, value in wrong.items()}
    with pytest.raises(SignOnError):
        signed(OpenId(provider.issuer, CLIENT))


@pytest.mark.parametrize("signing", ["foreign", "none"])
def test_signatures_of_others_are_not_believed(provider, signing):
    provider.signing = signing
    with pytest.raises(SignOnError, match="does not hold"):
        signed(OpenId(provider.issuer, CLIENT))


def test_providers_that_are_away_or_not_who_they_should_be(provider):
    with pytest.raises(SignOnError, match="https"):
        OpenId("http://login.example.org", CLIENT).begin(BACK)
    with pytest.raises(SignOnError):
        OpenId("http://127.0.0.1:9", CLIENT).begin(BACK)
    with pytest.raises(SignOnError, match="calls itself"):
        OpenId(provider.issuer + "/", CLIENT).begin(BACK)
    with pytest.raises(SignOnError, match="no authorization_endpoint"):
        OpenId("https://a.example", CLIENT, ask=lambda *_: b'{"issuer": "https://a.example"}').begin(BACK)
    with pytest.raises(UsageError, match="no JSON"):
        OpenId("https://a.example", CLIENT, ask=lambda *_: b"<html>").begin(BACK)
