"""The frontier of many workers: which page is fetched next, by whom, and for how long it is theirs.

Pages have the four states of the embedded frontier (see store/frontier.py). What is leased to a worker is a *host*:
at most one worker asks a host at any time, so politeness needs no further agreement. A lease is a line in `hosts`:

    owner       the worker
    token       grows whenever the host changes hands; a commit under an older token is refused (fencing)
    held_until  by the clock of the database; kept ahead by the heartbeat while pages are being fetched, and for the
                rest of the polite delay after the last of them

`take` is one statement: the next hosts in turn that are free or its own, rows that others work on being passed over
(`FOR UPDATE SKIP LOCKED`), the best page of each, and the leases. It leases nothing when it sees that time went on
(pages became due, a back-off is over, a lease ran out, another worker finds nothing): then that is settled first.
When a lease runs out, whoever looks next frees the pages of that host and moves the token on, whatever its former owner
may still be doing.

A page may only enter or leave a queue under the lock on its host's row, which is why the counts there are exact.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from strandline.core.capture import Kind
from strandline.ports import Task
from strandline.store import rows
from strandline.store.postgres.session import Connection

RESTING, QUEUED, BACKED_OFF, LEASED = range(4)

_SLACK: Final = 0.25
"""Seconds by which workers may differ about the present before pages are taken out of the queue again."""
_AWAY: Final = 10.0
"""Seconds after which a silent worker has no share, at least."""
_ASK: Final = 0.5
"""Seconds between two complaints of a worker that finds no host."""
_STRIDE: Final = 20_000
"""Pages that change state in one transaction when time goes on."""

_STATE = "CASE WHEN due > %(horizon)s THEN 0 WHEN not_before > 0 THEN 2 ELSE 1 END"

CAPTURE = rows.CAPTURE.replace("offset", '"offset"')
"""The columns of a capture, as PostgreSQL spells them."""

_PROBE = """SELECT (SELECT horizon FROM frontier) AS horizon,
    EXISTS (SELECT FROM pages WHERE state = 0 AND due <= %(before)s) AS resting,
    EXISTS (SELECT FROM pages WHERE state = 2 AND not_before <= %(now)s)
        OR EXISTS (SELECT FROM hosts WHERE queued > 0 AND waiting = 1 AND not_before <= %(now)s) AS asleep,
    EXISTS (SELECT FROM hosts WHERE leased > 0 AND held_until <= statement_timestamp()) AS expired,
    CASE WHEN EXISTS (SELECT FROM workers WHERE ended IS NULL AND worker <> %(me)s AND hungry > statement_timestamp()
            - interval '3 seconds')
        THEN (SELECT count(*) FROM hosts WHERE queued > 0 AND waiting = 0 OR queued > 0 AND waiting = 1 OR leased > 0)
            / (SELECT count(*) FROM workers WHERE ended IS NULL
               AND seen > statement_timestamp() - %(away)s * interval '1 second') END AS share"""

_HUNGRY = """UPDATE workers SET hungry = clock_timestamp() WHERE worker = %(me)s AND EXISTS (
    SELECT FROM hosts WHERE queued > 0 AND waiting = 0 AND owner <> %(me)s AND held_until > statement_timestamp())"""

_LEASE = f"""chosen AS MATERIALIZED (
    SELECT host FROM hosts
    WHERE queued > 0 AND waiting = 0 AND authority <> ALL (%(busy)s)
        AND (%(only)s::text[] IS NULL OR authority = ANY (%(only)s::text[]))
        AND (owner = %(me)s OR leased = 0 AND held_until <= statement_timestamp())
        AND (SELECT settled FROM present)
    ORDER BY turn LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED
), best AS MATERIALIZED (
    SELECT page FROM chosen CROSS JOIN LATERAL (
        SELECT page FROM pages WHERE state = 1 AND pages.host = chosen.host ORDER BY priority, page LIMIT 1) AS first
), taken AS (
    UPDATE pages SET state = 3 FROM best WHERE pages.page = best.page AND pages.state = 1 RETURNING pages.*
), held AS (
    UPDATE hosts SET turn = nextval('turns'), queued = queued - 1, leased = leased + 1, owner = %(me)s,
        token = token + CASE WHEN owner IS NOT DISTINCT FROM %(me)s THEN 0 ELSE 1 END,
        held_until = clock_timestamp() + %(lease)s * interval '1 second'
    FROM taken WHERE hosts.host = taken.host AND hosts.host = ANY (ARRAY (SELECT host FROM chosen))
    RETURNING hosts.host, authority, token
)
SELECT settled, pages.page, pages.url, authority, kind, hops, attempts, etag, last_modified, conditional, pages.host,
    token, {rows.READ}, via, seq, {CAPTURE}
