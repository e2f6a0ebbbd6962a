"""The common purse: what all workers may spend, counted in one place.

Time is cut into short spans. What is spent is booked in the span it was set aside in, so a budget holds for
every stretch of time, not for hours of the clock only. Whoever sets something aside holds a lock on that purse for the
moment it takes to count.
"""

import math
from typing import Final, NamedTuple

from strandline.store.postgres.session import Connection, Session

_ROUNDING: Final = 1e-9
_SAVING: Final = "hashtextextended('saving', 1)"
"""The lock of who saves: as long as its session, so that nobody who is gone holds it. Origin: a definition."""


class Limit(NamedTuple):
    """What a purse holds at a moment: at most `amount` since a time, and at most `dealt` since another."""

    amount: float
    since: float
    dealt: float
    dealt_since: float


class Entry(NamedTuple):
    """A line in the book: place (empty for the whole archive), first second of the span, cost, and requests."""

    place: str
    start: float
    cost: float
    requests: int


class SharedBook:
    """What was spent, read and written through a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def set_aside(self, wanted: Entry, limit: Limit, back: Entry | None = None) -> int:
        """Requests of those wanted that may be sent, at their cost; `back` is what was set aside and not sent."""
        price = wanted.cost / wanted.requests

        def book(connection: Connection) -> int:
            _lock(connection, wanted.place)
            if back is not None:
                _add(connection, back)
            room = _left(connection, wanted.place, limit)
            granted = max(0, min(wanted.requests, int(room / price + _ROUNDING)))
            if granted and _add(connection, wanted._replace(cost=granted * price, requests=granted)):
                _forget(connection, wanted.place, 2 * min(limit.since, limit.dealt_since) - wanted.start)
            return granted

        return self._session.run(book)

    def add(self, entry: Entry, forget: float = -math.inf) -> None:
        """Book a cost, or give one back, whatever the purse holds; lines from before `forget` count no more."""

        def book(connection: Connection) -> None:
            if _add(connection, entry) and forget > -math.inf:
                _forget(connection, entry.place, forget)

        self._session.run(book)

    def left(self, place: str, limit: Limit) -> float:
        """What a purse still holds."""
        return self._session.run(lambda connection: _left(connection, place, limit), at_once=True)

    def may_save(self) -> bool:
        """Whether nobody else saves for something that takes much; then we do, until we end it, or are gone."""

        def ask(connection: Connection) -> bool:
            row = connection.execute(f"SELECT pg_try_advisory_lock({_SAVING})").fetchone()
            return row is not None and bool(row[0])

        return self._session.run(ask)

    def save_no_more(self) -> None:
        """Others may."""
        self._session.run(lambda connection: connection.execute(f"SELECT pg_advisory_unlock({_SAVING})"))

    def spent(self, place: str, since: float) -> list[tuple[float, float]]:
        """Spans since a time, and what was spent in each."""
        query = "SELECT start, spent FROM spending WHERE place = %s AND start > %s AND spent > 0 ORDER BY start"
        return self._session.run(
            lambda connection: [
                (float(str(start)), float(str(spent))) for start, spent in connection.execute(query, (place, since))
            ],
            at_once=True,
        )

    def usual_cost(self, place: str, since: float) -> float | None:
        """What a request cost on average since a time; None for nobody knows."""

        def ask(connection: Connection) -> float | None:
            row = connection.execute(
                "SELECT sum(spent) / nullif(sum(requests), 0) FROM spending WHERE place = %s AND start > %s",
                (place, since),
            ).fetchone()
            return None if row is None or row[0] is None else float(str(row[0]))

        return self._session.run(ask, at_once=True)


def _lock(connection: Connection, place: str) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", (f"purse {place}",))


def _forget(connection: Connection, place: str, before: float) -> None:
    connection.execute("DELETE FROM spending WHERE place = %s AND start < %s", (place, before))


def _add(connection: Connection, entry: Entry) -> bool:
    """Book a line; True when it is the first of its span."""
    row = connection.execute(
        """INSERT INTO spending (place, start, spent, requests) VALUES (%s, %s, %s, %s)
           ON CONFLICT (place, start) DO UPDATE SET spent = spending.spent + excluded.spent,
               requests = spending.requests + excluded.requests
           RETURNING xmax = 0""",
        entry,
    ).fetchone()
    return row is not None and bool(row[0])


def _left(connection: Connection, place: str, limit: Limit) -> float:
    row = connection.execute(
        """SELECT coalesce(sum(spent) FILTER (WHERE start > %s), 0), coalesce(sum(spent) FILTER (WHERE start >= %s), 0)
           FROM spending WHERE place = %s AND start >= %s""",
        (limit.since, limit.dealt_since, place, min(limit.since, limit.dealt_since)),
    ).fetchone()
    assert row is not None
    return min(limit.amount - float(str(row[0])), limit.dealt - float(str(row[1])))
