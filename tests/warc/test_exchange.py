"""In and out: WARC, CDXJ, Parquet."""

import gzip
import sys

import pytest

from strandline.core.capture import Place
from strandline.errors import ArchiveDamaged, SettingError, UsageError
from strandline.warc.captures import Kept, captures_of
from strandline.warc.cdxj import CdxjIndex, read_cdxj
from strandline.warc.exporting import Selection, Source, export_cdxj, export_warc
from strandline.warc.importing import Target, import_warc
from strandline.warc.parquet import export_parquet
from strandline.warc.reader import WarcReader
from strandline.warc.verify import verify
from warc.exchanges import ABOUT, START
from warc.test_cdxj import fill, theirs
from warc.test_reader import foreign
from warc.test_writer import warcio_check


@pytest.fixture
def ours(tmp_path):
    """An archive with captures of every kind."""
    for name in ("archive", "indexes"):
        (tmp_path / "ours" / name).mkdir(parents=True)
    folder = tmp_path / "ours"
    return folder, fill(folder, CdxjIndex(folder / "indexes", folder / "archive"))


@pytest.fixture
def target(tmp_path):
    (tmp_path / "new" / "archive").mkdir(parents=True)
    return Target(tmp_path / "new" / "archive", "h", START)


def originals(kept):
    found = {capture.record_id: capture for capture in kept}
    return lambda original: found.get(original.record_id)


def body(folder, capture):
    return WarcReader(folder).read(capture.place).body.read()


def test_export_and_import_give_the_same_records(ours, target, tmp_path):
    folder, kept = ours
    file = tmp_path / "out.warc.gz"
    given = export_warc(kept, Source(folder / "archive", originals(kept)), file, (ABOUT, START))
    assert [(c.url, c.time, c.digest) for c in given] == [(c.url, c.time, c.digest) for c in kept]
    assert warcio_check(file)[0] == 0
    assert {c.place.file for c in given} == {"out.warc.gz"}
    assert [body(tmp_path, c) for c in given] == [body(folder / "archive", c) for c in kept]
    types = [r[0] for r in _types(file)]
    assert types.count("request") == len(kept)
    assert types.count("metadata") == 1

    taken = import_warc(file, target)
    assert taken.file.startswith("import-")
    assert taken.findings == ()
    found = [item.capture for item in captures_of(target.archive / taken.file) if isinstance(item, Kept)]
    assert [(c.url, c.time, c.digest, c.revisit) for c in found] == [(c.url, c.time, c.digest, c.revisit) for c in kept]
    assert verify(target.archive, lambda: found).ok
    index = CdxjIndex(target.archive.parent, target.archive)
    index.refresh()
    assert index.path.read_bytes() == theirs(target.archive)


def _types(path):
    from warc.test_writer import records

    return [(record.rec_type, record) for record, _ in records(path)]


def test_selection_brings_the_originals_of_its_revisits(ours, tmp_path):
    folder, kept = ours
    later = Selection(start=START + 5, end=START + 100)
    chosen = list(later.of(kept))
    assert [c.revisit for c in chosen] == [True, True]
    file = tmp_path / "later.warc.gz"
    given = export_warc(chosen, Source(folder / "archive", originals(kept)), file, (ABOUT, START))
    assert [c.revisit for c in given] == [False, True, True]
    assert given[0].digest == given[1].digest == given[2].digest
    assert list(Selection(site="no.such").of(kept)) == []
    assert len(list(Selection(site="example.org").of(kept))) == len(kept) - 3


def test_export_fails_whole(ours, tmp_path):
    folder, kept = ours
    path = folder / "archive" / kept[0].place.file
    data = bytearray(path.read_bytes())
    data[kept[4].place.offset + 40] ^= 1
    path.write_bytes(data)
    with pytest.raises(ArchiveDamaged, match=str(kept[4].place.offset)):
        export_warc(kept, Source(folder / "archive"), tmp_path / "x.warc.gz", (ABOUT, START))
    assert not list(tmp_path.glob("x.*"))


@pytest.mark.parametrize("version", ["WARC/1.0", "WARC/1.1"])
@pytest.mark.parametrize("gz", [True, False])
def test_foreign_files_become_ours(target, tmp_path, version, gz):
    source = tmp_path / ("f.warc.gz" if gz else "f.warc")
    source.write_bytes(foreign(version, gz))
    taken = import_warc(source, target)
    assert taken.records == 3
    assert warcio_check(target.archive / taken.file)[0] == 0
    found = [item.capture for item in captures_of(target.archive / taken.file) if isinstance(item, Kept)]
    assert body(target.archive, found[0]) == b"hello"
    assert verify(target.archive, lambda: found).ok


def test_wrong_digests_of_others_are_findings_not_damage(target, tmp_path):
    wrong = foreign("WARC/1.0", False).replace(
        b"WARC-Type: response", b"WARC-Payload-Digest: sha1:" + b"A" * 32 + b"\r\nWARC-Type: response"
    )
    (tmp_path / "f.warc").write_bytes(wrong)
    taken = import_warc(tmp_path / "f.warc", target)
    assert len(taken.findings) == 1
    assert "payload digest is wrong" in taken.findings[0]
    found = [item.capture for item in captures_of(target.archive / taken.file) if isinstance(item, Kept)]
    assert verify(target.archive, lambda: found).ok


