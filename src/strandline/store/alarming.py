"""Alarms that were opened and closed, the observations normals are learned from, and what they are observed in.

Written beside the archive's writer, through a connection of its own, in short transactions.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from strandline.core.quality.alarms import SETTLED, Point
from strandline.store import rows, sqlite
from strandline.store.narrowing import EVERYTHING, Narrow
from strandline.store.studies import Change, StudyReading

KEPT: Final = 100
"""Observations kept of each signal."""
_ALARM = "alarm, kind, subject, opened, closed, explanation, ending"


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that departs from its normal, or must not be."""

    number: int
    kind: str
    subject: str
    opened: float
    closed: float | None
    explanation: str
    ending: str


@dataclass(slots=True)
class Visits:
    """Visits to the pages of a site, and how they went."""

    visits: int = 0
    gone: int = 0
    refused: int = 0
    failing: int = 0
    collapsed: int = 0

    def __iadd__(self, other: "Visits") -> "Visits":
        self.visits += other.visits
        self.gone += other.gone
        self.refused += other.refused
        self.failing += other.failing
        self.collapsed += other.collapsed
        return self


class AlarmReading(StudyReading):
    """Alarms and observations, for readers."""

    def changes_recorded(self, after: int, up_to: int) -> Iterator[Change]:
        """Changes shown by captures in a range of numbers, in the order these were recorded."""
        return self._changes("by_seq > ? AND by_seq <= ? ORDER BY by_seq", after, up_to)

    def first_shown(self, after: int, up_to: int) -> Iterator[tuple[int, str, str, float, float]]:
        """Pages of which the first capture is in a range of numbers: page, address, site, time twice."""
        query = """SELECT captures.page, pages.url, site, captures.time, captures.time
            FROM captures JOIN pages ON pages.page = captures.page JOIN hosts USING (host)
            WHERE captures.seq > ? AND captures.seq <= ? AND NOT EXISTS (
                SELECT 1 FROM captures AS older WHERE older.page = captures.page AND older.seq < captures.seq)
            ORDER BY captures.seq"""
        yield from self._rows(query, after, up_to)  # type: ignore[misc]

    def newest_changes(
        self, site: str, url: str, least: float, limit: int, narrow: Narrow = EVERYTHING
    ) -> list[Change]:
        """The newest changes that are seen and believed, of a site, a page or all, from an importance on."""
        which, given = narrow.changes()
        where, values = f"visible = 1 AND held = 0 AND importance >= ? AND {which}", [least, *given]
        more: list[object] = []
        if url:
            where, more = f"{where} AND changes.page = ?", [self._number(url)]
        elif site:
            where, more = f"{where} AND ? IN (site, authority)", [site]
        return list(self._changes(f"{where} ORDER BY by DESC, change DESC LIMIT ?", *values, *more, limit))

    def alarms(self, since: float = float("-inf"), until: float = float("inf")) -> list[Alarm]:
        """Alarms that were open at some time of a span, the newest first."""
        query = f"""SELECT {_ALARM} FROM alarms WHERE (closed IS NULL OR closed >= ?) AND opened <= ?
            ORDER BY opened DESC, alarm DESC"""
        return [Alarm(*row) for row in self._rows(query, since, until)]  # type: ignore[arg-type]

    def open_alarms(self) -> list[Alarm]:
        """Alarms that are open now, the oldest first."""
        query = f"SELECT {_ALARM} FROM alarms WHERE closed IS NULL ORDER BY opened, alarm"
        return [Alarm(*row) for row in self._rows(query)]  # type: ignore[arg-type]

    def is_open(self, kind: str, subject: str) -> bool:
        """Whether there is an open alarm of this kind."""
        return bool(self._row("SELECT 1 FROM alarms WHERE kind = ? AND subject = ? AND closed IS NULL", kind, subject))

    def points(self, site: str, signal: str) -> list[Point]:
        """Observations of a signal in the order they were made."""
        query = "SELECT value, visits, strange FROM observations WHERE site = ? AND signal = ? ORDER BY observation"
        return [Point(value, visits, bool(strange)) for value, visits, strange in self._rows(query, site, signal)]  # type: ignore[arg-type]

    def visits_between(self, after: int, up_to: int) -> dict[str, Visits]:
        """Captures of pages in a range of numbers, by site, dead links left out: they are no pages."""
        query = f"""SELECT site, count(*), count(*) FILTER (WHERE status IN (404, 410)),
                count(*) FILTER (WHERE status IN (401, 403, 407, 429, 451)), count(*) FILTER (WHERE status >= 500),
                count(*) FILTER (WHERE held = 1 AND status NOT IN (404, 410))
            FROM captures JOIN pages USING (page) JOIN hosts USING (host) LEFT JOIN changes ON by_seq = seq
            WHERE seq > ? AND seq <= ? AND kind = 'page' AND NOT ({rows.DEAD_LINK}) GROUP BY site"""
        return {str(row[0]): Visits(*row[1:]) for row in self._rows(query, after, up_to)}  # type: ignore[arg-type]

    def failed_between(self, since: float, until: float) -> dict[str, int]:
        """Pages whose last visit fell into a span and got no whole answer, by site."""
        query = """SELECT site, count(*) FROM pages JOIN hosts USING (host)
            WHERE visited > ? AND visited <= ? AND kind = 'page'
                AND outcome NOT IN ('', 'answered', 'truncated', 'skipped', 'offline') GROUP BY site"""
        return {str(site): int(str(count)) for site, count in self._rows(query, since, until)}

    def in_vain_between(self, since: float, until: float) -> dict[str, tuple[int, float]]:
        """Pages whose last visit fell into a span and is to be made again, for want of an answer or because of an error
        of the server: how many, and when the first was, by site.
        """
        query = """SELECT site, count(*), min(visited) FROM pages JOIN hosts USING (host)
            WHERE visited > ? AND visited <= ? AND kind = 'page' AND attempts > 0 AND outcome <> 'offline'
            GROUP BY site"""
        rows_found = self._rows(query, since, until)
        return {str(site): (int(str(count)), float(str(first))) for site, count, first in rows_found}

    def answered_since(self, sites: Mapping[str, float], after: int) -> set[str]:
        """Sites of which the last visit of any page was after a time of its own and got an answer, whatever it said,
        but for errors of the server: among the pages with captures from a number on.
        """
        if not sites:
            return set()
        query = """SELECT site, max(visited) FROM pages JOIN hosts USING (host)
            WHERE page IN (SELECT page FROM captures WHERE seq > ?)
                AND kind = 'page' AND attempts = 0 AND outcome IN ('answered', 'truncated') GROUP BY site"""
        told = {str(site): float(str(time)) for site, time in self._rows(query, after)}
        return {site for site, since in sites.items() if told.get(site, since) > since}

    def present(self) -> dict[str, int]:
        """Pages that are there as far as is known, by site."""
        query = """SELECT site, sum(present_pages.pages) FROM present_pages JOIN hosts USING (host)
            WHERE present_pages.pages > 0 GROUP BY site"""
        return {str(site): int(str(count)) for site, count in self._rows(query)}

    def rules_in_force(self) -> set[tuple[str, str]]:
        """Site and rule of the history of rules that were not retired."""
        return {(str(a), str(b)) for a, b in self._rows("SELECT site, rule FROM rule_history WHERE retired IS NULL")}


