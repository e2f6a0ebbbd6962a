"""A cluster as an erasure sees it (archive/erasing.py): the shared catalog, and WARC files in object storage.

An object never changes in part. A file of which something goes is fetched, gets its tombstones and is sent in the
place of the one before, which is there as a whole until then. What is dropped by rules leaves no tombstones: there is
no room of zeros that could be given back, so a file is written anew without the records, under another name, one
transaction lets the catalog point there, and the old one goes last. All other records stay byte for byte as they were.

Nobody writes the cluster meanwhile (store/postgres/erasing.py): a worker would send its copy of a file once more.
"""

import contextlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import xxhash

from strandline.archive.erasing import Dependant, ErasePlan, go_on
from strandline.cluster.finishing import finish_abandoned
from strandline.cluster.shared import Cluster
from strandline.core.capture import Capture
from strandline.core.keeping.takedowns import unfinished
from strandline.errors import ArchiveBusy, ArchiveDamaged
from strandline.store.postgres.erasing import PLAN, Alone, SharedEraser
from strandline.store.postgres.session import Session
from strandline.store.postgres.takedowns import SharedJournal
from strandline.version import __version__
from strandline.warc.captures import Kept, captures_of
from strandline.warc.erasing import Head, erase_in_file, heads_in
from strandline.warc.fixity import Sum, complete_sums, read_sums, sums_path, write_sums
from strandline.warc.made_whole import whole_records, write_whole
from strandline.warc.objects import ARCHIVE, FIXITY, PARTS, Objects
from strandline.warc.objects_joining import unfinished as unfinished_files
from strandline.warc.objects_reader import ObjectReader
from strandline.warc.objects_verify import StoredWindow, finished, listed_sums
from strandline.warc.objects_writer import replace_whole

_PATIENCE: Final = 60.0
"""Seconds the database or the store may be away. Origin: a guess."""
_SILENCE: Final = 120.0
"""Seconds after which files of a worker that was not heard of are finished. Origin: a guess: two leases."""
_NAME: Final = re.compile(r"(-thinned-[0-9a-f]{8})?(\.warc(\.gz)?)$")


@contextlib.contextmanager
def erasing(cluster: Cluster, say: Callable[[str], None], alone: bool = True) -> Iterator["ClusterErasing"]:
    """A cluster to erase from, once what waited is erased. ArchiveBusy while somebody writes it, unless it is only
    looked at.
    """
    with contextlib.ExitStack() as stack:
        hold = stack.enter_context(Alone(cluster.database)) if alone else None
        session = stack.enter_context(contextlib.closing(Session(cluster.database, _PATIENCE)))
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strandline-erasing-")))
        place = ClusterErasing(cluster, session, spool, hold)
        if hold is not None:
            finish_abandoned(cluster, spool, _SILENCE)
            for file in unfinished_files(Objects(cluster.store, _PATIENCE)):
                raise ArchiveBusy(f"{file} is not finished: nothing can be erased from it yet")
            go_on(place, say)
        yield place


def erasure_waits(cluster: Cluster) -> bool:
    """Whether something is decided on and not yet erased, or was cut short."""
    with contextlib.closing(Session(cluster.database, _PATIENCE)) as session:
        kept = session.run(
            lambda connection: connection.execute("SELECT FROM notes WHERE kind = %s AND key = %s", PLAN).rowcount,
            at_once=True,
        )
        return bool(kept) or bool(unfinished(SharedJournal(session).known_acts(), "erase", "erased"))


class ClusterShelf:
    """The WARC files of a cluster that are finished."""

    def __init__(self, cluster: Cluster) -> None:
        self._objects = Objects(cluster.store, patience=_PATIENCE)

    def files(self) -> list[str]:
        """Names of the finished WARC files."""
        return sorted(finished(self._objects))

    def heads(self, file: str) -> Iterator[Head]:
        """The header of every record of a file."""
        size = self._objects.size(f"{ARCHIVE}/{file}")
        if size is None:
            return iter(())
        window = StoredWindow(ObjectReader(self._objects), file, size)
        return heads_in(window, listed_sums(self._objects, file) or ([], "its list of checksums is missing"))

    def size(self) -> int:
        """Bytes of all WARC files."""
        return sum(size for _, size in self._objects.names(f"{ARCHIVE}/"))


