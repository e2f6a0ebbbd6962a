"""WACZ in, trusting nothing it says: not paths, sizes, overlaps, links, counts or hashes.

No path in the ZIP is ever created. WARC files are recognised by name, compared with the hash in `datapackage.json`,
and read record by record as any foreign WARC, all before the first byte is written. Only then are they taken in,
under names of ours.
"""

import contextlib
import hashlib
import json
import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from strandline.errors import ArchiveDamaged, OutOfSpace, UsageError
from strandline.warc.importing import Imported, Target, import_windows
from strandline.warc.members import Window
from strandline.warc.output import as_trouble

_MOST_ENTRIES: Final = 10_000
_MOST_DIRECTORY: Final = 8 << 20
_MOST_DOCUMENT: Final = 32 << 20
_MOST_RATIO: Final = 100
_RATIO_FROM: Final = 16 << 20
_COPY: Final = 1 << 20
_WARC: Final = re.compile(r"archive/[^/\\]{1,200}\.warc(\.gz)?\Z")
_ENCRYPTED: Final = 0x1
_LOCAL_HEADER: Final = 30
# What zipfile raises for ZIP files that are broken in one way or another.
_NOT_SOUND: Final = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    ValueError,
)


def import_wacz(path: Path, target: Target) -> list[Imported]:
    """Take in every WARC of a WACZ; ArchiveDamaged says why not, and then nothing was written."""
    try:
        _check_size_of_directory(path)
        with zipfile.ZipFile(path) as zipped:
            entries = _checked_entries(zipped, path)
            warcs = [entry for entry in entries if _WARC.match(entry.filename)]
            if not warcs:
                raise ArchiveDamaged(f"{path.name}: no WARC files in it")
            _check_hashes(zipped, path, warcs)
            with contextlib.ExitStack() as stack:
                folder = target.archive.parent
                windows = [
                    (_label(path, entry), stack.enter_context(_window(zipped, path, entry, folder))) for entry in warcs
                ]
                return import_windows(windows, target)
    except _NOT_SOUND as error:
        raise ArchiveDamaged(f"{path.name}: not a sound ZIP file: {error}") from error
    except OSError as error:
        trouble = as_trouble(error, target.archive.parent)
        if isinstance(trouble, OutOfSpace):
            raise trouble from error
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def document_in(path: Path, name: str) -> bytes:
    """A small file of a WACZ that `import_wacz` found sound; empty when there is none of this name, or it does not have
    the hash that is stated for it.
    """
    try:
        with zipfile.ZipFile(path) as zipped:
            if name not in zipped.namelist():
                return b""
            listed = _resources(zipped, path).get(name, {})
            found = _document(zipped, path, name)
            return found if listed.get("hash") == f"sha256:{hashlib.sha256(found).hexdigest()}" else b""
    except (*_NOT_SOUND, OSError, ArchiveDamaged):
        return b""


def _label(path: Path, entry: zipfile.ZipInfo) -> str:
    return f"{path.name}/{entry.filename}"


def _check_size_of_directory(path: Path) -> None:
    """Count entries before the directory is read: a million of them would fill the memory."""
    with path.open("rb") as source:
        size = source.seek(0, os.SEEK_END)
        start = max(size - 65_557, 0)
        source.seek(start)
        tail = source.read()
        at = tail.rfind(b"PK\5\6")
        if at < 0 or len(tail) < at + 22:
            raise ArchiveDamaged(f"{path.name}: not a ZIP file, or cut short")
        entries, length = struct.unpack("<HI", tail[at + 10 : at + 16])
        locator = tail.rfind(b"PK\6\7", 0, at)
        if locator >= 0 and (entries == 0xFFFF or length == 0xFFFFFFFF):
            (place,) = struct.unpack("<Q", tail[locator + 8 : locator + 16])
            if place > size - 56:
                raise ArchiveDamaged(f"{path.name}: its ZIP64 directory is not inside the file")
            source.seek(place)
            record = source.read(56)
            entries, length = struct.unpack("<QQ", record[32:48])
    if entries > _MOST_ENTRIES or length > _MOST_DIRECTORY:
        raise ArchiveDamaged(f"{path.name}: {entries} files in it; {_MOST_ENTRIES} are allowed")


