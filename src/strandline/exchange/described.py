"""What people said, in a WACZ: collections, tags and notes go along with captures, and come in with them.

    strandline/collections.json    {"format": "strandline-collections-1", "collections": [...], "annotations": [...]}

What comes in is added to what is there: members of a collection of the same name are joined, its description is filled
in where it says nothing yet. Budgets, weights and hours stay with the archive they were meant for. Nothing in such a
file is trusted: it is read as settings and texts of people are, and what is none is told and left out.
"""

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from strandline.core.capture import Capture
from strandline.core.keeping.annotations import Annotation, annotation_of
from strandline.core.urls import surt_key
from strandline.core.wording import counted
from strandline.errors import SettingError
from strandline.exchange.intake import Intake
from strandline.settings.collection_tables import DUBLIN_CORE, CollectionSettings
from strandline.settings.file import table_of
from strandline.store.annotations import AnnotationReading, keep_annotations

NAME: Final = "strandline/collections.json"
_FORMAT: Final = "strandline-collections-1"
_MOVED: Final = ("name", *DUBLIN_CORE, "sites", "pages")
_NEAR: Final = 0.001
"""Seconds by which the time of a capture may differ from that of its record. Origin: a unit: records have
milliseconds.
"""


@dataclass(slots=True)
class Going:
    """Which pages and captures leave the archive, noted as they do."""

    captures: dict[str, list[float]] = field(default_factory=dict)

    def noted(self, captures: Iterable[Capture]) -> Iterable[Capture]:
        """The same captures."""
        for capture in captures:
            with contextlib.suppress(ValueError, IndexError):  # not an address of the web
                self.captures.setdefault(surt_key(capture.url), []).append(capture.time)
            yield capture

    def has(self, one: Annotation) -> bool:
        """Whether what a tag or note is about leaves, too."""
        times = self.captures.get(one.surt, [])
        return bool(times) and (one.capture is None or any(abs(time - one.capture) < _NEAR for time in times))


def told_of(database: Path, collections: Iterable[CollectionSettings], going: Going) -> Callable[[], bytes]:
    """The document, once all captures have gone; empty when there is nothing to tell."""

    def document() -> bytes:
        with contextlib.closing(AnnotationReading.open(database)) as reading:
            written = [one.as_json() for one in reading.annotations() if going.has(one)]
        tables = [_moved(one) for one in collections]
        if not tables and not written:
            return b""
        found = {"format": _FORMAT, "collections": tables, "annotations": written}
        return json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "replace")

    return document


def _moved(collection: CollectionSettings) -> dict[str, Any]:
    said = dataclasses.asdict(collection)
    return {key: said[key] for key in _MOVED if said[key]}


def take_over(intake: Intake, document: bytes) -> tuple[str, ...]:
    """Add what a WACZ says to what is there; returns what came of it."""
    try:
        told = json.loads(document)
        if not isinstance(told, dict) or told.get("format") != _FORMAT:
            raise ValueError("of another kind")
        tables, written = list(told.get("collections", ())), list(told.get("annotations", ()))
    except (ValueError, TypeError, RecursionError) as problem:
        return (f"{NAME} in it cannot be read: {problem}",)
    findings: list[str] = []
    collections = [one for entry in tables for one in _table(entry, findings)]
    if collections:
        intake.change_collections(lambda before: _merged(before, collections))
        findings.append(f"collections: {', '.join(one.name for one in collections)}")
    annotations = [one for entry in written for one in _annotation(entry, findings)]
    if annotations:
        kept = intake.archive.beside(lambda connection: keep_annotations(connection, annotations))
        findings.append(f"{counted(kept, 'tag or note', 'tags and notes')} brought along")
    return tuple(findings)


def _table(entry: object, findings: list[str]) -> list[CollectionSettings]:
    try:
        if not isinstance(entry, Mapping):
            raise SettingError("not a table")
        found: CollectionSettings = table_of("collection", {key: entry[key] for key in _MOVED if key in entry})
        if not found.name:
            raise SettingError("without a name")
    except SettingError as problem:
        findings.append(f"a collection was left out: {problem}"[:200])
        return []
    return [found]


def _annotation(entry: object, findings: list[str]) -> list[Annotation]:
    try:
        if not isinstance(entry, dict):
            raise ValueError("not a tag or note")
        return [annotation_of(entry)]
    except ValueError as problem:
        findings.append(f"a tag or note was left out: {problem}"[:200])
        return []


def _merged(
    before: tuple[CollectionSettings, ...], coming: Iterable[CollectionSettings]
) -> tuple[CollectionSettings, ...]:
    known = {one.name: one for one in before}
    for one in coming:
        old = known.get(one.name, CollectionSettings(one.name))
        said: dict[str, Any] = {key: getattr(old, key) or getattr(one, key) for key in DUBLIN_CORE}
        members: dict[str, Any] = {
            key: tuple(dict.fromkeys((*getattr(old, key), *getattr(one, key)))) for key in ("sites", "pages")
        }
        known[one.name] = replace(old, **said, **members)
    return tuple(known.values())
