"""A folder of Parquet files that any engine reads: captures and changes, by site and month.

    OUT/dataset.json                                                 what belongs to it, and how far it goes
    OUT/captures/site=example.org/month=2026-11/part-000001.parquet
    OUT/changes/... problems/... claims/... pages/...

The list in `dataset.json` is the truth. New files are written under names no engine looks at (`*.new`); then the list
is replaced in one step, which is the commit; then the files get their names. After a crash the next writer finishes the
renaming of what is listed and removes what is not: nothing is there twice, and what the list promises is there. How a
folder or an object store does this is told in mining_place.py and mining_objects.py.
"""

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from strandline.engines.mining_place import LIST, TABLES, DatasetPlace, FolderPlace, full_disk_named
from strandline.errors import ArchiveDamaged, SettingError, UsageError

FORMAT: Final = 1
MISSING: Final = "Parquet needs pyarrow, duckdb and obstore: pip install 'strandline[cluster]'"
_ROW_GROUP: Final = 100_000


def arrow() -> Any:  # noqa: ANN401 - pyarrow has no types
    """pyarrow, an extra that is slow to import."""
    try:
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise SettingError(MISSING) from None
    return pyarrow


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a dataset."""

    table: str
    site: str
    month: str
    """Empty for tables that are not cut by month."""
    number: int
    rows: int

    @property
    def folder(self) -> str:
        """Its partition, relative to the dataset."""
        place = f"{self.table}/site={quote(self.site, safe='')}"
        return f"{place}/month={self.month}" if self.month else place

    @property
    def file(self) -> str:
        """Its name, relative to the dataset."""
        return f"{self.folder}/part-{self.number:06}.parquet"


@dataclass(slots=True)
class Contents:
    """What a dataset holds, and which part of an archive that is."""

    source: str = ""
    captures: int = 0
    """All captures up to this number are in it."""
    studied: int = 0
    """All changes of captures up to this number are."""
    turn: int = 0
    """Pages studied anew up to this turn were taken again."""
    anchors: list[tuple[int, int, str, int]] = field(default_factory=list)
    """Captures by which the archive is known again: number, page, file, offset."""
    digests: dict[str, str] = field(default_factory=dict)
    """Of whole tables of a site: what they were made of."""
    number: int = 0
    """Of the newest file."""
    parts: list[Part] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    """Files that are no longer part of it and may still be there."""

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        rest = {name: getattr(self, name) for name in self.__slots__ if name != "parts"}
        parts = [[one.table, one.site, one.month, one.number, one.rows] for one in self.parts]
        return {"format": FORMAT, **rest, "parts": parts}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Contents":
        """The inverse of `as_data`."""
        known = {name: data[name] for name in cls.__slots__}
        known["parts"] = [Part(*one) for one in data["parts"]]
        known["anchors"] = [tuple(one) for one in data["anchors"]]
        return cls(**known)


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """Everything a task needs to know to read one site."""

    folder: str
    site: str
    files: Mapping[str, tuple[str, ...]]
    """Per table, oldest month first."""
    studied: int
    rows: int
    """Captures."""
    store: str = ""
    """Address of the object store the files are in; empty: they are paths."""


class Dataset:
    """A dataset for reading; its list as it was when it was opened."""

    def __init__(self, place: Path | DatasetPlace) -> None:
        """UsageError when there is none."""
        self.place = FolderPlace(place) if isinstance(place, Path) else place
        self.contents = read_list(self.place)
        if self.contents is None:
            where = self.place.name
            raise UsageError(f"{where} holds no Parquet dataset; make one with: strandline export DIR --dataset ...")
        self._files: dict[tuple[str, str], list[Part]] = {}
        for one in self.contents.parts:
            self._files.setdefault((one.table, one.site), []).append(one)

    @property
    def about(self) -> Contents:
        """What it holds."""
        assert self.contents is not None
        return self.contents

    def sites(self) -> list[str]:
        """Sites with captures, by name."""
        return sorted({site for table, site in self._files if table == "captures"})

    def site(self, name: str) -> SiteFiles:
        """The files of a site."""
        files = {}
        for table in TABLES:
            parts = sorted(self._files.get((table, name), ()), key=lambda one: (one.month, one.number))
            files[table] = tuple(self.place.address(one.file) for one in parts)
        rows = sum(one.rows for one in self._files.get(("captures", name), ()))
        return SiteFiles(self.place.name, name, files, self.about.studied, rows, self.place.store)

    def whole(self) -> None:
        """ArchiveDamaged when a listed file is not there."""
        lost = self.place.missing([one.file for one in self.about.parts])
        if lost is not None:
            raise ArchiveDamaged(f"{self.place.name}/{lost} is missing: the export was cut short; export it again")


def read_list(place: DatasetPlace) -> Contents | None:
    """The list of a dataset; None when there is none."""
    text = place.list_text()
    if text is None:
        return None
    try:
        data = json.loads(text)
        if data["format"] > FORMAT:
            raise SettingError(f"{place.name}/{LIST} was written by a newer strandline")
        return Contents.from_data(data)
    except (ValueError, KeyError, TypeError) as problem:
        raise ArchiveDamaged(f"{place.name}/{LIST} cannot be read: {problem}; export into a new folder") from None


Partition = tuple[str, str, str]
"""Table, site, month."""


class Writing(contextlib.AbstractContextManager["Writing"]):
    """The one writer of a dataset. `add` and `replace` prepare, `commit` makes it so, durably."""

    def __init__(self, place: Path | DatasetPlace, schemas: Mapping[str, Mapping[str, str]]) -> None:
        """`schemas`: per table the columns and their kinds (int, float, text, flag, time)."""
        self._arrow = arrow()
        self._place = FolderPlace(place) if isinstance(place, Path) else place
        kinds = {
            "int": self._arrow.int64(),
            "float": self._arrow.float64(),
            "text": self._arrow.string(),
            "flag": self._arrow.bool_(),
            "time": self._arrow.timestamp("ms", tz="UTC"),
        }
        self._schemas = {
            table: self._arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
            for table, columns in schemas.items()
        }
        self._added: list[Part] = []
        self._replaced: set[Partition] = set()

    def __enter__(self) -> Self:
        self._place.enter()
        try:
            known = read_list(self._place)
            self.contents = known or Contents()
            if known is None:
                self._write_list()  # marks the place as ours before anything else is in it
            self._place.drop(self.contents.dropped)
            self._place.settle({one.file for one in self.contents.parts})
        except BaseException:
            self._place.leave()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._place.discard([part.file for part in self._added])
        finally:
            self._place.leave()

    def lost(self) -> str | None:
        """A file that should be there and is not."""
        return self._place.missing([one.file for one in self.contents.parts])

    def add(self, partition: Partition, rows: Iterable[Sequence[object]]) -> int:
        """Write rows (in the order of the schema's columns) as one more file of a partition; how many they were."""
        schema = self._schemas[partition[0]]

        def table(some: Sequence[Sequence[object]]) -> Any:  # noqa: ANN401 - pyarrow has no types
            columns = zip(zip(*some, strict=True), schema, strict=True)
            return self._arrow.Table.from_arrays(
                [self._arrow.array(column, kind.type) for column, kind in columns], schema=schema
            )

        return self.add_tables(partition, (table(some) for some in _pieces(rows, _ROW_GROUP)))

    def add_tables(self, partition: Partition, tables: Iterable[Any]) -> int:
        """Write pyarrow tables as one more file of a partition; columns that they lack are empty."""
        self.contents.number += 1
        schema = self._schemas[partition[0]]
        part = Part(*partition, self.contents.number, 0)
        path = self._place.begin(part.file)
        count = 0
        self._added.append(part)
        with full_disk_named(path.parent):
            writer = self._arrow.parquet.ParquetWriter(path, schema, compression="zstd")
            for table in tables:
                known = set(table.column_names)
                columns = [
                    table[one.name].cast(one.type) if one.name in known else self._arrow.nulls(len(table), one.type)
                    for one in schema
                ]
                writer.write_table(self._arrow.Table.from_arrays(columns, schema=schema), _ROW_GROUP)
                count += len(table)
            writer.close()  # not when writing failed: it would say something else than why
        self._place.ready(part.file)
        self._added[-1] = Part(*partition, part.number, count)
        return count

    def replace(self, partition: Partition, rows: Iterable[Sequence[object]]) -> int:
        """Write rows as all there is in a partition."""
        self._replaced.add(partition)
        count = self.add(partition, rows)
        if not count:
            self._place.discard([self._added.pop().file])
        return count

    def clear(self) -> None:
        """Begin anew: with the next commit everything written so far is gone."""
        self._replaced |= {(one.table, one.site, one.month) for one in self.contents.parts}
        number, parts = self.contents.number, self.contents.parts
        self.contents = Contents(number=number, parts=parts)

    def commit(self) -> None:
        """What was added is part of the dataset from now on, with everything else in `contents`, or nothing is."""
        self._place.make_durable(one.file for one in self._added)
        contents = self.contents
        gone = [one for one in contents.parts if (one.table, one.site, one.month) in self._replaced]
        kept = [one for one in contents.parts if (one.table, one.site, one.month) not in self._replaced]
        contents.parts = kept + self._added
        contents.dropped = [one.file for one in gone]
        self._write_list()
        # Old files go before new ones appear, so nobody sees both.
        self._place.drop(contents.dropped)
        self._place.publish([part.file for part in self._added])
        self._added, self._replaced = [], set()

    def _write_list(self) -> None:
        self._place.put_list(json.dumps(self.contents.as_data(), ensure_ascii=False))


def _pieces(rows: Iterable[Sequence[object]], size: int) -> Iterator[list[Sequence[object]]]:
    piece: list[Sequence[object]] = []
    for row in rows:
        piece.append(row)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece
