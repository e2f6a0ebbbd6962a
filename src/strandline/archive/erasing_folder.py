"""An archive folder as an erasure sees it (archive/erasing.py): WARC files and packs, CDXJ index, quarantine."""

import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from strandline.archive.erasing import Dependant, ErasePlan, Sought
from strandline.core.capture import Capture
from strandline.core.keeping.takedowns import target_of
from strandline.durable import sync_path
from strandline.store.catalog import SqliteCatalog
from strandline.store.erasing import CatalogEraser
from strandline.store.takedowns import FOLDER, FolderJournal
from strandline.version import __version__
from strandline.warc.captures import Kept
from strandline.warc.captures import captures_of as items_of
from strandline.warc.cdxj import CdxjIndex
from strandline.warc.compacted import DELTA, PACK, finished_files, name_of
from strandline.warc.erasing import Erased, Head, erase_in_file, give_back, heads_of, joined, remove_file
from strandline.warc.erasing_packs import erase_in_packs
from strandline.warc.fixity import Replacing
from strandline.warc.made_whole import whole_records, write_whole
from strandline.warc.reader import WarcReader, file_in

PLAN: Final = "erasing.json"
_ABOUT: Final = 4096
"""Bytes a file may have besides: the record about itself."""


class FolderShelf:
    """The WARC files of an archive folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._archive = folder / "archive"

    def files(self) -> list[str]:
        """Names of the finished WARC files."""
        return [name_of(path) for path in finished_files(self._archive)]

    def heads(self, file: str) -> Iterator[Head]:
        """The header of every record of a file."""
        path = file_in(self._archive, file)
        return iter(()) if path is None else heads_of(path)

    def size(self) -> int:
        """Bytes of all WARC files."""
        return sum(path.stat().st_size for path in self._archive.iterdir() if path.is_file())


class FolderErasing(FolderShelf):
    """An archive folder whose catalog is open for writing."""

    def __init__(self, folder: Path, catalog: SqliteCatalog, index: CdxjIndex) -> None:
        super().__init__(folder)
        self._index = index
        self.journal = FolderJournal(folder)
        self.eraser = CatalogEraser(catalog)

    def make_whole(self, plan: ErasePlan, waiting: Sequence[Dependant]) -> list[Capture]:
        """Write revisits as whole records into the file the plan names; the captures they are then, in this order."""
        path = self._archive / plan.file
        if path.exists():  # a crash came before the catalog knew of it
            remove_file(path)
        reader = WarcReader(self._archive)
        records = (record for one in waiting for record in whole_records(reader, one.revisit, one.original, one.views))
        write_whole(path, records, f"Strandline/{__version__}", plan.time)
        return [item.capture for item in items_of(path, strict=False) if isinstance(item, Kept)]

    def bury(self, plan: ErasePlan) -> None:
        """Put tombstones in the place of the records of a plan."""
        plain, compacted = self._by_form(plan)
        for path, records in plain.values():
            erase_in_file(path, records, plan.time)
        if compacted:
            erase_in_packs(self._archive, compacted, plan.time)

    def _by_form(self, plan: ErasePlan) -> tuple[dict[str, tuple[Path, list[Erased]]], dict[str, list[Erased]]]:
        """The files of a plan that are still there, and what goes of them: plain ones apart from compacted ones."""
        plain, compacted = {}, {}
        for file, records in plan.records.items():
            path = file_in(self._archive, file)
            if path is not None and path.name.endswith(DELTA):
                compacted[file] = records
            elif path is not None:
                plain[file] = (path, records)
        return plain, compacted

    def forget(self, plan: ErasePlan) -> None:
        """Remove lines of the index, torn ends, and what earlier crashes left half written: it may hold what goes."""
        self._index.remove(plan.places)
        self._index.refresh()
        _clean_quarantine(self._folder / "quarantine", Sought([target_of(text) for text in plan.targets], ()))
        for pattern in (
            "archive/*.new",
            "indexes/*.new",
            "indexes/*.kept",
            "indexes/parts/*.new",
            "strandline.db.new*",
        ):
            for path in self._folder.glob(pattern):
                path.unlink()

    def thin(self, plan: ErasePlan) -> int:
        """Drop the captures of a plan from catalog and files; returns how many bytes the disk has back."""
        self.eraser.thin(plan.captures)
        self._index.remove(plan.places)
        given = 0
        plain, compacted = self._by_form(plan)
        for file, (path, records) in plain.items():
            places = joined(records)
            if sum(record.length for record in places) >= path.stat().st_size - _ABOUT and len(places) == 1:
                given += path.stat().st_blocks * 512
                remove_file(path)  # nothing but the record about the file itself would be left
                self._index.forget(file)
                continue
            erase_in_file(path, places, plan.time)
            given += give_back(path, places)
        if compacted:
            before = self._size_of_packs()
            erase_in_packs(self._archive, compacted, plan.time)
            given += before - self._size_of_packs()
        self._index.refresh()
        return given

    def _size_of_packs(self) -> int:
        return sum(path.stat().st_size for path in self._archive.glob(f"*{PACK}"))

    def kept_plan(self) -> ErasePlan | None:
        """A plan that is under way; None for none."""
        try:
            return ErasePlan.of(json.loads((self._folder / FOLDER / PLAN).read_text()))
        except FileNotFoundError:
            return None

    def keep_plan(self, plan: ErasePlan) -> None:
        """Write a plan down, durably, before anything is changed."""
        (self._folder / FOLDER).mkdir(mode=0o700, exist_ok=True)
        with Replacing(self._folder / FOLDER / PLAN) as out:
            out.write(json.dumps(plan.as_json()).encode())

    def end_plan(self) -> None:
        """The plan is carried out, or was never begun."""
        if (self._folder / FOLDER).exists():
            (self._folder / FOLDER / PLAN).unlink(missing_ok=True)
            sync_path(self._folder / FOLDER)


def _clean_quarantine(folder: Path, sought: Sought) -> None:
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
