"""Pages as they are now: redirects are followed, whoever asks may refuse an address, and what is not there is told."""

import pytest

from servers.small_site import small_site
from strandline.errors import Unreachable, UsageError
from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.study.live_pages import LivePages

HERE = with_overrides(Settings(), ['fetch.allow_address=["127.0.0.1/32"]', "fetch.redirects=2"])


def _moved(to):
    return (302, "text/html", "", [("Location", to)])


def test_an_answer_comes_with_where_it_was_found_and_its_bytes():
    with small_site() as site, LivePages(HERE) as web:
        site.answers |= {"/old": _moved("/new"), "/new": (200, "text/plain", "here", [("Content-Language", "de")])}
        found = web.get(f"{site.url}old")
        assert (found.url, found.status, found.data, found.language) == (f"{site.url}new", 200, b"here", "de")
        assert web.get(f"{site.url}missing").status == 404


def test_each_address_on_the_way_may_be_refused():
    class RefusedError(Exception):
        pass

    def may(url):
        if url.endswith("/new"):
            raise RefusedError(url)

    with small_site() as site, LivePages(HERE) as web:
        site.answers |= {"/old": _moved("/new"), "/new": "here"}
        with pytest.raises(RefusedError):
            web.get(f"{site.url}old", may=may)
        assert site.asked == ["/old"]


def test_what_cannot_be_had_says_why():
    with small_site() as site, LivePages(HERE) as web:
        site.answers |= {"/round": _moved("/round"), "/bad": _moved("ftp://nowhere/")}
        with pytest.raises(Unreachable, match="more than 2 times"):
            web.get(f"{site.url}round")
        with pytest.raises(Unreachable, match="redirected to"):
            web.get(f"{site.url}bad")
        with pytest.raises(UsageError):
            web.get("ftp://nowhere/")
    with LivePages(Settings()) as web, pytest.raises(Unreachable, match="bad-address"):
        web.get("http://127.0.0.1:1/")
