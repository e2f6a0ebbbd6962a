"""Desks of sites: what workers of a watch share besides the frontier and the purse.

A site has two desks: at one its next hour is planned, at the other what it captured is studied. The whole archive,
under the empty name, has one for the learner. A desk is leased like a host: by the clock of the database, with a token
that grows when it changes hands. What comes late, because its worker slept, is refused.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from psycopg.types.json import Jsonb

from strandline.errors import LeaseLost
from strandline.ports import PLANNED
from strandline.store import rows
from strandline.store.postgres.reading import PostgresStudyReading
from strandline.store.postgres.session import Connection, Session
from strandline.store.standing import Standing

PLAN, STUDY, LEARN = "plan", "study", "learn"
_HOUR: Final = 3600.0
_OLDEST: Final = 20_000
"""Captures that wait for study longest: sites are chosen among theirs."""
_STANDING: Final = f"""page, url, authority, site, kind, via, hops, due, pages.not_before, attempts, evidence, since,
    outcome, detail, visited, weight, weight_given, pages.captures, hosts.not_before,
    {rows.DEAD_LINK}, {rows.ANSWERED_WITH}"""


class PlanReading(PostgresStudyReading):
    """What the planner of a site knows of it."""

    def standings(self, site: str) -> list[Standing]:
        """Pages of a site that were visited, in the order they were found."""
        query = f"""SELECT {_STANDING} FROM pages JOIN hosts USING (host)
            WHERE site = ? AND kind = 'page' AND visited > 0 ORDER BY page"""
        return [Standing._make(row) for row in self._rows(query, site)]

    def told(self, site: str) -> list[tuple[int, float, float, str]]:
        """What was said of a site's pages: page, time of a last change, when that was said first, by whom; by page."""
        query = """SELECT page, claims.time, seen, source FROM claims JOIN pages USING (page) JOIN hosts USING (host)
            WHERE site = ? AND kind = 'page' ORDER BY page, claims.time, seen, source"""
        return list(rows.first_told(self._rows(query, site)))

    def sitemap_readings(self, site: str) -> list[tuple[str, str, float]]:
        """The site, and the kind and time of each time that one of its sitemaps or feeds was read."""
        query = """SELECT kind, captures.time FROM captures JOIN pages USING (page) JOIN hosts USING (host)
            WHERE site = ? AND kind IN ('sitemap', 'feed')"""
        return [(site, str(kind), float(str(time))) for kind, time in self._rows(query, site)]

    def share(self, site: str) -> float:
        """The part of all pages that belongs to a site."""
        row = self._row("SELECT sum(pages) FILTER (WHERE site = ?), sum(pages) FROM hosts", site)
        return int(str(row[0] or 0)) / max(1, int(str(row[1] or 0))) if row is not None else 0.0

    def other_sites(self, site: str) -> tuple[int, float]:
        """What the desks of other sites told of theirs: how many, and the sum of the logarithms of their levels."""
        query = """SELECT count(*), coalesce(sum(ln(level)), 0.0) FROM site_desks
            WHERE work = ? AND level > 0 AND site <> ?"""
        row = self._row(query, PLAN, site)
        return (int(str(row[0])), float(str(row[1]))) if row is not None else (0, 0.0)

    def desks(self) -> list[tuple[str, float, float | None]]:
        """All sites in the order in which their desks are taken: name, planned up to when, level or None."""
        query = """SELECT site, coalesce(planned, 0.0), level FROM (SELECT DISTINCT site FROM hosts) AS places
            LEFT JOIN (SELECT * FROM site_desks WHERE work = 'plan') AS desks USING (site) ORDER BY 2, site"""
        return [(str(site), float(str(planned)), level) for site, planned, level in self._rows(query)]  # type: ignore[misc]

    def trust(self, site: str, source: str) -> float:
        """The part of what the sitemaps, or the feeds, of a site say that is right, as of its last plan."""
        query = "SELECT coalesce((trusts ->> ?)::real, trust) FROM site_desks WHERE site = ? AND work = ?"
        row = self._row(query, source, site, PLAN)
        return float(str(row[0])) if row is not None else 0.5

    def telling(self, least: float) -> int:
        """How many sites have sitemaps, or feeds, that are right at least as often; twice those that have both."""
        query = """SELECT count(*) FROM site_desks CROSS JOIN jsonb_each_text(trusts) AS told (source, share)
            WHERE work = ? AND share::real >= ?"""
        row = self._row(query, PLAN, least)
        return int(str(row[0])) if row is not None else 0


