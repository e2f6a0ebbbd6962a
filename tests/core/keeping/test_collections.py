"""What belongs to a collection: the slow way is to ask each member."""

import random

import pytest

from strandline.core.discovery.site_rules import covers
from strandline.core.keeping.collections import Members, page_stretches, site_stretches
from strandline.core.urls import authority


def test_sites_have_their_hosts_and_pages_are_one_however_they_were_captured():
    found = Members(["example.org", "news.other.example"], ["https://www.third.example/a", "http://fourth.example/b/*"])
    inside = (
        "http://example.org/", "https://deep.sub.example.org/x?y=1", "http://news.other.example/a",
        "http://third.example/a", "https://www.fourth.example/b/c/d", "http://example.org:81/",
    )  # fmt: skip
    outside = ("http://badexample.org/", "http://other.example/", "http://third.example/ab", "http://fourth.example/c")
    assert [found.has(url) for url in (*inside, *outside)] == [True] * len(inside) + [False] * len(outside)
    assert not Members().has("http://example.org/") and not found.has("dns:example.org") and not found.has("")


def test_random_sites_as_each_site_would_say():
    draw = random.Random(7)
    hosts = [
        f"{sub}{name}.{end}" for sub in ("", "a.", "b.a.", "ab.") for name in ("x", "xa", "y") for end in ("org", "de")
    ]
    for _ in range(200):
        sites = draw.sample(hosts, draw.randint(0, 4))
        found = Members(sites)
        for host in hosts:
            url = f"http://{host}/p{draw.randint(0, 9)}"
            assert found.has(url) == any(covers(name, authority(url)) for name in sites), (sites, url)


def test_what_is_neither_is_told():
    with pytest.raises(ValueError, match=r"\*"):
        page_stretches("https://example.org/*/a*")
    assert site_stretches("www.example.org") == (("org,example)/", "org,example)0"),)
