"""What may be changed while a crawl runs."""

from dataclasses import replace

from strandline.crawl.conduct import Conduct
from strandline.crawl.preparing import CrawlRequest, prepare_crawl
from strandline.crawl.site_orders import scopes_of
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings


def test_a_crawl_is_told_of_another_scope():
    base = replace(Settings(), fetch=replace(Settings().fetch, allow_address=("127.0.0.1/32",)))
    before = prepare_crawl(base, CrawlRequest(("http://127.0.0.1/",)))
    conduct, heard = Conduct(before), []
    conduct.followed_by(heard.append)
    more = replace(base, site=(SiteSettings("127.0.0.1:81", ("http://127.0.0.1:81/",), scope="page"),))
    after = prepare_crawl(more, CrawlRequest(("http://127.0.0.1/",)))
    conduct.change(after)
    assert heard == [after.orders]
    assert set(after.orders.scope.seeds) == {"http://127.0.0.1/", "http://127.0.0.1:81/"}
    assert [one.reach for one in scopes_of(more)] == ["page"]
