"""The hours of a cluster's plan: what all sites together may visit, at which price, above which cut.

What price and cut are says core/plan/shared_price.py.

The first desk of an hour opens it; the others plan by what is written there. When much of it is left without a use
later on, it is divided again, and desks plan what they left out before.
"""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

import numpy as np
from psycopg.types.json import Jsonb

from strandline.core.plan.strategy import Floats
from strandline.store.postgres.session import Connection, Session

_OPENING: Final = 0x57524B4D
"""Key of the lock under which an hour is opened or divided again."""


class PlanHour(NamedTuple):
    """One hour: see migrations/0008-market.sql."""

    start: float
    round: int
    divided: float
    visits: float
    taken: int
    price: float
    cut: float | None
    factors: dict[str, float] | None = None
    """Of collections with an objective of their own: migrations/0019-aims.sql."""


class Wanted(NamedTuple):
    """What desks left in their last plans, added up: demand by price, offers by urgency; None where nobody did."""

    demand: Floats | None
    offers: Floats | None
    waiting: int
    """Pages and parts that are due by the end of the hour, planned or not; counted up to what was asked."""
    worths: dict[str, tuple[float, float]]
    """Of collections with an objective of their own, all sites together."""


def known_hour(session: Session, start: float) -> PlanHour | None:
    """An hour that was opened."""
    return session.run(lambda connection: _hour(connection, start), at_once=True)


def open_hour(
    session: Session, start: float, divided: Callable[[Connection, PlanHour | None], PlanHour | None]
) -> PlanHour:
    """Open an hour, or divide it again; one worker at a time. `divided` gives the new line, None to leave it."""

    def write(connection: Connection) -> PlanHour:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_OPENING,))
        known = _hour(connection, start)
        made = divided(connection, known) or known
        assert made is not None
        if made is not known:
            connection.execute(
                """INSERT INTO plan_hours VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (start) DO UPDATE
                   SET round = excluded.round, divided = excluded.divided, visits = excluded.visits,
                       cut = excluded.cut""",
                made._replace(factors=Jsonb(made.factors)),  # type: ignore[arg-type]
            )
        return made

    return session.run(write)


def _hour(connection: Connection, start: float) -> PlanHour | None:
    row = connection.execute(
        "SELECT start, round, divided, visits, taken, price, cut, factors FROM plan_hours WHERE start = %s", (start,)
    ).fetchone()
    return None if row is None else PlanHour(*row)  # type: ignore[arg-type]


def opened_since(session: Session, start: float) -> bool:
    """Whether an hour was opened since a time: a watch is under way."""
    query = "SELECT FROM plan_hours WHERE start > %s LIMIT 1"
    return session.run(lambda connection: connection.execute(query, (start,)).rowcount > 0, at_once=True)


def wanted_by_all(connection: Connection, end: float, most: int, closed: Collection[str] = ()) -> Wanted:
    """What desks want, and what is due anyway up to a time and may be asked for by then, counted up to `most`, without
    what closed hosts have. Of a host that failed last it is one.
    """
    shut, shut_out = ("AND authority <> ALL(%s)", [list(closed)]) if closed else ("", [])
    row = connection.execute(
        f"""SELECT (SELECT coalesce(sum(CASE WHEN failures > 0 THEN 1 ELSE queued END), 0) FROM hosts
                    WHERE queued > 0 AND not_before <= %s {shut})
               + (SELECT count(*) FROM (SELECT FROM pages JOIN hosts USING (host) WHERE state = 2 AND failures = 0
                    AND pages.not_before <= %s AND hosts.not_before <= %s {shut} LIMIT %s) AS again)
               + (SELECT count(*) FROM (SELECT FROM pages WHERE state = 0 AND due <= %s LIMIT %s) AS soon)""".encode(),
        (end, *shut_out, end, end, *shut_out, most, end, most),
    ).fetchone()
    assert row is not None
    return Wanted(_summed(connection, "demand"), _summed(connection, "offers"), int(str(row[0])), _worths(connection))


def _worths(connection: Connection) -> dict[str, tuple[float, float]]:
    rows = connection.execute(
        """SELECT key, sum((value ->> 0)::float8), sum((value ->> 1)::float8)
           FROM site_desks CROSS JOIN jsonb_each(worths) WHERE work = 'plan' GROUP BY key"""
    )
    return {str(name): (float(str(theirs)), float(str(own))) for name, theirs, own in rows}


def _summed(connection: Connection, column: str) -> Floats | None:
    row = connection.execute(
        f"""SELECT array_agg(total ORDER BY place) FROM (
                SELECT place, sum(amount)::float8 AS total
                FROM site_desks CROSS JOIN unnest({column}) WITH ORDINALITY AS step (amount, place)
                WHERE work = 'plan' GROUP BY place) AS steps""".encode()
    ).fetchone()
    return None if row is None or row[0] is None else np.array(row[0], dtype=np.float64)
