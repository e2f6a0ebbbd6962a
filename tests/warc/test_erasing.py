"""Tombstones: of the very length of what they replace, and records for every tool."""

import io
import random
import zlib
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from strandline.errors import ArchiveDamaged
from strandline.warc.captures import captures_of
from strandline.warc.erasing import Erased, erase_in_file, heads_of, remove_file, tombstone
from strandline.warc.fixity import read_sums, sums_path
from strandline.warc.members import Member, Window, walk
from strandline.warc.records import Malformed, parse_header_block
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter
from warc.exchanges import ABOUT, START, StillClock, exchange

ID = "<urn:uuid:12345678-1234-4234-8234-123456789012>"


def is_tombstone(member: Member) -> bool:
    """Whether a record is the place of one that was erased."""
    try:
        data = next(member.pieces(), b"")
        fields = parse_header_block(data)[1]
    except Malformed:
        return False
    return fields.get("warc-type") == "metadata" and "warc-target-uri" not in fields


@given(st.integers(180, 3000) | st.integers(65_000, 66_500) | st.integers(130_000, 131_500))
def test_a_tombstone_has_the_length_that_is_wanted_and_is_one_record(length):
    stone = tombstone(length, ID, START)
    assert len(stone) == length
    assert stone == tombstone(length, ID, START)
    reader = zlib.decompressobj(31)
    record = reader.decompress(stone)
    assert reader.eof
    assert not reader.unused_data
    head, _, content = record.partition(b"\r\n\r\n")
    assert ID.encode() in head
    assert not content.strip(b"\0\r\n")


@pytest.mark.parametrize("length", [180, 250, 70_000])
def test_other_tools_read_over_it(length):
    stone = tombstone(length, ID, START)
    (record,) = ArchiveIterator(io.BytesIO(stone))
    assert (record.rec_type, record.rec_headers.get_header("WARC-Record-ID")) == ("metadata", ID)


def test_too_small_a_place_is_told():
    with pytest.raises(ValueError, match="too few"):
        tombstone(100, ID, START)
    with pytest.raises(ValueError, match="no record has"):
        tombstone(50, ID, START, packed=False)
    assert len(tombstone(500, ID, START, packed=False)) == 500


def _file(tmp_path):
    rng = random.Random(1)
    (tmp_path / "archive").mkdir()
    with closing(WarcWriter(tmp_path / "archive", ABOUT, StillClock())) as writer:
        for number in range(12):
            text = bytes(rng.choices(b"abcdefgh ", k=rng.choice((20, 3000, 90_000))))
            writer.keep(exchange(f"http://example.org/{number}", b"<p>" + text, started=START + number))
    (path,) = (tmp_path / "archive").glob("*.warc.gz")
    return path


def test_other_records_stay_byte_for_byte_and_the_audit_agrees(tmp_path):
    path = _file(tmp_path)
    heads = list(heads_of(path))
    assert [head.url for head in heads if head.fields["warc-type"] == "response"][:2] == [
        "http://example.org/0",
        "http://example.org/1",
    ]
    gone = [head for head in heads if head.url.endswith(("/3", "/7"))]
    assert len(gone) == 4
    records = [Erased(head.offset, head.length, head.fields["warc-record-id"]) for head in gone]
    before, noted = path.read_bytes(), read_sums(path.parent, path.name)[0]
    erase_in_file(path, records, START)
    after = path.read_bytes()
    assert len(after) == len(before)
    for one in noted:
        same = before[one.offset : one.end] == after[one.offset : one.end]
        assert same == (one.offset not in {record.offset for record in records})
    kept = [item.capture for item in captures_of(path) if hasattr(item, "capture")]
    assert len(kept) == 10
    assert verify(path.parent, lambda: kept).ok
    with closing(Window(path)) as window:
        stones = [item.offset for item in walk(window) if isinstance(item, Member) and is_tombstone(item)]
    assert stones == [record.offset for record in records]


def test_done_again_over_a_half_written_one_it_is_the_same(tmp_path):
    path = _file(tmp_path)
    head = next(one for one in heads_of(path) if one.url.endswith("/5"))
    record = Erased(head.offset, head.length, head.fields["warc-record-id"])
    erase_in_file(path, [record], START)
    whole, sums = path.read_bytes(), sums_path(path.parent, path.name).read_bytes()
    with path.open("r+b") as file:
        file.seek(record.offset + 30)
        file.write(b"garbage that a power cut left")
    sums_path(path.parent, path.name).write_bytes(sums[: len(sums) // 2])
    erase_in_file(path, [record], START)
    assert path.read_bytes() == whole
    assert sums_path(path.parent, path.name).read_bytes() == sums


def test_a_place_that_is_too_small_is_damage_and_left_alone(tmp_path):
    path = _file(tmp_path)
    before = path.read_bytes()
    with pytest.raises(ArchiveDamaged, match="too few"):
        erase_in_file(path, [Erased(0, 60, ID)], START)
    assert path.read_bytes() == before


def test_a_file_goes_with_its_checksums(tmp_path):
    path = _file(tmp_path)
    remove_file(path)
    remove_file(path)
    assert not path.exists()
    assert not sums_path(path.parent, path.name).exists()
