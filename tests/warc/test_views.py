"""What a browser showed stands beside the answer it was made from, and is found again from the WARC file alone."""

import pytest
from cdxj_indexer.main import write_cdx_index
from warcio.archiveiterator import ArchiveIterator

from strandline.core.capture import Place, Request
from strandline.core.shown import DOCUMENT, INFO, TEXT, Shown, View
from strandline.warc.captures import Derived, Kept, captures_of
from strandline.warc.cdxj import CdxjIndex, lines_of_file
from strandline.warc.index_audit import index_problems
from strandline.warc.reader import WarcReader
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, exchange

URL = "http://example.org/app"
VIEWS = (
    View(DOCUMENT, "text/html; charset=utf-8", b"<p>shown</p>"),
    View(TEXT, "text/plain", b"shown"),
    View(INFO, "application/json", b"{}"),
)


@pytest.fixture
def kept(tmp_path):
    """A function that keeps exchanges with what was shown of them: file and captures."""

    def keep(*pairs):
        (tmp_path / "archive").mkdir()
        index = CdxjIndex(tmp_path / "indexes", tmp_path / "archive")
        writer = WarcWriter(tmp_path / "archive", ABOUT, StillClock(), listing=index)
        captures = [writer.keep(one, None, shown) for one, shown in pairs]
        writer.close()
        index.refresh()
        return next((tmp_path / "archive").glob("*.warc.gz")), captures, index

    return keep


def test_the_document_that_stands_for_a_page_is_found_again(kept):
    shown = Shown(1, START + 5, "settled", VIEWS, stands=True)
    path, captures, index = kept((exchange(URL), shown), (exchange("http://example.org/plain"), None))
    made = captures[0].rendering
    record = WarcReader(path.parent).read(Place(path.name, made.offset, made.length))
    assert record.body.read() == b"<p>shown</p>"
    assert record.headers["warc-target-uri"] == f"urn:dom:{URL}"
    found = [item for item in captures_of(path) if isinstance(item, Kept)]
    assert [item.capture.rendering for item in found] == [made, None]
    assert sum(isinstance(item, Derived) for item in captures_of(path)) == 3
    assert sorted(lines_of_file(path)) == sorted(index.path.read_bytes().splitlines(keepends=True))


def test_a_document_that_only_was_tried_stands_for_nothing(kept):
    path, captures, _ = kept((exchange(URL), Shown(1, START, "settled", VIEWS)))
    assert captures[0].rendering is None
    assert [item.capture.rendering for item in captures_of(path) if isinstance(item, Kept)] == [None]


def test_records_are_read_by_others(kept):
    path, _, _ = kept((exchange(URL), Shown(1, START, "settled", VIEWS, stands=True)))
    with path.open("rb") as file:
        found = [(record.rec_type, record.rec_headers["WARC-Target-URI"]) for record in ArchiveIterator(file)]
    assert [one for one in found if one[0] == "resource"] == [
        ("resource", f"urn:dom:{URL}"), ("resource", f"urn:text:{URL}"), ("resource", f"urn:pageinfo:{URL}")
    ]  # fmt: skip


def test_what_was_posted_is_indexed_with_its_body(kept, tmp_path):
    sent = Request(URL, 1, method="POST", headers=(("Content-Type", "application/json"),), body=b'{"q": 1}')
    head = b"POST /app HTTP/1.1\r\nHost: example.org\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n"
    path, captures, index = kept((exchange(URL, request=sent, request_head=head), None))
    assert captures[0].url == f"{URL}?__wb_method=POST&q=1"
    assert [item.capture.url for item in captures_of(path) if isinstance(item, Kept)] == [captures[0].url]
    with path.open("rb") as file:
        request = next(record for record in ArchiveIterator(file) if record.rec_type == "request")
        assert request.content_stream().read() == b'{"q": 1}'
    with (tmp_path / "other.cdxj").open("w") as other:
        write_cdx_index(other, str(path), {"sort": True, "post_append": True})
    lines = (tmp_path / "other.cdxj").read_text().splitlines()
    assert index.path.read_text().splitlines() == lines
    assert not list(index_problems(tmp_path / "indexes", tmp_path / "archive", lambda: captures))
    assert not verify(tmp_path / "archive", lambda: captures).problems
