"""The page of replay figures over HTTP: empty, measured, and for whom."""

import json

from cli.test_replay_quality import PAGE
from strandline.cli.replay_quality import replay_data
from strandline.report.replayed import ReplayQuality
from strandline.web import replayed
from strandline.web.views.replayed import last_replayed
from web.archives import Builder, served
from web.views.test_replayed import Job, _jobs


def test_an_empty_page_says_what_will_appear(tmp_path):
    with served(Builder(tmp_path).archive()) as server:
        status, _, body = server.get("/replayed", {"Accept": "text/html"}, origin="interface")
        assert (status, "Nothing was measured yet" in body.decode()) == (200, True)
        status, _, body = server.get("/api/v1/replayed", origin="interface")
        assert (status, json.loads(body)["pages"]) == (200, [])
        assert server.get("/replayed", {}, "POST", "interface", b"key=0")[0] == 400


def test_what_was_measured_is_listed_with_what_is_missing(tmp_path, monkeypatch):
    done = Job(1, "quality", ("--replay",), 10.0, "done", 20.0, result=replay_data(ReplayQuality((PAGE,))))
    monkeypatch.setattr(replayed, "last_replayed", lambda _: last_replayed(_jobs(done)))
    with served(Builder(tmp_path).archive()) as server:
        page = server.get("/replayed", {"Accept": "text/html"}, origin="interface")[2].decode()
    assert "45 %" in page and "lost words" in page and "8 things are missing" in page
    assert f'href="/live/19700101000000/{PAGE.url}"' in page
