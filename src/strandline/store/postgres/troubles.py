"""What is not as it should be in a cluster, as far as its database shows it: workers that fell silent, desks where
nothing moves, hosts that nobody asks.

These have no learned normal: each is evident from what is there, now. Whoever keeps the monitor opens and closes alarms
by it (cluster/monitor.py), and readers see it even when nobody does, because all workers are dead.
"""

from dataclasses import dataclass
from typing import Final

from strandline.core.wording import counted
from strandline.store.postgres.desks import LEARN, PLAN
from strandline.store.postgres.session import Connection, Session

SILENT: Final = 150.0
"""Seconds without a heartbeat after which a worker is missed: more than twice the usual lease."""
BURIED: Final = 90.0
"""Seconds between the last heartbeat of a worker and its end from which on others have declared it ended."""
REMEMBERED: Final = 86_400.0
"""A worker that died is named for a day, unless another has started on its machine since."""
_RESTARTED: Final = 600.0
"""Seconds for which nobody may be at work."""
_HOUR, _DAY = 3600.0, 24.0
"""Seconds of an hour whose length nobody changed, and hours for which a watch leaves traces."""
_HOURS: Final = 3.0
"""Hours of the watch that plans may be late, or pages of a host that nobody holds."""
_STUDY_HOURS: Final = 6.0
_DAYS: Final = 3.0
"""Days of the watch that a lesson may be late."""
_NEARLY: Final = 0.8
"""Of the budget: as far as the alarm on it lets visits be missed."""
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that must not be, with what tells it."""

    kind: str
    subject: str
    why: str
    since: float
    """UTC epoch seconds."""


def troubles(session: Session) -> list[Trouble]:
    """What is wrong now."""
    return session.run(_ask, at_once=True)


def workers_alive(session: Session) -> int:
    """How many workers were heard of lately."""
    return session.run(_alive, at_once=True)


def _alive(connection: Connection) -> int:
    row = connection.execute(
        """SELECT count(*) FROM workers
           WHERE ended IS NULL AND seen > statement_timestamp() - %s * interval '1 second' AND name LIKE '%%@%%'""",
        (SILENT,),
    ).fetchone()
    return int(str(row[0])) if row else 0


def _ask(connection: Connection) -> list[Trouble]:
    found = _workers(connection)
    if not _alive(connection):
        return [*found, *_nobody(connection)]
    length = _watched(connection)
    if not length:
        return found  # one pass: whatever waits, waits for its turn
    return [*found, *_desks(connection, length), *_hosts(connection, length)]


def _watched(connection: Connection) -> float:
    """The seconds of an hour of the watch that is under way: lately an hour was opened, or some of the budget spent; 0
    when there is none.
    """
    row = connection.execute(
        """SELECT length FROM (
               SELECT coalesce((SELECT length FROM watch_time ORDER BY start DESC LIMIT 1), %s) AS length) AS hours
           WHERE EXISTS (SELECT FROM plan_hours WHERE start > extract(epoch FROM statement_timestamp()) - %s * length)
               OR EXISTS (SELECT FROM spending
                          WHERE place = '' AND start > extract(epoch FROM statement_timestamp()) - %s * length)""",
        (_HOUR, _DAY, _DAY),
    ).fetchone()
    return 0.0 if row is None else float(str(row[0]))


def _nobody(connection: Connection) -> list[Trouble]:
    """Pages wait, and nobody is there to fetch them; whoever restarts workers has a few minutes."""
    row = connection.execute(
        """SELECT extract(epoch FROM max(coalesce(ended, seen)))::float8,
               (SELECT coalesce(sum(queued + backed_off + leased), 0) FROM hosts)
           FROM workers WHERE name LIKE '%%@%%'
           HAVING max(coalesce(ended, seen)) < statement_timestamp() - %s * interval '1 second'""",
        (_RESTARTED,),
    ).fetchone()
    if row is None or not int(str(row[1])):
        return []
    waits = counted(int(str(row[1])), "page waits", "pages wait")
    return [Trouble("workers", "", f"{waits} and no worker is at work", float(str(row[0])))]


def _workers(connection: Connection) -> list[Trouble]:
    """Workers that died: silent, or declared ended by others after they fell silent."""
    rows = connection.execute(
        """SELECT worker, name, extract(epoch FROM seen)::float8, hosts_held, ended IS NOT NULL FROM (
               SELECT workers.*, (SELECT count(*) FROM hosts WHERE owner = worker AND leased > 0) AS hosts_held
               FROM workers WHERE name LIKE '%%@%%'
                   AND seen > statement_timestamp() - %(remembered)s * interval '1 second') AS known
           WHERE CASE WHEN ended IS NULL THEN seen < statement_timestamp() - %(silent)s * interval '1 second'
                      ELSE seen < ended - %(buried)s * interval '1 second' END
             AND NOT EXISTS (SELECT FROM workers AS newer
                             WHERE newer.worker > known.worker AND newer.started > known.seen
                             AND split_part(newer.name, '@', 2) = split_part(known.name, '@', 2))
           ORDER BY worker""",
        {"silent": SILENT, "buried": BURIED, "remembered": REMEMBERED},
    )
    found = []
    for worker, name, seen, hosts, ended in rows:
        holds = f"it holds {hosts} hosts until its leases run out" if hosts and not ended else "others take over"
        why = f"worker {worker} ended without saying so; {holds}"
        found.append(Trouble("worker", str(name), why, float(str(seen))))
    return found


def _desks(connection: Connection, hour: float) -> list[Trouble]:
    found = []
    rows = connection.execute(
        """SELECT site, planned, count(*) OVER () FROM site_desks JOIN (
               SELECT site FROM hosts WHERE captures > 0 GROUP BY site) AS captured USING (site)
           WHERE work = %s AND planned > 0 AND planned < extract(epoch FROM statement_timestamp())::float8 - %s
           ORDER BY planned, site LIMIT %s""",
        (PLAN, _HOURS * hour, _NAMED),
    ).fetchall()
    if rows:
        why = f"nobody has planned {_named(rows)} for more than {_HOURS:.0f} hours of the watch"
        found.append(Trouble("desk", "plan", why, float(str(rows[0][1]))))
    row = connection.execute(
        """SELECT captures.time FROM unstudied JOIN captures USING (seq)
           WHERE captures.time < extract(epoch FROM statement_timestamp())::float8 - %s
               AND seq = (SELECT min(seq) FROM unstudied)""",
        (_STUDY_HOURS * hour,),
    ).fetchone()
    if row is not None:
        why = f"captures wait to be studied for more than {_STUDY_HOURS:.0f} hours of the watch"
        found.append(Trouble("desk", "study", why, float(str(row[0]))))
    row = connection.execute(
        """SELECT planned FROM site_desks
           WHERE site = '' AND work = %s AND planned > 0 AND until <= statement_timestamp()
               AND planned < extract(epoch FROM statement_timestamp())::float8 - %s""",
        (LEARN, _DAYS * 24.0 * hour),
    ).fetchone()
    if row is not None:
        why = f"nothing was learned for more than {_DAYS:.0f} days of the watch"
        found.append(Trouble("desk", "learn", why, float(str(row[0]))))
    return found


def _hosts(connection: Connection, hour: float) -> list[Trouble]:
    """Hosts that could be asked, have pages long due, and belong to nobody, while the budget has room: where it is
    spent, pages wait for it and not for a worker.
    """
    if _spent(connection, hour):
        return []
    rows = connection.execute(
        """SELECT authority, due, count(*) OVER () FROM (
               SELECT authority, (SELECT due FROM pages WHERE pages.host = hosts.host AND state = 1
                                  ORDER BY priority, page LIMIT 1) AS due
               FROM hosts WHERE queued > 0 AND waiting = 0 AND leased = 0 AND held_until < statement_timestamp()
               ORDER BY turn LIMIT 1000) AS ready
           WHERE due > 0 AND due < extract(epoch FROM statement_timestamp())::float8 - %s ORDER BY due LIMIT %s""",
        (_HOURS * hour, _NAMED),
    ).fetchall()
    if not rows:
        return []
    why = f"pages of {_named(rows)} are due for more than {_HOURS:.0f} hours of the watch and no worker holds the hosts"
    return [Trouble("hosts", "", why, float(str(rows[0][1])))]


def _spent(connection: Connection, hour: float) -> bool:
    """Whether the last hour took nearly what the budget gives for one, as the hours that are over say (hours.py)."""
    row = connection.execute(
        """SELECT sum(spent) >= %s * (SELECT allowed FROM watch_hours ORDER BY hour DESC LIMIT 1) FROM spending
           WHERE place = '' AND start > extract(epoch FROM statement_timestamp())::float8 - %s""",
        (_NEARLY, hour),
    ).fetchone()
    return row is not None and bool(row[0])


def _named(rows: list[tuple[object, ...]]) -> str:
    """Some names, and how many there are."""
    names, count = ", ".join(str(row[0]) for row in rows), int(str(rows[0][2]))
    return names if count <= len(rows) else f"{names} and {count - len(rows)} more"
