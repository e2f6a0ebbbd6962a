"""Bringing in what other tools archived, and giving out standard files."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from itertools import chain, islice
from pathlib import Path
from typing import Final

from strandline.access.index import Holdings
from strandline.access.payload import LostError, read_payload
from strandline.archive.deployment import FolderPlace
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.archive.known_collections import known_collection
from strandline.core.capture import Capture, Kind, Original
from strandline.core.keeping.collections import Members
from strandline.core.quality.hollow import MARK, hollow
from strandline.core.urls import surt_key
from strandline.core.wording import counted
from strandline.errors import ArchiveDamaged, UsageError
from strandline.exchange.described import NAME, Going, take_over, told_of
from strandline.exchange.holding import Holding
from strandline.exchange.intake import PREFIX, Intake, intake_of
from strandline.exchange.other_tools import held_by
from strandline.exchange.page_versions import page_versions
from strandline.exchange.version_records import keep_versions
from strandline.learn.keeping_up import keep_up
from strandline.settings.collection_tables import DUBLIN_CORE
from strandline.settings.schema import Settings
from strandline.store.index import KeyReading
from strandline.store.studies import StudyReading
from strandline.store.studying import note_hollow
from strandline.study.pending import study
from strandline.version import __version__
from strandline.warc.captures import Derived, Item, Kept, captures_of
from strandline.warc.cdxj import read_cdxj
from strandline.warc.exporting import Selection, Source, export_cdxj, export_warc
from strandline.warc.importing import Imported, Target, import_warc
from strandline.warc.info import WarcInfo
from strandline.warc.parquet import export_parquet
from strandline.warc.wacz import Package, export_wacz
from strandline.warc.wacz_import import document_in, import_wacz
from strandline.warc.zstd_import import import_zst

_SHOWN: Final = 200
"""Status of an answer that is a page. Origin: RFC 9110."""
_JUDGED_AT_ONCE: Final = 5_000
"""Pages that are noted together. Origin: a bound on memory."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import brought."""

    captures: int
    findings: tuple[str, ...] = ()
    kind: str = ""
    """Which tool it comes from; empty for a file in a standard form."""
    left_out: tuple[tuple[str, int], ...] = ()
    """What was not taken in, and how often."""


class _AlreadyHeld(Exception):  # noqa: N818 - nothing is wrong
    """All captures of a file are in the archive."""


def bring_in(file: Path, intake: Intake) -> Brought:
    """Take a file in; its kind is told by its name. The catalog is opened once the file was found to be sound. What was
    taken in before is not kept twice: of page versions those that are new, of other files all or nothing.
    """
    try:
        return _bring_in(file, intake)
    except _AlreadyHeld as held:
        return Brought(0, (str(held),))


def _bring_in(file: Path, intake: Intake) -> Brought:
    name = file.name.lower()
    index = _Index(intake)
    target = Target(intake.files, intake.host, time.time(), PREFIX, ready=index.open, index=index.add)
    if name.endswith((".warc", ".warc.gz")):
        return index.brought([import_warc(file, target)])
    if name.endswith(".warc.zst"):
        return index.brought([import_zst(file, target)])
    if name.endswith(".wacz"):
        return index.brought(import_wacz(file, target))
    if name.endswith((".cdxj", ".cdxj.gz", ".cdx", ".cdx.gz")):
        captures = list(read_cdxj(file))
        return Brought(intake.catalog.bring(captures))
    if name.removesuffix(".gz").removesuffix(".xz").removesuffix(".zst").endswith(".jsonl"):
        for _ in page_versions(file):
            pass  # the whole file is looked at before anything is written
        kept = keep_versions(page_versions(file), file.name, intake)
        return Brought(kept.captures, (_not_again(kept.held_already),) if kept.held_already else ())
    raise UsageError(f"{file}: not .warc, .warc.gz, .warc.zst, .wacz, .cdxj or .jsonl (each also packed)")


