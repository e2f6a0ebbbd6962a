"""A site of 300 pages of which 40 need a browser: what is caught of them, and for how many browser visits."""

import time

import strandline
from browser.scoring import crawl_set
from servers import mixed_site
from strandline.plan.browser_reason import browser_reason
from strandline.plan.explaining import why
from strandline.plan.planning import Planning
from strandline.settings.file import with_overrides


def reason(folder, url):
    archive = strandline.open(folder)
    archive.settings = with_overrides(archive.settings, ['capture.browser="auto"'])
    return browser_reason(Planning(archive, 2e9), url)


def crawled(folder, pages):
    with mixed_site.serving(pages) as (base, _):
        tally = crawl_set(folder, base, "auto")
    archive = strandline.open(folder)
    held = {capture.url.removeprefix(base) for capture in archive.reading.all_captures() if capture.rendering}
    return tally, held, archive, base


def test_pages_that_need_a_browser_are_found_in_one_pass(tmp_path):
    tally, held, _, base = crawled(tmp_path / "archive", mixed_site.PAGES)
    always = len(mixed_site.PAGES) + 1
    assert len(held & mixed_site.NEEDING) >= 0.95 * len(mixed_site.NEEDING)
    assert tally.browsed <= 0.3 * always
    assert not held - mixed_site.NEEDING
    assert "looks" in reason(tmp_path / "archive", f"{base}/shop/1")
    assert reason(tmp_path / "archive", f"{base}/news/1").startswith("not shown")


def test_where_no_page_needs_one_few_are_shown(tmp_path):
    pages = [page for page in mixed_site.PAGES if page not in mixed_site.NEEDING]
    tally, held, _, _ = crawled(tmp_path / "archive", pages)
    assert tally.browsed <= 0.05 * len(pages)
    assert not held


def planned(folder, base):
    """Why the page is not visited, or an empty text; and what `why` says of it and of the data it shows."""
    archive = strandline.open(folder)
    archive.settings = with_overrides(archive.settings, ['capture.browser="auto"'])
    planning = Planning(archive, time.time())
    known = {page.url: page.barred for page in planning.planner.pages}
    page, data = f"{base}/app/0", f"{base}/data/app/0"
    return known[page], why(planning, page), known.get(data)


def test_data_that_supply_a_page_are_asked_for_instead(tmp_path, monkeypatch):
    folder = tmp_path / "archive"
    with mixed_site.serving(["/app/0"]) as (base, _):
        crawl_set(folder, base, "auto")
        barred, _, data = planned(folder, base)
        assert not barred and data is None, "one look is no habit"
        crawl_set(folder, base, "auto")
        barred, told, data = planned(folder, base)
        assert barred == f"its text comes from {base}/data/app/0, which is asked instead"
        assert barred in told.verdict and "it is shown when that changes" in told.answers["browser"]
        assert data == "", "the data are a page that is planned"
        new = {"title": "Quite another title", "text": "and a text of which nobody knew before", "links": []}
        monkeypatch.setattr(mixed_site, "brought", lambda part, n: new)
        tally = crawl_set(folder, base, "never")
        assert tally.browsed == 0
        barred, told, _ = planned(folder, base)
        assert not barred and "shown" in told.answers["browser"]
    archive = strandline.open(folder)
    archive.study()
    assert [one.url for one in archive.changes()] == [f"{base}/data/app/0"], "what the data say is studied"
