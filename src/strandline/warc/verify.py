"""The fixity audit: reads every byte of every WARC file and compares it with what was written.

The stored bytes of every record are compared with their checksum (`fixity`), the record is unpacked whole, its
digests are computed anew, and each capture of the catalog has to be found at its place with its address,
digest, time, type, status, record number, what is cut off and where it leads; each answer in the files has to be in
the catalog. After damage the audit goes on with the next record. Replayed pages are never compared: replay changes
them, records do not change.

Memory: 16 bytes per capture. Addresses of damaged records are looked up in a second pass over the catalog, which
is made only when something was found.
"""

import bisect
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import xxhash

from strandline.core.capture import Capture
from strandline.core.request_keys import unkeyed
from strandline.errors import ArchiveDamaged
from strandline.warc.answers import redirect
from strandline.warc.captures import Facts, address, facts_of, is_indexed
from strandline.warc.compacted import (
    DELTA,
    PACK,
    CompactedWindow,
    name_of,
    open_window,
    rebuilt_problems,
    stored_problems,
    walk_file,
)
from strandline.warc.fixity import Sum, read_sums, sums_path
from strandline.warc.members import Gap, Known, Member, Window, walk
from strandline.warc.output import OPEN
from strandline.warc.records import Malformed
from strandline.warc.streams import RecordStream

_AT_ONCE: Final = 8 << 20
MENDED: Final = "`strandline reindex` mends it"
"""Of what can be made anew from the WARC files."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as written."""

    file: str
    offset: int
    url: str
    problem: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found."""

    captures: int
    files: int
    bytes: int
    problems: tuple[Problem, ...]
    unlisted: tuple[str, ...] = ()
    """Files without a list of checksums: flips in the few bits gzip does not cover would not be seen there."""
    left_out: int = 0
    """Files that were not read, because they were found sound not long ago."""

    @property
    def ok(self) -> bool:
        """Nothing was found."""
        return not self.problems

    def as_json(self) -> dict[str, object]:
        """The shape `verify --json` prints."""
        return {
            "ok": self.ok,
            "captures": self.captures,
            "files": self.files,
            "bytes": self.bytes,
            "unlisted": list(self.unlisted),
            "left_out": self.left_out,
            "problems": [
                {"file": p.file, "offset": p.offset, "url": p.url, "problem": p.problem} for p in self.problems
            ],
        }


@dataclass(frozen=True, slots=True)
class Course:
    """What an audit leaves out, and who hears how it goes on."""

    leave_out: Collection[str] = ()
    """Files that need not be read; they have to be there all the same."""
    begun: Callable[[str, int], None] = lambda _name, _size: None
    """Hears each file that is read, and its size."""
    sound: Callable[[str], None] = lambda _name: None
    """Hears each file that was read and has no problem."""


class Expected:
    """Captures of one file, compactly: where each begins and a mark of what it is."""

    def __init__(self) -> None:
        self.offsets = array("q")
        self.marks = array("Q")

    def add(self, capture: Capture) -> None:
        """One more."""
        self.offsets.append(capture.place.offset)
        facts = Facts(capture.time, capture.status, capture.mime)
        kept = (capture.digest, str(capture.place.length), capture.record_id, capture.truncated, capture.redirect)
        self.marks.append(_mark(address(unkeyed(capture.url)[0])[0], capture.revisit, kept, facts))

    def sort(self) -> None:
        """In the order they lie in the file."""
        order = sorted(range(len(self.offsets)), key=self.offsets.__getitem__)
        self.offsets = array("q", (self.offsets[i] for i in order))
        self.marks = array("Q", (self.marks[i] for i in order))

    def at(self, offset: int) -> list[int]:
        """Marks of captures said to begin here."""
        start = bisect.bisect_left(self.offsets, offset)
        end = bisect.bisect_right(self.offsets, offset)
        return list(self.marks[start:end])

    @property
    def end(self) -> int:
        """Where the last one begins; -1 when there is none."""
        return self.offsets[-1] if self.offsets else -1


def _mark(url: str, revisit: bool, kept: tuple[str, ...], facts: Facts) -> int:
    time = round(facts.time * 1000)  # WARC dates have milliseconds
    # Catalogs of earlier releases know the type some servers name with a 304; its record has none.
    mime = "" if revisit and facts.status == 304 else facts.mime
    said = (url, *kept, str(int(revisit)), str(time), str(facts.status), mime)
    return xxhash.xxh3_64_intdigest("\n".join(said).encode())


def verify(folder: Path, captures: Callable[[], Iterable[Capture]], course: Course | None = None) -> Audit:
    """Audit an `archive/` folder against the catalog's captures; these are asked for again when there are problems."""
    course = course or Course()
    expected: dict[str, Expected] = {}
    count = 0
    for capture in captures():
        count += 1
        expected.setdefault(capture.place.file, Expected()).add(capture)
    problems: list[Problem] = []
    unlisted: list[str] = []
    files = total = left_out = 0
    for path in sorted(folder.glob("*.warc*")):
        name = name_of(path)
        if not name.endswith((".warc.gz", ".warc")) or (path.name.endswith(DELTA) and path.with_name(name).exists()):
            continue
        found = expected.pop(name, None) or Expected()
        if name in course.leave_out:
            left_out += 1
            count -= len(found.offsets)
            continue
        files += 1
        total += path.stat().st_size
        course.begun(name, path.stat().st_size)
        if name == path.name and not sums_path(folder, name).exists():
            unlisted.append(name)
        found.sort()
        troubles = list(_file(path, name, found))
        if not troubles and not path.name.endswith(OPEN):
            course.sound(name)
        problems.extend(troubles)
    for path in sorted(folder.glob(f"*{PACK}")):
        total += path.stat().st_size
        if not sums_path(folder, path.name).exists():
            unlisted.append(path.name)  # what guides need of it is read with their files
            continue
        problems.extend(Problem(path.name, 0, "", problem) for problem in stored_problems(path))
    for name, missing in expected.items():
        problems.extend(Problem(name, offset, "", "the file is missing") for offset in missing.offsets)
    problems.sort(key=lambda p: (p.file, p.offset))
    return Audit(count, files, total, tuple(named(problems, captures)), tuple(unlisted), left_out)


