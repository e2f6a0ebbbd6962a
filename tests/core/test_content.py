import gzip
import io
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.chunks import Dechunker, dechunk
from strandline.core.content import DecodeLimits, charset_of, decode, text_of

MIB = 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": zstandard.ZstdCompressor().compress,
}


def chunked(data: bytes, sizes: list[int]) -> bytes:
    out, at = b"", 0
    for size in sizes:
        piece = data[at : at + size]
        if piece:
            out += b"%x\r\n" % len(piece) + piece + b"\r\n"
        at += size
    if data[at:]:
        out += b"%X;note=1\r\n" % len(data[at:]) + data[at:] + b"\r\n"
    return out + b"0\r\nTrailer: x\r\n\r\n"


@given(st.binary(max_size=300), st.lists(st.integers(1, 50), max_size=8), st.lists(st.integers(1, 9), min_size=1))
def test_chunks_come_off_however_the_bytes_arrive(data, sizes, cuts):
    wire, pieces, at = chunked(data, sizes), [], 0
    while at < len(wire):
        step = cuts[len(pieces) % len(cuts)]
        pieces.append(wire[at : at + step])
        at += step
    assert b"".join(dechunk(pieces, strict=True)) == data
    assert b"".join(dechunk(pieces)) == data


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_either_end_or_name_a_problem(junk, strict):
    chunks = Dechunker(strict=strict)
    payload = b"".join(chunks.feed(junk[i : i + 7]) for i in range(0, len(junk), 7))
    assert len(payload) <= len(junk)
    whole = Dechunker(strict=strict)
    assert whole.feed(junk) == payload
    assert (whole.done, whole.problem) == (chunks.done, chunks.problem)


@pytest.mark.parametrize(
    ("wire", "problem"),
    [
        (b"zz\r\nabc\r\n0\r\n\r\n", "bad chunk size"),
        (b"-3\r\nabc\r\n0\r\n\r\n", "bad chunk size"),
        (b"0x3\r\nabc\r\n0\r\n\r\n", "bad chunk size"),
        (b"11111111111111111\r\nabc", "bad chunk size"),
        (b"3;" + b"x" * 9000, "too long"),
        (b"3\r\nabc\r\n", "without its end"),
        (b"3\r\nab", "without its end"),
    ],
)
def test_broken_framing_is_named_in_both_manners(wire, problem):
    for strict in (False, True):
        with pytest.raises(ValueError, match=problem):
            list(dechunk([wire], strict=strict))


def test_only_strict_reading_minds_line_ends():
    for wire in (b"3\nabc\n0\n\n", b"3\r\nabc0\r\n\r\n", b" 3\r\nabc\r\n0\r\n\r\n"):
        assert b"".join(dechunk([wire])) == b"abc"
        with pytest.raises(ValueError):
            list(dechunk([wire], strict=True))


def test_bytes_after_the_end_are_kept_apart():
    chunks = Dechunker()
    assert chunks.feed(b"1\r\na\r\n0\r\n\r\nHTTP/1.1 200") == b"a"
    assert chunks.done
    assert chunks.rest == b"HTTP/1.1 200"


@pytest.mark.parametrize("coding", list(PACK))
@given(data=st.binary(max_size=5000))
@settings(max_examples=30)
def test_each_coding_is_undone(coding, data):
    assert decode(PACK[coding](data), coding).data == data
    assert decode(io.BytesIO(PACK[coding](data)), coding.upper(), "identity").complete


@given(st.binary(max_size=3000), st.sampled_from(["gzip", "br", "zstd", "deflate"]), st.sampled_from(["gzip", "br"]))
@settings(max_examples=40)
def test_codings_come_off_in_reverse_with_chunks_outside(data, inner, outer):
    packed = PACK[outer](PACK[inner](data))
    assert decode(packed, f"{inner}, {outer}").data == data
    result = decode(chunked(PACK[outer](data), [5, 9]), outer, "chunked")
    assert (result.data, result.complete, result.note) == (data, True, "")
    assert decode(chunked(PACK[outer](data), [5, 9]), "", f"{outer}, chunked").data == data


def test_deflate_is_read_in_both_meanings():
    for data in (b"", b"a", b"hello" * 400, bytes(range(256)) * 300):
        assert decode(raw_deflate(data), "deflate").data == data
        assert decode(zlib.compress(data), "deflate").data == data


def test_members_follow_each_other_and_trailing_bytes_are_noted():
    two = gzip.compress(b"one ") + gzip.compress(b"two")
    assert decode(two, "gzip").data == b"one two"
    frames = PACK["zstd"](b"one ") + PACK["zstd"](b"two")
    assert decode(frames, "zstd").data == b"one two"
    for coding in ("gzip", "zstd"):
        result = decode(PACK[coding](b"one") + b"junk", coding)
        assert (result.data, result.complete) == (b"one", True)
        assert "after the compressed" in result.note


