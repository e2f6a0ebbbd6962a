"""Sites may be shown always while others never are."""

from crawl.scripted import task
from strandline.core.shown import DOCUMENT, Shown, View
from strandline.crawl.browse_sites import SiteBrowsing

SHOWN = Shown(1, 0.0, "settled", (View(DOCUMENT, "text/html", b"<p>"),))


def test_a_site_or_a_host_may_have_a_choice_of_its_own():
    sites = SiteBrowsing(
        object(), "never", {"example.org": "always", "old.example.org": "never", "127.0.0.1": "always"}
    )
    for url, wanted in (
        ("https://app.example.org/", True), ("https://old.example.org/", False), ("https://other.example/", False),
        ("http://127.0.0.1:8000/a", True),
    ):  # fmt: skip
        assert sites.may_show(task(url)) is wanted
        assert sites.decide(task(url), b"").show is wanted


def test_what_is_always_shown_stands_for_its_page_unless_the_browser_was_lost():
    sites = SiteBrowsing(object(), "always", {})
    assert sites.saw(task(), b"", SHOWN).stands
    assert not sites.saw(task(), b"", Shown(1, 0.0, "crashed", failed=True)).stands
    assert "always" in sites.decide(task(), b"").why


def test_where_it_is_to_be_learned_and_nobody_learns_nothing_is_shown():
    sites = SiteBrowsing(object(), "auto", {})
    assert not sites.may_show(task())
    assert not sites.decide(task(), b"").show
