"""Revisits that hold their content themselves."""

from contextlib import closing

import pytest
from warcio.archiveiterator import ArchiveIterator

from strandline.warc.captures import Kept, captures_of
from strandline.warc.made_whole import whole_id, whole_record, write_whole
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
    record = whole_record(reader.read(second.place), reader.read(first.place))
    assert record == whole_record(reader.read(second.place), reader.read(first.place))
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
