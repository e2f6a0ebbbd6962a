"""Compaction: every byte of the uncompressed WARC comes back, one record needs one keyframe, damage is told."""

import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.errors import ArchiveDamaged
from strandline.warc.deltas import _TRAILER, KEYFRAME_EVERY, CompactedWarc, OldRecord, check, compact


def record(url: str, payload: bytes, kind: str = "response") -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + payload
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(number: int) -> bytes:
    paragraphs = [f"<p>Paragraph {k} of a page that keeps its words: {k * 7919 % 1000003}.</p>" for k in range(300)]
    paragraphs[number % 300] = f"<p>Version {number} says something else here.</p>"
    return "".join(paragraphs).encode()


def records_of(parts):
    """One after another, as in an uncompressed WARC."""
    place = 0
    for data in parts:
        yield OldRecord(place, len(data), data)
        place += len(data)


def compacted(parts) -> io.BytesIO:
    target = io.BytesIO()
    done = compact(records_of(parts), target)
    assert done.raw_bytes == sum(map(len, parts))
    assert done.stored_bytes == len(target.getvalue())
    return target


def expanded(source) -> bytes:
    """The uncompressed WARC; ArchiveDamaged when it is not the one it was."""
    opened = CompactedWarc(source)
    whole = b"".join(record.data for record in opened)
    check(source, opened.sha256)
    return whole


def test_versions_of_a_page_shrink_and_come_back_byte_for_byte():
    versions = [record("https://a.example/", page(number)) for number in range(40)]
    target = io.BytesIO()
    done = compact(records_of(versions), target)
    assert done.records == 40
    assert done.deltas == 40 - 3  # keyframes are the versions 0, 16 and 32
    assert done.stored_bytes < 0.2 * sum(len(gzip.compress(version, 6)) for version in versions)
    assert expanded(target) == b"".join(versions)
    check(target, done.sha256)


def test_pages_that_are_held_are_bounded_and_nothing_is_lost(monkeypatch):
    """Each page comes twice, far apart: what is no longer held is no base for a delta."""
    pages = [record(f"https://a.example/{number % 20}", page(number)) for number in range(40)]
    deltas = []
    for held in (5 * len(page(0)), 1 << 30):
        monkeypatch.setattr("strandline.warc.deltas.MOST_HELD", held)
        target = io.BytesIO()
        deltas.append(compact(records_of(pages), target).deltas)
        assert expanded(target) == b"".join(pages)
    assert deltas == [0, 20]


def test_a_file_without_records_is_whole():
    opened = CompactedWarc(compacted([]))
    assert opened.records == opened.raw_bytes == 0


def test_one_record_is_read_by_the_offset_it_had():
    versions = [record(f"https://a.example/{number % 3}", page(number)) for number in range(30)]
    records, place = [], 0
    for data in versions:
        records.append(OldRecord(place, 100, data))  # as in a .warc.gz, the length there is another
        place += 100
    target = io.BytesIO()
    compact(records, target)
    opened = CompactedWarc(target)
    assert [opened.at(100 * number) for number in range(30)] == versions
    with pytest.raises(ArchiveDamaged, match="no record"):
        opened.at(50)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds(record, st.sampled_from(["https://a/", "https://b/"]), st.binary(max_size=300)),
            st.binary(min_size=1, max_size=60),  # what is no record must come back too
        ),
        max_size=2 * KEYFRAME_EVERY + 4,
    )
)
def test_any_bytes_come_back(parts):
    assert expanded(compacted(parts)) == b"".join(parts)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_flipped_or_missing_byte_is_found(data):
    parts = [record("https://a/", page(number)) for number in range(4)]
    whole = compacted(parts).getvalue()
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        damaged = whole[:place]
    else:
        damaged = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    try:
        back = expanded(io.BytesIO(damaged))
    except ArchiveDamaged:
        return
    assert back == b"".join(parts)  # a byte of the index that names only the old length


@pytest.mark.parametrize("bit", [1, 128])
def test_a_wrong_number_of_records_is_found(bit):
    """Also one for which there is not memory enough."""
    whole = compacted([record("https://a/", page(number)) for number in range(4)]).getvalue()
    number = len(whole) - _TRAILER.size + 16
    for place in range(number, number + 8):
        damaged = whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :]
        with pytest.raises(ArchiveDamaged):
            expanded(io.BytesIO(damaged))


@pytest.mark.parametrize("bit", [1, 128])
def test_a_bit_that_points_anywhere_is_found(bit):
    parts = [record("https://a/", page(number)) for number in range(4)]
    whole = compacted(parts).getvalue()
    for place in range(0, len(whole), 3):
        try:
            back = expanded(io.BytesIO(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :]))
        except ArchiveDamaged:
            continue
        assert back == b"".join(parts)


def test_a_wrong_original_is_refused():
    target = compacted([record("https://a/", b"x")])
    with pytest.raises(ArchiveDamaged):
        check(target, "0" * 64)
