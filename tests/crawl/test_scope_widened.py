"""A scope that lets in more than before is found by reading pages again that did not change."""

import pytest

from crawl.scripted import SITE, Workshop, page
from strandline.core.discovery.scope import ScopeRules
from strandline.crawl.orders import Orders
from strandline.crawl.scope_widened import reading_anew
from strandline.store.catalog import open_catalog

NARROW = {"reach": "host", "exclude": ("http://h.example/x",), "hops": 1, "requisites": False}


@pytest.fixture
def catalog(tmp_path):
    opened = open_catalog(tmp_path, "test")
    yield opened
    opened.close()


def since(catalog, now, sitemaps=False, followed=0.0, **rules):
    return reading_anew(Orders(ScopeRules((), **NARROW | rules), sitemaps=sitemaps), catalog, now, followed).read_since


@pytest.mark.parametrize(
    "wider",
    [
        {"reach": "domain"},
        {"exclude": ()},
        {"include": ("http://i.example/",)},
        {"hops": 2},
        {"requisites": True},
        {"sitemaps": True},
    ],
)
def test_a_wider_scope_counts_from_when_it_was_first_used(catalog, wider):
    assert since(catalog, 100.0) == 0.0, "what an archive begins with is no change"
    assert since(catalog, 200.0, **wider) == 200.0
    assert since(catalog, 300.0, **wider) == 200.0
    assert since(catalog, 400.0) == 200.0, "narrower again: nothing is missing"
    assert since(catalog, 500.0, **wider) == 500.0, "but what was read meanwhile was read for less"


def test_what_others_read_until_they_follow_the_wider_scope_counts_as_read_before(catalog):
    assert since(catalog, 100.0, followed=60.0) == 0.0
    assert since(catalog, 200.0, followed=60.0, hops=2) == 260.0
    assert since(catalog, 210.0, followed=60.0, hops=2) == 260.0, "the second that knows them puts nothing off"


def test_pages_that_did_not_change_are_read_for_what_is_in_scope_now(tmp_path):
    pages = {f"{SITE}/": page("/a"), f"{SITE}/a": page("/b"), f"{SITE}/b": page()}
    asked = []
    for run, hops in enumerate((0, 5, 5)):
        shop = Workshop(tmp_path, pages, scope={"hops": hops}, later=86_400.0 * run)
        catalog = open_catalog(tmp_path, "test")
        shop.orders = reading_anew(shop.orders, catalog, shop.clock.now())
        catalog.close()
        asked.append((shop.run().unchanged, len([url for url in shop.web.asked if "robots" not in url])))
    assert asked == [(0, 1), (1, 3), (3, 3)]
