"""The catalog in PostgreSQL, as one of many workers sees it. Implements ports.Catalog.

A worker has a number that is never given again. Its commits are numbered, too, and the last number is written with
the commit itself: when the connection breaks and nobody knows whether a commit was made, the next try asks first, on
the worker's own row, whose lock makes it wait for a first try that may still be under way. So a commit is made once.

A commit under leases that have gone to another worker raises LeaseLost and records nothing: what it would have
promised is fetched again by the new owner.
"""

import contextlib
import math
import os
import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

from strandline.core.capture import Capture
from strandline.errors import LeaseLost, StrandlineError
from strandline.ports import Batch, Found, Task
from strandline.store.catalog_reading import CatalogReading
from strandline.store.notes import keep_note
from strandline.store.postgres.clock_back import follow_clock
from strandline.store.postgres.desks import PlanReading, keep_time, plan_visited
from strandline.store.postgres.erasing import may_register
from strandline.store.postgres.frontier import LeaseTerms, SharedFrontier
from strandline.store.postgres.heartbeat import Heartbeat
from strandline.store.postgres.purse import SharedBook
from strandline.store.postgres.reading import PostgresReading, on_postgres
from strandline.store.postgres.recording import SharedRecorder
from strandline.store.postgres.session import Connection, Session
from strandline.store.postgres.writing import Spelled
from strandline.store.rows import GOES_LAST, LAST_TURNS, left_out
from strandline.store.watching import TimePiece, WatchReading

T = TypeVar("T")

_PIECE: Final = 2_000
"""Addresses or captures that are brought in together."""
_UNASKED_FIRST: Final = f"""WITH last AS (
        SELECT max(started) AS started, max(greatest(started, ended)) AS ended FROM passes WHERE ended IS NOT NULL),
    left_out AS (
        SELECT host FROM hosts, last WHERE not_before > last.ended AND {left_out("last.started", "%(start)s::float8")})
UPDATE pages SET due = %(start)s::float8 + 0.001 FROM last
WHERE due > last.started AND due <= %(start)s AND state = 0
    AND host IN (SELECT host FROM left_out)"""
_SILENT_LAST: Final = f"""WITH moved AS MATERIALIZED (
        SELECT host FROM hosts WHERE {GOES_LAST} <> (turn >= {LAST_TURNS}) AND (SELECT count(*) FROM passes) > 1
        ORDER BY host FOR NO KEY UPDATE SKIP LOCKED)
UPDATE hosts SET turn = mod(turn, {LAST_TURNS}) + CASE WHEN {GOES_LAST} THEN {LAST_TURNS} ELSE 0 END
FROM moved WHERE hosts.host = moved.host"""
"""See ports.Catalog.open_pass."""