def _file(path: Path, name: str, expected: Expected) -> Iterator[Problem]:
    """Problems of one file. A file that is being written is looked at up to the last recorded capture."""
    writing = path.name.endswith(OPEN)
    noted, trouble = read_sums(path.parent, name)
    if trouble and not writing and sums_path(path.parent, name).exists():
        yield Problem(name, 0, "", trouble)
    sums = {one.offset: one for one in noted}
    try:
        window = open_window(path)
    except OSError as error:
        yield Problem(name, 0, "", f"cannot be opened: {error.strerror}")
        return
    except ArchiveDamaged as damage:
        yield Problem(name, 0, "", str(damage))
        return
    if isinstance(window, CompactedWindow):
        yield from (Problem(name, 0, "", problem) for problem in (*stored_problems(path), *rebuilt_problems(window)))
    try:
        items = walk_file(window) if isinstance(window, CompactedWindow) else walk(window, known=recogniser(sums))
        yield from walked(name, items, expected, sums, writing)
    finally:
        window.close()


def walked(
    name: str, items: Iterable[Member | Gap], expected: Expected, sums: dict[int, Sum], writing: bool
) -> Iterator[Problem]:
    """Problems of the records of one file; of one that is being written, up to the last recorded capture."""
    seen: set[int] = set()
    for item in items:
        if writing and item.offset > expected.end:
            break
        seen.add(item.offset)
        if isinstance(item, Gap):
            yield Problem(name, item.offset, "", item.problem)
            continue
        url, found = _member(item, expected.at(item.offset), sums.get(item.offset))
        for problem in found:
            yield Problem(name, item.offset, url, problem)
    for offset in sorted({*expected.offsets, *(() if writing else sums)} - seen):
        yield Problem(name, offset, "", "the record that was written here is gone")


def recogniser(sums: dict[int, Sum]) -> Callable[[Window, int], Known | None]:
    """Members of usual size whose stored bytes have the checksum that was noted."""

    def known(window: Window, offset: int) -> Known | None:
        noted = sums.get(offset)
        if noted is None or noted.length > _AT_ONCE:
            return None
        try:
            stored = window.get(offset, noted.length)
        except Malformed:
            return None
        if len(stored) != noted.length or xxhash.xxh3_128_hexdigest(stored) != noted.checksum:
            return None
        return Known(window, offset, stored)

    return known


def _member(member: Member, marks: list[int], noted: Sum | None) -> tuple[str, list[str]]:
    """Address and problems of one record.

    What a damaged record says about its address may be damaged too: then it is left to the catalog, which knows
    answers (and with them requests) but not notes about failed visits.
    """
    url = claimed = ""
    odd = isinstance(member, Known) and noted is not None and noted.remark == "odd"
    try:
        record = RecordStream(member.pieces(), strict=not odd)
        url, _ = address(record.url)
        claimed = url if record.type in ("metadata", "resource", "conversion") else ""
        problems = record.check()
        member.drain()
        if not member.done:
            raise Malformed(member.problem)
    except Malformed as error:
        return claimed, [member.problem or str(error)]
    if odd:
        problems = []
    elif (
        noted and not isinstance(member, Known) and (noted.length, noted.checksum) != (member.length, member.checksum())
    ):
        problems.append("stored bytes are not as written")
    return url, problems + _catalogued(record, member, marks)


def _catalogued(record: RecordStream, member: Member, marks: list[int]) -> list[str]:
    """Whether the catalog knows a record, and as what it is."""
    url, of_web = address(record.url)
    try:
        facts = facts_of(record)
    except Malformed as error:
        return [str(error)] if marks else []
    if not marks:
        missing = of_web and record.type != "metadata" and is_indexed(record)
        return [f"the catalog does not know this record; {MENDED}"] if missing else []
    led = redirect(facts.status, next((value for key, value in facts.headers if key == "location"), ""), url)
    named = (record.fields.get("warc-record-id", ""), record.fields.get("warc-truncated", ""))
    kept = (record.payload, str(member.length), *named, led)
    mark = _mark(unkeyed(url)[0], record.type == "revisit", kept, facts)
    other = "the catalog has another record here, or another time, type, status or target of a redirect"
    return [f"{other}; {MENDED}"] * any(one != mark for one in marks)


def named(problems: list[Problem], captures: Callable[[], Iterable[Capture]]) -> list[Problem]:
    """Problems with the address of the capture they hit: the one at that offset, else the one before in the file.

    A damaged request or a stretch between records belongs to the answer before it.
    """
    wanted = {(p.file, p.offset) for p in problems if not p.url}
    if not wanted:
        return problems
    files: dict[str, list[int]] = {}
    for file, offset in sorted(wanted):
        files.setdefault(file, []).append(offset)
    best: dict[tuple[str, int], tuple[int, str]] = {}
    for capture in captures():
        offsets = files.get(capture.place.file, ())
        for offset in offsets[bisect.bisect_left(offsets, capture.place.offset) :]:
            if capture.place.offset >= best.get((capture.place.file, offset), (-1, ""))[0]:
                best[capture.place.file, offset] = (capture.place.offset, capture.url)
    return [Problem(p.file, p.offset, p.url or best.get((p.file, p.offset), (0, ""))[1], p.problem) for p in problems]
