"""The made-up archive that the interface is measured on, made small: the same views, no capture lost count of."""

import importlib.util
from pathlib import Path

from strandline.archive.folder import open_archive
from strandline.web.desk import open_desk
from strandline.web.views.changes import ChangesAsked, changes_page
from strandline.web.views.learned import classes_page, patterns_page
from strandline.web.views.overview import overview, site_cards
from strandline.web.views.page import page_view
from strandline.web.views.search import SearchAsked, search
from strandline.web.views.site import pages_of, site_view


def _make(folder):
    file = Path(__file__).parents[2] / "benchmarks" / "large_archive.py"
    spec = importlib.util.spec_from_file_location("large_archive", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make(folder, module.Size(pages=400, captures=4000, blocks=100))


def test_views_over_a_made_up_archive(tmp_path):
    desk = open_desk(open_archive(_make(tmp_path / "large")))
    whole = overview(desk)
    assert (whole.pages, whole.captures, whole.waiting) == (400, 4000, 0)
    cards, start = [], 0
    while start is not None:
        page = site_cards(desk, start, limit=20)
        cards, start = cards + page.sites, page.more
    assert sum(card.captures for card in cards) == 4000
    view = site_view(desk, "site0.test")
    assert sum(day.captures for day in view.days) == view.card.captures and view.days[0].days > 1
    assert sum(one.pages for one in view.tree.branches) == view.card.pages
    assert len(view.tree.branches) == 17
    first = pages_of(desk, "site0.test", limit=1).pages[0]
    assert page_view(desk, first.url).captures == first.captures
    assert changes_page(desk, ChangesAsked(limit=10)).changes[0].by >= changes_page(desk, ChangesAsked()).changes[-1].by
    assert search(desk, SearchAsked(words="unique7")).blocks[0].text.endswith("unique7")
    assert sum(group.pages for group in patterns_page(desk).groups) == 400
    assert len(classes_page(desk, limit=500).pages) == 400
