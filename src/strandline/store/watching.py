"""What a watch keeps in the catalog: its time, its spending, how it stands, and what each hour did.

Nothing here is synced by itself: what a power cut takes of it is a second of figures. A killed process leaves
all of it.
"""

import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from strandline.store import sqlite
from strandline.store.reading import Reading


class TimePiece(NamedTuple):
    """From `start` (UTC epoch seconds) on hours last `length` seconds; the first is hour `hour`."""

    start: float
    hour: float
    length: float

    @property
    def zero(self) -> float:
        """When hour 0 would have begun."""
        return self.start - self.hour * self.length


class WatchState(NamedTuple):
    """How a watch stands, or stood when it ended or was killed. The keys of `document`: see watch/watching.py."""

    pid: int
    host: str
    started: float
    updated: float
    ended: str
    document: dict[str, Any]


class HourRow(NamedTuple):
    """What an hour of a watch was meant to do and did; see migrations/0007-watch.sql."""

    hour: int
    start: float
    allowed: float
    planned: int
    requests: int
    revisits: int
    firsts: int
    parts: int
    changed: int
    unchanged: int
    failed: int
    octets: int


class WatchReading(Reading):
    """Questions about a watch, also while it runs."""

    def watch_state(self) -> WatchState | None:
        """How the watch stands; None when there never was one."""
        row = self._row("SELECT pid, host, started, updated, ended, document FROM watch_state")
        if row is None:
            return None
        return WatchState(*row[:5], json.loads(str(row[5])))  # type: ignore[arg-type, call-arg]

    def watch_hours(self, since: float = 0.0) -> Iterator[HourRow]:
        """Hours that began since a time, in order."""
        return map(HourRow._make, self._rows("SELECT * FROM watch_hours WHERE start >= ? ORDER BY hour", since))

    def watch_time(self) -> TimePiece | None:
        """How hours run now; None when they are those of the clock."""
        row = self._row("SELECT start, hour, length FROM watch_time ORDER BY start DESC LIMIT 1")
        return None if row is None else TimePiece(*row)  # type: ignore[arg-type]

    def spent_since(self, time: float) -> list[tuple[float, float]]:
        """Requests since a time: when, and what each cost."""
        return [
            (float(str(when)), float(str(cost)))
            for when, cost in self._rows("SELECT time, cost FROM watch_requests WHERE time > ? ORDER BY time", time)
        ]

    def spent_in_all(self, time: float) -> float:
        """What the requests since a time cost together; those under way count as they are expected to."""
        row = self._row("SELECT coalesce(sum(abs(cost)), 0.0) FROM watch_requests WHERE time > ?", time)
        return 0.0 if row is None else float(str(row[0]))


class WatchWriter:
    """Writes through the writer's connection."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self.reading = WatchReading(connection, path)

    def _write(self, statements: Iterable[tuple[str, tuple[object, ...]]]) -> None:
        with sqlite.told(self._path), sqlite.transaction(self._connection, durable=False):
            for statement, values in statements:
                self._connection.execute(statement, values)

    def set_time(self, piece: TimePiece) -> None:
        """From now on hours run like this."""
        self._write([("REPLACE INTO watch_time VALUES (?, ?, ?)", tuple(piece))])

    def begun(self, request: int, time: float, cost: float) -> None:
        """A request is about to be sent."""
        self._write([("REPLACE INTO watch_requests VALUES (?, ?, ?)", (request, time, cost))])

    def clock_set(self, seconds: float) -> None:
        """The clock was set forward by so much, or back when it is less than 0: requests are as long ago as before."""
        self._write([("UPDATE watch_requests SET time = time + ?", (seconds,))])

    def last_request(self) -> int:
        """The highest number of a request."""
        row = self._connection.execute("SELECT coalesce(max(request), 0) FROM watch_requests").fetchone()
        return int(row[0])

    def forget_before(self, time: float) -> None:
        """Requests from before a time count no more."""
        self._write([("DELETE FROM watch_requests WHERE time <= ?", (time,))])

    def stands(self, started: float, now: float, ended: str, document: Mapping[str, Any]) -> None:
        """How the watch stands now."""
        values = (os.getpid(), socket.gethostname(), started, now, ended, json.dumps(document, ensure_ascii=False))
        self._write([("REPLACE INTO watch_state VALUES (1, ?, ?, ?, ?, ?, ?)", values)])

    def hour(self, row: HourRow) -> None:
        """What an hour did so far; the same hour again replaces it."""
        self._write([(f"REPLACE INTO watch_hours VALUES ({', '.join('?' * len(row))})", tuple(row))])
