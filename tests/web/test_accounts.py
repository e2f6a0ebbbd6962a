"""Logging in and out, by password, token and the word of a proxy; wrong passwords wait; sessions end in time."""

import time
from urllib.parse import urlencode

import pytest

from strandline.core.keeping.people import Person
from strandline.errors import SettingError
from strandline.keeping.people import add_person, new_token, remove_person, set_password
from strandline.settings.people import PeopleSettings
from strandline.web.accounts import Accounts
from strandline.web.tokens import LASTING, Access, Asking
from strandline.web.wrong_tokens import MOST_WAITING
from web.archives import Builder, served

URL = "http://site.test/a.html"
PASSWORD = "a password of Anna"


def _archive(folder, **settings):
    from strandline.archive.folder import open_archive
    from strandline.settings.edit import change_settings

    made = Builder(folder)
    made.add(URL, "<p>Price 1 euro</p>", when="2026-03-01T10:00:00Z")
    found = made.archive().folder
    if settings:
        change_settings(found, settings)
    return open_archive(found)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return _archive(tmp_path_factory.mktemp("accounts"))


def _get(server, path, cookie="", **headers):
    fields = {"Accept": "text/html", **headers} | ({"Cookie": cookie} if cookie else {})
    status, answered, body = server.get(path, fields, origin="interface")
    return status, answered, body.decode()


def _post(server, path, values, cookie="", **headers):
    fields = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", **headers}
    return server.get(
        path, fields | ({"Cookie": cookie} if cookie else {}), "POST", "interface", urlencode(values).encode()
    )


def _log_in(server, name, password, **headers):
    status, answered, _ = _post(server, "/login?to=/account", {"name": name, "password": password}, **headers)
    cookie = answered.get("set-cookie", "")
    return status, cookie.partition(";")[0], cookie


def _until(condition):
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_wrong_passwords_wait_and_many_are_turned_away(archive):
    add_person(archive, "Anna", "keeper", PASSWORD)
    try:
        with served(archive) as server:
            began = time.monotonic()
            assert [_log_in(server, "Anna", "wrong")[0] for _ in range(3)] == [401] * 3
            assert time.monotonic() - began >= 0.1 + 0.2 + 0.4
            assert _log_in(server, "Anna", PASSWORD)[0] == 303
    finally:
        remove_person(archive, "Anna")


@pytest.mark.parametrize("right", [True, False])
def test_while_many_wait_no_password_is_looked_at(archive, right):
    import asyncio

    from strandline.web.guard import Policy
    from strandline.web.metrics import Metrics
    from strandline.web.options import Origins, ServeOptions
    from strandline.web.wrong_tokens import TooManyError

    origins = Origins("http", 1, 2, frozenset())
    policy = Policy(ServeOptions(), origins, Access(), Metrics(), Accounts(archive))
    policy.wrong.waiting = MOST_WAITING
    with pytest.raises(TooManyError):
        asyncio.run(policy.with_password("1.2.3.4", "Anna", PASSWORD if right else "wrong"))


def test_sessions_are_for_one_person_and_a_time():
    access, now = Access(), 1_000_000.0
    anna = Person("Anna Ä.", "rater", "", "stamp")
    known = {anna.name: anna}.get
    session = access.person_session(anna, now)
    assert access.asking(session, known, now) == Asking("rater", "Anna Ä.")
    assert access.asking(session, known, now + LASTING + 1) is None
    assert access.asking(session, {anna.name: Person("Anna Ä.", "rater", "", "other")}.get, now) is None
    assert access.asking(session, {}.get, now) is None and Access().asking(session, known, now) is None
    head, _, end = session.rpartition(".")
    name, until, drawn = head.split(".")
    for forged in (
        f"{name}.{int(until) + 9}.{drawn}.{end}",
        f"{name}.x.{drawn}.{end}",
        f"..{end}",
        "a.b",
        ".",
        "",
        "é.é.é.é",
        access.session("keeper"),
    ):
        assert access.asking(forged, known, now) is None, forged
    access.end(session, now)
    assert access.asking(session, known, now) is None


def test_a_proxy_is_believed_only_from_where_it_is(archive):
    add_person(archive, "Anna", "keeper")
    try:
        settings = PeopleSettings("X-Remote-User", ("10.0.0.0/8",), "reader")
        accounts = Accounts(archive, settings)
        named = {b"x-remote-user": "Anna"}
        assert accounts.of_proxy("10.1.2.3", named) == Asking("keeper", "Anna")
        assert accounts.of_proxy("10.1.2.3", {b"x-remote-user": "Stranger"}) == Asking("reader", "Stranger")
        assert Accounts(archive, PeopleSettings("X-Remote-User", ("10.0.0.0/8",))).of_proxy("10.1.2.3", named)
        for client, fields in (
            ("192.0.2.1", named),
            ("", named),
            ("10.1.2.3", {}),
            ("10.1.2.3", {b"x-remote-user": ""}),
        ):
            assert accounts.of_proxy(client, fields) is None
        strict = Accounts(archive, PeopleSettings("X-Remote-User", ("10.0.0.0/8",)))
        assert strict.of_proxy("10.1.2.3", {b"x-remote-user": "Stranger"}) is None
        assert Accounts(archive, PeopleSettings()).of_proxy("10.1.2.3", {b"": "Anna"}) is None
    finally:
        remove_person(archive, "Anna")


def test_a_proxy_in_front_of_a_server(tmp_path):
    settings = {"people.proxy_header": '"X-Remote-User"', "people.proxy_addresses": '["127.0.0.1/32"]'}
    archive = _archive(tmp_path, **settings, **{"people.proxy_role": '"rater"'})
    with served(archive) as server:
        assert _get(server, "/")[0] == 303, "who comes without the proxy's word is nobody, though there are no accounts"
        status, _, page = _get(server, "/account", **{"X-Remote-User": "zoe@example.org"})
        assert status == 200 and "zoe@example.org" in page and "Rater" in page
        assert server.get("/api/v1/people", {"X-Remote-User": "zoe"}, origin="interface")[0] == 403
        assert server.get("/web/20260301/" + URL, {"X-Remote-User": "zoe"})[0] == 401, "replay has its own path"


def test_a_server_for_other_machines_needs_a_token_or_accounts(tmp_path):
    archive = _archive(tmp_path)
    with pytest.raises(SettingError, match="let people in by name"), served(archive, host="0.0.0.0"):
        pass
    add_person(archive, "Anna", "keeper", PASSWORD)
    token = new_token(archive, "Anna")[1]
    with served(archive, host="0.0.0.0") as server:
        bearer = {"Authorization": f"Bearer {token}"}
        assert server.get("/api/v1/sites", bearer, origin="interface")[0] == 200
        set_password(archive, "Anna", "")
        remove_person(archive, "Anna")
        _until(lambda: server.get("/api/v1/sites", bearer, origin="interface")[0] == 401)
        assert _get(server, "/")[0] == 303, "with the last account the server closes, it does not open"


def test_while_the_catalog_cannot_be_read_nobody_is_let_in(archive, tmp_path, monkeypatch):
    import strandline.web.accounts as accounts
    from strandline.errors import ArchiveDamaged

    def away(_):
        raise ArchiveDamaged("the catalog cannot be read")

    monkeypatch.setattr(accounts, "people", away)
    found = Accounts(archive)
    assert found.needed(), "there may be accounts"
    monkeypatch.undo()
    found.look()
    assert found.needed() == bool(accounts.people(archive)), "known now"
    monkeypatch.setattr(accounts, "people", away)
    found.look()
    assert found.needed() == bool(found._people), "while it is away, who was known is"