FROM present LEFT JOIN (taken AS pages JOIN held ON held.host = pages.host) ON true
    LEFT JOIN LATERAL (SELECT * FROM captures WHERE seq = origin LIMIT 1) AS captures ON true
    LEFT JOIN LATERAL (SELECT * FROM files WHERE files.file = captures.file LIMIT 1) AS files ON true
ORDER BY pages.priority, pages.page"""

_LEASE_SETTLED = f"WITH present AS MATERIALIZED (SELECT true AS settled), {_LEASE}"
_LEASE_IF_SETTLED = f"""WITH present AS MATERIALIZED (
    SELECT NOT (resting OR asleep OR expired) AND share IS NULL AND abs(horizon - %(before)s) <= {_SLACK} AS settled
    FROM ({_PROBE}) AS probe
), {_LEASE}"""

_EXPIRED = f"""WITH lost AS MATERIALIZED (
    SELECT host FROM hosts WHERE leased > 0 AND held_until <= statement_timestamp()
    ORDER BY host LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED
), freed AS (
    UPDATE pages SET state = {_STATE} FROM lost WHERE pages.host = lost.host AND state = 3
    RETURNING pages.host, pages.state
), counted AS (
    SELECT host, count(*) FILTER (WHERE state = 1) AS queued, count(*) FILTER (WHERE state = 2) AS backed_off
    FROM freed GROUP BY host
)
UPDATE hosts SET owner = NULL, token = token + 1, leased = 0,
    queued = hosts.queued + coalesce(counted.queued, 0), backed_off = hosts.backed_off + coalesce(counted.backed_off, 0)
FROM lost LEFT JOIN counted USING (host) WHERE hosts.host = lost.host"""

_RELEASE = f"""WITH own AS MATERIALIZED (
    SELECT hosts.host FROM hosts JOIN unnest(%(hosts)s::bigint[], %(tokens)s::bigint[]) AS held (host, token)
        ON hosts.host = held.host AND hosts.token = held.token
    WHERE owner = %(me)s ORDER BY hosts.host FOR NO KEY UPDATE OF hosts
), freed AS (
    UPDATE pages SET state = {_STATE} FROM own
    WHERE pages.page = ANY (%(pages)s::bigint[]) AND pages.host = own.host AND state = 3
    RETURNING pages.host, pages.state
), counted AS (
    SELECT host, count(*) AS freed, count(*) FILTER (WHERE state = 1) AS queued,
        count(*) FILTER (WHERE state = 2) AS backed_off
    FROM freed GROUP BY host
)
UPDATE hosts SET leased = leased - counted.freed, queued = hosts.queued + counted.queued,
    backed_off = hosts.backed_off + counted.backed_off,
    held_until = CASE WHEN leased = counted.freed
        THEN clock_timestamp() + coalesce(polite.seconds, 0) * interval '1 second' ELSE held_until END
FROM counted LEFT JOIN unnest(%(hosts)s::bigint[], %(polite)s::float8[]) AS polite (host, seconds) USING (host)
WHERE hosts.host = counted.host"""

_WAITING = """SELECT coalesce(sum(queued + backed_off), 0)
        + coalesce(sum(leased) FILTER (WHERE owner IS DISTINCT FROM %(me)s), 0),
    min(CASE
        WHEN queued > 0 AND waiting = 1 THEN not_before
        WHEN queued > 0 AND (owner = %(me)s OR held_until <= statement_timestamp()) THEN 0
        WHEN queued > 0 OR leased > 0 AND owner IS DISTINCT FROM %(me)s THEN extract(epoch FROM held_until)::float8
        END),
    (SELECT min(not_before) FROM pages WHERE state = 2)
