"""Whether a site still knows us, told from its answers."""

from io import BytesIO
from types import SimpleNamespace

import pytest

from crawl.scripted import task
from strandline.core.capture import Evidence, Exchange, Kind, Outcome, Request
from strandline.core.logins import Cookie, Logins
from strandline.core.quality.hollow import LOGIN
from strandline.crawl.logged_in import LoggedIn

HOST = "http://members.example"
KNOWN = Logins((Cookie("s", "1", "members.example"),))


class Catalog:
    """Pages that were captured before, with what was noted."""

    def __init__(self, **noted):
        self.noted = {f"{HOST}/{path}": detail for path, detail in noted.items()}

    def page(self, url):
        if url not in self.noted:
            return None
        return SimpleNamespace(captures=1, evidence=Evidence.PRESENT, detail=self.noted[url])


def exchange(url, status):
    return Exchange(Request(url, 1), 0.0, 0.1, Outcome.ANSWERED, "", "", b"", b"", BytesIO(), 0, status=status)


def told(url, status, kind="", catalog=None, hops=1, sent_on=(), logins=KNOWN):
    heard = []
    desk = LoggedIn(lambda: logins, lambda: 0.0, lambda site, why: heard.append((site, why)))
    for source, target in sent_on:
        desk.sent_on(task(source, hops=hops), target, catalog or Catalog())
    for _ in range(2):
        desk.answered(task(url, hops=hops), exchange(url, status), kind, catalog or Catalog())
    return heard


@pytest.mark.parametrize(
    ("status", "kind", "before", "out"),
    [
        (200, "", {"a": ""}, False),
        (200, LOGIN, {"a": ""}, True),
        (200, LOGIN, {}, False),
        (200, LOGIN, {"a": f"hollow: {LOGIN}"}, False),
        (401, "", {}, True),
        (403, "", {}, False),
        (403, "", {"a": ""}, True),
        (404, "", {"a": ""}, False),
        (500, "", {"a": ""}, False),
    ],
)
def test_a_wall_where_there_was_content_is_a_logout(status, kind, before, out):
    heard = told(f"{HOST}/a", status, kind, Catalog(**before))
    assert [site for site, _ in heard] == ["members.example"] * out, "once"


def test_a_seed_is_content():
    assert told(f"{HOST}/", 200, LOGIN, hops=0)


def test_a_form_in_place_of_a_page_is_told_with_its_address():
    moved = [(f"{HOST}/a", f"{HOST}/login")]
    catalog = Catalog(a="", login=f"hollow: {LOGIN}")
    heard = told(f"{HOST}/login", 200, LOGIN, catalog, sent_on=moved)
    assert heard == [("members.example", f"{HOST}/login: a form that asks for a password")]
    assert not told(f"{HOST}/login", 200, LOGIN, Catalog(login=f"hollow: {LOGIN}"), sent_on=moved)


def test_without_a_login_there_is_nothing_to_lose():
    assert not told(f"{HOST}/a", 401, logins=Logins())
    assert not told("http://other.example/a", 401)
    assert LoggedIn().fields(f"{HOST}/a") == ()


def test_parts_of_pages_tell_nothing():
    heard = []
    desk = LoggedIn(lambda: KNOWN, lambda: 0.0, lambda site, _: heard.append(site))
    desk.answered(task(f"{HOST}/a.png", kind=Kind.REQUISITE), exchange(f"{HOST}/a.png", 401), "", Catalog())
    assert heard == []


def test_a_new_login_is_used_and_may_be_lost_again():
    logins, heard = [KNOWN], []
    desk = LoggedIn(lambda: logins[-1], lambda: 0.0, lambda site, _: heard.append(site))
    page, refusal = task(f"{HOST}/a", hops=1), exchange(f"{HOST}/a", 401)
    desk.answered(page, refusal, "", Catalog())
    logins.append(Logins((Cookie("s", "2", "members.example"),)))
    assert desk.fields(f"{HOST}/a") == (("Cookie", "s=2"),)
    assert [one.value for one in desk.cookies()] == ["2"]
    desk.answered(page, refusal, "", Catalog())
    assert heard == ["members.example"] * 2
