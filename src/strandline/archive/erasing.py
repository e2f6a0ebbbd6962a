"""Erasing from an archive folder: bytes, indexes and all that was worked out, in steps that go on after any crash.

    0  the act is in the journal (and hides what it names)          store/takedowns.py
    1  the plan: every record to erase, every revisit to make whole; durable before anything is changed
    2  revisits that refer to what goes are made whole in a new file; one transaction of the catalog points to them
    3  tombstones in WARC files, packs written anew without the records       warc/erasing.py, warc/erasing_packs.py
    4  the catalog forgets captures, histories, changes, words                store/erasing.py
    5  lines of the CDXJ index go; torn ends in quarantine that name an address go, too
    6  the catalog's file is written anew, without what it deleted
    7  the journal tells that it is done; the plan goes

Each step, done again, changes nothing. Whoever next writes the archive goes on with a plan that is there, before
anything else.
"""

import json
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from strandline.core.capture import Capture, Place
from strandline.core.keeping.takedowns import Act, Target, merged, target_of, unfinished
from strandline.core.urls import surt_key
from strandline.core.wording import counted
from strandline.durable import sync_path
from strandline.errors import ArchiveDamaged
from strandline.store.catalog import SqliteCatalog
from strandline.store.erasing import CatalogEraser, captures_of, referring_to
from strandline.store.takedowns import FOLDER, FolderJournal
from strandline.version import __version__
from strandline.warc.captures import Kept, address
from strandline.warc.captures import captures_of as items_of
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.compacted import DELTA, PACK, finished_files, name_of
from strandline.warc.erasing import Erased, Head, erase_in_file, give_back, heads_of, joined, remove_file
from strandline.warc.erasing_packs import erase_in_packs
from strandline.warc.fixity import Replacing
from strandline.warc.made_whole import whole_record, write_whole
from strandline.warc.reader import WarcReader, file_in

PLAN: Final = "erasing.json"
_ABOUT: Final = 4096
"""Bytes a file may have besides: the record about itself."""
Say = Callable[[str], None]


@dataclass(slots=True)
class ErasePlan:
    """What is to be erased, as it was found; written down before anything is changed."""

    acts: list[int]
    time: float
    targets: list[str]
    records: dict[str, list[Erased]] = field(default_factory=dict)
    """By file: answers, requests and whatever else is of the captures or addresses; revisits that are made whole."""
    captures: list[tuple[str, int]] = field(default_factory=list)
    """Files and offsets of the captures among them that go."""
    whole: list[tuple[Place, Place]] = field(default_factory=list)
    """Revisits that are made whole, and the records they refer to."""
    file: str = ""
    """Where they go."""
    thinning: str = ""
    """The mark of a thinning (keeping/retention.py), whose act in the journal has it, too; empty for an erasure."""

    @property
    def bytes(self) -> int:
        """Bytes of the records, as they are stored."""
        return sum(record.length for records in self.records.values() for record in records)

    def counts(self) -> dict[str, int]:
        """At a glance."""
        records = sum(map(len, self.records.values()))
        return {
            "captures": len(self.captures), "records": records, "bytes": self.bytes, "made_whole": len(self.whole)
        }  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """To be kept."""
        return {
            "acts": self.acts,
            "time": self.time,
            "targets": self.targets,
            "records": self.records,
            "captures": self.captures,
            "whole": [[_listed(revisit), _listed(original)] for revisit, original in self.whole],
            "file": self.file,
            "thinning": self.thinning,
        }

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "ErasePlan":
        """As it was kept."""
        records = {str(file): [Erased(*record) for record in found] for file, found in kept["records"].items()}
        whole = [(Place(*revisit), Place(*original)) for revisit, original in kept["whole"]]
        captures = [(str(file), int(offset)) for file, offset in kept["captures"]]
        return cls(
            kept["acts"], kept["time"], kept["targets"], records, captures, whole, kept["file"], kept["thinning"]
        )


