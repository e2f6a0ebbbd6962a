"""A cluster, asked what a folder is asked: `strandline changes postgresql://archive@db/web`, and so with every command
that reads an archive, learns from it or rates it.

The catalog in PostgreSQL answers the same questions as one in a folder (store/postgres/reading.py), records come from
the object store. What only makes sense in a folder (crawl, compact, ...) is refused with one line.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from strandline.archive.erasing import ErasePlace, Shelf
from strandline.archive.folder import Archive
from strandline.archive.storage import Storage, StoredSums, storage
from strandline.cluster.shared import Cluster, kept_settings, open_cluster
from strandline.cluster.studying import SharedStudying
from strandline.core.changes.noise.volatility import Rating
from strandline.crawl.logged_out import LoginShelf, login_shelf
from strandline.errors import ArchiveBusy, Unreachable, UsageError
from strandline.exchange.intake import Intake, intake_of
from strandline.exchange.moving import Outgoing, outgoing_of
from strandline.exchange.rebuilding import Rebuilt, reindex
from strandline.learn.known_pages import HOUR
from strandline.plan.coming_visits import ComingVisits
from strandline.plan.planning import Planning, coming_of, given_to_watch, is_watched
from strandline.settings.file import parse_settings
from strandline.store.annotations import Writing
from strandline.store.auditing import AuditReading
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedWriter
from strandline.store.postgres.browsing import reading_of
from strandline.store.postgres.catalog import PostgresCatalog
from strandline.store.postgres.desks import Desk, claim_learning, leave_desks
from strandline.store.postgres.exporting import SharedExport
from strandline.store.postgres.heartbeat import DeskKeeper
from strandline.store.postgres.learned import SharedLearnedWriter
from strandline.store.postgres.market import opened_since
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session, shown
from strandline.store.postgres.status import ClusterStatus, standing
from strandline.store.postgres.studying import label_shared, rate_shared, unrate_shared
from strandline.store.postgres.takedowns import ReaderSession, SharedJournal
from strandline.store.postgres.writing import Spelled
from strandline.store.reading import share
from strandline.store.watching import WatchReading
from strandline.study.pending import studying_of
from strandline.study.studying import Studying
from strandline.warc.exporting import Source
from strandline.warc.objects import Objects
from strandline.warc.objects_reader import CopiedFiles, ObjectReader
from strandline.warc.objects_verify import verify_objects
from strandline.warc.verify import Audit, Course

T = TypeVar("T")
_LEARNING: Final = 120.0
"""Seconds after which the desk of a learner that is not heard of goes to another."""
_COPYING: Final = 60.0
"""Seconds the store may be away while captures are copied from it. Origin: as where it is audited."""


def open_shared(database: str, patience: float = 10.0) -> "ClusterArchive":
    """The cluster at a database's address; who asks waits for so many seconds when it is away."""
    return ClusterArchive(open_cluster(database), patience=patience)


class ClusterArchive(Archive):
    """A cluster as an archive. Its `folder` is a name for people and for `Reading.open`, not a place."""

    def __init__(self, cluster: Cluster, say: Callable[[str], None] | None = None, patience: float = 10.0) -> None:
        self.cluster = cluster
        super().__init__(Path(shown(cluster.database)), cluster.settings, say)
        self._patience = patience
        self._session = ReaderSession(cluster.database, patience, upgrade=False)
        share(self.folder / DATABASE, lambda kind, everything: reading_of(kind, self._seeing(everything)))

    @cached_property
    def whole(self) -> Session:
        """For what keeps the archive, and sees what is taken down, too."""
        return Session(self.cluster.database, self._patience, upgrade=False)

    def _seeing(self, everything: bool) -> Session:
        return self.whole if everything else self._session

    def close(self) -> None:
        """Release the connections all readings share; a reading that is used again makes a new one."""
        self._session.close()
        if "whole" in self.__dict__:
            self.whole.close()

    @property
    def journal(self) -> SharedJournal:
        """What was taken down, lifted and erased."""
        return SharedJournal(self.whole)

    def standing(self) -> ClusterStatus:
        """Who works, what waits, what was kept."""
        return standing(self._session)

    def exporting(self) -> SharedExport:
        """The catalog as an export to Parquet reads it, over a connection of its own."""
        return SharedExport(ReaderSession(self.cluster.database, 60.0, upgrade=False))

    @cached_property
    def records(self) -> ObjectReader:  # type: ignore[override]
        """The WARC files, by range requests from the object store."""
        return ObjectReader(Objects(self.cluster.store, patience=self._patience))

    @contextlib.contextmanager
    def writing(self, command: str) -> Iterator["ClusterCatalog"]:  # type: ignore[override]
        """What is written beside the workers: ratings and labels, and what is learned."""
        if command in ("crawl", "watch"):
            raise self._crawled("worker" if command == "crawl" else command)
        if command not in ("import", "label", "learn", "rate", "study"):
            self.need_folder(command)
        catalog = ClusterCatalog(self.cluster, command)
        with contextlib.closing(catalog):
            yield catalog

    @contextlib.contextmanager
    def erasing(self, command: str, look: bool = False) -> Iterator[ErasePlace]:
        """The cluster to erase from, once what waited is erased; with `look` nothing is going to be changed."""
        from strandline.cluster.erasing import erasing  # noqa: PLC0415 - only keepers need it

        with erasing(self.cluster, self.say, alone=not look) as place:
            yield place

    def shelf(self) -> Shelf:
        """The WARC files that are finished, to look for records in."""
        from strandline.cluster.erasing import ClusterShelf  # noqa: PLC0415 - only keepers need it

        return ClusterShelf(self.cluster)

    def beside(self, work: Callable[[Writing], T]) -> T:
        """Write something small in one transaction, beside the workers."""
        return self.whole.run(lambda connection: work(Spelled(connection)))

    @contextlib.contextmanager
    def learning(self) -> Iterator[tuple[LearnedWriter, "ClusterCatalog"]]:  # type: ignore[override]
        """Where what is learned is kept, and the catalog to study with; one learner at a time."""
        with self.writing("learn") as catalog:
            session = Session(self.cluster.database, 30.0)
            with contextlib.closing(SharedLearnedWriter(session, catalog.learner())) as writer:
                yield writer, catalog

    def need_folder(self, command: str) -> NoReturn:
        """A cluster has no folder."""
        if command == "backup":
            raise UsageError(
                f"backup works on an archive folder. Of the cluster {shown(self.cluster.database)}, keep the database "
                f"first (pg_dump --format=custom), then the store {self.cluster.store} (rclone copy, twice): "
                "docs/cluster.md, Back up and restore"
            )
        raise UsageError(
            f"{command} works on an archive folder, not on the cluster {shown(self.cluster.database)}; "
            "strandline migrate --back makes a folder of one"
        )

    def _crawled(self, command: str) -> UsageError:
        return UsageError(
            f"a cluster is crawled by its workers: strandline {command} --database {shown(self.cluster.database)}"
        )

    def verify(self, course: Course | None = None) -> Audit:
        """Read every byte of the WARC files in the object store and compare."""
        index = on_postgres(AuditReading, self.whole)
        return verify_objects(Objects(self.cluster.store, patience=60.0), index, course or Course())