def plan_visited(session: Session, watched_since: float) -> None:
    """Visits of pages that were seen before are planned from now on. Where an hour was opened since a time, a watch is
    under way, and what its desks have planned stays.
    """

    def change(connection: Connection) -> None:
        connection.execute(
            f"""UPDATE pages SET due = %s WHERE state = 0 AND {rows.COMES_BACK}
                AND NOT EXISTS (SELECT FROM plan_hours WHERE start > %s)""".encode(),
            (PLANNED, watched_since),
        )

    session.run(change)


def keep_time(session: Session, length: float, now: float) -> None:
    """Hours last `length` seconds from now on, if they did not before: what is learned follows them."""

    def write(connection: Connection) -> None:
        connection.execute("LOCK TABLE watch_time IN EXCLUSIVE MODE")  # workers start together
        row = connection.execute("SELECT start, hour, length FROM watch_time ORDER BY start DESC LIMIT 1").fetchone()
        start, hour, before = map(float, map(str, row)) if row else (now, 0.0, _HOUR)
        if before != length:
            piece = (now, hour + (now - start) / before, length)
            connection.execute("INSERT INTO watch_time VALUES (%s, %s, %s)", piece)

    session.run(write)


class Desk(NamedTuple):
    """A desk that is one's own until its lease runs out."""

    site: str
    work: str
    token: int


_CLAIM: Final = """UPDATE site_desks SET owner = %(me)s, token = token + 1,
        until = clock_timestamp() + %(lease)s * interval '1 second'
    WHERE work = %(work)s AND site IN (
        SELECT site FROM site_desks WHERE work = %(work)s AND until <= statement_timestamp() AND {which}
        ORDER BY planned, site LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING site, work, token"""


def add_desks(connection: Connection) -> None:
    """A desk for every site that has none: there its hours are planned."""
    connection.execute("INSERT INTO site_desks (site) SELECT DISTINCT site FROM hosts ON CONFLICT DO NOTHING")


def claim_plans(session: Session, worker: int, end: float, seconds: float, limit: int) -> list[Desk]:
    """Take desks of sites that are not planned up to the end of an hour."""

    def take(connection: Connection) -> list[Desk]:
        return _claimed(connection, "planned < %(end)s", PLAN, worker, seconds, {"end": end, "limit": limit})

    return session.run(take)


def claim_study(session: Session, worker: int, seconds: float, limit: int) -> list[Desk]:
    """Take desks of sites that have captures to study."""

    def take(connection: Connection) -> list[Desk]:
        waiting = connection.execute(
            """SELECT DISTINCT site FROM hosts WHERE host IN (
                   SELECT host FROM (SELECT host FROM unstudied ORDER BY seq LIMIT %s) AS oldest)""",
            (_OLDEST,),
        )
        sites = sorted(str(site) for (site,) in waiting)
        if not sites:
            return []
        connection.execute(
            "INSERT INTO site_desks (site, work) SELECT unnest(%s::text[]), %s ON CONFLICT DO NOTHING", (sites, STUDY)
        )
        return _claimed(connection, "site = ANY (%(sites)s)", STUDY, worker, seconds, {"sites": sites, "limit": limit})

    return session.run(take)


def claim_learning(session: Session, worker: int, end: float, seconds: float) -> list[Desk]:
    """Take the learner's desk, if nobody has learned up to this time."""

    def take(connection: Connection) -> list[Desk]:
        connection.execute("INSERT INTO site_desks (site, work) VALUES ('', %s) ON CONFLICT DO NOTHING", (LEARN,))
        return _claimed(connection, "planned < %(end)s", LEARN, worker, seconds, {"end": end, "limit": 1})

    return session.run(take)


def _claimed(
    connection: Connection, which: str, work: str, worker: int, seconds: float, wanted: dict[str, object]
) -> list[Desk]:
    values = {"me": worker, "lease": seconds, "work": work, **wanted}
    return [Desk(*row) for row in connection.execute(_CLAIM.format(which=which).encode(), values)]  # type: ignore[arg-type]


_THESE: Final = """unnest(%(sites)s::text[], %(works)s::text[], %(tokens)s::bigint[]) AS mine (site, work, token)
    WHERE site_desks.site = mine.site AND site_desks.work = mine.work AND site_desks.token = mine.token"""


def _these(desks: Sequence[Desk]) -> dict[str, object]:
    sites, works, tokens = zip(*desks, strict=True)
    return {"sites": list(sites), "works": list(works), "tokens": list(tokens)}


