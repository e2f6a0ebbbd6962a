"""Erasing from the shared catalog, and being alone with it meanwhile.

Whoever erases holds a lock of the database for as long as its connection lives: nobody who writes can register then.
From the first change on, a plan in the notes keeps writers out, too, until it is carried out (cluster/erasing.py): a
crash leaves an archive that nobody writes before the erasure has come to its end.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from strandline.core.capture import Capture
from strandline.core.keeping.takedowns import Target
from strandline.errors import ArchiveBusy, Unreachable
from strandline.store.erasing import CatalogEraser, Place, captures_of, referring_to
from strandline.store.postgres.reading import PostgresReading
from strandline.store.postgres.session import Connection, Session, shown
from strandline.store.postgres.studying import SharedHistories
from strandline.store.postgres.workers import bury
from strandline.store.postgres.writing import Spelled

_LOCK: Final = 0x45524153
"""Key of the lock that whoever erases holds alone, and whoever registers as a worker for a moment, beside others."""
PLAN: Final = ("erasing", "plan")
"""Kind and key of the note that holds the plan of an erasure under way."""
_SILENCE: Final = 120.0
"""Seconds after which a worker that was not heard of is taken for dead."""
_TEXTS: Final = ("alerts", "annotations", "block_words", "changes", "robots", "segments")
"""Tables that hold what pages said, or what was said of it: written anew in the end."""


def may_register(connection: Connection) -> None:
    """In the transaction in which somebody registers as a worker; ArchiveBusy while something is being erased."""
    row = connection.execute(
        "SELECT pg_try_advisory_xact_lock_shared(%s), EXISTS (SELECT FROM notes WHERE kind = %s AND key = %s)",
        (_LOCK, *PLAN),
    ).fetchone()
    if row is None or not row[0]:
        raise ArchiveBusy("something is being erased from this cluster; nobody writes it meanwhile")
    if row[1]:
        raise ArchiveBusy("an erasure was cut short; `strandline takedown DATABASE --go-on` brings it to its end")


class Alone(contextlib.AbstractContextManager["Alone"]):
    """Nobody else writes the cluster; ArchiveBusy when somebody does."""

    def __init__(self, url: str, patience: float = 10.0) -> None:
        self._session = Session(url, patience)
        try:
            self._holder = self._session.run(self._take, at_once=True)
            bury(self._session, _SILENCE)
            names = self._session.run(_at_work, at_once=True)
            if names:
                raise ArchiveBusy(f"{len(names)} at work on {shown(url)} ({names[0]}, ...)")
        except BaseException:
            self._session.close()
            raise

    def _take(self, connection: Connection) -> int:
        # A machine that is gone must not keep everybody out for hours: the server notices within a minute.
        connection.execute(
            """SELECT set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_count', '3', false),
                set_config('tcp_keepalives_interval', '10', false)"""
        )
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone()
        if row is None or not row[0]:
            raise ArchiveBusy("somebody else is erasing from this cluster")
        return connection.info.backend_pid

    def keep(self, plan: bytes | None) -> None:
        """Keep the plan of an erasure; None when it is carried out. Unreachable when the lock was lost meanwhile."""
        with self._session.transaction() as connection:
            if connection.info.backend_pid != self._holder:
                raise Unreachable("the connection to the database was lost while something was erased; go on with it")
            connection.execute("DELETE FROM notes WHERE kind = %s AND key = %s", PLAN)
            if plan is not None:
                connection.execute("INSERT INTO notes VALUES (%s, %s, %s)", (*PLAN, plan))

    def __exit__(self, *_: object) -> None:
        self._session.close()


def _at_work(connection: Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM workers WHERE ended IS NULL ORDER BY worker").fetchall()
    return [str(name) for (name,) in rows]


class SharedEraser(CatalogEraser):
    """Erases from the shared catalog, as CatalogEraser does from one in a folder."""

    _days = "capture_days"
    _queues = ((1, "queued"), (2, "backed_off"), (3, "leased"))

    def __init__(self, session: Session) -> None:
        self._session = session
        self.reading = PostgresReading(session)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._session.transaction() as connection:  # what was done twice was done once: it need not be repeated
            self.connection = Spelled(connection)
            yield

    def _asked(self) -> Spelled:
        return self._session.run(Spelled, at_once=True)

    def captures_of(self, target: Target) -> list[Capture]:
        """Captures that a target covers."""
        reached = replace(target, keys=tuple(self._reached(target)))
        return [capture for _, capture in captures_of(self._asked(), reached)]

    def referring_to(self, digests: set[str]) -> list[Capture]:
        """Revisits of contents with these digests."""
        return [capture for _, capture in referring_to(self._asked(), digests)]

    def is_recorded(self, place: object) -> bool:
        """Whether there is a capture at a place."""
        self.connection = self._asked()
        return super().is_recorded(place)  # type: ignore[arg-type]

    def places(self) -> set[Place]:
        """Files and offsets of all captures."""
        self.connection = self._asked()
        return super().places()

    def thin_file(self, places: Sequence[Place], file: str, moved: tuple[str, Mapping[int, int]]) -> None:
        """Forget captures of a file, and let all others of it be found in another one, at other offsets; at once."""
        name, offsets = moved
        with self._transaction():
            self._thin(places)
            if not offsets:
                return
            connection = self.connection
            connection.execute("INSERT OR IGNORE INTO files (name) VALUES (?)", (name,))
            found = connection.execute(
                "SELECT seq, offset, rendered_at FROM captures WHERE file = (SELECT file FROM files WHERE name = ?)",
                (file,),
            ).fetchall()
            connection.executemany(
                """UPDATE captures SET file = (SELECT file FROM files WHERE name = ?), offset = ?, rendered_at = ?
                   WHERE seq = ?""",
                [
                    (name, offsets[offset], offsets.get(rendered), seq)
                    for seq, offset, rendered in found
                    if offset in offsets
                ],
            )
            self._unlisted(set())

    def _overwriting(self) -> None:
        """What was deleted is overwritten when the tables are written anew."""

    def _reread(self) -> None:
        """Nothing of it is held in memory."""

    def _reached(self, target: Target) -> Iterable[tuple[str, str]]:
        """PostgreSQL knows no NUL, and keys hold no control characters."""
        return [(low.replace("\0", "\1"), high.replace("\0", "\1")) for low, high in target.keys]

    def _forget_changes(self, which: str, *values: int) -> None:
        gone = f"SELECT change FROM changes WHERE {which}"
        self.connection.execute(f"DELETE FROM undecided WHERE change IN ({gone})", values)
        super()._forget_changes(which, *values)

    def _forget_capture(self, seq: int) -> None:
        self.connection.execute("DELETE FROM unstudied WHERE seq = ?", (seq,))
        super()._forget_capture(seq)

    def _forget_history(self, page: int, url: str) -> None:
        SharedHistories(self.connection, 0).forget(page, {})  # type: ignore[arg-type]

    def _unlease(self, page: int) -> None:
        """Nobody works: the state of the page says that it is not leased."""

    def sweep(self) -> None:
        """Leave no copy of what was deleted in the tables; readers wait for as long as one is written anew."""
        for table in _TEXTS:
            self._session.run(lambda connection, table=table: connection.execute(f"VACUUM FULL {table}"), at_once=True)  # type: ignore[misc]
