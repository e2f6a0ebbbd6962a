"""CDXJ 0.1.0: one line per capture, sorted by SURT key and time, the index other tools read.

    surt timestamp {"url", "mime", "status", "digest", "length", "offset", "filename"}

Lines are what cdxj-indexer writes for the same records, byte for byte. Times have 14 digits; revisits have the type
`warc/revisit`.

`indexes/index.cdxj` covers all finished WARC files. Each finished file first leaves its own sorted part; `refresh`
merges waiting parts into the index. The large index is not parsed for that: the place of each new line is found by
bisection and the stretches between are copied. `index.files` names the files that are in it. Any step may be cut
off: parts are merged again (equal lines once), and files named nowhere are read again from WARC.
"""

import contextlib
import gzip
import heapq
import json
import mmap
import re
import time
from calendar import timegm
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from strandline.core.capture import Capture, Original, Place
from strandline.core.request_keys import unkeyed
from strandline.core.urls import surt_key
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged
from strandline.warc.captures import Derived, Kept, address, captures_of
from strandline.warc.compacted import finished_files, name_of
from strandline.warc.fixity import Replacing
from strandline.warc.records import Malformed
from strandline.warc.sorting import LineSorter, sorted_lines

_WITH_HOST: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_BLANKS: Final = re.compile(r"\s")
_MIME_END: Final = re.compile(r"[;\s]")
_LONGEST_LINE: Final = 1 << 20
_GALLOP: Final = 1 << 14
_COPY: Final = 1 << 24
_AT_ONCE: Final = 256
"""Parts merged in one go; each is an open file."""
_LINES_AT_ONCE: Final = 64
"""Captures whose lines are made together: a few instructions each, which lie ready only from the second one on."""
_TIMESTAMP: Final = re.compile(r"\d{14}(\d{3})?\Z")
_TIMESTAMP_FORMAT: Final = "%Y%m%d%H%M%S"