@dataclass(frozen=True, slots=True)
class Observation:
    """A point of a signal to be kept."""

    site: str
    signal: str
    point: Point


class AlarmWriter(AlarmReading):
    """Alarms and observations, for writing beside the archive's writer."""

    @classmethod
    def open(cls, database: Path, everything: bool = True) -> Self:
        """Open for writing: short transactions, beside other writers."""
        return cls(sqlite.open_writing(database), database)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with sqlite.told(self._path), sqlite.transaction(self._connection):
            yield

    def raise_alarm(self, kind: str, subject: str, now: float, explanation: str) -> bool:
        """Open an alarm; False when it is open already."""
        with self._writing():
            done = self._connection.execute(
                "INSERT OR IGNORE INTO alarms (kind, subject, opened, explanation, ending) VALUES (?, ?, ?, ?, '')",
                (kind, subject, now, explanation),
            )
        return bool(done.rowcount)

    def clear_alarm(self, kind: str, subject: str, now: float, ending: str) -> Alarm | None:
        """Close an alarm; None when it is not open."""
        with self._writing():
            row = self._connection.execute(
                f"""UPDATE alarms SET closed = ?, ending = ? WHERE kind = ? AND subject = ? AND closed IS NULL
                    RETURNING {_ALARM}""",
                (now, ending, kind, subject),
            ).fetchone()
        return None if row is None else Alarm(*row)

    def keep(self, observations: Iterable[Observation], now: float, state: tuple[str, dict[str, object]]) -> None:
        """Keep a round of observations together with the state it leaves behind (a note of kind `alarms`)."""
        with self._writing():
            for one in observations:
                place = (one.site, one.signal)
                self._connection.execute(
                    "INSERT INTO observations (site, signal, time, value, visits, strange) VALUES (?, ?, ?, ?, ?, ?)",
                    (*place, now, one.point.value, one.point.visits, one.point.strange),
                )
                self._trim(place, KEPT)
            name, value = state
            self._connection.execute("REPLACE INTO notes VALUES ('alarms', ?, ?)", (name, json.dumps(value).encode()))

    def keep_note(self, kind: str, key: str, value: object) -> None:
        """Keep a small value, as JSON."""
        with self._writing():
            self._connection.execute("REPLACE INTO notes VALUES (?, ?, ?)", (kind, key, json.dumps(value).encode()))

    def settle(self, site: str, signal: str) -> None:
        """What was strange is normal now: what was before is forgotten."""
        with self._writing():
            self._trim((site, signal), SETTLED)
            self._connection.execute(
                "UPDATE observations SET strange = 0 WHERE site = ? AND signal = ?", (site, signal)
            )

    def _trim(self, place: tuple[str, str], kept: int) -> None:
        self._connection.execute(
            """DELETE FROM observations WHERE site = ? AND signal = ? AND observation <=
               (SELECT observation FROM observations WHERE site = ? AND signal = ?
                ORDER BY observation DESC LIMIT 1 OFFSET ?)""",
            (*place, *place, kept),
        )