def _listed(place: Place) -> list[str | int]:
    return [place.file, place.offset, place.length]


class _Sought:
    """Which records are to be erased, told by their headers."""

    def __init__(self, targets: Sequence[Target], captures: Iterable[Capture]) -> None:
        self._stretches = merged(stretch for target in targets if target.whole for stretch in target.keys)
        self._lows = [low for low, _ in self._stretches]
        self._places = {(capture.place.file, capture.place.offset) for capture in captures}
        self._ids = {capture.record_id for capture in captures if capture.record_id}

    @property
    def everywhere(self) -> bool:
        """Whether records of whole addresses are sought, which may lie in any file."""
        return bool(self._stretches)

    @property
    def files(self) -> set[str]:
        """Files that hold captures that go."""
        return {file for file, _ in self._places}

    def has(self, file: str, head: Head) -> bool:
        """Whether a record goes."""
        fields = head.fields
        if (file, head.offset) in self._places or fields.get("warc-record-id", "") in self._ids:
            return True
        if fields.get("warc-concurrent-to", "") in self._ids:
            return True
        if fields.get("warc-type") != "revisit" and fields.get("warc-refers-to", "") in self._ids:
            return True
        return self._of_address(head.url)

    def _of_address(self, url: str) -> bool:
        if not url or not self._stretches:
            return False
        found, of_web = address(url)
        if not of_web:
            return False
        key = surt_key(found)
        at = bisect_right(self._lows, key) - 1
        return at >= 0 and key < self._stretches[at][1]

    def names(self, url: str) -> bool:
        """Whether an address is one that goes as a whole."""
        return self._of_address(url)


def plan_erasure(folder: Path, catalog: SqliteCatalog, acts: Sequence[Act]) -> ErasePlan:
    """Look for everything that has to go; nothing is changed."""
    targets = [target_of(act.target) for act in acts]
    gone: dict[tuple[str, int], Capture] = {}
    for target in targets:
        for _, capture in captures_of(catalog.writer, target):
            gone[capture.place.file, capture.place.offset] = capture
    plan = ErasePlan([act.number for act in acts], acts[0].time if acts else 0.0, [act.target for act in acts])
    plan.captures = sorted(gone)
    plan.whole = _dependants(catalog, gone)
    plan.file = f"whole-{int(plan.time * 1000)}-{plan.acts[0] if plan.acts else 0:05d}.warc.gz"
    sought = _Sought(targets, list(gone.values()))
    superseded = {(revisit.file, revisit.offset) for revisit, _ in plan.whole}
    wanted = sought.files | {file for file, _ in superseded}
    for path in finished_files(folder / "archive"):
        file = name_of(path)
        if not sought.everywhere and file not in wanted:
            continue
        found = [
            Erased(head.offset, head.length, head.fields.get("warc-record-id", ""))
            for head in heads_of(path)
            if head.fields.get("warc-type") != "warcinfo"
            and ((file, head.offset) in superseded or sought.has(file, head))
        ]
        if found:
            plan.records[file] = found
    return plan


def _dependants(catalog: SqliteCatalog, gone: Mapping[tuple[str, int], Capture]) -> list[tuple[Place, Place]]:
    """Revisits that stay and refer to a capture that goes, with the place of that capture."""
    held = [capture for capture in gone.values() if not capture.revisit]
    by_id = {capture.record_id: capture for capture in held if capture.record_id}
    by_name = {(surt_key(capture.url), int(capture.time)): capture for capture in held}
    by_digest = {digest: capture for capture in held for digest in (capture.digest, capture.entity) if digest}
    found = []
    for _, revisit in referring_to(catalog.writer, set(by_digest)):
        if (revisit.place.file, revisit.place.offset) in gone or revisit.original is None:
            continue
        named = revisit.original
        original = by_id.get(named.record_id) or by_name.get((surt_key(named.url), int(named.time)))
        if original is None and _elsewhere(catalog, revisit):
            continue
        original = original or by_digest.get(revisit.digest) or by_digest.get(named.digest)
        if original is not None:
            found.append((revisit.place, original.place))
    return found


