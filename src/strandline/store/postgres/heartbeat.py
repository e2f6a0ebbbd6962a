"""Leases are kept while their holder works: threads with connections of their own.

A worker may be busy for long (packing a large answer, sending a file to the object store), and so may be whoever plans
or learns at a desk. What they hold is known from their own memory, not read from the database: a lease the worker does
not know of, because the answer to its `take` was lost, must run out. A lease that went to another is never renewed, and
what its former holder writes is refused (fencing).
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

import psycopg

from strandline.errors import StrandlineError
from strandline.store.postgres.clock_back import follow_clock
from strandline.store.postgres.desks import Desk, renew_desks
from strandline.store.postgres.frontier import SharedFrontier
from strandline.store.postgres.session import Connection, Session

_PIECE: Final = 100
_BEATS: Final = 4
"""Times a lease is renewed in its length."""
_LONGEST: Final = 30.0
"""Seconds between two beats of a worker, at most: one that is silent for some minutes is missed."""


class _Pulse:
    """Does something every so many seconds, until stopped; connects when there is something to do."""

    def __init__(
        self, url: str, every: float, beat: Callable[[Session], None], needed: Callable[[], bool] = lambda: True
    ) -> None:
        self._url = url
        self._every = every
        self._beat = beat
        self._needed = needed
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """No more of it."""
        self._stopped.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        session: Session | None = None
        while not self._stopped.wait(self._every):
            if not self._needed():
                continue
            try:
                session = session or Session(self._url, self._every, upgrade=False)
                self._beat(session)
            except (StrandlineError, psycopg.Error):
                continue  # the holder itself will meet the trouble; the leases may still be saved next time
        if session is not None:
            session.close()


class Heartbeat:
    """Keeps the hosts a worker holds."""

    def __init__(self, url: str, frontier: SharedFrontier) -> None:
        self._frontier = frontier
        self._lease = frontier.terms.seconds
        self.settings = ""
        """A mark of the settings the cluster had at the last beat (md5); empty before the first."""
        self._pulse = _Pulse(url, min(self._lease / _BEATS, _LONGEST), self._beat)

    def stop(self) -> None:
        """Renew no more."""
        self._pulse.stop()

    def _beat(self, session: Session) -> None:
        follow_clock(session)
        # Each in a transaction of its own: a commit locks the two kinds of rows the other way round.
        session.run(self._alive)
        for hosts in self._pieces():
            session.run(partial(self._renew, hosts))

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
        row = connection.execute(
            """UPDATE workers SET seen = clock_timestamp() WHERE worker = %s
               RETURNING (SELECT md5(value) FROM notes WHERE kind = 'cluster' AND key = 'settings')""",
            (self._frontier.me,),
        ).fetchone()
        self.settings = str(row[0] or "") if row else ""


class DeskKeeper:
    """Keeps desks for as long as work at them takes. Desks are added and dropped by the thread that works there."""

    def __init__(self, url: str, lease: float) -> None:
        self.lease = lease
        self._desks: frozenset[Desk] = frozenset()
        self._pulse = _Pulse(url, lease / _BEATS, self._beat, lambda: bool(self._desks))

    def keep(self, desks: Iterable[Desk]) -> None:
        """Keep these desks, and no others, from now on."""
        self._desks = frozenset(desks)

    def drop(self, desk: Desk) -> None:
        """The work at a desk is done."""
        self._desks -= {desk}

    def close(self) -> None:
        """Keep none."""
        self._pulse.stop()

    def _beat(self, session: Session) -> None:
        desks = list(self._desks)
        if desks:
            renew_desks(session, desks, self.lease)