def test_a_large_document_is_whole():
    data = b"".join(b"line %d of the page\n" % (i * 7919 % 100003) for i in range(60_000))
    for coding, pack in PACK.items():
        assert decode(pack(data), coding).data == data
    # Highly repetitive, but small: the ratio is not looked at below one mebibyte.
    assert decode(brotli.compress(b"a" * MIB, quality=3), "br").complete


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_cut_document_is_given_back_as_far_as_it_goes(coding):
    data = b"".join(b"%d," % (i * i) for i in range(40_000))
    packed = PACK[coding](data)
    result = decode(packed[: len(packed) * 2 // 3], coding)
    assert not result.complete
    assert result.data
    assert data.startswith(result.data)


def test_codings_that_are_not_there_are_passed_over():
    page = b"<html>plain"
    for coding in ("gzip", "br", "zstd"):
        result = decode(page, coding)
        assert (result.data, result.complete, result.note) == (page, True, f"announced as {coding}, is not")
    assert decode(page, "utf-8").data == page
    assert "unknown coding" in decode(page, "utf-8").note
    assert decode(page, "", "chunked").note == "announced as chunked, is not"
    assert decode(page, "", "chunked").data == page
    assert decode(gzip.compress(page), "gzip", "chunked").data == page
    assert decode(b"", "gzip", "chunked").data == b""


def test_framing_that_breaks_later_keeps_what_came():
    result = decode(b"3\r\nabc\r\nXY\r\nlost", "", "chunked")
    assert (result.data, result.complete) == (b"abc", False)


def test_long_chains_are_not_decoded():
    packed = b"x"
    for _ in range(3):
        packed = gzip.compress(packed)
    result = decode(packed, "gzip, gzip, gzip")
    assert (result.data, result.complete) == (b"", False)
    assert "more than 2 codings" in result.note


def zeros(coding: str, mebibytes: int) -> bytes:
    if coding == "gzip":
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join([*(packer.compress(bytes(MIB)) for _ in range(mebibytes)), packer.flush()])
    if coding == "br":
        squeezer = brotli.Compressor(quality=9, lgwin=24)
        return b"".join([*(squeezer.process(bytes(MIB)) for _ in range(mebibytes)), squeezer.finish()])
    stream = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([*(stream.compress(bytes(MIB)) for _ in range(mebibytes)), stream.flush()])


@pytest.mark.parametrize("chain", [["gzip"], ["br"], ["zstd"], ["gzip", "gzip"], ["gzip", "br"], ["br", "zstd"]])
def test_bombs_stop_early_in_little_memory(chain):
    bomb = zeros(chain[0], 128)
    for coding in chain[1:]:
        bomb = PACK[coding](bomb)
    tracemalloc.start()
    try:
        result = decode(bomb, ", ".join(chain))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert not result.complete
    assert "grows more than 200" in result.note
    assert len(result.data) < 16 * MIB
    assert peak < 40 * MIB


def test_the_absolute_limit_holds_to_the_byte():
    data = bytes(range(256)) * 40
    limits = DecodeLimits(data=1000)
    for coding, pack in [*PACK.items(), ("identity", bytes)]:
        result = decode(pack(data), coding, "", limits)
        assert (result.data, result.complete) == (data[:1000], False)


@given(st.binary(max_size=400), st.text(max_size=20), st.sampled_from(["", "chunked", "gzip, chunked", "br"]))
def test_decoding_never_raises(body, coding, transfer):
    assert len(decode(body, coding, transfer).data) <= 64 * MIB
    assert text_of(body, coding) is not None


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@given(st.integers(0, 10_000), st.integers(0, 255))
@settings(max_examples=40)
def test_flipped_bytes_never_raise(coding, place, value):
    packed = bytearray(PACK[coding](b"the quick brown fox " * 60))
    packed[place % len(packed)] ^= value
    assert len(decode(bytes(packed), coding).data) < MIB


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/html; charset=utf-8", b"\xff\xfea\x00", "utf-16le"),
        ("text/html", b"\xef\xbb\xbf<meta charset=sjis>", "utf-8"),
        ("text/html; charset=latin1", b"<meta charset=sjis>", "windows-1252"),
        ('text/html; Charset="GB2312"', b"", "gbk"),
        ("text/html; charset='koi8-r'", b"", "koi8-r"),
        ("text/html; charset=nonsense", b"<meta charset=big5>", "big5"),
        ("text/html", b"<META content='text/html; charset=euc-kr' HTTP-EQUIV=Content-Type>", "euc-kr"),
        ("text/html", b"<!-- <meta charset=sjis> --><meta charset=koi8-u>", "koi8-u"),
        ("text/html", b"<script>'<meta charset=sjis>'</script>caf\xe9", "windows-1252"),
        ("text/html", b"<meta name=a content='charset=sjis'>caf\xe9", "windows-1252"),
        ("text/html", b"<meta charset=utf-16>caf\xe9", "utf-8"),
        ("text/html", b"<meta charset=x-user-defined>", "windows-1252"),
        ("text/html", b" " * 5000 + b"<meta charset=sjis>caf\xe9", "windows-1252"),
        ("text/html", "café".encode(), "utf-8"),
        ("text/html", "café".encode()[:-1], "windows-1252"),
        ("text/html", "é".encode() * 700_000, "utf-8"),
        ("text/html", b"x" + "é".encode() * 700_000, "utf-8"),
        ("text/html", b"caf\xe9 ol\xe9", "windows-1252"),
        ("application/xml", b'<?xml version="1.0" encoding="iso-8859-15"?>', "iso-8859-15"),
        ("text/css", b'@charset "windows-1251";', "windows-1251"),
        ("application/json; x=y", b"caf\xe9", "utf-8"),
        ("", b"", "utf-8"),
    ],
)
def test_charset_is_found_as_browsers_do(content_type, body, expected):
    assert charset_of(content_type, body) == expected