def _bring_in_all(source: Path, holding: Holding, intake: Intake) -> Brought:
    """Take in what another tool left: its files one by one, then its versions. What is not sound is left out."""
    captures, findings = 0, list(holding.notes)
    refused: set[Path] = set()
    for file in holding.files:
        try:
            brought = bring_in(file, intake)
        except (ArchiveDamaged, UsageError) as problem:
            refused.add(file)
            holding.left_out["WARC or WACZ files that are not sound"] += 1
            findings.append(str(problem))
            continue
        captures += brought.captures
        findings += [f"{file.name}: {finding}" for finding in brought.findings]
    versions = holding.versions(refused)
    first = next(versions, None)
    if first is not None:
        kept = keep_versions(chain([first], versions), source.resolve().name, intake)
        captures += kept.captures
        findings += [_not_again(kept.held_already)] if kept.held_already else []
    left_out = tuple((what, number) for what, number in sorted(holding.left_out.items()) if number)
    return Brought(captures, tuple(findings), holding.kind, left_out)


class _Index:
    """The catalog of an archive that files are taken into: opened when they are found to be sound."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._captures = 0
        self._others: Counter[str] = Counter()

    def open(self) -> None:
        """Nobody else writes from now on."""
        _ = self._intake.catalog

    def add(self, files: Sequence[Path]) -> None:
        """Record what files hold, all at once. _AlreadyHeld when every capture of them is in the archive."""
        if held := _all_held(self._intake, files):
            raise _AlreadyHeld(_not_again(held))
        self._intake.copied(files, self._record)

    def _record(self, files: Sequence[Path]) -> None:
        self._captures = self._intake.catalog.bring(_of_the_web(_items(files), self._others))

    def brought(self, imported: list[Imported]) -> Brought:
        """What came of it."""
        self._intake.named([self._intake.files / one.file for one in imported], self._record)
        findings = [finding for one in imported for finding in one.findings]
        if self._others:
            kinds = ", ".join(f"{kind or 'no address'} {number}" for kind, number in sorted(self._others.items()))
            findings.append(f"kept, but no captures of the web: {kinds}")
        return Brought(self._captures, tuple(findings))


def _not_again(held: int) -> str:
    return f"in the archive already, and not kept again: {counted(held, 'capture')}"


def _all_held(intake: Intake, files: Sequence[Path]) -> int:
    """How many captures files hold if the archive has every one of them; 0 at the first that it has not."""
    held = 0
    for capture in _of_the_web(_items(files), Counter()):
        held += 1
        known = intake.catalog.reading.closest(capture.url, capture.time)
        if not (known and known.record_id == capture.record_id and intake.has(known)):
            return 0
    return held


def _items(files: Sequence[Path]) -> Iterator[Item]:
    return (item for file in files for item in captures_of(file, strict=False))


def _of_the_web(items: Iterable[Item], others: Counter[str]) -> Iterator[Capture]:
    """The captures among what a file holds; answers to something else (`dns:` of Heritrix) are counted by scheme."""
    for item in items:
        if isinstance(item, Kept):
            yield item.capture
        elif isinstance(item, Derived) and item.kept.record_type in ("response", "revisit"):
            others["".join(item.kept.capture.url.partition(":")[:2])] += 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to give out, and where to."""

    target: Path
    site: str = ""
    start: float | None = None
    end: float | None = None
    collection: str = ""
    """The name of a collection; empty for all."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """An archive as exports need it."""

    settings: Settings
    """As they are now."""
    source: Source


@singledispatch
def outgoing_of(archive: Archive) -> Outgoing:
    """What files are made of; a cluster's come from its store (cluster/archive.py)."""
    folder = archive.need_folder("export")
    return Outgoing(FolderPlace(folder).settings(), Source(folder / "archive"))