class PostgresCatalog(CatalogReading):
    """One worker's view of the shared catalog. Used by one thread."""

    def __init__(self, url: str, terms: LeaseTerms | None = None, name: str = "", patience: float = 60.0) -> None:
        """Register as a worker; makes or updates the tables. `patience`: seconds the server may be away."""
        self.name = name or f"{os.getpid()}@{socket.gethostname()}"
        self._session = Session(url, patience)
        terms = terms or LeaseTerms()
        try:
            follow_clock(self._session)
            me, horizon = self._session.run(partial(self._register, terms.seconds))
        except BaseException:
            self._session.close()
            raise
        self._frontier = SharedFrontier(me, terms, horizon)
        self._commits = 0
        self.reading = PostgresReading(self._session)
        self.book = SharedBook(self._session)
        self._heartbeat = Heartbeat(url, self._frontier)

    def _register(self, lease: float, connection: Connection) -> tuple[int, float]:
        may_register(connection)
        row = connection.execute(
            "INSERT INTO workers (name, lease) VALUES (%s, %s) RETURNING worker, (SELECT horizon FROM frontier)",
            (self.name, lease),
        ).fetchone()
        assert row is not None
        return int(str(row[0])), float(str(row[1]))

    @property
    def worker(self) -> int:
        """The number of this worker."""
        return self._frontier.me

    @property
    def settings_mark(self) -> str:
        """A mark of the cluster's settings as of the last heartbeat (md5); empty before the first."""
        return self._heartbeat.settings

    # -- pages and passes -------------------------------------------------------------------------------------------

    def add(self, found: Iterable[Found]) -> int:
        """Add seeds or imported addresses; return how many were new."""
        return sum(
            self._session.run(lambda connection, piece=piece: self._recorder(connection).add(piece, time.time()))  # type: ignore[misc]
            for piece in _pieces(found)
        )

    def open_pass(self, now: float) -> tuple[float, bool]:
        """Start of the pass under way and whether it resumes an unfinished one; opens a new one otherwise."""

        def opened(connection: Connection) -> tuple[float, bool]:
            # Passes follow each other also when the clock was set back: what the last one visited is due in this one.
            made = connection.execute(
                """INSERT INTO passes (started)
                SELECT greatest(%s::double precision, max(greatest(started, ended)) + 0.002) FROM passes
                ON CONFLICT DO NOTHING RETURNING started""",
                (now,),
            ).fetchone()
            if made is not None:
                connection.execute(_UNASKED_FIRST, {"start": made[0]})
                connection.execute(_SILENT_LAST)
                return float(str(made[0])), False
            row = connection.execute("SELECT started FROM passes WHERE ended IS NULL").fetchone()
            assert row is not None
            return float(str(row[0])), True

        return self._session.run(opened)

    def close_pass(self, now: float) -> None:
        """The pass is complete: the next crawl starts a new one."""
        self._session.run(
            lambda connection: connection.execute("UPDATE passes SET ended = %s WHERE ended IS NULL", (now,))
        )

    # -- leases -----------------------------------------------------------------------------------------------------

    def take(self, limit: int, now: float, before: float, busy: Collection[str]) -> list[Task]:
        """Lease up to `limit` due pages of hosts that are free or this worker's, and not in `busy`: one per host."""
        if limit <= 0:
            return []
        frontier, run = self._frontier, self._session.run
        leased = run(lambda connection: frontier.take_at_once(connection, limit, busy, (before, now)), at_once=True)
        if leased is None:
            self._settle(before, now)
            leased = run(lambda connection: frontier.take(connection, limit, busy), at_once=True)
        frontier.horizon = before
        for task, lease in leased:
            self._frontier.hold(task.page, lease)
        return [task for task, _ in leased]

    def _settle(self, before: float, now: float | None) -> None:
        """Let time go on: queue what became due, end back-offs, free what dead workers held."""
        frontier, run = self._frontier, self._session.run
        wanted = run(lambda connection: frontier.look(connection, before, now), at_once=True)
        if "move" in wanted:
            while run(lambda connection: frontier.move(connection, before)):
                pass
        frontier.horizon = before
        # What has just become due may have been put off until a moment that is over, too.
        if now is not None and ("wake" in wanted or "move" in wanted):
            run(lambda connection: frontier.wake(connection, now))
        if "free" in wanted:
            run(frontier.free_expired)

    def release(self, pages: Sequence[int]) -> None:
        """Give leased pages back untouched."""
        self._session.run(lambda connection: self._frontier.release(connection, pages))
        for page in pages:
            self._frontier.drop(page)

    def waiting(self, before: float) -> tuple[int, float]:
        """Pages due by `before` that are not leased by this worker, and the earliest moment one may be fetched.

        Pages other workers are fetching count: what they name may be for this one.
        """
        self._settle(before, None)
        return self._session.run(self._frontier.waiting, at_once=True)

    # -- commits ----------------------------------------------------------------------------------------------------

    def commit(self, batch: Batch) -> None:
        """Record a batch in one durable transaction, once; LeaseLost when it comes too late."""
        if not batch:
            return
        number = self._commits + 1
        captures = [visit.capture for visit in batch.visited if visit.capture is not None]

        def record(connection: Connection) -> None:
            # The lock on this row makes a repeated commit wait for a first one that is still under way.
            row = connection.execute(
                "SELECT commits, ended IS NOT NULL FROM workers WHERE worker = %s FOR NO KEY UPDATE", (self.worker,)
            ).fetchone()
            if row is None or row[1]:
                raise LeaseLost("this worker was ended by another; nothing of this commit was recorded")
            if row[0] == number:
                return
            self._recorder(connection).record(batch, time.time())
            connection.execute(
                """UPDATE workers SET commits = %s, captures = captures + %s, octets = octets + %s,
                       seen = clock_timestamp() WHERE worker = %s""",
                (number, len(captures), sum(capture.place.length for capture in captures), self.worker),
            )

        self._session.run(record)
        self._commits = number
        for page in (*(visit.page for visit in batch.visited), *(skip.page for skip in batch.skipped)):
            self._frontier.drop(page)

    def _recorder(self, connection: Connection) -> SharedRecorder:
        return SharedRecorder(connection, self._frontier)

    def bring(self, captures: Iterable[Capture], due: float | None = math.inf) -> int:
        """Add captures of another archive; those already here are left alone. Return how many were new."""
        return sum(
            self._session.run(lambda connection, piece=piece: self._recorder(connection).bring(piece, due))  # type: ignore[misc]
            for piece in _pieces(captures)
        )

    def note(self, kind: str, values: Iterable[tuple[str, bytes | None]]) -> None:
        """Keep small learned state under a kind and a key; None removes."""
        wanted = list(values)

        def write(connection: Connection) -> None:
            for key, value in wanted:
                keep_note(Spelled(connection), kind, key, value)

        self._session.run(write)

    def change_note(self, kind: str, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace what is kept under a kind and a key by what follows from it. Who does so at the same moment waits."""

        def write(connection: Connection) -> None:
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", (f"note {kind} {key}",))
            query = "SELECT value FROM notes WHERE kind = %s AND key = %s FOR UPDATE"
            row = connection.execute(query, (kind, key)).fetchone()
            keep_note(Spelled(connection), kind, key, change(None if row is None else bytes(row[0])))  # type: ignore[call-overload]

        self._session.run(write)

    # -- watching ---------------------------------------------------------------------------------------------------

    def begin_watch(self, hour: float, now: float) -> TimePiece | None:
        """From now on visits of pages that were visited before are planned, in hours of so many seconds; how these
        hours run, None for as the clock does.
        """
        keep_time(self._session, hour, now)
        plan_visited(self._session, now - 2.0 * hour)
        return on_postgres(WatchReading, self._session).watch_time()

    def trust(self, site: str, source: str) -> float:
        """The part of what the sitemaps, or the feeds, of a site say that is right, as of its last plan."""
        return PlanReading(self._session).trust(site, source)

    def telling(self, least: float) -> int:
        """How many sites have sitemaps, or feeds, that are right at least as often, as of their last plans; twice those
        that have both.
        """
        return PlanReading(self._session).telling(least)

    def close(self) -> None:
        """Give everything back and say goodbye; a server that is away finds out when the leases run out."""
        self._heartbeat.stop()
        with contextlib.suppress(StrandlineError):
            self._session.run(self._leave)
        self._session.close()

    def _leave(self, connection: Connection) -> None:
        self._frontier.release(connection, list(self._frontier.held))
        connection.execute(
            "UPDATE workers SET ended = clock_timestamp(), seen = clock_timestamp() WHERE worker = %s", (self.worker,)
        )


def _pieces(items: Iterable[T]) -> Iterator[list[T]]:
    piece: list[T] = []
    for item in items:
        piece.append(item)
        if len(piece) >= _PIECE:
            yield piece
            piece = []
    if piece:
        yield piece
