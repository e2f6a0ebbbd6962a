import gzip
import io
import subprocess
import sys
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from strandline.core.capture import Kind, Outcome
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, START, StillClock, chunked, exchange, original_of, text


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def writer(folder, **settings_):
    return WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h", **settings_))


def sealed(folder):
    files = sorted(folder.iterdir())
    assert all(f.name.endswith(".warc.gz") for f in files)
    return files


def records(path):
    """Read with warcio, digests checked."""
    found = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            found.append((record, record.raw_stream.read()))
    return found


def members(path):
    data, found = path.read_bytes(), []
    while data:
        one = zlib.decompressobj(31)
        found.append(one.decompress(data))
        assert one.eof
        data = one.unused_data
    return found


def warcio_check(path):
    command = [sys.executable, "-m", "warcio.cli", "check", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_names_and_open_suffix(folder):
    w = writer(folder)
    assert list(folder.iterdir()) == []
    w.keep(exchange())
    w.sync()
    assert [f.name for f in folder.iterdir()] == ["strandline-20260528202640125-00000-h.warc.gz.open"]
    w.close()
    assert [f.name for f in sealed(folder)] == ["strandline-20260528202640125-00000-h.warc.gz"]


def test_one_member_per_record_and_pairs(folder):
    w = writer(folder)
    first = w.keep(exchange("http://example.org/a"))
    second = w.keep(exchange("http://example.org/b", kind=Kind.REQUISITE))
    w.close()
    (path,) = sealed(folder)
    assert len(members(path)) == 5
    found = records(path)
    assert [r.rec_type for r, _ in found] == ["warcinfo", "response", "request", "response", "request"]
    assert warcio_check(path)[0] == 0, warcio_check(path)
    for capture, (answer, body), (request, _) in ((first, *found[1:3]), (second, *found[3:5])):
        assert answer.rec_headers["WARC-Record-ID"] == capture.record_id == request.rec_headers["WARC-Concurrent-To"]
        assert answer.rec_headers["WARC-Payload-Digest"] == capture.digest == capture.entity
        assert answer.rec_headers["WARC-IP-Address"] == "192.0.2.7"
        assert answer.rec_headers["WARC-Date"] == "2026-05-28T20:26:40.125Z"
        assert body == b"<p>hello</p>"
        assert request.http_headers.get_header("Cookie") is None
        assert request.http_headers.get_header("Accept") == "*/*"
        data = path.read_bytes()[capture.place.offset : capture.place.offset + capture.place.length]
        assert gzip.decompress(data).startswith(b"WARC/1.1\r\nWARC-Type: response\r\n")
    assert found[3][0].rec_headers["Strandline-Kind"] == "requisite"


def test_warcinfo(folder):
    w = writer(folder)
    w.keep(exchange())
    w.close()
    info, block = records(sealed(folder)[0])[0]
    lines = dict(line.split(": ", 1) for line in block.decode().splitlines())
    assert lines["software"] == "strandline/test"
    assert lines["format"] == "WARC File Format 1.1"
    assert lines["robots"] == "obey"
    assert lines["operator"] == "http://example.org/"
    assert lines["isPartOf"] == "test"
    assert "warc-1.1" in lines["conformsTo"]
    assert "strandline" in lines["http-header-user-agent"]
    assert info.rec_headers["WARC-Filename"] == sealed(folder)[0].name


def test_revisits(folder):
    w = writer(folder)
    first = w.keep(exchange("http://example.org/a"))
    same = w.keep(exchange("http://example.org/a", started=START + 5), original_of(first))
    lazy = w.keep(exchange("http://example.org/a", b"", status=304, started=START + 9), original_of(first))
    w.close()
    assert same.revisit
    assert lazy.revisit
    assert same.digest == lazy.digest == first.digest
    assert same.original == original_of(first)
    found = records(sealed(folder)[0])
    assert warcio_check(sealed(folder)[0])[0] == 0
    assert [r.rec_type for r, _ in found[3:]] == ["revisit", "request", "revisit", "metadata", "request"]
    for record, _ in (found[3], found[5]):
        head = record.rec_headers
        assert head["WARC-Refers-To"] == first.record_id
        assert head["WARC-Refers-To-Target-URI"] == "http://example.org/a"
        assert head["WARC-Refers-To-Date"] == "2026-05-28T20:26:40.125Z"
        assert head["WARC-Payload-Digest"] == first.digest
    assert found[3][0].http_headers.get_header("Content-Type") == "text/html; charset=utf-8"
    assert found[3][0].rec_headers["WARC-Profile"].endswith("/1.1/revisit/identical-payload-digest")
    assert found[5][0].rec_headers["WARC-Profile"].endswith("/1.1/revisit/server-not-modified")
    # With a status of 3xx in the record block, replay systems would not look for the original.
    assert found[5][0].http_headers is None
    beside, block = found[6]
    assert beside.rec_headers["WARC-Concurrent-To"] == lazy.record_id
    assert block.startswith(b"status-line: HTTP/1.1 304 Fine\r\nContent-Type: text/html; charset=utf-8\r\n")


def test_entity_is_the_body_without_chunks(folder):
    w = writer(folder)
    headers = b"Transfer-Encoding: chunked\r\n"
    plain = w.keep(exchange(body=b"abcdefghijklmnop"))
    pieces = w.keep(exchange(body=chunked(b"abcdefghijklmnop", 7), headers=headers))
    others = w.keep(exchange(body=chunked(b"abcdefghijklmnop", 3), headers=headers), original_of(pieces))
    assert plain.entity == pieces.entity == others.entity == plain.digest
    assert pieces.digest != plain.digest
    assert others.revisit
    assert others.digest == pieces.digest
    # Framed one way then, another way now: a revisit would carry headers that do not fit the payload.
    assert not w.keep(exchange(body=b"abcdefghijklmnop"), original_of(pieces)).revisit
    assert not w.keep(exchange(body=chunked(b"abcdefghijklmnop"), headers=headers), original_of(plain)).revisit
    w.close()


def test_truncation_is_marked(folder):
    w = writer(folder)
    cut = w.keep(exchange(truncated="length", outcome=Outcome.TRUNCATED))
    short = w.keep(exchange(outcome=Outcome.SHORT))
    w.close()
    assert (cut.truncated, short.truncated) == ("length", "disconnect")
    found = records(sealed(folder)[0])
    assert found[1][0].rec_headers["WARC-Truncated"] == "length"
    assert found[3][0].rec_headers["WARC-Truncated"] == "disconnect"


def test_redirect_target_and_userinfo(folder):
    w = writer(folder)
    moved = w.keep(exchange("http://example.org/a/b", b"", 301, headers=b"Location: ../c\r\n"))
    nowhere = w.keep(exchange("http://example.org/a/b", b"", 302, headers=b"Location: http://[\r\n"))
    secret = w.keep(exchange("http://me:pass@example.org/x"))
    w.close()
    assert moved.redirect == "http://example.org/c"
    assert nowhere.redirect == ""
    assert secret.url == "http://example.org/x"
    assert b"pass" not in gzip.decompress(sealed(folder)[0].read_bytes())


def test_failed_exchange_is_noted_not_kept(folder):
    w = writer(folder)
    failed = exchange(response_head=b"", status=0, outcome=Outcome.TIMEOUT, detail="no answer\r\nin 30 s")
    with pytest.raises(ValueError, match="note"):
        w.keep(failed)
    w.note(failed)
    w.close()
    _, (record, block) = records(sealed(folder)[0])
    assert record.rec_type == "metadata"
    assert record.rec_headers["WARC-Target-URI"] == "http://example.org/"
    assert block == b"outcome: timeout\r\ndetail: no answer in 30 s\r\nfetchTimeMs: 250\r\n"


def test_sha256(folder):
    w = writer(folder, digest="sha256")
    capture = w.keep(exchange())
    w.close()
    assert capture.digest.startswith("sha256:")
    assert warcio_check(sealed(folder)[0])[0] == 0


def test_large_body_is_streamed(folder):
    class Counting(io.BytesIO):
        largest = 0

        def read(self, size=-1):
            data = super().read(size)
            Counting.largest = max(Counting.largest, len(data))
            return data

    body = text(1, 1 << 20) * 12
    w = writer(folder)
    large = exchange(body=body)
    large.body = Counting(body)
    capture = w.keep(large)
    w.close()
    assert Counting.largest <= 1 << 18
    found = records(sealed(folder)[0])
    assert found[1][1] == body
    assert capture.place.length < len(body)


@settings(max_examples=60, deadline=None)
@given(
    body=st.binary(max_size=3000),
    names=st.lists(st.from_regex(r"\AX-[A-Za-z0-9]{1,10}\Z"), max_size=5),
    value=st.binary(max_size=40).map(lambda b: bytes(c for c in b if c not in b"\r\n")),
    path=st.text(max_size=20),
)
def test_every_byte_comes_back(tmp_path_factory, body, names, value, path):
    folder = tmp_path_factory.mktemp("x") / "archive"
    folder.mkdir()
    headers = b"".join(name.encode() + b": " + value + b"\r\n" for name in names)
    w = writer(folder)
    sent = exchange("http://example.org/" + path, body, headers=headers)
    w.keep(sent)
    w.close()
    (path_,) = sealed(folder)
    block = members(path_)[1].split(b"\r\n\r\n", 1)[1]
    assert block == sent.response_head + body + b"\r\n\r\n"


# -- faults ------------------------------------------------------------------------------------------------------------
