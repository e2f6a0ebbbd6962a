"""WACZ 1.1.1 out: one ZIP with the WARC, its index, its pages and the hash of everything.

    archive/data.warc.gz        records, copied as they are stored
    indexes/index.cdx.gz .idx   CDXJ lines in packed blocks, and the first key of each block
    pages/pages.jsonl           HTML pages, with address and time
    strandline/...              collections, tags and notes, where there are any
    datapackage.json            every file with its length and sha256
    datapackage-digest.json     sha256 of datapackage.json

Everything that is packed already is stored, so that viewers can read records in place; ZIP64 as needed.
"""

import contextlib
import hashlib
import json
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import gmtime
from types import TracebackType
from typing import IO, BinaryIO, Final

from strandline.core.capture import Capture
from strandline.warc.cdxj import line_of
from strandline.warc.exporting import Source, copy_captures
from strandline.warc.fixity import SHARED, Replacing
from strandline.warc.info import WarcInfo
from strandline.warc.records import warc_date
from strandline.warc.sorting import sorted_lines

VERSION: Final = "1.1.1"
_LINES_PER_BLOCK: Final = 1024
_PAGE_TYPES: Final = frozenset(("text/html", "application/xhtml+xml"))


@dataclass(frozen=True, slots=True)
class Package:
    """What the package says about itself."""

    about: WarcInfo
    now: float
    title: str = ""
    description: str = ""
    dublin_core: Mapping[str, object] = field(default_factory=dict)
    """Elements of Dublin Core that describe what is in it."""
    beside: tuple[str, Callable[[], bytes]] = ("", bytes)
    """The path of a file of ours, and what stands in it once all records are written; empty for none."""


class _Hashing:
    """A stream that is hashed and counted while it is written."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self.hash = hashlib.sha256()
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self._out.write(data)
        self.hash.update(data)
        self.bytes += len(data)
        return len(data)


class _Wacz:
    """The ZIP being written and the list of its files."""

    def __init__(self, out: BinaryIO, now: float) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True)
        now = max(now, 315_619_200.0)  # ZIP cannot say anything before 1980
        self._date = gmtime(now)[:6]
        # Where the directory at the end has no extra field, viewers in browsers (wabac.js) conclude that the header
        # before the file has none either, and read 20 bytes of ZIP64 as the file's own: every entry has its time.
        self._moment = struct.pack("<HHBI", 0x5455, 5, 1, min(int(now), 0xFFFFFFFF))
        self.resources: list[dict[str, object]] = []

    def add(self, path: str, fill: Callable[["_Hashing"], None], packed: bool = True, listed: bool = True) -> str:
        """Write a file; returns its hash."""
        entry = zipfile.ZipInfo(path, self._date)
        entry.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        entry.extra = self._moment
        with self._zip.open(entry, "w", force_zip64=True) as raw:
            out = _Hashing(raw)
            fill(out)
        digest = f"sha256:{out.hash.hexdigest()}"
        if listed:
            name = path.rpartition("/")[2].lower()
            self.resources.append({"name": name, "path": path, "hash": digest, "bytes": out.bytes})
        return digest

    def __enter__(self) -> "_Wacz":
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        # After a failure there is nothing to finish, but what is left open complains when it is collected.
        with contextlib.suppress(*(() if kind is None else (OSError, ValueError))):
            self._zip.close()


def export_wacz(captures: Iterable[Capture], source: Source, target: Path, package: Package) -> int:
    """Write a WACZ; all of it or nothing. Returns how many captures are in it."""
    keys: list[bytes] = []
    about = (package.about, "data.warc.gz", package.now)
    count = 0

    def records(out: _Hashing) -> None:
        nonlocal count
        for capture in copy_captures(captures, source, out, about):
            count += 1
            lines.write(line_of(capture))
            pages.write(_page(count, capture))

    def index(out: _Hashing) -> None:
        lines.seek(0)
        for block in _blocks(sorted_lines(lines), keys):
            out.write(block)

    with (
        Replacing(target, SHARED) as file,
        tempfile.TemporaryFile() as lines,  # the captures of a large archive do not fit in memory
        tempfile.TemporaryFile() as pages,
        _Wacz(file, package.now) as wacz,
    ):
        wacz.add("archive/data.warc.gz", records)
        wacz.add("indexes/index.cdx.gz", index)
        wacz.add("indexes/index.idx", _filling([_IDX_META, *keys]), packed=False)
        pages.seek(0)
        wacz.add("pages/pages.jsonl", _filling(chain([_PAGES_META], pages)), packed=False)
        path, content = package.beside
        if path and (more := content()):
            wacz.add(path, _filling([more]), packed=False)
        document = _datapackage(wacz.resources, package)
        digest = wacz.add("datapackage.json", _filling([document]), packed=False, listed=False)
        ending = json.dumps({"path": "datapackage.json", "hash": digest}, indent=2).encode()
        wacz.add("datapackage-digest.json", _filling([ending]), packed=False, listed=False)
    return count


def _filling(pieces: Iterable[bytes]) -> Callable[[_Hashing], None]:
    def fill(out: _Hashing) -> None:
        for piece in pieces:
            out.write(piece)

    return fill


_IDX_META: Final = b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'


def _blocks(lines: Iterator[bytes], keys: list[bytes]) -> Iterator[bytes]:
    """Packed blocks of lines; notes for each its first key, place and hash."""
    offset = 0
    block: list[bytes] = []
    while True:
        line = next(lines, None)
        if line is not None:
            block.append(line)
        if len(block) == _LINES_PER_BLOCK or (line is None and block):
            pack = zlib.compressobj(6, zlib.DEFLATED, 31)
            data = pack.compress(b"".join(block)) + pack.flush()
            place = {"offset": offset, "length": len(data), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
            keys.append(block[0].partition(b"{")[0].strip() + b" " + json.dumps(place).encode() + b"\n")
            offset += len(data)
            yield data
            block = []
        if line is None:
            return


_PAGES_META: Final = b'{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}\n'


def _page(number: int, capture: Capture) -> bytes:
    """A line of the list of pages; none for what is no page."""
    if capture.status != 200 or capture.mime not in _PAGE_TYPES:
        return b""
    page = {"id": f"{number}", "url": capture.url, "ts": warc_date(capture.time), "title": capture.url}
    return json.dumps(page).encode() + b"\n"


def _datapackage(resources: list[dict[str, object]], package: Package) -> bytes:
    document = {
        "profile": "data-package",
        "wacz_version": VERSION,
        "software": package.about.software,
        "created": warc_date(round(package.now)),
        "title": package.title or package.about.is_part_of or "Web archive",
        "description": package.description,
        "keywords": package.dublin_core.get("subject"),
        "dublin_core": dict(package.dublin_core),
        "resources": resources,
    }
    return json.dumps({key: value for key, value in document.items() if value}, indent=2).encode()
