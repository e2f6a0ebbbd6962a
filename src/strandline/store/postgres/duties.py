"""Duties one process of a cluster has at a time: the monitor, and the deliveries to one target.

A duty is a desk (store/postgres/desks.py) under a name of its own: leased by the clock of the database, with a token
that grows when it changes hands. Whoever comes late with an old token records nothing.
"""

from typing import Final

from strandline.errors import LeaseLost
from strandline.store.postgres.desks import Desk
from strandline.store.postgres.session import Connection, Session

MONITOR: Final = "lookout"
DELIVERY: Final = "delivery"


def claim_duty(session: Session, name: str, work: str, worker: int, seconds: float) -> Desk | None:
    """Take a duty that nobody has; None while somebody does."""

    def take(connection: Connection) -> Desk | None:
        connection.execute("INSERT INTO site_desks (site, work) VALUES (%s, %s) ON CONFLICT DO NOTHING", (name, work))
        row = connection.execute(
            """UPDATE site_desks SET owner = %s, token = token + 1,
                   until = clock_timestamp() + %s * interval '1 second'
               WHERE site = %s AND work = %s AND until <= statement_timestamp() RETURNING token""",
            (worker, seconds, name, work),
        ).fetchone()
        return None if row is None else Desk(name, work, int(str(row[0])))

    return session.run(take)


def keep_duty(connection: Connection, duty: Desk, seconds: float) -> None:
    """Keep it for so long from now, and lock it for this transaction; LeaseLost when another has it."""
    kept = connection.execute(
        """UPDATE site_desks SET until = clock_timestamp() + %s * interval '1 second'
           WHERE site = %s AND work = %s AND token = %s""",
        (seconds, *duty),
    )
    if not kept.rowcount:
        raise LeaseLost(f"another process has taken over: {duty.work} {duty.site}".strip())