class ClusterErasing(ClusterShelf):
    """A cluster whose files and catalog are changed by nobody else."""

    def __init__(self, cluster: Cluster, session: Session, spool: Path, hold: Alone | None) -> None:
        super().__init__(cluster)
        self._session = session
        self._spool = spool
        self._hold = hold
        self.journal = SharedJournal(session)
        self.eraser = SharedEraser(session)

    def make_whole(self, plan: ErasePlan, waiting: Sequence[Dependant]) -> list[Capture]:
        """Write revisits as whole records into the file the plan names; the captures they are then, in this order."""
        reader = ObjectReader(self._objects)
        records = (record for one in waiting for record in whole_records(reader, one.revisit, one.original, one.views))
        with self._workplace() as folder:
            path = folder / plan.file
            write_whole(path, records, f"Strandline/{__version__}", plan.time)
            replace_whole(self._objects, plan.file, path)
            return [item.capture for item in captures_of(path, strict=False) if isinstance(item, Kept)]

    def bury(self, plan: ErasePlan) -> None:
        """Put tombstones in the place of the records of a plan."""
        for file, records in plan.records.items():
            with self._fetched(file) as path:
                if path is not None:
                    erase_in_file(path, records, plan.time)
                    replace_whole(self._objects, file, path)

    def forget(self, plan: ErasePlan) -> None:
        """The database is the index, and nothing torn is kept."""

    def thin(self, plan: ErasePlan) -> int:
        """Drop the captures of a plan from catalog and files; returns how many bytes the store has back."""
        before = self.size()
        for file, records in plan.records.items():
            places = [(name, offset) for name, offset in plan.captures if name == file]
            with self._fetched(file) as path:
                if path is not None:
                    name = _NAME.sub(rf"-thinned-{plan.thinning[:8]}\2", file)
                    offsets = self._without(path, name, {record.offset for record in records})
                    self.eraser.thin_file(places, file, (name, offsets))
                    self._objects.delete([f"{ARCHIVE}/{file}", f"{FIXITY}/{file}.sums"])
        return before - self.size()

    def _without(self, path: Path, name: str, gone: set[int]) -> dict[int, int]:
        """Send a file anew without some of its records; where the others were and are. Nothing when only records about
        the file itself would be left.
        """
        kept = [one for one in _sums_of(path) if one.offset not in gone]
        heads = {head.offset: head.fields.get("warc-type") for head in self.heads(path.name)}
        if all(heads.get(one.offset) == "warcinfo" for one in kept):
            return {}
        new, at, offsets, sums = path.with_name(name), 0, {}, []
        with path.open("rb") as source, new.open("wb") as out:
            for one in kept:
                source.seek(one.offset)
                data = source.read(one.length)
                out.write(data)
                offsets[one.offset] = at
                sums.append(Sum(at, one.length, xxhash.xxh3_128_hexdigest(data), one.remark))
                at += one.length
        write_sums(new.parent, name, sums)
        replace_whole(self._objects, name, new)
        return offsets

    @contextlib.contextmanager
    def _workplace(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(dir=self._spool) as place:
            folder = Path(place) / ARCHIVE
            folder.mkdir()
            yield folder

    @contextlib.contextmanager
    def _fetched(self, file: str) -> Iterator[Path | None]:
        """A file of the store with its checksums; None for one that is gone, as after a crash."""
        with self._workplace() as folder:
            path = folder / file
            try:
                with path.open("wb") as out:
                    for piece in self._objects.stream(f"{ARCHIVE}/{file}"):
                        out.write(piece)
            except FileNotFoundError:
                if self._objects.names(f"{ARCHIVE}/{file}{PARTS}"):
                    raise ArchiveDamaged(f"{file} is not finished: nothing can be erased from it") from None
                yield None
                return
            sums = sums_path(folder, file)
            sums.parent.mkdir()
            with contextlib.suppress(FileNotFoundError):
                sums.write_bytes(self._objects.get(f"{FIXITY}/{file}.sums"))
            yield path

    def kept_plan(self) -> ErasePlan | None:
        """A plan that is under way; None for none."""
        row = self._session.run(
            lambda connection: connection.execute(
                "SELECT value FROM notes WHERE kind = %s AND key = %s", PLAN
            ).fetchone(),
            at_once=True,
        )
        return None if row is None else ErasePlan.of(json.loads(bytes(row[0])))  # type: ignore[call-overload]

    def keep_plan(self, plan: ErasePlan) -> None:
        """Write a plan down, durably, before anything is changed."""
        self._keep(json.dumps(plan.as_json()).encode())

    def end_plan(self) -> None:
        """The plan is carried out, or was never begun."""
        self._keep(None)

    def _keep(self, plan: bytes | None) -> None:
        assert self._hold is not None, "nothing is changed by who only looks"
        self._hold.keep(plan)


def _sums_of(path: Path) -> list[Sum]:
    """Every record of a file, with its checksum."""
    if read_sums(path.parent, path.name)[1]:
        complete_sums(path.parent, path.name, path)
    return read_sums(path.parent, path.name)[0]
