"""The catalog in SQLite: what is known about pages, their captures and the frontier. One writer; see ports.Catalog.

A commit is one transaction: captures, the pages they are of, the addresses they name, hosts and refusals, durable
together or not at all. Whatever the catalog holds about captures can be rebuilt from the WARC files.
"""

import contextlib
import json
import math
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from strandline.core.capture import Capture, Unanswered
from strandline.ports import Batch, Found, Task
from strandline.store import rows, sqlite
from strandline.store.addresses import Addresses
from strandline.store.catalog_reading import CatalogReading
from strandline.store.frontier import Frontier
from strandline.store.lock import WriteLock
from strandline.store.notes import keep_note
from strandline.store.reading import Reading
from strandline.store.recording import Recorder

if TYPE_CHECKING:
    from strandline.store.studying import StudyWriter
    from strandline.store.watching import WatchWriter

DATABASE = "strandline.db"
_WATCH_CACHE_KIB = 2 * 1024
_WATCH_ADDRESSES = 2_000
"""A watch asks for little at a time and runs for months: it keeps less in memory than a pass."""


def open_catalog(folder: Path, command: str = "") -> "SqliteCatalog":
    """The catalog of an archive folder, for writing: takes the write lock, makes or updates the database."""
    lock = WriteLock(folder, command)
    try:
        return SqliteCatalog(folder / DATABASE, lock)
    except BaseException:
        lock.release()
        raise


