import gzip
import random
import struct

import pytest
import zstandard

from strandline.errors import ArchiveDamaged
from strandline.warc import zstd_import
from strandline.warc.captures import Kept, captures_of
from strandline.warc.importing import Target
from strandline.warc.members import Member, Window, walk
from strandline.warc.writer import WarcWriter, WriterSettings
from strandline.warc.zstd_import import import_zst
from warc.exchanges import ABOUT, START, StillClock, exchange, text


@pytest.fixture
def records(tmp_path):
    """Unpacked records of a small archive, and what captures it holds."""
    folder = tmp_path / "source"
    folder.mkdir()
    writer = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    for number in range(6):
        writer.keep(exchange(f"http://example.org/{number}", text(number, 5000)))
    writer.close()
    (path,) = folder.glob("*.warc.gz")
    window = Window(path)
    found = [b"".join(item.pieces()) for item in walk(window) if isinstance(item, Member)]
    window.close()
    return found, [(item.capture.url, item.capture.digest) for item in captures_of(path) if isinstance(item, Kept)]


@pytest.fixture
def target(tmp_path):
    (tmp_path / "archive").mkdir()
    return Target(tmp_path / "archive", "h", START)


def packed(records, dictionary=None):
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    return b"".join(packer.compress(record) for record in records)


def as_frame(data):
    return struct.pack("<II", 0x184D2A5D, len(data)) + data


@pytest.mark.parametrize("kind", ["plain", "dictionary", "packed dictionary", "one frame"])
def test_every_record_is_taken_in(records, target, tmp_path, kind):
    found, captures = records
    dictionary = zstandard.train_dictionary(4096, [text(seed, 900) for seed in range(200)])
    stored = {
        "plain": lambda: packed(found),
        "dictionary": lambda: as_frame(dictionary.as_bytes()) + packed(found, dictionary),
        "packed dictionary": lambda: as_frame(zstandard.compress(dictionary.as_bytes())) + packed(found, dictionary),
        "one frame": lambda: zstandard.compress(b"".join(found)),
    }[kind]()
    source = tmp_path / "x.warc.zst"
    source.write_bytes(stored)
    taken = import_zst(source, target)
    assert taken.records == len(found)
    path = target.archive / taken.file
    assert gzip.decompress(path.read_bytes()) == b"".join(found)
    assert [(i.capture.url, i.capture.digest) for i in captures_of(path) if isinstance(i, Kept)] == captures
    assert not [one for one in target.archive.parent.iterdir() if one.is_file() and one != source]


def test_what_is_not_whole_leaves_nothing(records, target, tmp_path):
    found, _ = records
    whole = packed(found)
    rng = random.Random(3)
    source = tmp_path / "x.warc.zst"
    for cut in (1, 7, *(rng.randrange(8, len(whole)) for _ in range(20)), len(whole) - 1):
        source.write_bytes(whole[:cut])
        if cut in _ends(found):
            continue
        with pytest.raises(ArchiveDamaged, match=r"x\.warc\.zst"):
            import_zst(source, target)
    for stored in (as_frame(b"")[:8], as_frame(b"x" * 30)[:20], struct.pack("<II", 0x184D2A5D, 2**31), b"nonsense"):
        source.write_bytes(stored)
        with pytest.raises(ArchiveDamaged, match=r"x\.warc\.zst"):
            import_zst(source, target)
    assert not list(target.archive.iterdir())
    assert not [one for one in target.archive.parent.iterdir() if one.is_file() and one != source]


def _ends(found):
    """Where a cut leaves whole records only."""
    ends, at = set(), 0
    for record in found:
        at += len(zstandard.compress(record))
        ends.add(at)
    return ends


def test_a_bomb_is_given_up(target, tmp_path, monkeypatch):
    monkeypatch.setattr(zstd_import, "_ALWAYS", 1 << 20)
    source = tmp_path / "bomb.warc.zst"
    source.write_bytes(zstandard.compress(bytes(300 << 20)))
    with pytest.raises(ArchiveDamaged, match="200 times"):
        import_zst(source, target)
    assert not list(target.archive.iterdir())
