"""Alerts and alarms in a shared catalog: the statements of store/outbox.py and store/alarming.py, written by whoever
has the duty, and by nobody else.

Every transaction of the monitor first keeps its duty: one who fell asleep finds that another has it, and writes
nothing. Deliveries are a duty for each target. A delivery process keeps it right before it sends, for longer than a
message may take, so no other sends meanwhile; when it is gone, the next one starts with what was not marked.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from strandline.store.alarming import AlarmWriter
from strandline.store.outbox import Alert, Delivery, Outbox, OutboxReading, Wanted
from strandline.store.postgres.desks import Desk, leave_desks
from strandline.store.postgres.duties import DELIVERY, claim_duty, keep_duty
from strandline.store.postgres.reading import PostgresReading, PostgresStudyReading
from strandline.store.postgres.session import Connection, Session
from strandline.store.postgres.writing import Spelled
from strandline.store.studies import Change

SENDING: Final = 240.0
"""Seconds a message may take, at most."""

Guard = Callable[[Connection], None]


def unguarded(connection: Connection) -> None:
    """For what is true whoever says it."""


class _Guarded:
    """Writes in transactions that begin with a look whether one may."""

    _session: Session
    _guard: Guard

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._session.transaction() as connection:
            self._guard(connection)
            self._connection = Spelled(connection)
            yield


class Undecided(NamedTuple):
    """What study found, and nobody decided on."""

    numbers: Sequence[int]
    """Changes, by number."""
    changes: Sequence[Change]
    """Those that are still there."""
    pages: Sequence[int]
    """Pages that were seen for the first time."""
    more: bool
    """Whether there may be more of it."""

    def __bool__(self) -> bool:
        return bool(self.numbers or self.pages)


class SharedOutbox(_Guarded, PostgresReading, Outbox):  # type: ignore[misc]
    """Alerts and deliveries of a cluster, for writing."""

    def __init__(self, session: Session, guard: Guard = unguarded) -> None:
        super().__init__(session)
        self._guard = guard

    def begin(self) -> None:
        """What was studied before alerts were first looked at was never listed as undecided."""

    def settle(self, decided: Undecided, alerts: Iterable[Alert], wanted: Wanted, room: int) -> int:
        """Alerts on what is decided with this, once and for all; returns how many are new."""
        with self._writing():
            made = sum(self._add(alert, wanted(alert)) for alert in alerts)
            self._connection.execute("DELETE FROM undecided WHERE change = ANY (?)", (list(decided.numbers),))
            self._connection.execute("DELETE FROM new_pages WHERE page = ANY (?)", (list(decided.pages),))
            self._make_room(room)
        return made


class DeliveryOutbox(SharedOutbox):
    """The deliveries to one target, for the one delivery process that has the duty."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._duty: Desk | None = None

    def next_for(self, target: str, limit: int = 1) -> list[Delivery]:
        """What the target is to have next, in order; nothing while another delivery process sees to it."""
        waiting = OutboxReading.next_for(self, target, limit)
        if not waiting:
            self._leave()
        elif self._duty is None:
            self._duty = claim_duty(self._session, target, DELIVERY, 0, SENDING)
            waiting = [] if self._duty is None else OutboxReading.next_for(self, target, limit)
        return waiting

    def trying(self, target: str, alerts: Iterable[Alert], now: float) -> None:
        """A delivery is about to be tried; LeaseLost when another delivery process sees to this target by now."""
        duty, self._duty = self._duty, None
        assert duty is not None
        self._guard = lambda connection: keep_duty(connection, duty, SENDING)
        try:
            super().trying(target, alerts, now)
        finally:
            self._guard = unguarded  # what a receiver has taken is so, whoever has the duty by now
        self._duty = duty

    def _leave(self) -> None:
        duty, self._duty = self._duty, None
        if duty is not None:
            self._session.run(lambda connection: leave_desks(connection, [duty]))

    def close(self) -> None:
        """Give the duty back."""
        self._leave()
        super().close()


class SharedAlarms(_Guarded, PostgresStudyReading, AlarmWriter):  # type: ignore[misc]
    """Alarms and observations of a cluster, for writing."""

    def __init__(self, session: Session, guard: Guard = unguarded) -> None:
        super().__init__(session)
        self._path = Path("postgresql")
        self._guard = guard

    def undecided(self, limit: int) -> Undecided:
        """Changes and new pages nobody decided on yet, the first found first."""
        listed = self._rows("SELECT change FROM undecided ORDER BY change LIMIT ?", limit)
        numbers = [int(str(change)) for (change,) in listed]
        pages = [int(str(page)) for (page,) in self._rows("SELECT page FROM new_pages ORDER BY page LIMIT ?", limit)]
        changes = list(self._changes("change = ANY (?) ORDER BY change", numbers)) if numbers else []
        return Undecided(numbers, changes, pages, max(len(numbers), len(pages)) == limit)

    def first_seen(self, pages: Sequence[int]) -> Iterator[tuple[int, str, str, float, float]]:
        """When pages were first captured: page, address, site, time twice."""
        query = """SELECT page, url, site, min(captures.time), min(captures.time)
            FROM captures JOIN pages USING (page) JOIN hosts USING (host)
            WHERE page = ANY (?) GROUP BY page, url, site ORDER BY page"""
        yield from self._rows(query, list(pages))  # type: ignore[misc]
