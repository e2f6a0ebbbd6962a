"""Alerts that were decided, and who has had them.

Each change that was studied is decided on once: the alerts it leads to, a delivery for every target that wants them,
and how far decisions have come are written in one durable transaction. Captures are numbered in the order they were
recorded and studied in that order, so the number of the last one is all that has to be remembered; a page that is
studied anew is not told of again.

Delivery processes write beside the archive's writer, through a connection of their own: a short transaction for each
delivery.
"""

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Self

from strandline.core.quick_dataclass import dataclass
from strandline.store import sqlite
from strandline.store.reading import Reading

WAITING, DELIVERED, GIVEN_UP, PUSHED_OUT = range(4)
KEPT: Final = 90 * 86400.0
"""Seconds after which an alert nobody waits for is forgotten."""
_NAMES: Final = uuid.UUID("6f1e7f0e-6a0c-5a5e-9d0e-3d5a8a7b9c11")
_TAKEN_OVER: Final = ("alerts", "deliveries", "alarms", "observations", "rule_history")
_ALERT = "alerts.alert, key, alerts.time, kind, site, url, importance, document"


@dataclass(frozen=True, slots=True)
class Alert:
    """Something people are told. `kind` is change, alarm, search, digest or test."""

    kind: str
    time: float
    site: str
    url: str
    importance: float
    document: dict[str, Any] = field(default_factory=dict)
    key: str = ""
    """The same for the same news, also after the catalog was rebuilt: receivers drop what they had."""
    number: int = 0
    """The order of delivery."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way to a target."""

    alert: Alert
    tries: int
    not_before: float


@dataclass(frozen=True, slots=True)
class Queue:
    """The deliveries of a target at a glance."""

    target: str
    waiting: int
    delivered: int
    given_up: int
    pushed_out: int
    last: float
    """When something was last delivered; 0 for never."""
    problem: str
    """Why the next one waits; empty when nothing is wrong."""


def alert_key(*parts: object) -> str:
    """A name for a piece of news that is the same wherever and whenever it is made."""
    return str(uuid.uuid5(_NAMES, json.dumps(parts)))


Wanted = Callable[[Alert], Iterable[str]]


class OutboxReading(Reading):
    """Alerts and deliveries, for readers."""

    def alerts(self, limit: int = 100) -> Iterator[Alert]:
        """Alerts, the newest first."""
        return map(_alert, self._rows(f"SELECT {_ALERT} FROM alerts ORDER BY alert DESC LIMIT ?", limit))

    def deliveries_of(self, alert: int) -> list[tuple[str, int, int, float, str]]:
        """Who was to have an alert: target, state, tries, time and outcome of the last try."""
        query = "SELECT target, state, tries, time, detail FROM deliveries WHERE alert = ? ORDER BY target"
        return list(self._rows(query, alert))  # type: ignore[arg-type]

    def queues(self) -> list[Queue]:
        """All targets that were ever wanted, at a glance."""
        query = """SELECT target, count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 1),
                count(*) FILTER (WHERE state = 2), count(*) FILTER (WHERE state = 3),
                coalesce(max(CASE state WHEN 1 THEN time END), 0.0) FROM deliveries GROUP BY target ORDER BY target"""
        return [Queue(*row, self.why(str(row[0]))) for row in list(self._rows(query))]  # type: ignore[arg-type, call-arg]

    def last_delivered(self, target: str) -> float:
        """When a target last had something; 0 for never."""
        row = self._row("SELECT coalesce(max(time), 0.0) FROM deliveries WHERE target = ? AND state = 1", target)
        return float(str(row[0])) if row else 0.0

    def why(self, target: str) -> str:
        """Why the next delivery to a target waits; empty when nothing is wrong."""
        row = self._row("SELECT detail FROM deliveries WHERE target = ? AND state = 0 ORDER BY alert LIMIT 1", target)
        return str(row[0]) if row else ""

    def next_for(self, target: str, limit: int = 1) -> list[Delivery]:
        """What a target is to have next, in order."""
        query = f"""SELECT {_ALERT}, tries, not_before FROM deliveries JOIN alerts USING (alert)
            WHERE target = ? AND state = 0 ORDER BY deliveries.alert LIMIT ?"""
        return [Delivery(_alert(row), row[8], row[9]) for row in self._rows(query, target, limit)]  # type: ignore[arg-type]

    def decided(self) -> int | None:
        """Changes seen by captures up to this number were decided on; None before the first look."""
        row = self._row("SELECT seq FROM alert_progress")
        return None if row is None else int(str(row[0]))


