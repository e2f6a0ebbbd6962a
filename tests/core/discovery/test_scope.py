from dataclasses import replace

import pytest

from strandline.core.capture import Kind
from strandline.core.discovery.scope import Scope, ScopeRules, SiteScope, wider

SEED = "https://www.example.org/docs/start.html"


def refuses(reach, url, kind=Kind.PAGE, hops=1, **rules):
    return Scope(ScopeRules((SEED,), reach, **rules)).refuses(url, kind, hops)


@pytest.mark.parametrize(
    ("reach", "inside", "outside"),
    [
        ("page", [SEED], ["https://www.example.org/docs/other.html"]),
        (
            "prefix",
            ["http://example.org/docs/a/b", "https://www.example.org/docs/", "http://example.org/docs/a//b"],
            ["https://www.example.org/", "https://www.example.org/docs2/x", "https://x.example.org/docs/a"],
        ),
        (
            "host",
            ["http://example.org/", "https://www.example.org/x?y"],
            ["https://x.example.org/", "https://example.com/"],
        ),
        (
            "domain",
            ["https://a.b.example.org/x", "http://example.org/"],
            ["https://example.com/", "https://notexample.org/"],
        ),
    ],
)
def test_reach(reach, inside, outside):
    assert [refuses(reach, url) for url in inside] == [""] * len(inside)
    assert [refuses(reach, url) for url in outside] == ["out of scope"] * len(outside)


def test_surt_rules_widen_and_narrow_and_exclusion_wins():
    assert refuses("host", "https://media.example.org/a", include=("org,example,media)/",)) == ""
    assert refuses("host", "https://example.org/cal/1", exclude=("org,example)/cal",)) == "excluded"
    assert (
        refuses("host", "https://example.org/cal/1", exclude=("http://(org,example,)/cal",), include=("org,",))
        == "excluded"
    )
    assert (
        refuses("host", "https://example.org/cal.png", Kind.REQUISITE, exclude=("http://example.org/cal",))
        == "excluded"
    )


def test_requisites_come_from_anywhere_and_hops_end():
    assert refuses("page", "https://cdn.example.com/x.css", Kind.REQUISITE) == ""
    assert refuses("page", "https://cdn.example.com/x.css", Kind.REQUISITE, requisites=False) == "requisites off"
    assert refuses("host", "https://example.org/x", hops=21) == "too many hops"


def test_a_seed_that_moved_takes_its_scope_along():
    scope = Scope(ScopeRules(("http://old.example.net/",), "host"))
    assert scope.refuses("https://new.example.com/a", Kind.PAGE, 1) == "out of scope"
    scope.extend(["https://new.example.com/"])
    assert scope.refuses("https://new.example.com/a", Kind.PAGE, 1) == ""


def test_a_prefix_may_have_two_slashes():
    scope = Scope(ScopeRules(("https://example.org/a//b/",), "prefix"))
    found = [scope.refuses(f"https://example.org/{path}", Kind.PAGE, 1) for path in ("a//b/x", "a//c/x")]
    assert found == ["", "out of scope"]


def test_unknown_reach_is_refused():
    with pytest.raises(ValueError, match="galaxy"):
        Scope(ScopeRules((SEED,), "galaxy"))


def test_a_site_has_rules_of_its_own():
    sites = (
        SiteScope("wide.org", "domain", hops=3),
        SiteScope("narrow.example", "prefix", exclude=("example,narrow)/a/private",)),
        SiteScope("gone.example", removed=True),
    )
    seeds = ("http://a.example/", "http://www.wide.org/", "http://narrow.example/a/b", "http://gone.example/")
    scope = Scope(ScopeRules(seeds, "host", hops=1, sites=sites))

    def why(url, hops=1, kind=Kind.PAGE):
        return scope.refuses(url, kind, hops)

    assert why("http://a.example/x") == why("http://shop.wide.org/", 3) == why("http://narrow.example/a/c") == ""
    assert why("http://a.example/x", 2) == "too many hops"
    assert why("http://narrow.example/b") == "out of scope"
    assert why("http://narrow.example/a/private/1") == "excluded"
    assert why("http://gone.example/") == "site removed"
    assert why("http://gone.example/logo.png", kind=Kind.REQUISITE) == ""
    scope.moved("http://www.wide.org/", "http://elsewhere.org/")
    assert why("http://sub.elsewhere.org/", 3) == ""
    scope.change(ScopeRules(seeds, "host", hops=1))
    assert why("http://shop.wide.org/") == "out of scope"
    assert why("http://gone.example/") == ""


def test_a_site_can_make_rules_wider():
    narrow = ScopeRules((), "host", hops=1)
    assert wider(replace(narrow, sites=(SiteScope("a.example", "domain"),)), narrow)
    assert not wider(replace(narrow, sites=(SiteScope("a.example", "page"),)), narrow)
    assert wider(narrow, replace(narrow, sites=(SiteScope("a.example", "page"),)))
