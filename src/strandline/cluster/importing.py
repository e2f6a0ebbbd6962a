"""Imports into a cluster: files are made on this machine's disk, sent to the object store, and recorded once there.

Killed in between, a file may be in the store that nothing refers to; the same import, run again, brings its captures
under another name.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from strandline.archive.folder import Archive
from strandline.archive.wall_clock import SystemClock
from strandline.cluster.shared import Cluster, init_cluster
from strandline.core.capture import Capture, Place
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy
from strandline.exchange.intake import PREFIX, Intake, Tables
from strandline.exchange.moving import judge_content
from strandline.exchange.rebuilding import Rebuilt
from strandline.ports import CaptureStore
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.status import cluster_status
from strandline.warc.captures import Kept, captures_of
from strandline.warc.info import WarcInfo
from strandline.warc.objects import ARCHIVE, PARTS, Objects
from strandline.warc.objects_verify import finished
from strandline.warc.objects_writer import ObjectWriter, send_whole
from strandline.warc.output import default_host
from strandline.warc.writer import WriterSettings


class ClusterIntake(Intake):
    """A cluster that something is taken into; workers may go on meanwhile."""

    def __init__(self, archive: Archive, cluster: Cluster, spool: Path) -> None:
        super().__init__(archive, spool / ARCHIVE)
        self.files.mkdir()
        self._cluster = cluster
        self._spool = spool
        self._objects = Objects(cluster.store)

    @property
    def host(self) -> str:
        """As of workers: each has a number of its own."""
        catalog = self.catalog
        assert isinstance(catalog, PostgresCatalog)
        return f"{default_host()}-w{catalog.worker}"

    def has(self, capture: Capture) -> bool:
        """Whether the store has its file, or parts of it."""
        name = f"{ARCHIVE}/{capture.place.file}"
        there = self._objects.size(name) is not None or bool(self._objects.names(f"{name}{PARTS}"))
        return bool(capture.record_id) and there

    def reaches(self, place: Place) -> bool:
        """What was made durable is in the store as a whole."""
        return True

    def writer(self, about: WarcInfo) -> CaptureStore:
        """For what does not come as WARC files."""
        settings = replace(WriterSettings(prefix=PREFIX), host=self.host)
        return ObjectWriter(self._objects, self._spool / "versions", about, SystemClock(), settings)

    def copied(self, files: Sequence[Path], record: Callable[[Sequence[Path]], None]) -> None:
        """On this disk they are not durable: they are recorded when the store has them."""

    def named(self, files: Sequence[Path], record: Callable[[Sequence[Path]], None]) -> None:
        """Send them, then record what they hold."""
        for file in files:
            send_whole(self._objects, file.name, file)
        record(files)
        for file in files:
            file.unlink()

    def change_collections(self, change: Tables) -> None:
        """In the settings all workers follow."""
        init_cluster(self._cluster.database, "", lambda known: replace(known, collection=change(known.collection)))

    def done(self) -> None:
        """The index of a cluster is its database."""


def record_what_is_there(archive: Archive, cluster: Cluster, catalog: PostgresCatalog) -> Rebuilt:
    """Record what lies in the store and is not in the database, as after a backup of it was restored; what is there
    stays as it is. ArchiveBusy while workers run: what they record next would look the same.
    """
    alive = [one for one in cluster_status(cluster.database).workers if one.worker != catalog.worker]
    if alive:
        raise ArchiveBusy(f"{counted(len(alive), 'worker')} still at work ({alive[0].name}): stop every worker first")
    objects, findings, brought = Objects(cluster.store), list[str](), 0
    names = finished(objects)
    with tempfile.TemporaryDirectory(prefix="strandline-import-") as spool:
        for name, size in names.items():
            if catalog.reading.committed(name) >= size:
                continue
            path = Path(spool) / name
            with path.open("wb") as out:
                out.writelines(objects.stream(f"{ARCHIVE}/{name}"))
            found = [item.capture for item in captures_of(path, strict=False) if isinstance(item, Kept)]
            new = catalog.bring(found, due=None)
            path.unlink()
            brought += new
            findings += [f"{name}: {counted(new, 'capture')} recorded"] if new else []
    judge_content(archive)
    return Rebuilt(brought, len(names), tuple(findings))


@contextmanager
def importing(archive: Archive, cluster: Cluster) -> Iterator[Intake]:
    """Where imports into a cluster go, until they are done."""
    with (
        tempfile.TemporaryDirectory(prefix="strandline-import-") as spool,
        closing(ClusterIntake(archive, cluster, Path(spool))) as intake,
    ):
        yield intake
