"""Reading page versions from files: one JSON object a line, `{"url", "time", "html"}`, in time order for each page.

Files may be compressed (`.gz`, `.xz`, `.zst`, told by their first bytes, not by their name) and are read as a stream: a
file of a gigabyte needs the memory of its longest line, and one that unpacks to an endless line is given up. `time` is
ISO 8601 (UTC when no zone is given) or seconds since 1970.
"""

import gzip
import io
import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from strandline.core.urls import canonical
from strandline.errors import UsageError, usage_errors

LONGEST_LINE = 64 << 20
_FIRST_YEAR, _LAST_YEAR = -62_135_596_800, 253_402_300_800
"""Epoch seconds of the years 1 and 10000."""
_BEGINNING = 1 << 16
"""Bytes of a line that tell whether it may be an object at all."""
_LARGEST_WINDOW = 1 << 27


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One stored state of a page."""

    url: str
    time: float
    body: bytes
    content_type: str = "text/html; charset=utf-8"
    origin: str = ""
    """Where it comes from, in words for a header field; empty for a file of page versions."""


def page_versions(path: Path) -> Iterator[PageVersion]:
    """The versions in a file, in its order. Raises UsageError, with the line number, for what is none."""
    latest: dict[str, float] = {}
    try:
        with path.open("rb") as raw, unpacked(raw) as lines:
            for number, line in enumerate(_lines(lines), 1):
                if len(line) > LONGEST_LINE:
                    raise UsageError(f"{path}, line {number}: longer than {LONGEST_LINE >> 20} MiB")
                if not line.strip():
                    continue
                version = _version(line, f"{path}, line {number}")
                if version.time < latest.get(version.url, version.time):
                    raise UsageError(f"{path}, line {number}: {version.url} goes back in time")
                latest[version.url] = version.time
                yield version
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile, zstandard.ZstdError) as problem:
        raise UsageError(f"{path}: damaged or cut short ({problem})") from None


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines, none longer than one that is refused; the rest of one that does not begin like an object is not read."""
    while line := source.readline(_BEGINNING):
        if not line.endswith(b"\n") and line.lstrip().startswith(b"{"):
            line += source.readline(LONGEST_LINE + 1 - len(line))
        yield line


def unpacked(raw: BinaryIO) -> BinaryIO:
    """A file as it was before it was packed, told by its first bytes."""
    head = raw.read(6)
    raw.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=raw))
    if head == b"\xfd7zXZ\x00":
        return cast("BinaryIO", lzma.LZMAFile(raw))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(raw, read_across_frames=True)
        return cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", reader)))
    return raw


def _version(line: bytes, where: str) -> PageVersion:
    try:
        record = json.loads(line)
    except ValueError as problem:
        raise UsageError(f"{where}: not JSON ({problem})") from None
    if not isinstance(record, dict):
        raise UsageError(f"{where}: an object with url, time and html is wanted")
    missing = [name for name in ("url", "time", "html") if name not in record]
    if missing:
        raise UsageError(f"{where}: {', '.join(missing)} missing")
    url, html = record["url"], record["html"]
    if not isinstance(url, str) or not isinstance(html, str):
        raise UsageError(f"{where}: url and html must be text")
    with usage_errors(f"{where}: "):
        canonical(url)
    return PageVersion(url, _seconds(record["time"], where), html.encode("utf-8", "surrogatepass"))


def _seconds(time: object, where: str) -> float:
    if isinstance(time, int | float) and not isinstance(time, bool):
        if not _FIRST_YEAR <= time < _LAST_YEAR:
            raise UsageError(f"{where}: {time:g} is no time of the years 1 to 9999 in epoch seconds")
        return float(time)
    try:
        moment = datetime.fromisoformat(str(time))
    except ValueError:
        raise UsageError(f"{where}: {time!r} is no time") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
