"""Captures and changes as a Parquet dataset, by site and month; each run adds what is new since the last.

    export_archive    what `strandline export --dataset` does

Captures never change once they are recorded: those after the last exported number are added, a window of numbers at a
time, each window a commit. Changes follow the captures that were studied. Where pages were studied anew (older captures
were imported, a page is cut otherwise), the months they touch are written again. Pages and claims are few: they are
read whole, and written again for the sites where anything differs. A catalog that was rebuilt gives captures other
numbers; that is noticed, and everything is exported anew. So it is when a file was lost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from json import dumps
from pathlib import Path
from typing import Any, Final, TypeVar

import xxhash

from strandline.archive.folder import Archive
from strandline.engines.mining_dataset import Partition, Writing
from strandline.learn.dataset_places import place_at
from strandline.store.exporting import ExportReading, Recorded
from strandline.store.studies import Change
from strandline.warc.parquet import COLUMNS, address_of, row_of

Tell = Callable[[str], None]
Row = tuple[object, ...]
T = TypeVar("T")

_ANCHORS: Final = 1000
"""Captures by which an archive is known again; of many, every other is forgotten."""
_LATEST: Final = 7_200_000_000.0
_PLACE: Final = ("url_surtkey", "url", "url_host_name", "url_host_registered_domain")

SCHEMAS: Final[Mapping[str, Mapping[str, str]]] = {
    "captures": {
        **COLUMNS,
        "capture": "int",  # number in the catalog, in the order of recording
        "page": "int",
        "fetch_seconds": "float",  # the exact time, epoch seconds
        "payload_digest": "text",  # of the payload itself, also where the record is a revisit
        "revisit": "flag",
    },
    "changes": {
        **dict.fromkeys(_PLACE, "text"),
        "capture": "int",  # that shows the change ...
        "capture_before": "int",  # ... and the one before, that does not
        "page": "int",
        "changed_after": "time",
        "changed_by": "time",
        "importance": "float",
        "impch": "float",
        "visible": "flag",
        "held": "flag",
        "operations": "int",
        "change_kinds": "text",
        "blocks": "text",  # JSON: changed blocks with reasons
    },
    "problems": {"capture": "int", "page": "int", "url": "text", "problem": "text"},
    "claims": {"page": "int", "source": "text", "claimed_time": "float", "seen": "float"},
    "pages": {
        "page": "int",
        "url": "text",
        "kind": "text",
        "authority": "text",
        "evidence": "text",
        "since": "float",
        "weight": "float",
        "via": "text",
        "hops": "int",
        "captures": "int",
        "text_bytes": "int",
        "links": "int",
        "headings": "int",
        "images": "int",
        "emails": "int",
        "last_modified": "int",
        "language": "text",
    },
}


@dataclass(slots=True)
class Exported:
    """What one run wrote."""

    folder: str
    """Or the address of an object store."""
    captures: int = 0
    changes: int = 0
    rewritten: int = 0
    """Partitions that were written again."""
    files: int = 0
    anew: bool = False
    """Whether what was there before belonged to another catalog, or was no longer whole."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return {"event": "exported"} | asdict(self)


def export_archive(archive: Archive, target: Path | str, tell: Tell | None = None) -> Exported:
    """Bring the dataset of an archive or a cluster up to date, making it when there is none. Writers may go on.

    `target`: a folder, or an object store such as s3://bucket/prefix.
    """
    with closing(archive.exporting()) as reading:
        return export_dataset(reading, target, archive.folder.name, tell)


def export_dataset(reading: ExportReading, target: Path | str, source: str, tell: Tell | None = None) -> Exported:
    """Bring a dataset up to date, making it when there is none."""
    place = place_at(target)
    with Writing(place, SCHEMAS) as writing:
        run = _Run(reading, writing, Exported(place.name), tell or (lambda _: None))
        run.same_catalog(source)
        run.captures()
        run.studies()
        run.pages()
        run.done.files = len(writing.contents.parts)
        return run.done


def month_of(time: float) -> str:
    """The month of a partition.

    >>> month_of(1_790_000_000.0)
    '2026-09'
    """
    # Archives of others hold odd dates: they go to the first and the last month there is.
    return datetime.fromtimestamp(min(max(time, 0.0), _LATEST), UTC).strftime("%Y-%m")


def _span(month: str) -> tuple[float, float]:
    year, number = (int(part) for part in month.split("-"))
    ends = (datetime(year, number, 1, tzinfo=UTC), datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC))
    begin, end = ends[0].timestamp(), ends[1].timestamp()
    return begin or float("-inf"), float("inf") if end > _LATEST else end


