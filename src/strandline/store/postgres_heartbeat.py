"""Keeps a worker's leases while it works: a thread with a connection of its own.

The worker itself may be busy for long (packing a large answer, sending a file to the object store). What it holds is
told to the heartbeat, not read from the database: a lease the worker does not know of, because the answer to its
`take` was lost, must run out.
"""

import threading

from strandline.errors import StrandlineError
from strandline.store.postgres import Connection, Session


class Heartbeat:
    """Renews leases four times in their length, until stopped."""

    def __init__(self, url: str, worker: int, lease: float) -> None:
        self._url = url
        self._worker = worker
        self._lease = lease
        self._hosts: frozenset[int] = frozenset()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def holding(self, hosts: set[int]) -> None:
        """Say which hosts are to be kept."""
        self._hosts = frozenset(hosts)

    def stop(self) -> None:
        """Renew no more."""
        self._stopped.set()
        self._thread.join(5.0)

    def _beat(self) -> None:
        session: Session | None = None
        while not self._stopped.wait(self._lease / 4):
            try:
                session = session or Session(self._url, self._lease / 4, upgrade=False)
                session.run(self._renew)
            except StrandlineError:
                continue  # the worker itself will meet the trouble; the leases may still be saved next time
        if session is not None:
            session.close()

    def _renew(self, connection: Connection) -> None:
        connection.execute(
            """UPDATE hosts SET held_until = clock_timestamp() + %s * interval '1 second'
               WHERE host IN (SELECT host FROM hosts WHERE host = ANY (%s::bigint[]) AND owner = %s AND leased > 0
                              ORDER BY host FOR NO KEY UPDATE SKIP LOCKED)""",
            (self._lease, sorted(self._hosts), self._worker),
        )
        connection.execute("UPDATE workers SET seen = clock_timestamp() WHERE worker = %s", (self._worker,))