def _checked_entries(zipped: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """All entries, when names, kinds, sizes and places make sense together."""
    entries = zipped.infolist()
    seen: set[str] = set()
    for entry in entries:
        problem = _entry_problem(entry)
        if not problem and entry.filename in seen:
            problem = "named twice"
        if problem:
            raise ArchiveDamaged(f"{path.name}: {entry.filename[:100]!r} {problem}")
        seen.add(entry.filename)
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            raise ArchiveDamaged(f"{path.name}: {entry.filename[:100]!r} overlaps another file")
        end = entry.header_offset + _LOCAL_HEADER + len(entry.orig_filename) + entry.compress_size
    if end > path.stat().st_size:
        raise ArchiveDamaged(f"{path.name}: cut short")
    return entries


def _entry_problem(entry: zipfile.ZipInfo) -> str:
    name = entry.orig_filename
    parts = name.rstrip("/").split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or ".." in parts or (len(name) > 1 and name[1] == ":"):
        return "leads out of the package"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "is a link"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in an unknown way"
    if entry.compress_type == zipfile.ZIP_STORED and entry.compress_size != entry.file_size:
        return "contradicts itself about its size"
    if entry.file_size > max(_RATIO_FROM, _MOST_RATIO * entry.compress_size):
        return "would unpack to more than it may"
    return ""


def _check_hashes(zipped: zipfile.ZipFile, path: Path, warcs: list[zipfile.ZipInfo]) -> None:
    """Every WARC is listed in datapackage.json with the length and hash it has."""
    listed = _resources(zipped, path)
    for entry in warcs:
        resource = listed.get(entry.filename)
        if resource is None:
            raise ArchiveDamaged(f"{path.name}: {entry.filename!r} is not listed in datapackage.json")
        algorithm, _, expected = str(resource.get("hash", "")).partition(":")
        if algorithm not in ("sha256", "md5") or resource.get("bytes") != entry.file_size:
            raise ArchiveDamaged(f"{path.name}: {entry.filename!r} is not as long as datapackage.json says")
        running = hashlib.new(algorithm, usedforsecurity=False)
        for piece in _unpacked(zipped, entry):
            running.update(piece)
        if running.hexdigest() != expected.lower():
            raise ArchiveDamaged(f"{path.name}: {entry.filename!r} does not have the hash datapackage.json says")


def _resources(zipped: zipfile.ZipFile, path: Path) -> dict[str, dict[str, object]]:
    document = _document(zipped, path, "datapackage.json")
    if "datapackage-digest.json" in zipped.namelist():
        stated = _parsed(_document(zipped, path, "datapackage-digest.json"), path).get("hash")
        if stated != f"sha256:{hashlib.sha256(document).hexdigest()}":
            raise ArchiveDamaged(f"{path.name}: datapackage.json does not have the hash that is stated for it")
    resources = _parsed(document, path).get("resources")
    if not isinstance(resources, list):
        raise ArchiveDamaged(f"{path.name}: datapackage.json lists no files")
    return {str(one.get("path")): one for one in resources if isinstance(one, dict)}


def _document(zipped: zipfile.ZipFile, path: Path, name: str) -> bytes:
    try:
        entry = zipped.getinfo(name)
    except KeyError:
        raise ArchiveDamaged(f"{path.name}: no {name} in it") from None
    if entry.file_size > _MOST_DOCUMENT:
        raise ArchiveDamaged(f"{path.name}: {name} is too large")
    return b"".join(_unpacked(zipped, entry))


def _parsed(document: bytes, path: Path) -> dict[str, object]:
    try:
        parsed = json.loads(document)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise ArchiveDamaged(f"{path.name}: datapackage.json is not JSON")
    return parsed


def _unpacked(zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Contents of an entry, never more than it announced. The ZIP's own CRC is checked on the way."""
    left = entry.file_size
    with zipped.open(entry) as source:
        while piece := source.read(_COPY):
            left -= len(piece)
            if left < 0:
                raise ArchiveDamaged(f"{entry.filename!r} unpacks to more than it announced")
            yield piece


@contextlib.contextmanager
def _window(zipped: zipfile.ZipFile, path: Path, entry: zipfile.ZipInfo, folder: Path) -> Iterator[Window]:
    """A WARC inside the ZIP, read in place when it is stored, else from a copy without a name in a folder."""
    with contextlib.ExitStack() as stack:
        if entry.compress_type == zipfile.ZIP_STORED:
            window = Window(path, (_data_offset(path, entry), entry.file_size))
        else:
            copy: BinaryIO = stack.enter_context(tempfile.TemporaryFile(dir=folder))
            for piece in _unpacked(zipped, entry):
                copy.write(piece)
            copy.flush()
            window = Window(copy.fileno())
        stack.callback(window.close)
        yield window


def _data_offset(path: Path, entry: zipfile.ZipInfo) -> int:
    """Where the data of a stored entry begins: its local header says how long its name and extra fields are."""
    with path.open("rb") as source:
        source.seek(entry.header_offset)
        header = source.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\3\4"):
        raise ArchiveDamaged(f"{path.name}: {entry.filename!r} has no header")
    name, extra = struct.unpack("<HH", header[26:30])
    return entry.header_offset + _LOCAL_HEADER + int(name) + int(extra)
