"""Site history files: `version  time  op  path  digest`, tab-separated, plain or .gz, .xz, .zst.

Version 0 lists the whole site with `A` lines; later versions list differences: `A` appeared, `M` has other content,
`D` disappeared, `=` nothing changed (no path). Versions follow one another without gaps. Times are kept as written. A
digest may be any text without tabs; a `M` line that repeats the known digest is no change. Bad input raises
ValueError with the line number.
"""

import contextlib
import gzip
import io
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

import zstandard

from strandline.core.changes.directories import tree_difference
from strandline.core.history.site_versions import SiteHistory

Version = tuple[str, Mapping[str, str]]
"""Time and path -> digest."""


def read_site_history(file: Path) -> SiteHistory:
    """Read a site history; an empty file is a history without versions."""
    try:
        with _opened_to_read(file) as lines:
            return parse_site_history(lines, file.name)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zstandard.ZstdError) as error:
        raise ValueError(f"{file.name}: damaged compressed file: {error}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{file.name}: not UTF-8 text: {error}") from error


def parse_site_history(lines: Iterable[str], name: str = "history") -> SiteHistory:
    """Read a site history from its lines; `name` is what errors call it."""
    history = SiteHistory()
    digests: dict[str, str] = {}
    pending = _Pending()
    for number, line in enumerate(lines, start=1):
        fields = line.rstrip("\r\n").split("\t")
        if fields == [""] or (number == 1 and fields[0] == "version"):
            continue
        try:
            version = _version_of(fields)
            if pending.version is None:
                pending.version, pending.time = version, fields[1]
            elif version != pending.version:
                if version != pending.version + 1:
                    raise ValueError(f"version {version} follows version {pending.version}")
                pending.finish(history)
                pending = _Pending(version, fields[1])
            pending.book(fields, digests)
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}") from error
    if pending.version is not None:
        pending.finish(history)
    return history


def write_site_history(file: Path, versions: Iterable[Version]) -> None:
    """Write whole versions as a history file of differences; the suffix chooses the compression."""
    with _opened_to_write(file) as out:
        out.writelines(history_lines(versions))


def history_lines(versions: Iterable[Version]) -> Iterator[str]:
    """The lines of a history file; paths are sorted within a version, so equal histories give equal files."""
    before: Mapping[str, str] = {}
    for number, (time, after) in enumerate(versions):
        difference = tree_difference(before, after)
        if not difference.changed:
            yield f"{number}\t{time}\t=\t\t\n"
        for path in sorted(difference.changed):
            if "\t" in path or "\n" in path or "\r" in path:
                raise ValueError(f"a path with a tab or a line break cannot be written: {path!r}")
            op = "A" if path in difference.inserted else "D" if path in difference.deleted else "M"
            yield f"{number}\t{time}\t{op}\t{path}\t{after.get(path, '')}\n"
        before = dict(after)


@dataclass
class _Pending:
    """The version that is being read."""

    version: int | None = None
    time: str = ""
    inserted: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def book(self, fields: list[str], digests: dict[str, str]) -> None:
        """Check one line against what is known and book it."""
        op = fields[2]
        if op == "=":
            return
        if op not in ("A", "M", "D"):
            raise ValueError(f"the operation must be A, M, D or =, not {op!r}")
        if len(fields) < 4 or (op != "D" and len(fields) < 5):
            raise ValueError(f"a line with {op} needs version, time, op, path, digest; it has {len(fields)} fields")
        path = fields[3]
        if path in self.seen:
            raise ValueError(f"{path!r} is listed twice in version {self.version}")
        self.seen.add(path)
        if (op == "A") == (path in digests):
            raise ValueError(f"{path!r} {'is already there' if op == 'A' else 'is not there'} and has {op}")
        if op == "D":
            del digests[path]
            self.deleted.append(path)
            return
        if op == "A":
            self.inserted.append(path)
        elif digests[path] != fields[4]:
            self.updated.append(path)
        digests[path] = fields[4]

    def finish(self, history: SiteHistory) -> None:
        """Hand the version over."""
        history.add(self.time, self.inserted, self.deleted, self.updated)


def _version_of(fields: list[str]) -> int:
    if len(fields) < 3:
        raise ValueError(f"expected tab-separated version, time, op, path, digest; found {len(fields)} fields")
    if not fields[0].isascii() or not fields[0].isdigit():
        raise ValueError(f"the version must be a whole number, not {fields[0]!r}")
    return int(fields[0])


@contextlib.contextmanager
def _opened_to_read(file: Path) -> Iterator[IO[str]]:
    with file.open("rb") as raw, contextlib.ExitStack() as closing:
        stream: IO[bytes] = raw
        if file.suffix == ".gz":
            stream = cast("IO[bytes]", closing.enter_context(gzip.GzipFile(fileobj=raw)))
        elif file.suffix == ".xz":
            stream = closing.enter_context(lzma.LZMAFile(raw))
        elif file.suffix == ".zst":
            stream = closing.enter_context(zstandard.ZstdDecompressor().stream_reader(raw))
        yield closing.enter_context(io.TextIOWrapper(stream, encoding="utf-8", newline="\n"))


@contextlib.contextmanager
def _opened_to_write(file: Path) -> Iterator[IO[str]]:
    with file.open("wb") as raw, contextlib.ExitStack() as closing:
        stream: IO[bytes] = raw
        if file.suffix == ".gz":  # without name and time, so that equal histories are equal files
            stream = cast("IO[bytes]", closing.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0)))
        elif file.suffix == ".xz":
            stream = closing.enter_context(lzma.LZMAFile(raw, "wb"))
        elif file.suffix == ".zst":
            stream = closing.enter_context(zstandard.ZstdCompressor().stream_writer(raw))
        yield closing.enter_context(io.TextIOWrapper(stream, encoding="utf-8", newline="\n"))
