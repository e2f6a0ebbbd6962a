"""Saved searches in the interface and the API, and when what is found appeared and vanished."""

from web.archives import Builder, served
from web.test_operating import URL, _json, _key, _post


def test_searches_are_saved_and_told_over_time(tmp_path):
    made = Builder(tmp_path)
    made.add(URL, "<main><h1>News</h1><p>The harbour opened today.</p></main>", when="2026-03-01T12:00:00Z")
    made.add(URL, "<main><h1>News</h1><p>Nothing happened at all.</p></main>", when="2026-03-02T12:00:00Z")
    archive = made.archive()
    archive.study()
    with served(archive) as server:
        turns = _json(server, "GET", "/search?words=harbour&over_time=true")[1]["turns"]
        assert [(turn["event"], turn["pages"]) for turn in turns] == [("appeared", 1), ("vanished", 0)]
        page = server.get("/search?q=harbour&order=time", origin="interface")[2].decode()
        assert "vanished from" in page and 'action="/searches"' in page
        form = {"name": "port", "words": "harbour OR pier", "key": _key(server)}
        assert _post(server, "/searches", form)[0] == 303
        assert _json(server, "GET", "/searches")[1] == {"port": "harbour OR pier"}
        assert "harbour OR pier" in server.get("/search", origin="interface")[2].decode()
        assert _json(server, "PUT", "/searches/two", {"words": "-x"})[0] == 400
        assert set(_json(server, "PUT", "/searches/two", {"words": "x"})[1]) == {"port", "two"}
        assert _json(server, "DELETE", "/searches/two")[1] == {"port": "harbour OR pier"}
        assert _post(server, "/searches", form | {"action": "remove"})[0] == 303
        assert _json(server, "GET", "/searches")[1] == {}