def check_desks(connection: Connection, desks: Sequence[Desk]) -> None:
    """Lock the desks for this transaction; LeaseLost when one has gone to another worker, or was given back: by this
    very transaction, when nobody heard that it was made and it is tried again.
    """
    if not desks:
        return
    statement = """SELECT site, work, token FROM site_desks WHERE (site, work) IN (
            SELECT * FROM unnest(%(sites)s::text[], %(works)s::text[])) AND owner IS NOT NULL
        ORDER BY site, work FOR NO KEY UPDATE"""
    held = {Desk(*row) for row in connection.execute(statement.encode(), _these(desks))}  # type: ignore[arg-type]
    for desk in sorted(set(desks) - held):
        raise LeaseLost(f"the desk of {desk.site or 'the learner'} went to another worker; nothing was recorded")


def renew_desks(session: Session, desks: Sequence[Desk], seconds: float) -> int:
    """Keep desks that are still one's own, and were not given back meanwhile; how many."""
    statement = f"""UPDATE site_desks SET until = clock_timestamp() + %(seconds)s * interval '1 second'
        FROM {_THESE} AND owner IS NOT NULL"""
    values = _these(desks) | {"seconds": seconds}
    return session.run(lambda connection: connection.execute(statement.encode(), values).rowcount)


def leave_desks(connection: Connection, desks: Sequence[Desk], planned: float | None = None) -> int:
    """Give desks back that are still one's own, done up to a time; how many were."""
    if not desks:
        return 0
    statement = f"""UPDATE site_desks SET owner = NULL, until = '-infinity',
            planned = coalesce(%(planned)s::float8, planned) FROM {_THESE} AND owner IS NOT NULL"""
    return connection.execute(statement.encode(), _these(desks) | {"planned": planned}).rowcount


def learned_until(session: Session) -> float:
    """Up to when nothing is to be learned: the next lesson's time, or the future while somebody learns."""

    def ask(connection: Connection) -> float:
        row = connection.execute(
            """SELECT CASE WHEN until > statement_timestamp() THEN 'infinity'::float8 ELSE planned END
               FROM site_desks WHERE site = '' AND work = %s""",
            (LEARN,),
        ).fetchone()
        return 0.0 if row is None else float(str(row[0]))

    return session.run(ask, at_once=True)


def mark_learned(session: Session, until: float) -> None:
    """Nothing is to be learned until then."""
    statement = """INSERT INTO site_desks (site, work, planned) VALUES ('', %s, %s)
        ON CONFLICT (site, work) DO UPDATE SET planned = greatest(site_desks.planned, excluded.planned)"""
    session.run(lambda connection: connection.execute(statement, (LEARN, until)))


class SitePlan(NamedTuple):
    """What a desk has worked out for its site: visits (page, due time, priority), and what it tells the others."""

    start: float
    """Of the hour."""
    until: float
    """Nothing more is to be planned up to this time, unless the hour is divided again."""
    visits: Sequence[tuple[int, float, float]]
    demand: Sequence[float]
    offers: Sequence[float] | None
    """None to leave what was offered earlier in the hour."""
    trusts: Mapping[str, float]
    """By source, which part of what it says is right."""
    level: float | None = None
    """Changes a day of an average page of the site; None for nobody knows."""
    worths: Mapping[str, tuple[float, float]] = MappingProxyType({})
    """Of collections with an objective of their own: what their changes here are worth, by the archive's and by it."""
    note: tuple[str, Sequence[tuple[str, bytes | None]]] = ("", ())
    """Kind, key and value of what is kept of the plan for whoever asks."""


def hand_in(session: Session, desk: Desk, plan: SitePlan) -> bool:
    """Write the plan of a site; False when it is too late."""

    def write(connection: Connection) -> bool:
        if not leave_desks(connection, [desk], plan.until):
            return False
        offers = None if plan.offers is None else list(plan.offers)
        worths = Jsonb(dict(plan.worths)) if plan.worths else None
        connection.execute(
            """UPDATE site_desks SET visits = %s, demand = %s::real[], offers = coalesce(%s::real[], offers),
                   trust = %s, trusts = %s, level = coalesce(%s, level), worths = %s
               WHERE site = %s AND work = %s""",
            (
                *(len(plan.visits), list(plan.demand), offers, max(plan.trusts.values()), Jsonb(dict(plan.trusts))),
                *(plan.level, worths, desk.site, desk.work),
            ),
        )
        for key, value in plan.note[1]:
            connection.execute(
                "INSERT INTO notes VALUES (%s, %s, %s) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
                (plan.note[0], key, value),
            )
        if plan.visits:
            pages, dues, priorities = zip(*plan.visits, strict=True)
            connection.execute(
                """UPDATE pages SET due = v.due, priority = v.priority
                   FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS v (page, due, priority)
                   WHERE pages.page = v.page AND state = 0""",
                (list(pages), list(dues), list(priorities)),
            )
            connection.execute(
                "UPDATE plan_hours SET taken = taken + %s WHERE start = %s", (len(plan.visits), plan.start)
            )
        return True

    return session.run(write)
