"""What pages that were brought in hold is judged by the newest capture of each, in memory that does not grow."""

import contextlib
import sqlite3
import tracemalloc
from collections import deque
from types import SimpleNamespace

from made.catalog_words import capture, visited
from strandline.archive.folder import create
from strandline.core.quality.hollow import MARK
from strandline.exchange import moving
from strandline.exchange.moving import judge_content
from strandline.ports import Batch
from strandline.store.catalog import DATABASE, SqliteCatalog

SHELL = b"<title>One</title><div id=root></div><script src=/none.js></script>"
TEXT = b"<h1>One</h1><p>" + b"Something was said here that is worth being kept. " * 9


def archive_of(folder, captures, later=()):
    """An archive that was reindexed; pages of some addresses were visited `later`."""
    archive = create(folder, contact="https://library.test/bot")
    with contextlib.closing(SqliteCatalog(folder / DATABASE)) as catalog:
        catalog.rebuild(captures)
        for url in later:
            page = catalog.page(url).page
            catalog.commit(Batch([visited(page, detail="as the visit said", time=10_000.0)]))
    return archive


def details(folder):
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as connection:
        return dict(connection.execute("SELECT url, detail FROM pages"))


def shown(monkeypatch, text_of):
    """Payloads without files: what a capture shows is told by its digest. Returns which were read."""
    read = deque(maxlen=100)

    def payload(_, one):
        read.append(one.digest)
        return SimpleNamespace(decoded=lambda: text_of(one.digest))

    monkeypatch.setattr(moving, "read_payload", payload)
    return read


def test_the_newest_capture_tells_unless_the_page_was_visited_later(tmp_path, monkeypatch):
    place = iter(range(100))

    def one(name, time, digest, **changes):
        return capture(f"http://a.example/{name}", time, next(place), digest=digest, **changes)

    captures = [
        one("now-a-shell", 300.0, "shell"),
        one("now-a-shell", 200.0, "text"),  # an older one that another file holds
        one("now-a-page", 200.0, "shell"),
        one("now-a-page", 300.0, "text"),
        one("now-gone", 200.0, "shell"),
        one("now-gone", 300.0, "nothing", status=404),
        one("a-picture", 200.0, "picture", mime="image/png"),
        one("visited", 200.0, "shell"),
    ]
    archive = archive_of(tmp_path / "archive", captures, ["http://a.example/visited"])
    read = shown(monkeypatch, lambda digest: SHELL if digest == "shell" else TEXT)
    judge_content(archive)
    told = {url.rpartition("/")[2]: detail for url, detail in details(archive.folder).items()}
    assert told.pop("now-a-shell").startswith(MARK)
    assert told == {"now-a-page": "", "now-gone": "", "a-picture": "", "visited": "as the visit said"}
    assert list(read) == ["shell", "text"], "nothing is read in vain"


def test_four_times_the_pages_take_hardly_more_memory(tmp_path, monkeypatch):
    shown(monkeypatch, lambda _: SHELL)
    monkeypatch.setattr(moving, "_JUDGED_AT_ONCE", 500)

    def taken(pages):
        captures = (capture(f"http://a.example/{n}", 200.0 + n, n) for n in range(pages))
        archive = archive_of(tmp_path / str(pages), captures)
        tracemalloc.start()
        try:
            judge_content(archive)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert all(detail.startswith(MARK) for detail in details(archive.folder).values())
        return peak

    taken(100)  # what is imported and remembered once
    few = taken(2_000)
    assert taken(8_000) < 1.3 * few