class _Run:
    def __init__(self, reading: ExportReading, writing: Writing, done: Exported, say: Tell) -> None:
        self._reading = reading
        self._writing = writing
        self._say = say
        self.done = done

    def same_catalog(self, source: str) -> None:
        """Begin anew when captures have other numbers than they had, or when a file was lost."""
        contents = self._writing.contents
        lost = self._writing.lost()
        if lost or (contents.parts and not self._reading.knows(contents.anchors)):
            why = f"has lost {lost}" if lost else "was exported from another catalog"
            self._say(f"{self.done.folder} {why}: everything is exported anew")
            self._writing.clear()
            self.done.anew = True
        self._writing.contents.source = source

    def captures(self) -> None:
        """Captures recorded since."""
        newest = self._reading.newest()
        for after, up_to in self._windows(self._writing.contents.captures, newest):
            last: Recorded | None = None
            groups: dict[Partition, list[Row]] = {}
            for one in self._reading.recorded(after, up_to):
                place = ("captures", one.site, month_of(one.capture.time))
                groups.setdefault(place, []).append(_capture(one, self._writing.contents.source))
                last = one if last is None or one.seq > last.seq else last
            for partition, rows in groups.items():
                self.done.captures += self._writing.add(partition, rows)
            if last is not None:
                self._anchor(last)
            self._writing.contents.captures = up_to
            self._writing.commit()
            self._say(f"{self.done.captures} captures exported, up to number {up_to} of {newest}")

    def _anchor(self, one: Recorded) -> None:
        anchors = self._writing.contents.anchors
        anchors.append((one.seq, one.page, one.capture.place.file, one.capture.place.offset))
        if len(anchors) > _ANCHORS:
            del anchors[1::2]

    def studies(self) -> None:
        """Changes found since, and those of pages that were studied anew."""
        contents = self._writing.contents
        # Asked first: what is studied anew from here on is taken by the next run.
        turn = self._reading.turn()
        studied = min(self._reading.progress(), contents.captures)
        if turn > contents.turn and contents.studied:
            self._again(contents.turn, contents.studied)
        contents.turn = turn
        for after, up_to in self._windows(contents.studied, studied):
            for partition, rows in _grouped(self._reading.found_changes(after, up_to), _change_place):
                self.done.changes += self._writing.add(partition, map(_change, rows))
            for partition, problems in _grouped(self._reading.found_problems(after, up_to), _problem_place):
                self._writing.add(partition, (row[2:] for row in problems))
            contents.studied = up_to
            self._writing.commit()
            self._say(f"{self.done.changes} changes exported")

    def _again(self, turn: int, studied: int) -> None:
        """Write the months of pages that were studied anew once more; committed with what follows."""
        for site, month in sorted({(site, month_of(time)) for site, time in self._reading.restudied(turn)}):
            changes = self._reading.month_changes(site, _span(month), studied)
            self._writing.replace(("changes", site, month), map(_change, changes))
            problems = self._reading.month_problems(site, _span(month), studied)
            self._writing.replace(("problems", site, month), (row[2:] for row in problems))
            self.done.rewritten += 1
        self._writing.commit()

    def pages(self) -> None:
        """Pages and claims of the sites where they differ."""
        for table, rows in (("pages", self._reading.page_rows), ("claims", self._reading.claim_rows)):
            digests = {f"{table} {site}": _digest(some) for site, some in groupby(rows(), _site)}
            known = {key: value for key, value in self._writing.contents.digests.items() if key.startswith(f"{table} ")}
            if digests == known:
                continue
            for site, some in groupby(rows(), _site):
                key = f"{table} {site}"
                if digests.get(key) != known.get(key):
                    self._writing.replace((table, site, ""), (row[1:] for row in some))
            for key in known.keys() - digests.keys():
                self._writing.replace((table, key.partition(" ")[2], ""), ())
                del self._writing.contents.digests[key]
            self._writing.contents.digests |= digests
        self._writing.commit()

    def _windows(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        size = self._reading.window
        return ((low, min(low + size, end)) for low in range(start, end, size))


def _site(row: Row) -> str:
    return str(row[0])


def _digest(rows: Iterable[Row]) -> str:
    state = xxhash.xxh3_128()
    for row in rows:
        state.update(repr(row).encode("utf-8", "surrogatepass"))
    return state.hexdigest()


def _grouped(found: Iterable[T], place: Callable[[T], Partition]) -> Iterator[tuple[Partition, list[T]]]:
    groups: dict[Partition, list[T]] = {}
    for one in found:
        groups.setdefault(place(one), []).append(one)
    yield from groups.items()


def _capture(one: Recorded, crawl: str) -> Row:
    capture = one.capture
    payload = capture.original.digest if capture.original is not None else capture.digest
    return (
        *map(_text, row_of(capture, crawl).values()),
        one.seq,
        one.page,
        capture.time,
        payload,
        capture.revisit,
    )


def _change_place(change: Change) -> Partition:
    return "changes", change.site, month_of(change.by)


def _change(change: Change) -> Row:
    place = address_of(change.url)
    kinds = sorted({str(block["kind"]) for block in change.blocks if block.get("kind")})
    return (
        *(place[name] for name in _PLACE),
        change.by_seq,
        change.after_seq,
        change.page,
        round(change.after * 1000),
        round(change.by * 1000),
        change.importance,
        change.impch,
        change.visible,
        change.held,
        change.operations,
        ",".join(kinds),
        _text(dumps(change.blocks, ensure_ascii=False)),
    )


def _problem_place(row: Row) -> Partition:
    return "problems", str(row[0]), month_of(float(str(row[1])))


def _text(value: object) -> object:
    """Text that Parquet can hold: headers of the web may carry halves of characters."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value