def broken():
    whole = foreign("WARC/1.0", True)
    plain = foreign("WARC/1.0", False)
    yield "cut", whole[:-7]
    yield "nothing", b""
    yield "text", b"<html>not a WARC</html>" * 100
    yield "garbage between", whole + b"garbage" + whole
    yield "zeros", whole + bytes(4096)
    yield "one member for all", gzip.compress(plain)
    yield "huge length", plain.replace(b"Content-Length: 1\r", b"Content-Length: 9223372036854775808\r")
    yield "long length", plain.replace(b"Content-Length: 1\r", b"Content-Length: 4096\r")
    yield "unknown type", plain.replace(b"WARC-Type: resource", b"WARC-Type: surprise")
    yield "flipped bit", whole[:200] + bytes((whole[200] ^ 1,)) + whole[201:]


@pytest.mark.parametrize(("name", "data"), list(broken()), ids=lambda value: value if isinstance(value, str) else "")
def test_broken_files_are_refused_before_anything_is_written(target, tmp_path, name, data):
    source = tmp_path / "bad.warc.gz"
    source.write_bytes(data)
    with pytest.raises(ArchiveDamaged, match=r"bad\.warc\.gz"):
        import_warc(source, target)
    assert list(target.archive.iterdir()) == []
    assert not (target.archive.parent / "fixity").exists()


def test_no_such_file(target, tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        import_warc(tmp_path / "none.warc", target)


def test_cdxj_export(ours, tmp_path):
    _, kept = ours
    assert export_cdxj(reversed(kept), tmp_path / "x.cdxj") == len(kept)
    lines = (tmp_path / "x.cdxj").read_bytes().splitlines()
    assert lines == sorted(lines)
    assert {c.place for c in read_cdxj(tmp_path / "x.cdxj")} == {c.place for c in kept}


def test_parquet_export(ours, tmp_path):
    pytest.importorskip("pyarrow")
    _, kept = ours
    assert export_parquet(kept, tmp_path / "x.parquet", "demo") == len(kept)
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist()
    first = rows[0]
    assert first["url_surtkey"] == "org,example)/a?a=1&b=2"
    assert first["url_host_name"] == "www.example.org"
    assert (first["url_host_tld"], first["url_host_2nd_last_part"]) == ("org", "example")
    assert first["url_host_registered_domain"] == "example.org"
    assert first["fetch_time"].timestamp() == START
    assert first["crawl"] == "demo"
    places = [Place(r["warc_filename"], r["warc_record_offset"], r["warc_record_length"]) for r in rows]
    assert places == [c.place for c in kept]
    schema = pyarrow.parquet.read_schema(tmp_path / "x.parquet")
    assert str(schema.field("warc_record_offset").type) == "int64"


def test_parquet_names_the_missing_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(SettingError, match=r"strandline\[parquet\]"):
        export_parquet([], tmp_path / "x.parquet")


ODD = {
    "http://x.example/a b.html": "http://x.example/a%20b.html",
    "http://x.example/q?a=1 2": "http://x.example/q?a=1%202",
    "http://x.example/\u00fc.html": "http://x.example/%C3%BC.html",
    "http://b\u00fccher.example/": "http://xn--bcher-kva.example/",
    "http://X.example:80/d#part": "http://x.example/d",
    "<http://x.example/wget>": "http://x.example/wget",
    "dns:x.example": "",
    "urn:pageinfo:http://x.example/": "",
}
"""Addresses as other tools write them, and as the catalog has them: empty for what is not of the web."""


def odd_file(path):
    """A WARC file with a record for each of them."""
    with path.open("wb") as file:
        for url, web in ODD.items():
            block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello" if web else b"x.example. 1 IN A 10.0.0.1"
            sort = "application/http; msgtype=response" if web else "text/dns"
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            head += f"WARC-Record-ID: <urn:x:{len(url)}>\r\nContent-Type: {sort}\r\nContent-Length: {len(block)}\r\n"
            file.write(gzip.compress(head.encode() + b"\r\n" + block + b"\r\n\r\n"))
    return path


def test_addresses_as_other_tools_write_them(tmp_path, target):
    taken = import_warc(odd_file(tmp_path / "odd.warc.gz"), target)
    kept = [item.capture for item in captures_of(target.archive / taken.file) if isinstance(item, Kept)]
    assert [capture.url for capture in kept] == [url for url in ODD.values() if url]
    assert verify(target.archive, lambda: iter(kept)).ok

    (tmp_path / "new" / "indexes").mkdir()
    index = CdxjIndex(tmp_path / "new" / "indexes", target.archive)
    index.rebuild()
    assert index.path.read_bytes() == theirs(target.archive)
    assert {capture.url for capture in read_cdxj(index.path)} == {capture.url for capture in kept}
