"""A database whose clock was ahead and is set right: times that lie in its future go back with it.

Leases, back-offs, plans and what was spent bear the time of the database. Once its clock goes back, leases of workers
that died would last until it is as late again, hours would count as planned and budgets as spent, perhaps for a year.
The latest time anybody saw is noted; whoever sees an earlier one moves what lies ahead by the difference. A time lies
ahead when it is nearer to the clock as it was than to the clock as it is. What was captured keeps its dates.
"""

from functools import partial
from typing import Final

from strandline.ports import PLANNED
from strandline.store.postgres.session import Connection, Session

LEAST: Final = 60.0
"""Seconds a clock may go back and nobody minds: leases last that much longer, once."""
_OFTEN: Final = 5.0
"""Seconds between two notes of the time."""
_STRIDE: Final = 20_000
"""Pages that are moved in one transaction."""
_NOTE: Final = ("cluster", "clock")
_LOCK: Final = 0x57524B50

_LOOK: Final = """SELECT extract(epoch FROM clock_timestamp())::float8,
    (SELECT value FROM notes WHERE kind = %s AND key = %s)"""
_STAMPS: Final = (("hosts", "held_until"), ("workers", "seen"), ("workers", "hungry"), ("site_desks", "until"))
_SECONDS: Final = (
    ("hosts", "not_before"), ("site_desks", "planned"), ("robots", "time"), ("deliveries", "not_before"),
)  # fmt: skip
_HOURS: Final = ("plan_hours", "watch_hours")
"""What hours ahead were to do and did: they come again, and are told anew."""
# Pages stay in their queues: one that rests and is due now is found by whoever looks next.
_PAGES: Final = f"""UPDATE pages
    SET due = CASE WHEN due > %(ahead)s AND due < {PLANNED} THEN due - %(back)s ELSE due END,
        not_before = CASE WHEN not_before > %(ahead)s THEN not_before - %(back)s ELSE not_before END
    WHERE page IN (SELECT page FROM pages
        WHERE (due > %(ahead)s AND due < {PLANNED}) OR not_before > %(ahead)s
        ORDER BY page LIMIT {_STRIDE} FOR NO KEY UPDATE SKIP LOCKED)"""
_SPENDING: Final = """WITH moved AS (DELETE FROM spending WHERE start > %(ahead)s RETURNING *)
    INSERT INTO spending (place, start, spent, requests)
        SELECT place, start - %(back)s, spent, requests FROM moved
        ON CONFLICT (place, start) DO UPDATE
            SET spent = spending.spent + excluded.spent, requests = spending.requests + excluded.requests"""


def follow_clock(session: Session) -> float:
    """Note the time, or, when it was later before, move what lies ahead; returns by how many seconds."""
    now, back = session.run(_look)
    if back < LEAST:
        return 0.0
    moved = {"ahead": now + back / 2, "back": back}
    while session.run(lambda connection: connection.execute(_PAGES.encode(), moved).rowcount) >= _STRIDE:
        pass
    return session.run(partial(_move, back))


def _look(connection: Connection) -> tuple[float, float]:
    """The time, and by how many seconds it was later before; notes it when it was not."""
    row = connection.execute(_LOOK, _NOTE).fetchone()
    assert row is not None
    now, latest = float(str(row[0])), -1.0 if row[1] is None else float(bytes(row[1]))  # type: ignore[call-overload]
    if now > latest + _OFTEN:
        _note(connection, now)
    return now, latest - now


def _note(connection: Connection, now: float) -> None:
    connection.execute(
        "INSERT INTO notes VALUES (%s, %s, %s) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
        (*_NOTE, repr(now).encode()),
    )


def _move(seen: float, connection: Connection) -> float:
    """Everything but pages, in one transaction: done by one, and once."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    now, back = _look(connection)
    if back < LEAST or abs(back - seen) > LEAST:  # another was quicker, or it moves on: the next look will tell
        return 0.0
    moved = {"ahead": now + back / 2, "back": back}
    for table, column in _STAMPS:
        statement = f"""UPDATE {table} SET {column} = {column} - %(back)s * interval '1 second'
            WHERE {column} > to_timestamp(%(ahead)s)"""
        connection.execute(statement.encode(), moved)
    for table, column in _SECONDS:
        statement = f"UPDATE {table} SET {column} = {column} - %(back)s WHERE {column} > %(ahead)s"
        connection.execute(statement.encode(), moved)
    for table in _HOURS:
        connection.execute(f"DELETE FROM {table} WHERE start > %(ahead)s".encode(), moved)
    connection.execute(_SPENDING, moved)
    _note(connection, now)
    return back
