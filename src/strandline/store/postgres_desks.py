"""Desks of sites and the common purse: what workers of a watch share besides the frontier.

A desk is leased like a host: by the clock of the database, with a token that grows when it changes hands. A plan that
comes late, because its worker slept, is refused.
"""

from collections.abc import Sequence
from typing import Final

from strandline.ports import PLANNED
from strandline.store.postgres import Connection, Session
from strandline.store.postgres_reading import PostgresReading
from strandline.store.standing import UNSTUDIED_IMPORTANCE, Standing
from strandline.store.studies import Seen

_STANDING: Final = """page, url, authority, site, kind, via, hops, due, pages.not_before, attempts, evidence, since,
    outcome, detail, visited, weight, weight_given, pages.captures, hosts.not_before, hosts.failures"""


class DeskReading(PostgresReading):
    """What a desk knows of its site."""

    def standings(self, site: str) -> list[Standing]:
        """Pages of a site that were visited, in the order they were found."""
        query = f"""SELECT {_STANDING} FROM pages JOIN hosts USING (host)
            WHERE site = ? AND kind = 'page' AND visited > 0 ORDER BY page"""
        return [Standing._make(row) for row in self._rows(query, site)]

    def sightings(self, site: str) -> list[Seen]:
        """Captures of a site's pages, and whether their bytes differ from the ones before, by page and time."""
        query = """SELECT page, url, site, time, status, before IS NOT NULL AND before <> digest, before IS NULL FROM (
                SELECT seq, captures.page, url, host, time, status, coalesce(original_digest, digest) AS digest,
                    lag(coalesce(original_digest, digest)) OVER (PARTITION BY page ORDER BY time, seq) AS before
                FROM captures JOIN pages USING (page) JOIN hosts USING (host) WHERE site = ? AND kind = 'page'
            ) AS seen JOIN hosts USING (host) ORDER BY page, time, seq"""
        found = []
        for page, url, place, time, status, changed, first in self._rows(query, site):
            importance = UNSTUDIED_IMPORTANCE if changed else 0.0
            facts = (bool(changed), importance, importance, False, bool(first))
            found.append(Seen(page, url, place, time, status, *facts))  # type: ignore[arg-type]
        return found

    def shares(self) -> dict[str, int]:
        """Pages of every site."""
        return {
            str(site): int(str(pages)) for site, pages in self._rows("SELECT site, sum(pages) FROM hosts GROUP BY site")
        }


def plan_visited(session: Session) -> None:
    """Visits of pages that were seen before are planned from now on; desks for all sites."""

    def change(connection: Connection) -> None:
        connection.execute(
            "UPDATE pages SET due = %s WHERE state = 0 AND kind = 'page' AND evidence = 'present' AND due < %s",
            (PLANNED, PLANNED),
        )
        connection.execute("INSERT INTO site_desks (site) SELECT DISTINCT site FROM hosts ON CONFLICT DO NOTHING")

    session.run(change)


def claim(session: Session, worker: int, hour: float, seconds: float, limit: int) -> list[tuple[str, int]]:
    """Take desks of sites that are not planned up to the end of the hour: site and token of each."""

    def take(connection: Connection) -> list[tuple[str, int]]:
        connection.execute("INSERT INTO site_desks (site) SELECT DISTINCT site FROM hosts ON CONFLICT DO NOTHING")
        rows = connection.execute(
            """UPDATE site_desks SET owner = %(me)s, token = token + 1,
                   until = clock_timestamp() + %(lease)s * interval '1 second'
               WHERE site IN (SELECT site FROM site_desks WHERE planned < %(end)s AND until <= statement_timestamp()
                              ORDER BY planned, site LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED)
               RETURNING site, token""",
            {"me": worker, "lease": seconds, "end": hour, "limit": limit},
        )
        return [(str(site), int(str(token))) for site, token in rows]

    return session.run(take)


def hand_in(session: Session, desk: tuple[str, int], end: float, visits: Sequence[tuple[int, float, float]]) -> bool:
    """Write the plan of a site up to a time: page, due time and priority of each visit; False when it is too late."""

    def write(connection: Connection) -> bool:
        mine = connection.execute(
            """UPDATE site_desks SET owner = NULL, until = '-infinity', planned = %s, visits = %s
               WHERE site = %s AND token = %s""",
            (end, len(visits), *desk),
        ).rowcount
        if mine and visits:
            pages, dues, priorities = zip(*visits, strict=True)
            connection.execute(
                """UPDATE pages SET due = v.due, priority = v.priority
                   FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS v (page, due, priority)
                   WHERE pages.page = v.page AND state = 0""",
                (list(pages), list(dues), list(priorities)),
            )
        return bool(mine)

    return session.run(write)


def spend(connection: Connection, hour: float, wanted: int, allowed: int) -> int:
    """Set aside up to so many requests of an hour; how many may be sent."""
    connection.execute("INSERT INTO spending VALUES (%s, 0) ON CONFLICT DO NOTHING", (hour,))
    row = connection.execute("SELECT spent FROM spending WHERE hour = %s FOR NO KEY UPDATE", (hour,)).fetchone()
    assert row is not None
    granted = max(0, min(wanted, allowed - int(str(row[0]))))
    if granted:
        connection.execute("UPDATE spending SET spent = spent + %s WHERE hour = %s", (granted, hour))
    return granted