def test_text_is_read_with_replacement():
    assert text_of(b"caf\xe9", "utf-8") == "caf\ufffd"
    assert text_of("日本".encode("cp932"), "Shift-JIS") == "日本"
    assert text_of(b"a\xdb", "windows-874") == "a\ufffd"
    assert text_of(b"abc", "iso-2022-kr") == "\ufffd"
    assert text_of(b"a\xff", "x-user-defined") == "a\uf7ff"
    assert text_of(b"\xff\xfea\x00", "utf-16") == "a"
    assert text_of(b"a", "no such charset") == "a"


def test_every_label_leads_to_a_working_codec():
    from strandline.core.charsets import _LABELS, encoding_named, read_text

    assert len(_LABELS) > 215
    for label in _LABELS:
        name = encoding_named(label.upper())
        assert encoding_named(name) == name
        assert isinstance(read_text(bytes(range(256)), name), str)


@pytest.mark.parametrize("wbits", [15, 31, -15])
def test_cut_zlib_streams_give_all_that_can_be_had(wbits):
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    packed = packer.compress(b"ab" * 70_000) + packer.flush()
    for length in range(len(packed) + 1):
        # Everything the bytes so far decide, also when a repeat crosses the size of a step.
        expected = zlib.decompressobj(wbits).decompress(packed[:length])
        result = decode(packed[:length], "gzip" if wbits == 31 else "deflate")
        if expected or length in (0, len(packed)):
            assert result.data == expected
            assert result.complete == (length in (0, len(packed)))


class Pieces(io.BytesIO):
    """A stream that is read in the pieces it is made of."""

    def __init__(self, *pieces: bytes) -> None:
        super().__init__(b"".join(pieces))
        self.sizes = [len(piece) for piece in pieces]

    def read(self, size=-1):
        return super().read(self.sizes.pop(0) if self.sizes else size)


def test_what_follows_the_document_is_noted():
    assert decode(b"1\r\na\r\n0\r\n\r\nmore", "", "chunked").note == "bytes after the last chunk"
    assert decode(b"1\r\na\r\n0\r\n\r\n", "", "chunked, chunked").data == b"a"
    for coding in ("br", "deflate", "gzip", "zstd"):
        result = decode(Pieces(PACK[coding](b"page"), b"junk"), coding)
        assert (result.data, result.complete, result.note) == (b"page", True, "bytes after the compressed document")
    assert decode(Pieces(b"3\r\nab", b"c\r\n", b"0\r\n\r\n"), "", "chunked").data == b"abc"
    assert decode(Pieces(b"3\r\n", b"abc\r\n"), "", "chunked").note == "chunked body without its end"
    with pytest.raises(ValueError, match="trailer too long"):
        list(dechunk([b"0\r\n" + b"X: y\r\n" * 20_000]))


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_members_are_found_wherever_the_pieces_end(coding):
    packed = PACK[coding](b"one ") + PACK[coding](b"two ") + PACK[coding](b"three")
    for cut in range(len(packed)):
        result = decode(Pieces(packed[:cut], packed[cut:]) if cut else packed, coding)
        assert (result.data, result.complete, result.note) == (b"one two three", True, "")


def test_nothing_decodes_to_nothing():
    for coding in ("gzip", "deflate", "br", "zstd", "gzip, br", "chunked"):
        assert decode(b"", coding).data == b""
    assert decode(b"\x78", "deflate").data in (b"", b"\x78")
    assert "unknown coding" in decode(b"x", "chunked").note


def test_meta_without_a_charset_says_nothing():
    for head in (b"<meta http-equiv=content-type content='text/html'>", b"<meta charset=>", b"<meta charset=nonsense>",
                 b"<meta http-equiv=content-type content='text/html; charset='>"):  # fmt: skip
        assert charset_of("text/html", head + b"\xe9") == "windows-1252"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
@pytest.mark.parametrize("size", [1, 40, 3000])
def test_a_wrong_sum_does_not_take_the_document_with_it(coding, size):
    pack = zstandard.ZstdCompressor(write_checksum=True).compress if coding == "zstd" else PACK[coding]
    data = bytes(n * n % 251 for n in range(size))
    packed = pack(data)
    at = -8 if coding == "gzip" else -4
    wrong = packed[:at] + bytes([packed[at] ^ 255]) + packed[at + 1 or len(packed) :]
    result = decode(wrong, coding)
    assert (result.data, result.complete) == (data, False)
    assert "broken coding" in result.note
