"""What people look at, over a shared catalog: the few questions of the interface, of `status` and of reports that
PostgreSQL is asked in other words than SQLite (days, whether anyone works).

All others are those of store/browsing.py, store/status.py and store/reporting.py, spelled anew by `on_postgres`.
"""

from typing import ClassVar, Final

from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.browsing import BrowsingReading
from strandline.store.postgres.reading import PostgresReading, PostgresStudyReading, on_postgres
from strandline.store.postgres.session import Session
from strandline.store.postgres.troubles import troubles, workers_alive
from strandline.store.reading import Reading
from strandline.store.status import StatusReading
from strandline.store.watching import WatchState


class PostgresBrowsing(PostgresStudyReading, BrowsingReading):
    """Queries of the interface."""

    _DAY_OF: ClassVar = "trunc({} / 86400.0)::bigint"
    _OF_SITE: ClassVar = "host = ANY (ARRAY(SELECT host FROM hosts WHERE ? IN (site, authority)))"
    """Reaches the tables behind the view of days, where a subquery would not."""


class PostgresAlarms(PostgresStudyReading, AlarmReading):
    """Alarms, with what is evident from the database although nobody is there to raise an alarm on it."""

    def open_alarms(self) -> list[Alarm]:
        """Alarms that are open now, the oldest first."""
        found = super().open_alarms()
        raised = {(one.kind, one.subject) for one in found}
        evident = [one for one in troubles(self._session) if (one.kind, one.subject) not in raised]
        found += [Alarm(0, one.kind, one.subject, one.since, None, one.why, "") for one in evident]
        return sorted(found, key=lambda one: one.opened)


class PostgresStatus(PostgresAlarms, StatusReading):
    """Queries of `status` and `/metrics`."""

    def watch_state(self) -> WatchState | None:
        """How the workers stand, as if they were one watch; None when there never was a worker."""
        row = self._row(
            """SELECT count(*), extract(epoch FROM min(started) FILTER (WHERE ended IS NULL))::float8,
                   extract(epoch FROM max(started))::float8, extract(epoch FROM max(seen))::float8,
                   count(*) FILTER (WHERE ended IS NULL), coalesce(sum(captures), 0), coalesce(sum(octets), 0)
               FROM workers WHERE name LIKE '%@%'"""
        )
        if row is None or not row[0]:
            return None
        _, first, last, seen, unended, captures, octets = row
        length = self._row("SELECT length FROM watch_time ORDER BY start DESC LIMIT 1")
        document = {"workers": workers_alive(self._session), "captured": captures, "octets": octets}
        document |= {"hour_seconds": length[0]} if length else {}
        ended = "" if unended else "all workers have ended"
        return WatchState(0, "cluster", float(str(first or last)), float(str(seen)), ended, document)


_OWN: Final[dict[type[Reading], type[PostgresStudyReading]]] = {
    AlarmReading: PostgresAlarms,
    BrowsingReading: PostgresBrowsing,
    StatusReading: PostgresStatus,
}


def reading_of(kind: type[Reading], session: Session) -> Reading:
    """Any kind of reading over a shared catalog, through a session that others use, too."""
    own = _OWN.get(kind)
    made = on_postgres(kind, session) if own is None else own(session)
    assert isinstance(made, PostgresReading)
    made.lent = True
    return made
