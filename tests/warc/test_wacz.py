"""WACZ out, as its own validator and pywb see it, and in, from anyone."""

import gc
import gzip
import hashlib
import io
import json
import resource
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from strandline.errors import ArchiveDamaged, OutOfSpace, UsageError
from strandline.warc import wacz_import
from strandline.warc.captures import Kept, captures_of
from strandline.warc.cdxj import CdxjIndex, parse_line
from strandline.warc.exporting import Source
from strandline.warc.importing import Target
from strandline.warc.verify import verify
from strandline.warc.wacz import Package, export_wacz
from strandline.warc.wacz_import import import_wacz
from warc.exchanges import ABOUT, START
from warc.test_cdxj import fill
from warc.test_exchange import body, originals
from warc.test_reader import foreign


@pytest.fixture
def exported(tmp_path):
    """A WACZ of an archive; its path, the archive folder and the captures."""
    folder = tmp_path / "ours"
    for name in ("archive", "indexes"):
        (folder / name).mkdir(parents=True)
    kept = fill(folder, CdxjIndex(folder / "indexes", folder / "archive"))
    file = tmp_path / "out.wacz"
    package = Package(ABOUT, START, title="A test")
    assert export_wacz(kept, Source(folder / "archive", originals(kept)), file, package) == len(kept)
    return file, folder, kept


@pytest.fixture
def target(tmp_path):
    (tmp_path / "new" / "archive").mkdir(parents=True)
    return Target(tmp_path / "new" / "archive", "h", START)


def test_wacz_validate_accepts_it(exported):
    tool = Path(sys.executable).parent / "wacz"
    done = subprocess.run([str(tool), "validate", "-f", str(exported[0])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "valid" in done.stdout


def test_viewers_that_trust_the_directory_find_every_file(exported):
    """wabac.js reads the header before a file only where the directory at the end says that there is more to it."""
    whole = exported[0].read_bytes()
    with zipfile.ZipFile(exported[0]) as held:
        for entry in held.infolist():
            name, extra = struct.unpack_from("<HH", whole, entry.header_offset + 26)
            assert (name, bool(extra)) == (len(entry.filename), bool(entry.extra))
        moments = {struct.unpack("<HHBI", entry.extra) for entry in held.infolist()}
    assert moments == {(0x5455, 5, 1, int(START))}


def test_layout(exported):
    file, _, kept = exported
    with zipfile.ZipFile(file) as zipped:
        assert zipped.testzip() is None
        names = zipped.namelist()
        assert names[0] == "archive/data.warc.gz"
        assert zipped.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED
        assert zipped.getinfo("indexes/index.cdx.gz").compress_type == zipfile.ZIP_STORED
        document = json.loads(zipped.read("datapackage.json"))
        assert document["wacz_version"] == "1.1.1"
        assert document["title"] == "A test"
        assert {r["path"] for r in document["resources"]} == set(names) - {
            "datapackage.json",
            "datapackage-digest.json",
        }
        pages = zipped.read("pages/pages.jsonl").splitlines()
        assert json.loads(pages[0])["format"] == "json-pages-1.0"
        assert kept[0].url in {json.loads(line)["url"] for line in pages[1:]}
        index = zipped.read("indexes/index.idx").splitlines()
        assert index[0].startswith(b"!meta 0 ")


def test_a_viewer_finds_every_record_in_place(exported):
    """From the first key of a block to its lines to the record inside the ZIP, without unpacking anything else."""
    file, _, kept = exported
    with zipfile.ZipFile(file) as zipped:
        blocks = [
            json.loads(line.partition(b"{")[1] + line.partition(b"{")[2])
            for line in zipped.read("indexes/index.idx").splitlines()[1:]
        ]
        packed = zipped.read("indexes/index.cdx.gz")
        warc = zipped.read("archive/data.warc.gz")
    lines = []
    for block in blocks:
        data = packed[block["offset"] : block["offset"] + block["length"]]
        assert block["digest"] == "sha256:" + hashlib.sha256(data).hexdigest()
        lines += gzip.decompress(data).splitlines()
    assert lines == sorted(lines)
    found = set()
    for line in lines:
        capture = parse_line(line)
        record = gzip.decompress(warc[capture.place.offset : capture.place.offset + capture.place.length])
        assert f"WARC-Target-URI: {capture.url}\r\n".encode() in record
        found.add((capture.url, capture.digest))
    assert found == {(c.url, c.digest) for c in kept}


def test_round_trip(exported, target):
    file, folder, kept = exported
    (taken,) = import_wacz(file, target)
    found = [item.capture for item in captures_of(target.archive / taken.file) if isinstance(item, Kept)]
    assert [(c.url, c.time, c.digest) for c in found] == [(c.url, c.time, c.digest) for c in kept]
    assert [body(target.archive, c) for c in found] == [body(folder / "archive", c) for c in kept]
    assert verify(target.archive, lambda: found).ok


def package(files, *, lies=None, change=None, kinds=None):
    """A WACZ made of files; `lies` replaces resource entries, `change` edits each ZipInfo."""
    resources = [
        {"name": n, "path": n, "hash": "sha256:" + hashlib.sha256(d).hexdigest(), "bytes": len(d)}
        for n, d in files.items()
    ]
    for one in resources:
        one |= (lies or {}).get(one["path"], {})
    document = json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "resources": resources})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        for name, data in {**files, "datapackage.json": document.encode()}.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = (kinds or {}).get(name, zipfile.ZIP_STORED)
            if change:
                change(entry)
            zipped.writestr(entry, data)
    return out.getvalue()