def timestamp(seconds: float) -> str:
    """Time in 14 digits.

    >>> timestamp(1780000000.999)
    '20260528202640'
    """
    return time.strftime(_TIMESTAMP_FORMAT, time.gmtime(round(seconds * 1000) // 1000))


def cdxj_line(capture: Capture, content_type: str | None, bare: bool = False, written: str = "") -> bytes:
    """The index line of a capture, with its line end.

    `content_type` is the header as sent, None for none; a `bare` record has no HTTP headers and thus no status;
    `written` is the address as the record has it, where that is known.
    """
    url, method, sent = unkeyed(capture.url)
    fields = {"url": written.replace(" ", "%20") or url}
    if capture.revisit:
        fields["mime"] = "warc/revisit"
    elif content_type is not None:
        fields["mime"] = _MIME_END.split(content_type, 1)[0].strip()
    if capture.status and not bare:
        fields["status"] = str(capture.status)
    place = capture.place
    fields["digest"] = capture.digest
    fields |= {"length": str(place.length), "offset": str(place.offset), "filename": place.file}
    if method != "GET":
        fields |= {"requestBody": sent, "method": method}
    return f"{_key(capture.url)} {timestamp(capture.time)} {json.dumps(fields)}\n".encode()


def line_of(capture: Capture) -> bytes:
    """The index line of a capture as the catalog knows it."""
    return cdxj_line(capture, capture.mime or None, _is_bare(capture))


def _is_bare(capture: Capture) -> bool:
    return capture.revisit and capture.status == 304


def _key(url: str) -> str:
    """The key of an address; what has none (`dns:`, `urn:`, no address at all) is its own, as other tools index it. A
    blank would end the key.
    """
    if _WITH_HOST.match(url):
        with contextlib.suppress(ValueError):
            return surt_key(url)
    return _BLANKS.sub("%20", url.removesuffix("/")) or "-"


def lines_of_file(path: Path, strict: bool = True) -> Iterator[bytes]:
    """Index lines of one WARC file in the order of its records, read from the file alone."""
    for item in captures_of(path, strict=strict):
        kept = item.kept if isinstance(item, Derived) else item
        if isinstance(kept, Kept):
            yield cdxj_line(kept.capture, kept.content_type, kept.bare, kept.written)


def merged_files(indexes: Path) -> set[str]:
    """WARC files whose lines are in the index."""
    try:
        return set((indexes / "index.files").read_text(errors="replace").split("\n")) - {""}
    except FileNotFoundError:
        return set()


class CdxjIndex:
    """The index of an archive folder, kept up to date file by file."""

    def __init__(self, indexes: Path, archive: Path) -> None:
        self.path = indexes / "index.cdxj"
        self._folder = indexes
        self._archive = archive
        self._parts = indexes / "parts"
        self._names = indexes / "index.files"
        self._new: LineSorter | None = None
        self._told: list[tuple[Capture, str | None]] = []

    # -- the part of a file that is being written (the writer's Listing) ------------------------------------------

    def kept(self, capture: Capture, content_type: str | None) -> None:
        """A capture of the file being written."""
        self._told.append((capture, content_type))
        if len(self._told) >= _LINES_AT_ONCE:
            self._make_lines()

    def _make_lines(self) -> LineSorter:
        if self._new is None:
            self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._new = LineSorter(self._parts)
        told, self._told = self._told, []
        for capture, content_type in told:
            self._new.add(cdxj_line(capture, content_type, _is_bare(capture)))
        return self._new

    def sealed(self, file: str) -> None:
        """Leave the part of a finished file."""
        self._write_part(file, self._make_lines().lines())

    def dropped(self) -> None:
        """Forget the captures of the file being written."""
        self._told = []
        if self._new is not None:
            self._new.close()
            self._new = None

    # -- the index ---------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Bring the index up to date with the finished WARC files; return how many files came new into it."""
        merged = self._merged()
        self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in finished_files(self._archive):
            name = name_of(path)
            if name not in merged and not self._part(name).exists():
                self._write_part(name, sorted_lines(lines_of_file(path, strict=False), self._parts))
        waiting = sorted(path for path in self._parts.iterdir() if path.suffix == ".cdxj")
        if not waiting and self.path.exists():
            return 0
        for start in range(0, max(len(waiting), 1), _AT_ONCE):
            self._merge(waiting[start : start + _AT_ONCE])
        new = {path.name.removesuffix(".cdxj") for path in waiting}
        with Replacing(self._names) as out:
            out.write("".join(f"{name}\n" for name in sorted(merged | new)).encode())
        for path in waiting:
            path.unlink()
        return len(new)

    def remove(self, places: Collection[tuple[str, int]]) -> int:
        """Take the lines of records (file, offset) out of the index and of waiting parts; returns how many."""
        files = {file.encode() for file, _ in places}
        gone = 0
        for path in (self.path, *sorted(self._parts.glob("*.cdxj"))):
            if not path.exists():
                continue
            kept = path.with_name(f"{path.name}.kept")
            before = gone
            with path.open("rb") as lines, Replacing(kept) as out:
                for line in lines:
                    if _file_of(line) in files and _place_of(line) in places:
                        gone += 1
                    else:
                        out.write(line)
            if gone == before:
                kept.unlink()
            else:
                kept.replace(path)
                sync_path(path.parent)
        return gone

    def forget(self, file: str) -> None:
        """A file whose lines were all taken out is there no more."""
        names = self._merged() - {file}
        with Replacing(self._names) as out:
            out.write("".join(f"{name}\n" for name in sorted(names)).encode())

    def rebuild(self) -> int:
        """Make the index anew from the WARC files."""
        for path in (self._names, self.path, *self._parts.glob("*")):
            path.unlink(missing_ok=True)
        return self.refresh()

    def _merged(self) -> set[str]:
        return merged_files(self._folder) if self.path.exists() else set()

    def _part(self, file: str) -> Path:
        return self._parts / f"{file}.cdxj"

    def _write_part(self, file: str, lines: Iterable[bytes]) -> None:
        self._parts.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Replacing(self._part(file)) as out:
            out.writelines(lines)

    def _merge(self, waiting: Sequence[Path]) -> None:
        parts = [path.open("rb") for path in waiting]
        try:
            with Replacing(self.path) as out:
                if self.path.exists() and self.path.stat().st_size:
                    with self.path.open("rb") as old, mmap.mmap(old.fileno(), 0, prot=mmap.PROT_READ) as data:
                        _merge_into(data, heapq.merge(*parts), out)
                else:
                    _merge_into(b"", heapq.merge(*parts), out)
        finally:
            for part in parts:
                part.close()


def _file_of(line: bytes) -> bytes:
    """The file a line names, without reading the rest of it."""
    at = line.rfind(b'"filename": "')
    return line[at + 13 : line.find(b'"', at + 13)] if at >= 0 else b""


def _place_of(line: bytes) -> tuple[str, int]:
    try:
        place = parse_line(line).place
    except Malformed:
        return "", 0
    return place.file, place.offset


def _merge_into(old: "mmap.mmap | bytes", new: Iterable[bytes], out: BinaryIO) -> None:
    """Write old and new sorted lines in order, equal ones once."""
    position, last = 0, b""
    for line in new:
        if line == last:
            continue
        last = line
        at = _lower_bound(old, line, position)
        _copy(old, position, at, out)
        position = at
        if old[at : at + len(line)] != line:
            out.write(line)
    _copy(old, position, len(old), out)


def _copy(data: "mmap.mmap | bytes", start: int, end: int, out: BinaryIO) -> None:
    for at in range(start, end, _COPY):
        out.write(data[at : min(at + _COPY, end)])


def _lower_bound(data: "mmap.mmap | bytes", line: bytes, low: int) -> int:
    """Offset of the first line not before `line`, at or after `low`. Gallops, because new lines come in order."""
    high, step = len(data), _GALLOP
    while low + step < high:
        start = data.rfind(b"\n", low, low + step) + 1 or low
        end = data.find(b"\n", start) + 1 or high
        if data[start:end] >= line:
            high = start
            break
        low, step = end, step * 2
    while low < high:
        middle = (low + high) // 2
        start = data.rfind(b"\n", low, middle) + 1 or low
        end = data.find(b"\n", start) + 1 or high
        if data[start:end] < line:
            low = end
        else:
            high = start
    return low


# -- reading -----------------------------------------------------------------------------------------------------------


def read_cdxj(path: Path) -> Iterator[Capture]:
    """Captures listed in a foreign `.cdxj` or `.cdxj.gz`, but for what is not of the web (`dns:`, `urn:`).

    ArchiveDamaged names the line that is none.
    """
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        number = 0
        try:
            while line := lines.readline(_LONGEST_LINE):
                number += 1
                if line.strip() and not line.startswith(b"!"):
                    capture = parse_line(line)
                    if address(capture.url)[1]:
                        yield capture
        except Malformed as error:
            raise ArchiveDamaged(f"{path.name} line {number}: {error}") from None
        except (EOFError, OSError) as error:
            where = f"{path.name} line {number}" if number else path.name
            raise ArchiveDamaged(f"{where}: {error}") from error


def parse_line(line: bytes) -> Capture:
    """One index line; Malformed says what is wrong with it."""
    try:
        _, stamp, rest = line.decode("utf-8").split(" ", 2)
        fields = json.loads(rest)
    except (ValueError, RecursionError):
        raise Malformed("not a CDXJ line") from None
    if not isinstance(fields, dict) or not _TIMESTAMP.match(stamp):
        raise Malformed("not a CDXJ line")
    text = {key: str(value) for key, value in fields.items() if isinstance(value, str | int)}
    if "url" not in text:
        raise Malformed("no url")
    url, _ = address(text["url"])
    digest = text.get("digest", "")
    revisit = text.get("mime") == "warc/revisit"
    return Capture(
        url=url,
        time=_seconds(stamp),
        status=_number(text, "status", 999) or (304 if revisit else 0),
        mime="" if revisit else text.get("mime", "").lower().strip("-"),
        digest=digest if ":" in digest or not digest else f"sha1:{digest}",
        place=Place(Path(text.get("filename", "")).name, _number(text, "offset"), _number(text, "length")),
        revisit=revisit,
        original=Original(url, 0.0, digest) if revisit else None,
    )


def _seconds(stamp: str) -> float:
    try:
        whole = timegm(time.strptime(stamp[:14], _TIMESTAMP_FORMAT))
    except ValueError:
        raise Malformed(f"bad timestamp {stamp}") from None
    return whole + int(stamp[14:] or 0) / 1000


def _number(text: dict[str, str], name: str, most: int = 1 << 62) -> int:
    value = text.get(name, "0").strip("-") or "0"
    if not (value.isascii() and value.isdigit()) or len(value) > 19 or int(value) > most:
        raise Malformed(f"bad {name} {value[:30]!r}")
    return int(value)
