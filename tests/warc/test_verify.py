import random
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.warc.fixity import complete_sums
from strandline.warc.members import Gap, Member, Window, walk
from strandline.warc.verify import verify
from strandline.warc.writer import WarcWriter, WriterSettings
from warc.exchanges import ABOUT, StillClock, exchange, original_of, text


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def archive(folder, pages=12, size=1500):
    """A sealed file with pages, a revisit and a failed visit; its captures and its path."""
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange(f"http://example.org/{i}", text(i, size))) for i in range(pages)]
    kept.append(w.keep(exchange("http://example.org/0", text(0, size)), original_of(kept[0])))
    w.note(exchange("http://example.org/dead", response_head=b""))
    kept.append(w.keep(exchange("http://example.org/last", text(99, 4000))))
    w.close()
    return kept, folder / kept[0].place.file


def audit(folder, kept):
    return verify(folder, lambda: iter(kept))


def test_clean_archive(folder):
    kept, _ = archive(folder)
    found = audit(folder, kept)
    assert found.ok
    assert found.as_json()["captures"] == len(kept)


def test_an_address_that_looks_like_one_of_a_request_with_a_body(folder):
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange("http://example.org/api?__wb_method=POST&a=1", text(1, 500)))]
    w.close()
    assert audit(folder, kept).problems == ()


def test_records_that_unpack_to_much_more_than_they_take(folder):
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange(f"http://example.org/{i}", b"a page of few words " * 150_000)) for i in range(3)]
    w.close()
    path = folder / kept[0].place.file
    window = Window(path)
    assert all(isinstance(one, Member) for one in walk(window))
    window.close()
    (folder.parent / "fixity" / f"{path.name}.sums").unlink()
    assert audit(folder, kept).ok


def test_lists_of_checksums(folder):
    kept, path = archive(folder)
    sums = folder.parent / "fixity" / f"{path.name}.sums"
    whole = sums.read_bytes()
    for damaged in (whole[:-20], whole[:-1], whole.replace(b"\n0 ", b"\n1 "), whole[:100] + whole[150:], b""):
        sums.write_bytes(damaged)
        assert not audit(folder, kept).ok
    sums.unlink()
    found = audit(folder, kept)
    assert found.ok
    assert found.unlisted == (path.name,)
    complete_sums(folder, path.name, path)
    assert sums.read_bytes() == whole
    assert audit(folder, kept).unlisted == ()


def test_every_random_cut_in_the_last_record_is_found(folder):
    kept, path = archive(folder)
    whole = path.read_bytes()
    rng = random.Random(7)
    start = kept[-1].place.offset
    for cut in rng.sample(range(start + 1, len(whole)), min(300, len(whole) - start - 1)):
        path.write_bytes(whole[:cut])
        found = audit(folder, kept)
        assert not found.ok, cut
        assert found.problems[0].url == "http://example.org/last", (cut, found.problems)


def test_300_flipped_bits_are_found_and_named(folder):
    kept, path = archive(folder)
    whole = path.read_bytes()
    rng = random.Random(11)
    for _ in range(300):
        at, bit = rng.randrange(len(whole)), rng.randrange(8)
        damaged = bytearray(whole)
        damaged[at] ^= 1 << bit
        path.write_bytes(damaged)
        found = audit(folder, kept)
        assert not found.ok, (at, bit)
        hit = [c for c in kept if c.place.offset <= at]
        if hit:
            assert found.problems[0].url == hit[-1].url or hit[-1] is kept[-2], (at, bit, found.problems)
        assert len(found.problems) == 1, found.problems


def test_every_bit_where_no_checksum_looks(folder):
    """The gzip header, the padding behind the packed data, and a few places between."""
    kept, path = archive(folder, pages=1, size=20)
    whole = path.read_bytes()
    start, end = kept[1].place.offset, kept[1].place.offset + kept[1].place.length
    for at in (*range(start, start + 12), *range(start + 12, end - 12, 29), *range(end - 12, end)):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << bit
            path.write_bytes(damaged)
            assert not audit(folder, kept).ok, (at - start, bit)


NOISE = random.Random(5).randbytes(5000)


@pytest.mark.parametrize("between", [b"\0" * 4096, b"\0", b"x", NOISE, b"\x1f\x8b\x08\0", b"WARC/1.1\r\n"])
def test_nothing_may_lie_between_members(folder, between):
    kept, path = archive(folder)
    whole = path.read_bytes()
    at = kept[5].place.offset
    for changed in (whole[:at] + between + whole[at:], whole + between, between + whole):
        path.write_bytes(changed)
        assert not audit(folder, kept).ok
    path.write_bytes(whole + between)
    found = audit(folder, kept)
    assert len(found.problems) == 1
    assert found.problems[0].offset == len(whole)


def test_missing_file_and_wrong_catalog(folder):
    kept, path = archive(folder)
    path.rename(folder / "elsewhere")
    found = audit(folder, kept)
    assert {(p.url, p.problem) for p in found.problems} == {(c.url, "the file is missing") for c in kept}
    (folder / "elsewhere").rename(path)
    shifted = [c.__class__(**{**_fields(c), "url": c.url + "x"}) if i == 3 else c for i, c in enumerate(kept)]
    (told,) = [p.problem for p in audit(folder, shifted).problems]
    assert "the catalog has another record here" in told


def _fields(capture):
    return {name: getattr(capture, name) for name in capture.__dataclass_fields__}


def test_wrong_digest_behind_a_right_crc(folder):
    kept, path = archive(folder, pages=2)
    whole = path.read_bytes()
    place = kept[0].place
    record = zlib.decompress(whole[place.offset : place.offset + place.length], 31)
    forged = record.replace(text(0, 1500)[:40], b"#" * 40)
    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    member = pack.compress(forged) + pack.flush()
    path.write_bytes(whole[: place.offset] + member + whole[place.offset + place.length :])
    problems = audit(folder, kept).problems
    assert any("payload digest is wrong" in p.problem and p.url == kept[0].url for p in problems)


def test_file_being_written_is_checked_up_to_the_catalog(folder):
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange())]
    w.sync()
    with (folder / f"{kept[0].place.file}.open").open("ab") as out:
        out.write(b"half a record")
    assert audit(folder, kept).ok


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400), head=st.booleans())
def test_the_walk_ends_on_anything(tmp_path_factory, data, head):
    path = tmp_path_factory.mktemp("w") / "x.warc.gz"
    path.write_bytes((b"\x1f\x8b\x08" if head else b"") + data)
    window = Window(path)
    covered = 0
    for item in walk(window):
        assert isinstance(item, Gap | Member)
        assert item.offset >= covered
        covered = item.offset + 1
    window.close()


def test_a_server_may_name_a_type_with_a_304(folder):
    w = WarcWriter(folder, ABOUT, StillClock(), WriterSettings(host="h"))
    kept = [w.keep(exchange("http://example.org/", text(1, 500)))]
    head = b"HTTP/1.1 304 Not Modified\r\nContent-Type: text/html\r\n\r\n"
    kept.append(w.keep(exchange("http://example.org/", b"", response_head=head, status=304), original_of(kept[0])))
    w.close()
    assert kept[1].mime == "", "its record holds no answer, so a catalog made anew would not know it"
    assert audit(folder, kept).problems == ()
    earlier = [kept[0], replace(kept[1], mime="text/html")]
    assert audit(folder, earlier).problems == (), "catalogs of earlier releases know it"
    assert not audit(folder, [kept[0], replace(kept[1], status=200)]).ok