def _elsewhere(catalog: SqliteCatalog, revisit: Capture) -> bool:
    """Whether what a revisit names is still in the archive, and is none of what goes."""
    assert revisit.original is not None
    named = catalog.reading.closest(revisit.original.url, revisit.original.time)
    return named is not None and not named.revisit and abs(named.time - revisit.original.time) < 1


# Doing it


def go_on(folder: Path, catalog: SqliteCatalog, index: CdxjIndex, say: Say) -> None:
    """Erase what the journal wants erased and is not yet."""
    journal = FolderJournal(folder)
    if not journal.mark()[0]:
        return
    try:
        _go_on_thinning(folder, catalog, index, say)
        while waiting := unfinished(journal.acts(), "erase", "erased"):
            plan = kept_plan(folder)
            if plan is None:
                plan = plan_erasure(folder, catalog, waiting)
                keep_plan(folder, plan)
            carry_out(folder, catalog, index, plan)
            counts = plan.counts() | {"together": len(plan.acts)}
            for act in waiting:
                if act.number in plan.acts:
                    journal.add(Act(0, 0.0, "erased", act.target, by=act.by, of=act.number, detail=counts))
            _end_plan(folder)
            say(f"erased {counted(len(plan.captures), 'capture')} of {counted(len(plan.targets), 'take-down')}")
    except ArchiveDamaged as damage:
        say(f"not erased: {damage}")
        return
    _end_plan(folder)  # a crash came after the last line of the journal


def _go_on_thinning(folder: Path, catalog: SqliteCatalog, index: CdxjIndex, say: Say) -> None:
    """Finish a thinning whose act is in the journal; one that never came so far is forgotten."""
    plan = kept_plan(folder)
    if plan is None or not plan.thinning:
        return
    journal = FolderJournal(folder)
    for act in unfinished(journal.acts(), "thin", "thinned"):
        if act.detail.get("plan") == plan.thinning:
            given = thin(folder, catalog, index, plan)
            detail = plan.counts() | {"given_back": given}
            journal.add(Act(0, 0.0, "thinned", act.target, by=act.by, of=act.number, detail=detail))
            say(f"thinned: {counted(len(plan.captures), 'capture')} dropped")
    _end_plan(folder)


def thin(folder: Path, catalog: SqliteCatalog, index: CdxjIndex, plan: ErasePlan) -> int:
    """Drop the captures of a plan: all steps, from the first on. Returns how many bytes the disk has back."""
    archive, eraser = folder / "archive", CatalogEraser(catalog)
    eraser.thin(plan.captures)
    index.remove({*plan.captures, *((file, one.offset) for file, records in plan.records.items() for one in records)})
    given = 0
    compacted: dict[str, list[Erased]] = {}
    for file, records in plan.records.items():
        path = file_in(archive, file)
        if path is None:
            continue
        if path.name.endswith(DELTA):
            compacted[file] = records
            continue
        places = joined(records)
        if sum(record.length for record in places) >= path.stat().st_size - _ABOUT and len(places) == 1:
            given += path.stat().st_blocks * 512
            remove_file(path)  # nothing but the record about the file itself would be left
            index.forget(file)
            continue
        erase_in_file(path, places, plan.time)
        given += give_back(path, places)
    if compacted:
        before = _size_of_packs(archive)
        erase_in_packs(archive, compacted, plan.time)
        given += before - _size_of_packs(archive)
    index.refresh()
    return given


def _size_of_packs(archive: Path) -> int:
    return sum(path.stat().st_size for path in archive.glob(f"*{PACK}"))


