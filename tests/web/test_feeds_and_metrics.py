"""Feeds and metrics over HTTP."""

from lxml import etree

from made.news import News
from strandline.archive.folder import create, open_archive
from web.archives import served


def test_feeds_and_metrics(tmp_path):
    create(tmp_path / "a")
    news = News(tmp_path / "a")
    url = news.change(0.9)
    news.change(0.05)
    news.close()
    with served(open_archive(tmp_path / "a")) as server:
        status, headers, body = server.get("/feeds/atom", origin="interface")
        assert status == 200 and headers["content-type"].startswith("application/atom+xml")
        assert len(etree.fromstring(body).findall("{*}entry")) == 1
        again, _, nothing = server.get("/feeds/atom", {"If-None-Match": headers["etag"]}, origin="interface")
        assert again == 304 and not nothing
        status, _, body = server.get(f"/feeds/rss?page={url}&min_importance=0", origin="interface")
        assert status == 200 and b"2 new words (six)" in body
        assert server.get("/feeds/atom?limit=0", origin="interface")[0] == 400
        assert server.get("/feeds/atom?min_importance=x", origin="interface")[0] == 400
        assert server.get("/feeds/json", origin="interface")[0] == 404
        metrics = server.get("/metrics", origin="interface")[2].decode()
    assert "strandline_watch_up 0" in metrics and "strandline_captures 2" in metrics
    names = [line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