def export(archive: Archive, wanted: Wanted) -> int:
    """Write a standard file; its kind is told by its name. Returns how many captures are in it."""
    reading = archive.reading
    name = wanted.target.name.lower()
    writers = (".wacz", ".warc.gz", ".cdxj", ".parquet")
    if not name.endswith(writers):
        raise UsageError(f"{wanted.target}: the name must end in {', '.join(writers)}")
    if not wanted.target.absolute().parent.is_dir():
        raise UsageError(f"{wanted.target}: there is no such folder")
    outgoing = outgoing_of(archive)
    settings, called = outgoing.settings, archive.folder.resolve().name
    chosen = Selection(
        wanted.site,
        float("-inf") if wanted.start is None else wanted.start,
        float("inf") if wanted.end is None else wanted.end,
    ).of(reading.all_captures())
    own = known_collection(settings, wanted.collection) if wanted.collection else None
    if own is not None:
        members = Members(own.sites, own.pages)
        chosen = (capture for capture in chosen if members.has(capture.url))
    described = {key: value for key in DUBLIN_CORE if (value := getattr(own, key, None))}
    about = WarcInfo(
        software=f"Strandline/{__version__}",
        operator=" ".join(filter(None, (settings.archive.operator, settings.archive.contact))),
        is_part_of=settings.archive.description,
        described=tuple(_elements(described)),
    )
    source = replace(outgoing.source, original_of=lambda original: _original(reading, original))
    if name.endswith(".cdxj"):
        return export_cdxj(chosen, wanted.target)
    if name.endswith(".parquet"):
        return export_parquet(chosen, wanted.target, called)
    if name.endswith(".wacz"):
        title = str(described.get("title", "")) or wanted.collection or settings.archive.description
        going = Going()
        tables = settings.collection if not (wanted.collection or wanted.site) else [own] if own else []
        beside = (NAME, told_of(archive.database, tables, going))
        description = str(described.get("description", ""))
        package = Package(about, time.time(), title or called, description, described, beside)
        return export_wacz(going.noted(chosen), source, wanted.target, package)
    return len(export_warc(chosen, source, wanted.target, (about, time.time())))


def _elements(described: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in described.items():
        for one in value if isinstance(value, tuple) else (value,):
            yield name, str(one)


def _original(reading: KeyReading, original: Original) -> Capture | None:
    """The capture that a revisit refers to."""
    for capture in _near(reading, original):
        if capture.url == original.url and not capture.revisit:
            return capture
    return reading.holding(original.digest)


def _near(reading: KeyReading, original: Original) -> Iterator[Capture]:
    yield from reading.before(surt_key(original.url), original.time + 0.0005, 4)


def take_in(archive: Archive, source: Path, kind: str = "", addresses: Mapping[str, str] | None = None) -> Brought:
    """Take what another tool left into an archive, study it, and learn from what there is now. `kind` is the tool,
    where a folder does not tell; `addresses` says which file of a repository is which page.
    """
    holding = held_by(source, kind, addresses)
    with intake_of(archive) as intake:
        brought = bring_in(source, intake) if holding is None else _bring_in_all(source, holding, intake)
        intake.done()
    if source.name.lower().endswith(".wacz"):
        told = document_in(source, NAME)
        more = take_over(intake, told) if told else ()
        brought = replace(brought, findings=(*brought.findings, *more))
    judge_content(archive)
    if archive.settings.study.workers:
        study(archive)
        if brought.captures:
            keep_up(archive)
    return brought


def judge_content(archive: Archive) -> None:
    """Note with each page whose captures wait for study whether the newest of them is content or a shell, or a login
    form, as a visit would.
    """
    with contextlib.closing(StudyReading.open(archive.database, everything=True)) as reading:
        judged = _judged(reading, holdings(archive))
        while some := list(islice(judged, _JUDGED_AT_ONCE)):
            archive.beside(partial(note_hollow, judged=some))


def _judged(reading: StudyReading, held: Holdings) -> Iterator[tuple[int, float, str]]:
    """Page, time and what it is of captures that are pages and no page was visited after."""
    for one in reading.pending():
        capture = one.capture
        if one.kind is not Kind.PAGE or capture.status != _SHOWN or "html" not in capture.mime:
            continue
        if capture.time >= reading.visited(one.page):  # of millions of pages the newest captures are not held
            with contextlib.suppress(LostError, ArchiveDamaged):  # who reads the page is told
                kind = hollow(read_payload(held, capture).decoded())
                yield one.page, capture.time, f"{MARK}{kind}" if kind else ""
