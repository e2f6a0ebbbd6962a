"""The frontier on disk: which page is fetched next, without looking at the pages that are not.

A page is in one of four states, and only steps between them touch an index:

    resting (0)     due after the horizon
    queued (1)      due by the horizon; ordered per host by priority
    backed off (2)  due by the horizon, but not before a given time
    leased (3)      being fetched by the one writer

The *horizon* is the `before` of the last call: the start of the pass for a crawl, the present for a watch. When it
moves, exactly the pages between the old and the new horizon change state. Hosts carry the number of their queued
pages and a turn; the host with the oldest turn that has something queued is served next. So `take` costs a few
look-ups per page taken, with one host of a million pages as with a hundred thousand hosts of ten.

Leases are free again when the archive is opened: the write lock proves that their owner is gone.

While a single host has something to fetch, a few of its pages are leased ahead in one transaction and handed out one
by one; every commit gives the rest back, because what it brings may be more urgent.
"""

import math
import sqlite3
from collections import Counter, deque
from collections.abc import Collection, Iterable, Sequence

from strandline.core.capture import Kind
from strandline.ports import PLANNED, Task
from strandline.store import rows
from strandline.store.addresses import Addresses
from strandline.store.sqlite import transaction

RESTING, QUEUED, BACKED_OFF, LEASED = range(4)

_AHEAD = 16
"""Pages leased together when only one host is left to be asked."""
_STRIDE = 50_000
"""Pages that change state in one transaction when the horizon moves."""

_READY = "SELECT host, authority FROM hosts INDEXED BY hosts_ready WHERE queued > 0 AND waiting = 0 ORDER BY turn"


