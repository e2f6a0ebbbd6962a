"""Erasing from an archive: bytes, indexes and all that was worked out, in steps that go on after any crash.

    0  the act is in the journal (and hides what it names)          store/takedowns.py
    1  the plan: every record to erase, every revisit to make whole; durable before anything is changed
    2  revisits that refer to what goes are made whole in a new file, with what a browser showed of them; one
       transaction of the catalog points to them
    3  tombstones in WARC files, packs written anew without the records       warc/erasing.py, warc/erasing_packs.py
    4  the catalog forgets captures, histories, changes, words                store/erasing.py
    5  lines of the CDXJ index go; torn ends in quarantine that name an address go, too
    6  the catalog is written anew, without what it deleted
    7  the journal tells that it is done; the plan goes

Each step, done again, changes nothing. Whoever next writes the archive goes on with a plan that is there, before
anything else. An `ErasePlace` is where it happens: a folder (archive/erasing_folder.py) or a cluster
(cluster/erasing.py).
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from strandline.archive.pictures_kept_once import Heir, heirs
from strandline.core.capture import Capture, Place
from strandline.core.keeping.takedowns import Act, Target, merged, target_of, unfinished
from strandline.core.urls import surt_key
from strandline.core.wording import counted
from strandline.errors import ArchiveDamaged
from strandline.store.erasing import CatalogEraser
from strandline.store.takedowns import Journal
from strandline.warc.captures import address
from strandline.warc.erasing import Erased, Head

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Dependant:
    """A revisit that is made whole, because what it refers to goes; or a capture that gets the picture which it shared
    with one that goes.
    """

    revisit: Place
    original: Place
    views: tuple[Place, ...] = ()
    """What a browser showed of it, which goes where it goes: a capture and its rendered document lie in one file."""


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
    whole: list[Dependant] = field(default_factory=list)
    """Revisits that are made whole."""
    file: str = ""
    """Where they go."""
    thinning: str = ""
    """The mark of a thinning (keeping/retention.py), whose act in the journal has it, too; empty for an erasure."""

    @property
    def superseded(self) -> list[tuple[str, int]]:
        """Files and offsets of the revisits that are made whole."""
        return [(one.revisit.file, one.revisit.offset) for one in self.whole]

    @property
    def places(self) -> set[tuple[str, int]]:
        """Files and offsets of everything that goes."""
        others = {(file, record.offset) for file, records in self.records.items() for record in records}
        return {*self.captures, *self.superseded, *others}

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
            "whole": [list(map(_listed, (one.revisit, one.original, *one.views))) for one in self.whole],
            "file": self.file,
            "thinning": self.thinning,
        }

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "ErasePlan":
        """As it was kept."""
        records = {str(file): [Erased(*record) for record in found] for file, found in kept["records"].items()}
        whole = [
            Dependant(Place(*revisit), Place(*original), tuple(Place(*view) for view in views))
            for revisit, original, *views in kept["whole"]
        ]
        captures = [(str(file), int(offset)) for file, offset in kept["captures"]]
        return cls(
            kept["acts"], kept["time"], kept["targets"], records, captures, whole, kept["file"], kept["thinning"]
        )


def _listed(place: Place) -> list[str | int]:
    return [place.file, place.offset, place.length]


class Shelf(Protocol):
    """The WARC files of an archive, to look for records in."""

    def files(self) -> Iterable[str]:
        """Names of the finished WARC files."""

    def heads(self, file: str) -> Iterator[Head]:
        """The header of every record of a file."""

    def size(self) -> int:
        """Bytes of all WARC files."""


class ErasePlace(Shelf, Protocol):
    """An archive as an erasure sees it: its journal, its catalog, its WARC files, and where a plan is kept."""

    @property
    def journal(self) -> Journal:
        """What is to be erased, and what was."""

    @property
    def eraser(self) -> CatalogEraser:
        """The catalog."""

    def make_whole(self, plan: ErasePlan, waiting: Sequence[Dependant]) -> list[Capture]:
        """Write revisits as whole records into the file the plan names; the captures they are then, in this order."""

    def bury(self, plan: ErasePlan) -> None:
        """Put tombstones in the place of the records of a plan."""

    def forget(self, plan: ErasePlan) -> None:
        """Remove every other copy, when files and catalog have none left."""

    def thin(self, plan: ErasePlan) -> int:
        """Drop the captures of a plan from catalog and files; returns how many bytes are free again."""

    def kept_plan(self) -> ErasePlan | None:
        """A plan that is under way; None for none."""

    def keep_plan(self, plan: ErasePlan) -> None:
        """Write a plan down, durably, before anything is changed."""

    def end_plan(self) -> None:
        """The plan is carried out, or was never begun."""


class Sought:
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


def plan_erasure(place: ErasePlace, acts: Sequence[Act]) -> ErasePlan:
    """Look for everything that has to go; nothing is changed."""
    targets = [target_of(act.target) for act in acts]
    gone = {(one.place.file, one.place.offset): one for target in targets for one in place.eraser.captures_of(target)}
    plan = ErasePlan([act.number for act in acts], acts[0].time if acts else 0.0, [act.target for act in acts])
    plan.captures = sorted(gone)
    dependants = _dependants(place.eraser, gone)
    pictures = {(one.place.file, one.record_id): (one, picture) for one, _, picture in _heirs(place, gone)}
    known = {revisit.place for revisit, _ in dependants}
    dependants += [
        (one, held) for one, _ in pictures.values() if one.place not in known and (held := _holder(place.eraser, one))
    ]
    plan.file = f"whole-{int(plan.time * 1000)}-{plan.acts[0] if plan.acts else 0:05d}.warc.gz"
    sought = Sought(targets, list(gone.values()))
    superseded = {(revisit.place.file, revisit.place.offset): revisit for revisit, _ in dependants}
    views: dict[tuple[str, str], list[Place]] = {
        (revisit.place.file, revisit.record_id): [] for revisit, _ in dependants if revisit.rendering
    }
    wanted = sought.files | {file for file, _ in superseded}
    for file in place.files():
        if not sought.everywhere and file not in wanted:
            continue
        found = []
        for head in place.heads(file):
            fields = head.fields
            if fields.get("warc-type") == "warcinfo":
                continue
            goes = (file, head.offset) in superseded or sought.has(file, head)
            moved = views.get((file, fields.get("warc-concurrent-to", "")))
            if moved is not None and fields.get("warc-type") == "resource" and not goes:
                moved.append(Place(file, head.offset, head.length))
                goes = True
            if goes:
                found.append(Erased(head.offset, head.length, fields.get("warc-record-id", "")))
        if found:
            plan.records[file] = found
    for key, (heir, picture) in pictures.items():
        if key in views and heir.rendering is not None:  # right behind the document is where it is looked for
            document = [view.offset for view in views[key]].index(heir.rendering.offset)
            views[key].insert(document + 1, picture)
    plan.whole = [
        Dependant(revisit.place, original, tuple(views.get((revisit.place.file, revisit.record_id), ())))
        for revisit, original in dependants
    ]
    return plan


def _heirs(place: ErasePlace, gone: Mapping[tuple[str, int], Capture]) -> list[Heir]:
    """Captures that stay and share a picture that is kept with one that goes."""
    urls = dict.fromkeys(one.url for one in gone.values() if one.rendering is not None)
    of_pages = (place.eraser.reading.captures(url) for url in urls)
    return heirs(place, ((page, [(one.place.file, one.place.offset) in gone for one in page]) for page in of_pages))


def _holder(eraser: CatalogEraser, capture: Capture) -> Place | None:
    """Where the answer of a capture lies that stays where it is now: its own place, unless it is a revisit."""
    if not capture.revisit or capture.original is None:
        return capture.place
    named = eraser.reading.closest(capture.original.url, capture.original.time)
    return named.place if named is not None and not named.revisit else None


def _dependants(eraser: CatalogEraser, gone: Mapping[tuple[str, int], Capture]) -> list[tuple[Capture, Place]]:
    """Revisits that stay and refer to a capture that goes, with the place of that capture."""
    held = [capture for capture in gone.values() if not capture.revisit]
    by_id = {capture.record_id: capture for capture in held if capture.record_id}
    by_name = {(surt_key(capture.url), int(capture.time)): capture for capture in held}
    by_digest = {digest: capture for capture in held for digest in (capture.digest, capture.entity) if digest}
    found = []
    for revisit in eraser.referring_to(set(by_digest)):
        if (revisit.place.file, revisit.place.offset) in gone or revisit.original is None:
            continue
        named = revisit.original
        original = by_id.get(named.record_id) or by_name.get((surt_key(named.url), int(named.time)))
        if original is None and _elsewhere(eraser, revisit):
            continue
        original = original or by_digest.get(revisit.digest) or by_digest.get(named.digest)
        if original is not None:
            found.append((revisit, original.place))
    return found


def _elsewhere(eraser: CatalogEraser, revisit: Capture) -> bool:
    """Whether what a revisit names is still in the archive, and is none of what goes."""
    assert revisit.original is not None
    named = eraser.reading.closest(revisit.original.url, revisit.original.time)
    return named is not None and not named.revisit and abs(named.time - revisit.original.time) < 1


# Doing it


def go_on(place: ErasePlace, say: Say) -> None:
    """Erase what the journal wants erased and is not yet."""
    try:
        _go_on_thinning(place, say)
        while waiting := unfinished(place.journal.acts(), "erase", "erased"):
            plan = place.kept_plan()
            if plan is None:
                plan = plan_erasure(place, waiting)
                place.keep_plan(plan)
            carry_out(place, plan)
            counts = plan.counts() | {"together": len(plan.acts)}
            for act in waiting:
                if act.number in plan.acts:
                    place.journal.add(Act(0, 0.0, "erased", act.target, by=act.by, of=act.number, detail=counts))
            place.end_plan()
            say(f"erased {counted(len(plan.captures), 'capture')} of {counted(len(plan.targets), 'take-down')}")
    except ArchiveDamaged as damage:
        say(f"not erased: {damage}")
        return
    place.end_plan()  # a crash came after the last line of the journal


def _go_on_thinning(place: ErasePlace, say: Say) -> None:
    """Finish a thinning whose act is in the journal; one that never came so far is forgotten."""
    plan = place.kept_plan()
    if plan is None or not plan.thinning:
        return
    for act in unfinished(place.journal.acts(), "thin", "thinned"):
        if act.detail.get("plan") == plan.thinning:
            detail = plan.counts() | {"given_back": place.thin(plan)}
            place.journal.add(Act(0, 0.0, "thinned", act.target, by=act.by, of=act.number, detail=detail))
            say(f"thinned: {counted(len(plan.captures), 'capture')} dropped")
    place.end_plan()


def carry_out(place: ErasePlace, plan: ErasePlan) -> None:
    """All steps of a plan, from the first on."""
    eraser = place.eraser
    waiting = [one for one in plan.whole if eraser.is_recorded(one.revisit)]
    if waiting:
        made = place.make_whole(plan, waiting)
        eraser.replace(zip(((one.revisit.file, one.revisit.offset) for one in waiting), made, strict=True))
    place.bury(plan)
    eraser.erase([*plan.captures, *plan.superseded], [target_of(text) for text in plan.targets])
    place.forget(plan)
    eraser.sweep()
