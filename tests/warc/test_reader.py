import gzip
import os

import pytest

from strandline.core.capture import Kind, Outcome, Place
from strandline.errors import ArchiveDamaged
from strandline.warc import reader as reader_module
from strandline.warc.captures import Derived, Failed, Finding, Kept, captures_of
from strandline.warc.reader import WarcReader
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, START, StillClock, chunked, exchange, original_of, text


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def writer(folder):
    return WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))


def test_reads_back_open_and_sealed(folder):
    w, sent = writer(folder), exchange(body=text(3, 5000))
    capture = w.keep(sent)
    for close in (lambda: None, w.close):
        close()
        record = WarcReader(folder).read(capture.place)
        assert record.type == "response"
        assert record.http_head == sent.response_head
        assert record.body.read() == text(3, 5000)
        assert record.headers["warc-record-id"] == capture.record_id


def test_large_bodies_stream(folder, monkeypatch):
    monkeypatch.setattr(reader_module, "AT_ONCE", 1000)
    w, body = writer(folder), os.urandom(700_000)
    capture = w.keep(exchange(body=body))
    w.close()
    with WarcReader(folder).read(capture.place).body as stream:
        assert stream.read(10) == body[:10]
        assert stream.read() == body[10:]
    path = folder / capture.place.file
    data = bytearray(path.read_bytes())
    data[capture.place.offset + 600_000] ^= 4
    path.write_bytes(data)
    with pytest.raises(ArchiveDamaged, match=rf"{path.name} at {capture.place.offset}"):
        WarcReader(folder).read(capture.place).body.read()


def test_damage_is_named(folder):
    w = writer(folder)
    capture = w.keep(exchange(body=os.urandom(1000)))
    w.close()
    path = folder / capture.place.file
    whole = path.read_bytes()
    path.write_bytes(whole[: capture.place.offset + 500])
    with pytest.raises(ArchiveDamaged, match="cut short"):
        WarcReader(folder).read(capture.place)
    path.unlink()
    with pytest.raises(ArchiveDamaged, match="missing"):
        WarcReader(folder).read(capture.place)
    path.write_bytes(whole)
    with pytest.raises(ArchiveDamaged, match="bytes, not"):
        WarcReader(folder).read(Place(path.name, capture.place.offset, capture.place.length - 1))


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", ".hidden"])
def test_names_cannot_leave_the_folder(folder, name):
    with pytest.raises(ArchiveDamaged, match="missing"):
        WarcReader(folder).read(Place(name, 0, 10))


def test_captures_of_tells_what_the_writer_kept(folder):
    w = writer(folder)
    headers = b'ETag: "e1"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: Text/HTML; charset=x\r\n'
    first = w.keep(exchange("http://example.org/a", headers=headers, kind=Kind.SITEMAP))
    pieces = w.keep(exchange("http://example.org/c", chunked(b"x" * 50), headers=b"Transfer-Encoding: chunked\r\n"))
    moved = w.keep(exchange("http://example.org/m", b"", 301, headers=b"Location: /n\r\n"))
    same = w.keep(exchange("http://example.org/a", started=START + 60), original_of(first))
    lazy = w.keep(exchange("http://example.org/a", b"", 304, started=START + 90), original_of(first))
    place = w.note(exchange("http://gone.org/", response_head=b"", outcome=Outcome.NO_SUCH_HOST, detail="no: such"))
    w.close()
    found = list(captures_of(folder / first.place.file))
    kept = [item for item in found if isinstance(item, Kept)]
    assert [k.capture for k in kept[:3]] == [first, pieces, moved]
    assert kept[0].kind is Kind.SITEMAP
    assert (kept[0].etag, kept[0].last_modified) == ('"e1"', "Thu, 01 Jan 2026 00:00:00 GMT")
    assert kept[0].content_type == "Text/HTML; charset=x"
    for item, capture in zip(kept[3:], (same, lazy), strict=True):
        assert (item.capture.place, item.capture.digest, item.capture.original, item.capture.revisit) == (
            capture.place,
            capture.digest,
            capture.original,
            True,
        )
    assert found[-1] == Failed("http://gone.org/", START, Outcome.NO_SUCH_HOST, "no: such", Kind.PAGE, place)


def foreign(version, gz):
    """A file as others write it: angle brackets, other header order, other gzip headers."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"
    out = b""
    for kind, url, mime, block in (
        ("warcinfo", "", "application/warc-fields", b"software: someone\r\n"),
        ("response", "<http://example.com/>", "application/http;msgtype=response", http),
        ("resource", "urn:text:x", "text/plain", b"t"),
    ):
        target = f"WARC-Target-URI: {url}\r\n" if url else ""
        head = (
            f"{version}\r\nContent-Type: {mime}\r\nContent-Length: {len(block)}\r\n{target}"
            f"WARC-Date: 2020-02-29T12:00:00Z\r\nWARC-Record-ID: <urn:x:{kind}>\r\nWARC-Type: {kind}\r\n\r\n"
        )
        record = head.encode() + block + b"\r\n\r\n"
        out += gzip.compress(record, mtime=1234567) if gz else record
    return out


@pytest.mark.parametrize("version", ["WARC/1.0", "WARC/1.1"])
@pytest.mark.parametrize("gz", [True, False])
def test_foreign_files(folder, version, gz):
    path = folder / ("f.warc.gz" if gz else "f.warc")
    path.write_bytes(foreign(version, gz))
    page, derived = captures_of(path, strict=False)
    assert page.capture.url == "http://example.com/"
    assert page.capture.status == 200
    assert page.capture.time == 1582977600.0
    assert page.capture.digest == "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
    assert isinstance(derived, Derived)
    record = WarcReader(folder).read(page.capture.place)
    assert record.body.read() == b"hello"


@pytest.mark.parametrize("length", [2**63, 2**64, 2**40 + 1, -1, "x", "", "9" * 400])
def test_absurd_lengths_are_refused(folder, length):
    record = f"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nx\r\n\r\n".encode()
    for name, data in (("a.warc", record), ("b.warc.gz", gzip.compress(record))):
        (folder / name).write_bytes(data)
        findings = list(captures_of(folder / name, strict=False))
        assert findings
        assert all(isinstance(f, Finding) for f in findings)
        with pytest.raises(ArchiveDamaged, match="Content-Length"):
            WarcReader(folder).read(Place(name, 0, 0))