@studying_of.register(ClusterArchive)
def _(archive: ClusterArchive, catalog: "ClusterCatalog") -> Studying:
    return SharedStudying(archive.cluster, catalog.session, catalog.worker)


@storage.register(ClusterArchive)
def _(archive: ClusterArchive, now: float, sums: StoredSums | None = None) -> Storage:
    from strandline.cluster.storage import stored_in  # noqa: PLC0415 - only keepers need it

    return stored_in(archive, archive.cluster, archive.whole, now, sums)


@intake_of.register(ClusterArchive)
def _(archive: ClusterArchive) -> contextlib.AbstractContextManager[Intake]:
    from strandline.cluster.importing import importing  # noqa: PLC0415 - only imports need it

    return importing(archive, archive.cluster)


@login_shelf.register(ClusterArchive)
def _(archive: ClusterArchive) -> LoginShelf:
    from strandline.cluster.logins import ClusterLogins  # noqa: PLC0415 - only who logs in needs it

    return ClusterLogins(archive.cluster)


@outgoing_of.register(ClusterArchive)
def _(archive: ClusterArchive) -> Outgoing:
    settings = parse_settings(kept_settings(archive.reading).decode(), "the cluster's settings")
    reader = ObjectReader(Objects(archive.cluster.store, patience=_COPYING))
    return Outgoing(settings, Source(archive.folder, window_at=CopiedFiles(reader)))


@reindex.register(ClusterArchive)
def _(archive: ClusterArchive) -> Rebuilt:
    from strandline.cluster.importing import record_what_is_there  # noqa: PLC0415 - hardly ever needed

    with archive.writing("import") as catalog:
        return record_what_is_there(archive, archive.cluster, catalog)


@is_watched.register(ClusterArchive)
def _(archive: ClusterArchive, now: float) -> bool:
    with contextlib.closing(WatchReading.open(archive.database)) as watch:
        piece = watch.watch_time()
    return opened_since(archive.whole, now - 2.0 * (piece.length if piece else HOUR))


@given_to_watch.register(ClusterArchive)
def _(archive: ClusterArchive) -> dict[str, Any]:
    return {}


@coming_of.register(ClusterArchive)
def _(archive: ClusterArchive, planning: Planning) -> ComingVisits:
    from strandline.cluster.coming_visits import ClusterVisits  # noqa: PLC0415 - only who asks for a plan needs it

    return ClusterVisits(archive.whole, planning)


class _Ratings:
    """What a command writes of study."""

    def __init__(self, session: Session, worker: int) -> None:
        self._session = session
        self._worker = worker

    def unrate(self, url: str, path: str) -> None:
        """Forget what a person said about a block."""
        unrate_shared(self._session, url, path)

    def label(self, url: str, path: str, label: str) -> None:
        """Keep what a person calls a block."""
        label_shared(self._session, self._worker, (url, path), label)

    def rate(self, url: str, paths: Sequence[str], rating: Rating, author: str = "") -> None:
        """Keep what a person said about blocks of a page; workers score what they capture next by it."""
        rate_shared(self._session, url, paths, rating, author)


class ClusterCatalog(PostgresCatalog):
    """The shared catalog for a command that writes beside the workers."""

    def __init__(self, cluster: Cluster, command: str) -> None:
        super().__init__(cluster.database, name=command, patience=30.0)
        try:
            self.session = Session(cluster.database, 30.0)
        except BaseException:
            super().close()
            raise
        self.studies = _Ratings(self.session, self.worker)
        self._learner: list[Desk] = []
        self._keeper: DeskKeeper | None = None

    def learner(self) -> list[Desk]:
        """Take the learner's desk, and keep it however long it takes to learn."""
        self._learner = claim_learning(self.session, self.worker, float("inf"), _LEARNING)
        if not self._learner:
            raise ArchiveBusy("another learner is at work on this cluster")
        self._keeper = DeskKeeper(self.session.url, _LEARNING)
        self._keeper.keep(self._learner)
        return self._learner

    def close(self) -> None:
        """Give everything back; what a server that is away does not hear of runs out."""
        if self._keeper is not None:
            self._keeper.close()
        if self._learner:
            with contextlib.suppress(Unreachable), self.session.transaction() as connection:
                leave_desks(connection, self._learner)
        self.session.close()
        super().close()
