"""How a cluster stands, in one look at the database."""

import contextlib
from dataclasses import dataclass

from strandline.store.postgres.session import Connection, Session


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker. Times are seconds before now."""

    worker: int
    name: str
    running: float
    silent: float
    captures: int
    octets: int
    hosts: int
    pages: int
    """Pages it is fetching now."""


@dataclass(frozen=True, slots=True)
class HourStatus:
    """The last hour of a watch: what its plans may visit, and at which price (core/plan/shared_price.py)."""

    start: float
    """Its first UTC second."""
    visits: float
    """That plans may make."""
    planned: int
    """That they made so far."""
    price: float
    """Of a visit; 0 while it is not known."""
    sites: int
    """Planned so far."""


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """Counts of everything that is shared."""

    workers: tuple[WorkerRow, ...]
    """Those that have not said goodbye, latest first."""
    ended: int
    hosts: int
    hosts_held: int
    hosts_waiting: int
    pages: int
    queued: int
    backed_off: int
    leased: int
    captures: int
    octets: int
    files: int
    unstudied: int
    """Captures that wait to be studied."""
    hour: HourStatus | None
    """None when nobody has watched."""
    refusals: tuple[tuple[str, int], ...]


def cluster_status(url: str) -> ClusterStatus:
    """Ask the database."""
    with contextlib.closing(Session(url, 10.0, upgrade=False)) as session:
        return standing(session)


def standing(session: Session) -> ClusterStatus:
    """Ask over a connection that is there."""
    return session.run(_ask, at_once=True)


def _ask(connection: Connection) -> ClusterStatus:
    workers = connection.execute(
        """SELECT worker, workers.name, extract(epoch FROM clock_timestamp() - started)::float8,
               extract(epoch FROM clock_timestamp() - seen)::float8, workers.captures, octets,
               count(hosts.host), coalesce(sum(leased), 0)
           FROM workers LEFT JOIN hosts ON owner = worker AND (leased > 0 OR held_until > statement_timestamp())
           WHERE ended IS NULL GROUP BY worker ORDER BY seen DESC LIMIT 1000"""
    ).fetchall()
    hosts = connection.execute(
        """SELECT count(*), count(*) FILTER (WHERE leased > 0 OR held_until > statement_timestamp()),
               count(*) FILTER (WHERE waiting = 1 AND queued > 0), coalesce(sum(pages), 0), coalesce(sum(queued), 0),
               coalesce(sum(backed_off), 0), coalesce(sum(leased), 0), coalesce(sum(captures), 0) FROM hosts"""
    ).fetchone()
    rest = connection.execute(
        """SELECT (SELECT count(*) FROM workers WHERE ended IS NOT NULL AND name LIKE '%@%'),
               (SELECT coalesce(sum(octets), 0) FROM workers), (SELECT count(*) FROM files),
               (SELECT count(*) FROM unstudied)"""
    ).fetchone()
    hour = connection.execute(
        """SELECT start, visits, taken, price, (SELECT count(*) FROM site_desks WHERE work = 'plan' AND planned > start)
           FROM plan_hours ORDER BY start DESC LIMIT 1"""
    ).fetchone()
    refusals = connection.execute("SELECT reason, count FROM refusals ORDER BY count DESC, reason LIMIT 20").fetchall()
    assert hosts is not None and rest is not None
    count, held, waiting, pages, queued, backed_off, leased, captures = (int(str(value)) for value in hosts)
    ended, octets, files, unstudied = (int(str(value)) for value in rest)
    return ClusterStatus(
        workers=tuple(WorkerRow(*row) for row in workers),  # type: ignore[arg-type]
        ended=ended,
        hosts=count,
        hosts_held=held,
        hosts_waiting=waiting,
        pages=pages,
        queued=queued,
        backed_off=backed_off,
        leased=leased,
        captures=captures,
        octets=octets,
        files=files,
        unstudied=unstudied,
        hour=None if hour is None else HourStatus(*hour),  # type: ignore[arg-type]
        refusals=tuple((str(reason), int(str(times))) for reason, times in refusals),
    )


def database_size(session: Session) -> int:
    """Bytes of the database, its indexes among them."""

    def ask(connection: Connection) -> int:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(str(row[0])) if row else 0

    return session.run(ask, at_once=True)