WARC = foreign("WARC/1.1", True)
GOOD = {"archive/a.warc.gz": WARC}


def link(entry):
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16


def overlapping():
    """Two directory entries for one and the same data."""
    data = bytearray(package({"archive/a.warc.gz": WARC, "archive/b.warc.gz": WARC}))
    directory = data.find(b"PK\1\2")
    second = data.find(b"PK\1\2", directory + 4)
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    return bytes(data)


def many():
    data = bytearray(package(GOOD))
    end = data.rfind(b"PK\5\6")
    data[end + 8 : end + 12] = struct.pack("<HH", 60_000, 60_000)
    return bytes(data)


def hostile():
    zeros = bytes(64 << 20)
    deflated = {"archive/a.warc.gz": zipfile.ZIP_DEFLATED}
    yield "path up", package({"../../etc/x.warc.gz": WARC, **GOOD})
    yield "path inside", package({"archive/../../x.warc.gz": WARC, **GOOD})
    yield "absolute", package({"/tmp/x.warc.gz": WARC, **GOOD})
    yield "windows", package({"C:/x.warc.gz": WARC, **GOOD})
    yield "link", package(GOOD, change=link)
    yield "overlap", overlapping()
    yield "count", many()
    yield "bomb", package({"archive/a.warc.gz": zeros}, kinds=deflated)
    yield "wrong hash", package(GOOD, lies={"archive/a.warc.gz": {"hash": "sha256:" + "0" * 64}})
    yield "wrong length", package(GOOD, lies={"archive/a.warc.gz": {"bytes": 3}})
    yield "not listed", package(GOOD, lies={"archive/a.warc.gz": {"path": "archive/other"}})
    yield "bad warc", package({"archive/a.warc.gz": WARC[:-5]})
    yield "second bad", package({"archive/a.warc.gz": WARC, "archive/b.warc.gz": WARC[:-5]})
    yield "no warc", package({"pages/pages.jsonl": b"{}"})
    yield "cut", package(GOOD)[:-30]
    yield "no zip", b"PK nothing"
    yield "empty", b""
    yield "flipped", package(GOOD).replace(WARC[60:64], b"XXXX")
    yield "not json", package(GOOD).replace(b'{"profile"', b'["profile"')


@pytest.mark.parametrize(("name", "data"), list(hostile()), ids=lambda value: value if isinstance(value, str) else "")
def test_hostile_packages_are_refused_before_anything_is_written(tmp_path, target, name, data):
    (tmp_path / "bad.wacz").write_bytes(data)
    with pytest.raises(ArchiveDamaged, match=r"bad\.wacz|unpacks"):
        import_wacz(tmp_path / "bad.wacz", target)
    assert list(target.archive.iterdir()) == []
    assert {p.name for p in tmp_path.iterdir()} == {"bad.wacz", "new"}


def test_a_million_entries_are_refused_at_once(tmp_path, target):
    file = tmp_path / "many.wacz"
    with zipfile.ZipFile(file, "w") as zipped:
        for number in range(20_000):
            zipped.writestr(f"pages/{number}", b"")
    with pytest.raises(ArchiveDamaged, match="20000 files"):
        import_wacz(file, target)


def test_packages_of_others(tmp_path, target):
    deflated = {"archive/a.warc.gz": zipfile.ZIP_DEFLATED}
    for kinds in ({}, deflated):
        (tmp_path / "x.wacz").write_bytes(package({**GOOD, "logs/x.log": b"l", "fuzzy.json": b"{}"}, kinds=kinds))
        (taken,) = import_wacz(tmp_path / "x.wacz", target)
        assert taken.records == 3
    with pytest.raises(UsageError):
        import_wacz(tmp_path / "none.wacz", target)


def test_a_full_disk_is_told_where_a_package_is_unpacked(tmp_path, target, monkeypatch):
    deflated = {"archive/a.warc.gz": zipfile.ZIP_DEFLATED}
    (tmp_path / "x.wacz").write_bytes(package(GOOD, kinds=deflated))
    made = []

    def full(**how):
        made.append(how["dir"])
        return Path("/dev/full").open("r+b")

    monkeypatch.setattr(wacz_import.tempfile, "TemporaryFile", full)
    with pytest.raises(OutOfSpace, match=f"no room for {target.archive.parent}"):
        import_wacz(tmp_path / "x.wacz", target)
    assert made == [target.archive.parent] and not list(target.archive.iterdir())


def test_nothing_is_left_of_a_package_that_found_no_room(exported, tmp_path):
    _, folder, kept = exported
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limit[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            export_wacz(kept, Source(folder / "archive", originals(kept)), tmp_path / "no.wacz", Package(ABOUT, START))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    gc.collect()  # where something is left open, it complains here
    assert not list(tmp_path.glob("no.wacz*"))