class Frontier:
    """States of pages and turns of hosts. Numbers of waiting pages are kept in memory, counted once at opening."""

    def __init__(self, connection: sqlite3.Connection, addresses: Addresses, owner: str) -> None:
        self._connection = connection
        self._addresses = addresses
        self._owner = owner
        self._ahead: deque[Task] = deque()
        self.recount()
        # Pages that were being fetched when the last writer ended.
        self.release([int(page) for (page,) in connection.execute("SELECT page FROM leases")])

    def recount(self) -> None:
        """Read the horizon and count again: at opening, and after a transaction was rolled back."""
        one = self._connection.execute
        self.horizon = float(one("SELECT horizon FROM frontier").fetchone()[0])
        self._queued = int(one("SELECT count(*) FROM pages WHERE state = 1").fetchone()[0])
        self._backed_off = int(one("SELECT count(*) FROM pages WHERE state = 2").fetchone()[0])
        self.hosts_moved()

    def hosts_moved(self) -> None:
        """Forget which hosts are ready and which wait: a running transaction changes that."""
        self._others: list[str] | None = None
        self._hosts_wake: float | None = None

    def _first_to_wake(self) -> float:
        """When the back-off of the first host with queued pages ends."""
        if self._hosts_wake is None:
            query = "SELECT min(not_before) FROM hosts WHERE queued > 0 AND waiting = 1"
            first = self._connection.execute(query).fetchone()[0]
            self._hosts_wake = math.inf if first is None else float(first)
        return self._hosts_wake

    def state_for(self, due: float, not_before: float) -> int:
        """The state of a page that is not leased. Whether a back-off is over is seen when pages are taken."""
        if due > self.horizon:
            return RESTING
        return BACKED_OFF if not_before > 0.0 else QUEUED

    def moved(self, steps: Iterable[tuple[int, int | None, int, int]]) -> None:
        """Count pages that a running transaction moved: (host, old state or None, new state, how many)."""
        self.hosts_moved()
        per_host: Counter[int] = Counter()
        for host, old, new, count in steps:
            queued = count * ((new == QUEUED) - (old == QUEUED))
            per_host[host] += queued
            self._queued += queued
            self._backed_off += count * ((new == BACKED_OFF) - (old == BACKED_OFF))
        self._connection.executemany(
            "UPDATE hosts SET queued = queued + ? WHERE host = ?",
            [(change, host) for host, change in per_host.items() if change],
        )

    def take(self, limit: int, now: float, before: float, busy: Collection[str]) -> list[Task]:
        """See ports.Catalog.take."""
        self.move_horizon(before)
        self._wake(now)
        if self._ahead and limit > 0:
            if self._ahead[0].authority not in busy and not self._others_ready(busy):
                return [self._ahead.popleft()]
            self.give_back()
        chosen = self._choose(limit, busy)
        if not chosen:
            return []
        alone = len(chosen) == 1 < limit
        if alone:
            chosen = self._next_of(chosen[0][1], _AHEAD)
        tasks = self._lease(chosen, now)
        if alone:
            self._ahead.extend(tasks[1:])
            return tasks[:1]
        return tasks

    def lease(self, pages: Sequence[int], now: float) -> list[Task]:
        """See watch.agenda.PlannedCatalog.lease."""
        with transaction(self._connection, durable=False):
            leased = []
            for page in pages:
                host, state = self._connection.execute(
                    "SELECT host, state FROM pages WHERE page = ?", (page,)
                ).fetchone()
                if state == LEASED:
                    continue
                self._connection.execute("UPDATE pages SET state = 3 WHERE page = ?", (page,))
                self._connection.execute("INSERT INTO leases VALUES (?, ?, ?)", (page, self._owner, now))
                self.moved([(int(host), int(state), LEASED, 1)])
                leased.append(page)
        return [self._task(page) for page in leased]

    def plan_visited(self) -> None:
        """From now on a watch plans the visits of pages that were visited before; retries, and what was not there or
        was refused, stay where they are.
        """
        where = f"state <> 3 AND {rows.COMES_BACK}"
        with transaction(self._connection, durable=False):
            self._shift(where, "0", {})
            self._connection.execute(f"UPDATE pages SET due = :planned WHERE {where}", {"planned": PLANNED})

    def give_to_passes(self, start: float) -> None:
        """Inside a transaction: pages whose visits were planned are due again since their last one, at the latest when
        the pass starts: the clock of a watch may have been ahead.
        """
        self._connection.execute("UPDATE pages SET due = min(visited, ?) WHERE due = ?", (start, PLANNED))
        self._shift("due <= :high AND state = 0", "CASE WHEN not_before > 0 THEN 2 ELSE 1 END", {"high": self.horizon})

    def unasked_first(self, last: float, ended: float, start: float) -> None:
        """Inside a transaction: see ports.Catalog.open_pass. `last` is the start of the last pass, `ended` its end."""
        values = {"last": last, "ended": ended, "start": start}
        hosts = self._connection.execute(
            f"SELECT host FROM hosts WHERE not_before > :ended AND {rows.left_out(':last', ':start')}",
            values,
        ).fetchall()
        for (host,) in hosts:
            self._connection.execute(
                """UPDATE pages SET due = :start + 0.001
                WHERE due > :last AND due <= :start AND state = 0 AND host = :host""",
                {**values, "host": host},
            )

    def silent_last(self) -> None:
        """Inside a transaction: see ports.Catalog.open_pass."""
        self.hosts_moved()
        self._connection.execute(
            f"""UPDATE hosts SET turn = turn % {rows.LAST_TURNS} + {rows.LAST_TURNS} * {rows.GOES_LAST}
            WHERE {rows.GOES_LAST} <> (turn >= {rows.LAST_TURNS})"""
        )

    def give_back(self) -> None:
        """Queue the pages that were leased ahead again."""
        if self._ahead:
            self.release([task.page for task in self._ahead])
            self._ahead.clear()

    def _others_ready(self, busy: Collection[str]) -> bool:
        """Whether another host than that of the pages leased ahead may be asked. The hosts are remembered: whatever
        changes which of them are ready says so (`hosts_moved`).
        """
        if self._others is None:
            own = self._ahead[0].authority
            # Of two more than are busy, one is neither busy nor our own.
            ready = self._connection.execute(f"{_READY} LIMIT ?", (len(busy) + 2,))
            self._others = [authority for _, authority in ready if authority != own]
        return any(authority not in busy for authority in self._others)

    def _lease(self, chosen: Sequence[tuple[int, int]], now: float) -> list[Task]:
        with transaction(self._connection, durable=False):
            self._connection.executemany("UPDATE pages SET state = 3 WHERE page = ?", [(page,) for page, _ in chosen])
            self._connection.executemany(
                "INSERT INTO leases (page, owner, time) VALUES (?, ?, ?)",
                [(page, self._owner, now) for page, _ in chosen],
            )
            first = self._addresses.turn + 1
            self._addresses.turn += len(chosen)
            self._connection.executemany(
                "UPDATE hosts SET turn = ? WHERE host = ?",
                [(first + nth, host) for nth, host in enumerate(dict.fromkeys(host for _, host in chosen))],
            )
            self.moved((host, QUEUED, LEASED, 1) for _, host in chosen)
            return [self._task(page) for page, _ in chosen]

    def _choose(self, limit: int, busy: Collection[str]) -> list[tuple[int, int]]:
        """Best page of each of the next hosts in turn, best priority first: (page, host)."""
        found: list[tuple[float, int, int]] = []
        hosts = self._connection.execute(_READY)
        for host, authority in hosts:
            if len(found) >= limit:
                break
            if authority not in busy:
                page, priority = self._connection.execute(
                    "SELECT page, priority FROM pages WHERE state = 1 AND host = ? ORDER BY priority, page LIMIT 1",
                    (host,),
                ).fetchone()
                found.append((priority, page, host))
        hosts.close()
        return [(page, host) for _, page, host in sorted(found)]

    def _next_of(self, host: int, limit: int) -> list[tuple[int, int]]:
        """The next pages of one host, best priority first: (page, host)."""
        pages = self._connection.execute(
            "SELECT page FROM pages WHERE state = 1 AND host = ? ORDER BY priority, page LIMIT ?", (host, limit)
        )
        return [(int(page), host) for (page,) in pages]

    def _task(self, page: int) -> Task:
        row = self._connection.execute(
            f"""SELECT pages.url, authority, kind, hops, attempts, etag, last_modified, conditional, origin,
                   {rows.READ}, via
               FROM pages JOIN hosts USING (host) WHERE page = ?""",
            (page,),
        ).fetchone()
        original, entity = None, ""
        if row[8] is not None:
            held = rows.capture(
                self._connection.execute(
                    f"SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE seq = ?", (row[8],)
                ).fetchone()
            )
            original, entity = rows.payload_of(held), held.entity
        return Task(
            page=page,
            url=row[0],
            authority=row[1],
            kind=Kind(row[2]),
            hops=row[3],
            attempts=row[4],
            etag=row[5],
            last_modified=row[6],
            visits_since_full=row[7],
            original=original,
            entity=entity,
            read=row[9],
            via=row[10],
        )

    def release(self, pages: Sequence[int]) -> None:
        """Give leased pages back untouched; pages that are not leased are left alone."""
        with transaction(self._connection, durable=False):
            self._requeue(pages)

    def _requeue(self, pages: Iterable[int]) -> None:
        steps = []
        for page in pages:
            if not self._connection.execute("DELETE FROM leases WHERE page = ?", (page,)).rowcount:
                continue
            host, due, not_before = self._connection.execute(
                "SELECT host, due, not_before FROM pages WHERE page = ?", (page,)
            ).fetchone()
            state = self.state_for(due, not_before)
            self._connection.execute("UPDATE pages SET state = ? WHERE page = ?", (state, page))
            steps.append((int(host), LEASED, state, 1))
        self.moved(steps)

    def waiting(self, before: float) -> tuple[int, float]:
        """How many pages wait, and when the first may be fetched: 0.0 for at once, infinity for never.

        A page that is backed off on a host that is backed off may have to wait longer than is said here.
        """
        self.move_horizon(before)
        count = self._queued + self._backed_off + len(self._ahead)
        if self._ahead or self._connection.execute(f"{_READY} LIMIT 1").fetchone():
            return count, 0.0
        soonest = [
            self._first_to_wake(),
            self._connection.execute("SELECT min(not_before) FROM pages WHERE state = 2").fetchone()[0],
        ]
        return count, min((time for time in soonest if time is not None), default=math.inf)

    def move_horizon(self, before: float) -> None:
        """Queue the pages that are due by `before`, let the others rest."""
        if self.horizon != before:
            self.give_back()
        while self.horizon < before:
            row = self._connection.execute(
                f"SELECT due FROM pages WHERE due > ? AND due <= ? ORDER BY due LIMIT 1 OFFSET {_STRIDE}",
                (self.horizon, before),
            ).fetchone()
            # All pages with the same due time go together.
            reached = before if row is None else float(row[0])
            queue = "CASE WHEN not_before > 0 THEN 2 ELSE 1 END"
            self._stride(reached, "due > :low AND due <= :high AND state = 0", queue)
        if self.horizon > before:
            self._stride(before, "due > :low AND due <= :high AND state IN (1, 2)", "0")

    def _stride(self, reached: float, where: str, state: str) -> None:
        with transaction(self._connection, durable=False):
            self._shift(where, state, {"low": min(self.horizon, reached), "high": max(self.horizon, reached)})
            self._connection.execute("UPDATE frontier SET horizon = ?", (reached,))
        self.horizon = reached

    def _wake(self, now: float) -> None:
        """End the back-off of pages and hosts whose time has come."""
        values = {"now": now}
        page = "SELECT 1 FROM pages WHERE state = 2 AND not_before <= :now LIMIT 1"
        awake = self._backed_off > 0 and self._connection.execute(page, values).fetchone() is not None
        if not awake and now < self._first_to_wake():
            return
        with transaction(self._connection, durable=False):
            self._shift("state = 2 AND not_before <= :now", "1", values)
            self._connection.execute(
                "UPDATE hosts SET waiting = 0 WHERE queued > 0 AND waiting = 1 AND not_before <= :now", values
            )
            self.hosts_moved()

    def _shift(self, where: str, state: str, values: dict[str, float]) -> None:
        """Change the state of many pages in the database, without bringing them into memory."""
        steps = self._connection.execute(
            f"SELECT host, state, {state} AS new, count(*) FROM pages WHERE {where} GROUP BY host, state, new", values
        ).fetchall()
        self._connection.execute(f"UPDATE pages SET state = {state} WHERE {where}", values)
        self.moved(steps)