class SqliteCatalog(CatalogReading):
    """Implements ports.Catalog; `reading` has the queries of the reading side on the writer's own connection."""

    def __init__(self, database: Path, lock: WriteLock | None = None) -> None:
        """Open for writing. Without `lock` the caller answers for being the only writer."""
        self.path = database
        self._lock = lock
        self._connection = sqlite.open_writing(database)
        try:
            with sqlite.told(database):
                self._addresses = Addresses(self._connection)
                owner = f"{os.getpid()}@{socket.gethostname()}"
                self._frontier = Frontier(self._connection, self._addresses, owner)
                self._recorder = Recorder(self._connection, self._addresses, self._frontier)
        except BaseException:
            self._connection.close()
            raise
        self.reading = Reading(self._connection, database)

    @cached_property
    def studies(self) -> "StudyWriter":
        """What study finds; a crawl does not load what it needs for that."""
        from strandline.store.studying import StudyWriter  # noqa: PLC0415

        return StudyWriter(self._connection, self.path, self._frontier)

    @cached_property
    def watch(self) -> "WatchWriter":
        """What a watch keeps beside its captures."""
        from strandline.store.watching import WatchWriter  # noqa: PLC0415

        return WatchWriter(self._connection, self.path)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One durable transaction; what is kept in memory follows it when it fails."""
        with sqlite.told(self.path):
            try:
                self._frontier.give_back()
                with sqlite.transaction(self._connection):
                    yield
            except BaseException:
                self.reread()
                raise

    @property
    def writer(self) -> sqlite3.Connection:
        """The writer's connection, for what keeps the archive."""
        return self._connection

    def reread(self) -> None:
        """Forget what is held in memory: rows were changed behind it, or a transaction was rolled back."""
        self._addresses.forget()
        self._frontier.recount()

    @contextlib.contextmanager
    def _moving(self) -> Iterator[None]:
        """Steps of the frontier, in transactions of their own."""
        with sqlite.told(self.path):
            try:
                yield
            except sqlite3.Error:
                self.reread()
                raise

    def add(self, found: Iterable[Found]) -> int:
        """Add seeds or imported addresses; return how many were new."""
        with self._writing():
            return self._recorder.found(found, time.time())

    def open_pass(self, now: float) -> tuple[float, bool]:
        """Start of the pass under way and whether it resumes an unfinished one; opens a new one otherwise."""
        with self._writing():
            row = self._connection.execute("SELECT started FROM passes WHERE ended IS NULL").fetchone()
            if row is not None:
                return float(row[0]), True
            # Passes follow each other also when the clock was set back: what the last one visited is due in this one.
            started, ended = self._connection.execute(
                "SELECT max(started), max(max(started, coalesce(ended, started))) FROM passes"
            ).fetchone()
            start = now if ended is None else max(now, float(ended) + 0.002)
            self._connection.execute("INSERT INTO passes (started) VALUES (?)", (start,))
            self._frontier.give_to_passes(start)
            if ended is not None:
                self._frontier.unasked_first(float(started), float(ended), start)
                self._frontier.silent_last()
            return start, False

    def close_pass(self, now: float) -> None:
        """The pass is complete: the next crawl starts a new one."""
        with self._writing():
            self._connection.execute("UPDATE passes SET ended = ? WHERE ended IS NULL", (now,))

    def take(self, limit: int, now: float, before: float, busy: Collection[str]) -> list[Task]:
        """Lease up to `limit` due pages of hosts that are not in `busy`, one per host, hosts in turn."""
        with self._moving():
            return self._frontier.take(limit, now, before, busy)

    def lease(self, pages: Sequence[int], now: float) -> list[Task]:
        """Lease these pages, whenever they are due; those being fetched already are left out."""
        with self._moving():
            self._frontier.give_back()
            return self._frontier.lease(pages, now)

    def due_by(self, moment: float, closed: Collection[str] = ()) -> int:
        """Pages and parts of pages that are due by a time by themselves, without a plan, and may be asked for by then;
        none of closed hosts.
        """
        shut = "AND authority NOT IN (SELECT value FROM json_each(?))" if closed else ""
        values = [moment] * 3 + [json.dumps(list(closed))] * bool(closed)
        return int(self._connection.execute(rows.count_due(hosts=shut), values).fetchone()[0])

    def plan_visited(self) -> None:
        """From now on a watch plans the visits of pages that were visited before; an unfinished pass is over."""
        self.close_pass(time.time())
        self._connection.execute(f"PRAGMA cache_size = -{_WATCH_CACHE_KIB}")
        self._addresses.most = _WATCH_ADDRESSES
        with self._moving():
            self._frontier.give_back()
            self._frontier.plan_visited()

    def release(self, pages: Sequence[int]) -> None:
        """Give leased pages back untouched."""
        with self._moving():
            self._frontier.release(pages)

    def waiting(self, before: float) -> tuple[int, float]:
        """Pages due by `before` and not leased, and the earliest moment one may be fetched (0.0: at once)."""
        with self._moving():
            return self._frontier.waiting(before)

    def commit(self, batch: Batch) -> None:
        """Record a batch in one durable transaction."""
        if not batch:
            return
        with self._writing():
            self._recorder.visited(batch.visited)
            self._recorder.skipped(batch.skipped)
            self._recorder.found(batch.found, max((visit.time for visit in batch.visited), default=time.time()))
            self._recorder.links(batch.links)
            self._recorder.hosts(batch.hosts)
            self._recorder.refused(batch.refused)
            self._recorder.retests(batch.retests)

    def salvage(self, captures: Iterable[Capture]) -> int:
        """Add captures whose commit was cut short; those already here are left alone. Return how many were new.

        The pages stay due: a visit that was never recorded is made again.
        """
        with self._writing():
            return self._recorder.bring(captures, due=None)

    def rebuild(self, facts: Iterable[Capture | Unanswered]) -> int:
        """Fill the catalog from the facts in the WARC files; return how many captures were new. Pages become due at
        the time of their first visit.
        """
        with self._writing():
            return self._recorder.bring(facts, due=None)

    def bring(self, captures: Iterable[Capture]) -> int:
        """Add captures of another archive. Their pages are known, not crawled, until a link or seed names them."""
        with self._writing():
            return self._recorder.bring(captures, due=math.inf)

    def note(self, kind: str, values: Iterable[tuple[str, bytes | None]]) -> None:
        """Keep small learned state under a kind and a key; None removes."""
        with self._writing():
            for key, value in values:
                keep_note(self._connection, kind, key, value)

    def change_note(self, kind: str, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace what is kept under a kind and a key by what follows from it."""
        with self._writing():
            keep_note(self._connection, kind, key, change(self.reading.note(kind, key)))

    def close(self) -> None:
        """Release the database and the lock."""
        with contextlib.suppress(sqlite3.Error):  # leases of a closed catalog are free at the next opening anyway
            self._frontier.give_back()
        self._connection.close()
        if self._lock is not None:
            self._lock.release()