FROM hosts WHERE queued > 0 AND waiting = 0 OR queued > 0 AND waiting = 1 OR leased > 0 OR backed_off > 0"""


class Lease(NamedTuple):
    """Under which a page is fetched."""

    host: int
    authority: str
    token: int


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """How long hosts are held."""

    seconds: float = 30.0
    """A worker that was not heard of for so long has lost its hosts."""
    polite: Callable[[str], float] = lambda _authority: 0.0
    """Seconds for which a host wants to be left alone now: no other worker may ask it earlier."""


class SharedFrontier:
    """Leases of one worker. Methods run inside a transaction of the session."""

    def __init__(self, me: int, terms: LeaseTerms, horizon: float) -> None:
        self.me = me
        self.terms = terms
        self.horizon = horizon
        self.held: dict[int, Lease] = {}
        """By page: what this worker is fetching."""
        self.hosts: Counter[int] = Counter()
        """How many pages of each host."""
        self._asked = 0.0
        self._share: int | None = None
        """Hosts this worker should have at most, while another finds none."""

    def hold(self, page: int, lease: Lease) -> None:
        """A page is this worker's now."""
        self.held[page] = lease
        self.hosts[lease.host] += 1

    def drop(self, page: int) -> None:
        """A page is no longer this worker's, if it was."""
        lease = self.held.pop(page, None)
        if lease is not None:
            self.hosts[lease.host] -= 1
            if not self.hosts[lease.host]:
                del self.hosts[lease.host]

    def state_for(self, due: float, not_before: float) -> int:
        """The state of a page that is not leased; what is due earlier than thought is found by the next `take`."""
        if due > self.horizon:
            return RESTING
        return BACKED_OFF if not_before > 0.0 else QUEUED

    def look(self, connection: Connection, before: float, now: float | None) -> list[str]:
        """What must be done before pages can be taken or counted: move, wake, free."""
        row = connection.execute(_PROBE, self._asked_at(before, now)).fetchone()
        assert row is not None
        horizon, resting, asleep, expired, share = row
        self._share = None if share is None else max(1, int(str(share)))
        wanted = []
        if resting or not float(str(horizon)) - _SLACK <= before <= float(str(horizon)) + _SLACK:
            wanted.append("move")
        return wanted + ["wake"] * bool(asleep) + ["free"] * bool(expired)

    def _asked_at(self, before: float, now: float | None) -> dict[str, object]:
        times = {"before": before, "now": -math.inf if now is None else now}
        return {**times, "me": self.me, "away": max(self.terms.seconds, _AWAY)}

    def move(self, connection: Connection, before: float) -> bool:
        """Queue pages that are due by `before`, let the others rest; True when there is more to do."""
        row = connection.execute("SELECT horizon FROM frontier FOR NO KEY UPDATE").fetchone()
        back = row is not None and float(str(row[0])) - _SLACK > before
        where = "state IN (1, 2) AND due > %(horizon)s" if back else "state = 0 AND due <= %(horizon)s"
        self.horizon = before
        moved = self._shift(connection, where, _STATE, {"horizon": before})
        if moved < _STRIDE:
            connection.execute("UPDATE frontier SET horizon = %s", (before,))
        return moved >= _STRIDE

    def wake(self, connection: Connection, now: float) -> None:
        """End the back-off of pages and hosts whose time has come."""
        self._shift(connection, "state = 2 AND not_before <= %(now)s", "1", {"now": now})
        connection.execute(
            """UPDATE hosts SET waiting = 0 WHERE host IN (SELECT host FROM hosts
                   WHERE queued > 0 AND waiting = 1 AND not_before <= %s
                   ORDER BY host FOR NO KEY UPDATE SKIP LOCKED)""",
            (now,),
        )

    def free_expired(self, connection: Connection) -> int:
        """Take hosts from workers that were not heard of; returns how many."""
        return connection.execute(_EXPIRED, {"horizon": self.horizon}).rowcount

    def _shift(self, connection: Connection, where: str, state: str, values: dict[str, float]) -> int:
        """Change the state of many pages. Their hosts are locked first, in one order."""
        found = connection.execute(f"SELECT page, host FROM pages WHERE {where} LIMIT {_STRIDE}", values).fetchall()
        if not found:
            return 0
        lock_hosts(connection, {int(str(host)) for _, host in found})
        connection.execute(
            f"""WITH was AS MATERIALIZED (
                    SELECT page, host, state FROM pages WHERE page = ANY (%(pages)s::bigint[]) AND {where}
                ), done AS (
                    UPDATE pages SET state = {state} FROM was WHERE pages.page = was.page
                    RETURNING pages.host, was.state AS old, pages.state AS new
                ), counted AS (
                    SELECT host, sum((new = 1)::int - (old = 1)::int) AS queued,
                        sum((new = 2)::int - (old = 2)::int) AS backed_off
                    FROM done GROUP BY host
                )
                UPDATE hosts SET queued = hosts.queued + counted.queued,
                    backed_off = hosts.backed_off + counted.backed_off
                FROM counted WHERE hosts.host = counted.host""",
            {**values, "pages": [page for page, _ in found]},
        )
        return len(found)

    def take_at_once(
        self, connection: Connection, limit: int, busy: Collection[str], times: tuple[float, float]
    ) -> list[tuple[Task, Lease]] | None:
        """`take` as of (before, now) when there is nothing to settle before; else None, and nothing is leased."""
        return self._lease(connection, _LEASE_IF_SETTLED, self._wanted(limit, busy) | self._asked_at(*times))

    def take(self, connection: Connection, limit: int, busy: Collection[str]) -> list[tuple[Task, Lease]]:
        """Lease the best page of each of the next hosts in turn.

        While another worker finds nothing, one that has more than its share of the hosts lets the others go: their
        pages in flight are finished, none is begun, and with the next commit they are free.
        """
        only: list[str] | None = None
        if self._share is not None:
            own = sorted({lease.authority for lease in self.held.values()})
            limit = min(limit, max(self._share - len(own), 0))
            if not limit:
                only, limit = own[: self._share], self._share
        return self._lease(connection, _LEASE_SETTLED, self._wanted(limit, busy) | {"only": only}) or []

    def _wanted(self, limit: int, busy: Collection[str]) -> dict[str, object]:
        return {"limit": limit, "busy": list(busy), "only": None, "me": self.me, "lease": self.terms.seconds}

    def _lease(
        self, connection: Connection, statement: str, values: dict[str, object]
    ) -> list[tuple[Task, Lease]] | None:
        rows_found = connection.execute(statement, values).fetchall()
        if not rows_found[0][0]:
            return None
        found = [_task(row[1:]) for row in rows_found if row[1] is not None]
        if not found and time.monotonic() > self._asked + _ASK:
            self._asked = time.monotonic()
            connection.execute(_HUNGRY, {"me": self.me})
        return found

    def release(self, connection: Connection, pages: Sequence[int]) -> None:
        """Give back pages this worker holds; all others are left alone."""
        held = {self.held[page].host: self.held[page] for page in pages if page in self.held}
        if held:
            values = {
                "hosts": list(held),
                "tokens": [lease.token for lease in held.values()],
                "polite": [self.terms.polite(lease.authority) for lease in held.values()],
                "pages": list(pages),
                "me": self.me,
                "horizon": self.horizon,
            }
            connection.execute(_RELEASE, values)

    def waiting(self, connection: Connection) -> tuple[int, float]:
        """How many pages wait or are with other workers, and when one may be taken: 0.0 for at once."""
        row = connection.execute(_WAITING, {"me": self.me}).fetchone()
        assert row is not None
        soonest = min((float(str(time)) for time in row[1:] if time is not None), default=math.inf)
        return int(str(row[0])), soonest


def lock_hosts(connection: Connection, hosts: Iterable[int]) -> dict[int, tuple[int | None, int, int]]:
    """Lock hosts for this transaction, in one order everywhere; (owner, token, leased) of each."""
    found = connection.execute(
        "SELECT host, owner, token, leased FROM hosts WHERE host = ANY (%s::bigint[]) ORDER BY host FOR NO KEY UPDATE",
        (sorted(hosts),),
    )
    return {host: (owner, token, leased) for host, owner, token, leased in found}  # type: ignore[misc]


def _task(row: tuple[object, ...]) -> tuple[Task, Lease]:
    page, url, authority, kind, hops, attempts, etag, last_modified, conditional, host, token = row[:11]
    read, via, seq = row[11:14]
    original, entity = None, ""
    if seq is not None:
        held = rows.capture(row[14:])
        original, entity = rows.payload_of(held), held.entity
    facts = (int(str(hops)), int(str(attempts)), str(etag), str(last_modified), int(str(conditional)))
    found = (float(str(read)), str(via))
    task = Task(int(str(page)), str(url), str(authority), Kind(str(kind)), *facts, original, entity, *found)
    return task, Lease(int(str(host)), str(authority), int(str(token)))
