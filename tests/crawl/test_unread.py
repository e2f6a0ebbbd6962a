"""What a page names is taken in although its bytes are known, when they come from records and not from a visit."""

import pytest

from crawl.scripted import SITE, Workshop, page
from strandline.archive.folder import Archive
from strandline.crawl.orders import Limits
from strandline.exchange.rebuilding import reindex
from strandline.settings.schema import Settings
from strandline.store.catalog import open_catalog
from strandline.warc.captures import Kept, captures_of

PAGES = {f"{SITE}/": page("/a"), f"{SITE}/a": page("/b"), f"{SITE}/b": page()}
DAY = 86_400.0


def pages_asked(shop):
    return [url.removeprefix(SITE) for url in shop.web.asked if not url.endswith("robots.txt")]


def kept(folder):
    files = sorted((folder / "archive").glob("*.warc.gz"))
    return [item.capture for file in files for item in captures_of(file) if isinstance(item, Kept)]


def test_after_a_crash_between_the_warc_file_and_the_catalog(tmp_path):
    def cut(crawl):
        def dead(batch):
            raise KeyboardInterrupt

        crawl._parts.catalog._inner.commit = dead

    with pytest.raises(KeyboardInterrupt):
        Workshop(tmp_path, PAGES).run(cut)
    catalog = open_catalog(tmp_path, "test")
    assert catalog.salvage(kept(tmp_path)) == 2, "robots.txt and the seed"
    catalog.close()
    shop = Workshop(tmp_path, PAGES)
    shop.run()
    assert pages_asked(shop) == ["/", "/a", "/b"]
    shop = Workshop(tmp_path, PAGES, later=DAY)
    assert (shop.run().unchanged, shop.refused) == (3, {})


def test_after_the_catalog_was_rebuilt_in_the_middle_of_a_crawl(tmp_path):
    Workshop(tmp_path, PAGES, limits=Limits(captures=2)).run()
    (tmp_path / "indexes").mkdir()
    reindex(Archive(tmp_path, Settings()))
    shop = Workshop(tmp_path, PAGES, later=DAY)
    shop.run()
    assert pages_asked(shop) == ["/", "/a", "/b"]


def test_after_an_import(tmp_path):
    (tmp_path / "other").mkdir()
    Workshop(tmp_path / "other", PAGES, limits=Limits(captures=2)).run()
    catalog = open_catalog(tmp_path, "test")
    catalog.bring(kept(tmp_path / "other"))
    catalog.close()
    shop = Workshop(tmp_path, PAGES, later=DAY)
    assert shop.run().unchanged == 1
    assert pages_asked(shop) == ["/", "/a", "/b"]
