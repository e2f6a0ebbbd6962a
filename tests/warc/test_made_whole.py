"""Revisits that hold their content themselves."""

from contextlib import closing

import pytest
from warcio.archiveiterator import ArchiveIterator

from strandline.core.capture import Place
from strandline.core.shown import DOCUMENT, TEXT, Shown, View
from strandline.warc.captures import Kept, captures_of
from strandline.warc.made_whole import whole_id, whole_records, write_whole
from strandline.warc.reader import WarcReader
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, chunked, exchange, original_of

BODY = b"<p>the same as before</p>" * 20


@pytest.mark.parametrize("head", ["same", "chunked", "unchanged"])
def test_a_revisit_becomes_an_answer(tmp_path, head):
    archive = tmp_path / "archive"
    archive.mkdir()
    sent = chunked(BODY) if head == "chunked" else BODY
    headers = b"Content-Type: text/html\r\n" + (b"Transfer-Encoding: chunked\r\n" if head == "chunked" else b"")
    with closing(WarcWriter(archive, ABOUT, StillClock())) as writer:
        first = writer.keep(exchange("http://example.org/a", sent, headers=headers))
        again = exchange("http://example.org/b", sent, headers=headers + b"X-Time: later\r\n", started=START + 60)
        if head == "unchanged":
            again = exchange("http://example.org/a", b"", 304, headers=b"ETag: x\r\n", started=START + 60)
        second = writer.keep(again, original_of(first))
    assert second.revisit
    reader = WarcReader(archive)
    (record,) = whole_records(reader, second.place, first.place, ())
    assert [record] == list(whole_records(reader, second.place, first.place, ()))
    path = archive / "whole-1.warc.gz"
    write_whole(path, [record], "test", START)
    (kept,) = [item for item in captures_of(path) if isinstance(item, Kept)]
    assert not kept.capture.revisit
    assert (kept.capture.url, kept.capture.time) == (second.url, second.time)
    assert kept.capture.digest == first.digest
    assert kept.capture.record_id == whole_id(second.record_id)
    whole = reader.read(kept.place)
    assert whole.body.read() == sent
    assert (b"X-Time" in whole.http_head) == (head != "unchanged")
    assert verify(archive, lambda: [first, second, kept.capture]).ok
    with path.open("rb") as file:
        assert [one.rec_type for one in ArchiveIterator(file, check_digests="raise")] == ["warcinfo", "response"]


def test_what_a_browser_showed_comes_after_it(tmp_path):
    archive = tmp_path / "archive"
    archive.mkdir()
    views = (View(DOCUMENT, "text/html", b"<p>shown</p>"), View(TEXT, "text/plain", b"shown"))
    seen = Shown(1, START + 61, "settled", views, stands=True)
    with closing(WarcWriter(archive, ABOUT, StillClock())) as writer:
        first = writer.keep(exchange("http://example.org/a", BODY))
        second = writer.keep(exchange("http://example.org/a", BODY, started=START + 60), original_of(first), seen)
    made = second.rendering
    document = Place(second.place.file, made.offset, made.length)
    behind = Place(second.place.file, made.offset + made.length, 0)
    path = archive / "whole-1.warc.gz"
    reader = WarcReader(archive)
    write_whole(path, whole_records(reader, second.place, first.place, (document, behind)), "test", START)
    kept, *derived = list(captures_of(path))
    assert kept.capture.rendering.digest == made.digest
    assert [one.kept.capture.url for one in derived] == [
        "urn:dom:http://example.org/a",
        "urn:text:http://example.org/a",
    ]
    place = Place(path.name, kept.capture.rendering.offset, kept.capture.rendering.length)
    record = reader.read(place)
    assert record.body.read() == b"<p>shown</p>"
    assert record.headers["warc-concurrent-to"] == kept.capture.record_id == whole_id(second.record_id)
    assert verify(archive, lambda: [first, second, kept.capture]).ok
