"""A site of 300 pages of which 40 need a browser: what is caught of them, and for how many browser visits."""

import strandline
from browser.scoring import crawl_set
from servers import mixed_site
from strandline.plan.browser_reason import browser_reason
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