def carry_out(folder: Path, catalog: SqliteCatalog, index: CdxjIndex, plan: ErasePlan) -> None:
    """All steps of a plan, from the first on."""
    archive, eraser = folder / "archive", CatalogEraser(catalog)
    _make_whole(archive, catalog, eraser, plan)
    compacted: dict[str, list[Erased]] = {}
    for file, records in plan.records.items():
        path = file_in(archive, file)
        if path is None:
            continue
        if path.name.endswith(DELTA):
            compacted[file] = records
        else:
            erase_in_file(path, records, plan.time)
    if compacted:
        erase_in_packs(archive, compacted, plan.time)
    targets = [target_of(text) for text in plan.targets]
    superseded = [(revisit.file, revisit.offset) for revisit, _ in plan.whole]
    eraser.erase([*plan.captures, *superseded], targets)
    others = {(file, record.offset) for file, records in plan.records.items() for record in records}
    index.remove({*plan.captures, *superseded, *others})
    index.refresh()
    _clean_quarantine(folder / "quarantine", _Sought(targets, ()))
    _remove_leftovers(folder)
    eraser.sweep()


def _remove_leftovers(folder: Path) -> None:
    """Remove what earlier crashes left half written: it may hold what goes."""
    for pattern in ("archive/*.new", "indexes/*.new", "indexes/*.kept", "indexes/parts/*.new", "strandline.db.new*"):
        for path in folder.glob(pattern):
            path.unlink()


def _make_whole(archive: Path, catalog: SqliteCatalog, eraser: CatalogEraser, plan: ErasePlan) -> None:
    """Write the revisits that would lose what they refer to as whole records, and let the catalog point to them."""
    waiting = [(revisit, original) for revisit, original in plan.whole if _is_recorded(catalog, revisit)]
    path = archive / plan.file
    if not waiting:
        return
    if path.exists():  # a crash came before the catalog knew of it
        remove_file(path)
    reader = WarcReader(archive)
    records = (whole_record(reader.read(revisit), reader.read(original)) for revisit, original in waiting)
    write_whole(path, records, f"Strandline/{__version__}", plan.time)
    made = [item.capture for item in items_of(path, strict=False) if isinstance(item, Kept)]
    places = [(revisit.file, revisit.offset) for revisit, _ in waiting]
    eraser.replace(zip(places, made, strict=True))


def _is_recorded(catalog: SqliteCatalog, place: Place) -> bool:
    row = catalog.writer.execute(
        "SELECT 1 FROM captures WHERE file = (SELECT file FROM files WHERE name = ?) AND offset = ?",
        (place.file, place.offset),
    ).fetchone()
    return row is not None


def _clean_quarantine(folder: Path, sought: _Sought) -> None:
    """Remove torn ends that name an address that goes: what they hold of it nobody can take out."""
    for tail in folder.glob("*.tail"):
        data = tail.read_bytes()
        text = data
        for at in _starts(data):
            with suppress(zlib.error):
                text += zlib.decompressobj(31).decompress(data[at:], 1 << 22)
        urls = {line.partition(b":")[2].strip() for line in text.split(b"\r\n") if line.startswith(b"WARC-Target-URI:")}
        if any(sought.names(url.decode("utf-8", "replace").strip("<>")) for url in urls):
            tail.unlink()


def _starts(data: bytes) -> list[int]:
    found, at = [], data.find(b"\x1f\x8b\x08")
    while at >= 0:
        found.append(at)
        at = data.find(b"\x1f\x8b\x08", at + 1)
    return found


def kept_plan(folder: Path) -> ErasePlan | None:
    """A plan that is under way; None for none."""
    try:
        return ErasePlan.of(json.loads((folder / FOLDER / PLAN).read_text()))
    except FileNotFoundError:
        return None


def keep_plan(folder: Path, plan: ErasePlan) -> None:
    """Write a plan down, durably, before anything is changed."""
    (folder / FOLDER).mkdir(mode=0o700, exist_ok=True)
    with Replacing(folder / FOLDER / PLAN) as out:
        out.write(json.dumps(plan.as_json()).encode())


def _end_plan(folder: Path) -> None:
    (folder / FOLDER / PLAN).unlink(missing_ok=True)
    sync_path(folder / FOLDER)
