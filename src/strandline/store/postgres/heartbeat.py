"""Keeps a worker's leases while it works: a thread with a connection of its own.

The worker itself may be busy for long (packing a large answer, sending a file to the object store). What it holds is
known from its own memory, not read from the database: a lease the worker does not know of, because the answer to its
`take` was lost, must run out.
"""

import threading
from collections.abc import Iterator
from functools import partial
from typing import Final

import psycopg

from strandline.errors import StrandlineError
from strandline.store.postgres.frontier import SharedFrontier
from strandline.store.postgres.session import Connection, Session

_PIECE: Final = 100


class Heartbeat:
    """Renews leases four times in their length, until stopped."""

    def __init__(self, url: str, frontier: SharedFrontier) -> None:
        self._url = url
        self._frontier = frontier
        self._lease = frontier.terms.seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Renew no more."""
        self._stopped.set()
        self._thread.join(5.0)

    def _beat(self) -> None:
        session: Session | None = None
        while not self._stopped.wait(self._lease / 4):
            try:
                session = session or Session(self._url, self._lease / 4, upgrade=False)
                # Each in a transaction of its own: a commit locks the two kinds of rows the other way round.
                session.run(self._alive)
                for hosts in self._pieces():
                    session.run(partial(self._renew, hosts))
            except (StrandlineError, psycopg.Error):
                continue  # the worker itself will meet the trouble; the leases may still be saved next time
        if session is not None:
            session.close()

    def _pieces(self) -> Iterator[list[int]]:
        """Some hosts at a time: while their rows are locked the worker itself cannot take pages of them."""
        hosts = sorted(self._frontier.hosts.copy())
        for start in range(0, max(len(hosts), 1), _PIECE):
            yield hosts[start : start + _PIECE]

    def _renew(self, hosts: list[int], connection: Connection) -> None:
        connection.execute(
            """UPDATE hosts SET held_until = clock_timestamp() + %s * interval '1 second'
               WHERE host IN (SELECT host FROM hosts WHERE host = ANY (%s::bigint[]) AND owner = %s AND leased > 0
                              ORDER BY host FOR NO KEY UPDATE SKIP LOCKED)""",
            (self._lease, hosts, self._frontier.me),
        )

    def _alive(self, connection: Connection) -> None:
        connection.execute("UPDATE workers SET seen = clock_timestamp() WHERE worker = %s", (self._frontier.me,))
