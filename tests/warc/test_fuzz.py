"""Broken input of any kind ends in a finding or one of our own errors, never in anything else."""

import contextlib
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.errors import ArchiveDamaged, UsageError
from strandline.warc.captures import Kept, captures_of
from strandline.warc.cdxj import read_cdxj
from strandline.warc.compacted import finished_files
from strandline.warc.importing import Target, import_warc
from strandline.warc.verify import verify
from strandline.warc.wacz_import import import_wacz
from warc.test_reader import foreign
from warc.test_wacz import GOOD, package

PACKED, PLAIN = foreign("WARC/1.1", True), foreign("WARC/1.0", False)
WACZ = package({**GOOD, "pages/pages.jsonl": b"{}"})
LINE = b'org,example)/ 20260101000000 {"url": "http://example.org/", "status": "200", "offset": "0", "length": "9"}\n'


@st.composite
def broken(draw, *originals):
    """A few bytes replaced, inserted or removed."""
    data = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        size = draw(st.sampled_from((0, 1, 2, 4, 8, 64)))
        data[at : at + size] = draw(st.one_of(st.binary(max_size=8), st.just(b"\xff" * size), st.just(bytes(size))))
    return bytes(data)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        (Path(name) / "archive").mkdir()
        yield Path(name)


@settings(max_examples=100, deadline=None)
@given(data=broken(PACKED, PLAIN))
def test_warc(data):
    with folder() as work:
        path = work / "archive" / "x.warc.gz"
        path.write_bytes(data)
        for item in captures_of(path, strict=False):
            assert item is not None
        verify(work / "archive", list)
        source = path.rename(work / "x.warc.gz")
        with contextlib.suppress(ArchiveDamaged):
            taken = import_warc(source, Target(work / "archive", "h", 0.0))
            assert verify(work / "archive", lambda: catalogued(work / "archive")).ok, taken


def catalogued(archive):
    """What a catalog knows of the files, once it was made from them."""
    found = (item for file in finished_files(archive) for item in captures_of(file, strict=False))
    return [item.capture for item in found if isinstance(item, Kept)]


@settings(max_examples=100, deadline=None)
@given(data=broken(WACZ))
def test_wacz(data):
    with folder() as work:
        (work / "x.wacz").write_bytes(data)
        with contextlib.suppress(ArchiveDamaged, UsageError):
            import_wacz(work / "x.wacz", Target(work / "archive", "h", 0.0))
            assert verify(work / "archive", lambda: catalogued(work / "archive")).ok


@settings(max_examples=100, deadline=None)
@given(data=broken(LINE, LINE + LINE))
def test_cdxj(data):
    with folder() as work:
        (work / "x.cdxj").write_bytes(data)
        with contextlib.suppress(ArchiveDamaged):
            assert len(list(read_cdxj(work / "x.cdxj"))) <= data.count(b"\n") + 1