class Outbox(OutboxReading):
    """Alerts and deliveries, for writing beside the archive's writer."""

    @classmethod
    def open(cls, database: Path, everything: bool = True) -> Self:
        """Open for writing: short transactions, beside other writers."""
        return cls(sqlite.open_writing(database), database)

    def begin(self) -> None:
        """The first look ever: what was captured before it is history, and not told."""
        with self._writing():
            self._connection.execute(
                """INSERT INTO alert_progress SELECT (SELECT coalesce(max(seq), 0) FROM captures)
                   WHERE NOT EXISTS (SELECT 1 FROM alert_progress)"""
            )

    def decide(self, alerts: Iterable[Alert], up_to: int, wanted: Wanted, room: int) -> int:
        """Alerts on the changes seen by captures up to this number: once each, whatever ends this process.

        `room` is how many may wait for one target; beyond, the oldest are pushed out. Returns how many are new.
        """
        with self._writing():
            made = sum(self._add(alert, wanted(alert)) for alert in alerts)
            self._connection.execute("UPDATE alert_progress SET seq = max(seq, ?)", (up_to,))
            self._make_room(room)
        return made

    def add(self, alerts: Iterable[Alert], wanted: Wanted, room: int) -> int:
        """Alerts that come from no change. Returns how many were new."""
        with self._writing():
            made = sum(self._add(alert, wanted(alert)) for alert in alerts)
            self._make_room(room)
        return made

    def _add(self, alert: Alert, targets: Iterable[str]) -> int:
        done = self._connection.execute(
            """INSERT OR IGNORE INTO alerts (key, time, kind, site, url, importance, document)
               VALUES (?, ?, ?, ?, ?, ?, ?)""",
            (
                alert.key,
                alert.time,
                alert.kind,
                alert.site,
                alert.url,
                alert.importance,
                json.dumps(alert.document, ensure_ascii=False, separators=(",", ":")),
            ),
        )
        if not done.rowcount:
            return 0
        self._connection.executemany(
            "INSERT INTO deliveries SELECT ?, alert, 0, 0, 0.0, 0.0, '' FROM alerts WHERE key = ?",
            [(target, alert.key) for target in targets],
        )
        return 1

    def _make_room(self, room: int) -> None:
        query = "SELECT target, count(*) FROM deliveries WHERE state = 0 GROUP BY target HAVING count(*) > ?"
        for target, count in self._connection.execute(query, (room,)).fetchall():
            self._connection.execute(
                """UPDATE deliveries SET state = ?, detail = 'the queue was full' WHERE target = ? AND alert IN
                   (SELECT alert FROM deliveries WHERE target = ? AND state = 0 ORDER BY alert LIMIT ?)""",
                (PUSHED_OUT, target, target, count - room),
            )

    # What delivery processes say

    def trying(self, target: str, alerts: Iterable[Alert], now: float) -> None:
        """A delivery is about to be tried."""
        with self._writing():
            self._connection.executemany(
                "UPDATE deliveries SET tries = tries + 1, time = ? WHERE target = ? AND alert = ?",
                [(now, target, alert.number) for alert in alerts],
            )

    def delivered(self, target: str, alerts: Iterable[Alert], now: float, detail: str) -> None:
        """The target has these."""
        self._mark(target, alerts, DELIVERED, now, detail)

    def given_up(self, target: str, alerts: Iterable[Alert], now: float, detail: str) -> None:
        """The target will never have these."""
        self._mark(target, alerts, GIVEN_UP, now, detail)

    def _mark(self, target: str, alerts: Iterable[Alert], state: int, now: float, detail: str) -> None:
        with self._writing():
            self._connection.executemany(
                "UPDATE deliveries SET state = ?, time = ?, detail = ? WHERE target = ? AND alert = ?",
                [(state, now, detail, target, alert.number) for alert in alerts],
            )

    def postponed(self, target: str, alerts: Iterable[Alert], until: float, detail: str) -> None:
        """A try failed; the next one is not before this time."""
        with self._writing():
            self._connection.executemany(
                "UPDATE deliveries SET not_before = ?, detail = ? WHERE target = ? AND alert = ? AND state = 0",
                [(until, detail, target, alert.number) for alert in alerts],
            )

    def tidy(self, targets: Iterable[str], now: float) -> None:
        """Give up what waits for targets that are no longer in the settings; forget what is long delivered."""
        known = sorted(targets)
        marks = ", ".join("?" * len(known)) or "''"
        with self._writing():
            self._connection.execute(
                f"""UPDATE deliveries SET state = ?, detail = 'no longer in the settings'
                   WHERE state = 0 AND target NOT IN ({marks})""",
                (GIVEN_UP, *known),
            )
            old = """SELECT alert FROM alerts WHERE time < ? AND alert NOT IN
                (SELECT alert FROM deliveries WHERE state = 0)"""
            self._connection.execute(f"DELETE FROM deliveries WHERE alert IN ({old})", (now - KEPT,))
            self._connection.execute(
                "DELETE FROM alerts WHERE time < ? AND alert NOT IN (SELECT alert FROM deliveries)", (now - KEPT,)
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with sqlite.told(self._path), sqlite.transaction(self._connection):
            yield


def take_over_alerts(new: Path, old: Path) -> None:
    """Keep what people were told, and alarms, when a catalog is rebuilt: no WARC file holds them.

    What was captured so far is not told again. An old catalog that cannot be read, or is older than alerts, is left.
    """
    if not old.exists():
        return
    with closing(sqlite.open_writing(new)) as connection, suppress(sqlite3.Error):
        connection.execute("ATTACH DATABASE ? AS old", (str(old),))
        with sqlite.transaction(connection):
            for table in _TAKEN_OVER:
                connection.execute(f"INSERT INTO main.{table} SELECT * FROM old.{table}")
            connection.execute(
                """INSERT INTO main.alert_progress SELECT (SELECT coalesce(max(seq), 0) FROM main.captures)
                   WHERE EXISTS (SELECT 1 FROM old.alert_progress)"""
            )


def _alert(row: tuple[object, ...]) -> Alert:
    number, key, time, kind, site, url, importance, document = row[:8]
    return Alert(kind, time, site, url, importance, json.loads(str(document)), key, number)  # type: ignore[arg-type]
