"""What happened to an archive in a span of time, for reports. Each question reads the captures or changes of the span
once; times are UTC epoch seconds, spans include their beginning and not their end.
"""

from collections.abc import Iterator
from typing import NamedTuple

from strandline.store import rows
from strandline.store.alarming import AlarmReading
from strandline.store.studies import Change
from strandline.store.watching import HourRow, WatchReading

_SITE = "(? = '' OR ? IN (site, authority))"
_BELIEVED = "visible = 1 AND held = 0"
_OF_PAGES = "JOIN pages USING (page) JOIN hosts USING (host)"


class Event(NamedTuple):
    """Something that happened to a page."""

    site: str
    url: str
    time: float
    detail: str
    weight: float = 0.0
    sentence: str = ""
    """What its weightiest change says, of a page that changed."""


class SiteVisits(NamedTuple):
    """Visits to the pages of a site in a span."""

    site: str
    pages: int
    visits: int
    unchanged: int
    errors: int
    days: float
    """Page-days between the first and the last visit of each page."""


class PageVisits(NamedTuple):
    """Visits to a page and what they found, in two spans."""

    site: str
    url: str
    before: int
    after: int
    changes_before: int
    changes_after: int


class RuleEvent(NamedTuple):
    """A directory rule that was made or retired."""

    site: str
    rule: str
    made: float
    retired: float | None


class ReportReading(AlarmReading, WatchReading):
    """Queries of `report`; `site` is a registered domain or a host, empty for all."""

    def _events(self, query: str, *values: object) -> Iterator[Event]:
        return (Event(*row) for row in self._rows(query, *values))  # type: ignore[arg-type]

    def new_pages(self, start: float, end: float, site: str) -> Iterator[Event]:
        """Pages that were first captured in the span, in time order."""
        query = f"""SELECT site, url, first, via FROM (
                SELECT site, authority, url, via,
                    (SELECT min(time) FROM captures WHERE captures.page = pages.page AND status < 400) AS first
                FROM pages JOIN hosts USING (host)
                WHERE kind = 'page' AND pages.captures > 0 AND NOT ({rows.DEAD_LINK})) AS found
            WHERE first >= ? AND first < ? AND {_SITE} ORDER BY first, url"""
        return self._events(query, start, end, site, site)

    def changed_pages(self, start: float, end: float, site: str) -> Iterator[Event]:
        """Pages that changed in the span, the most important first: changes in number, and their importance."""
        number = "count(*) || CASE WHEN count(*) = 1 THEN ' change' ELSE ' changes' END"
        query = f"""SELECT site, url, max(by), {number}, sum(importance) FROM changes {_OF_PAGES}
            WHERE by >= ? AND by < ? AND {_BELIEVED} AND kind = 'page' AND {_SITE}
            GROUP BY pages.page, hosts.host ORDER BY sum(importance) DESC, url"""
        return self._events(query, start, end, site, site)

    def weightiest(self, url: str, start: float, end: float) -> Change | None:
        """The weightiest change of a page in a span."""
        where = f"{_BELIEVED} AND changes.page = ? AND by >= ? AND by < ? ORDER BY importance DESC, by DESC LIMIT 1"
        return next(iter(self._changes(where, self._number(url), start, end)), None)

    def gone_pages(self, start: float, end: float, site: str) -> Iterator[Event]:
        """Pages that are gone since some time of the span; a second answer has confirmed it, or not yet."""
        query = f"""SELECT site, url, since, CASE WHEN coalesce(absent, 0) >= 2 THEN 'confirmed' ELSE 'seen once' END
            FROM pages JOIN hosts USING (host) LEFT JOIN page_states USING (page)
            WHERE evidence = 'absent' AND since >= ? AND since < ? AND kind = 'page' AND {_SITE}
                AND NOT ({rows.DEAD_LINK})
            ORDER BY since, url"""
        return self._events(query, start, end, site, site)

    def dead_links(self, start: float, end: float, site: str) -> Iterator[Event]:
        """Addresses that in the span turned out to lead nowhere, with a page that names them: never a page there."""
        named = """SELECT naming.url FROM links JOIN pages AS naming ON naming.page = source
            WHERE target = pages.page ORDER BY source LIMIT 1"""
        query = f"""SELECT site, url, since, coalesce('named by ' || ({named}), via)
            FROM pages JOIN hosts USING (host)
            WHERE since >= ? AND since < ? AND kind = 'page' AND {_SITE} AND {rows.DEAD_LINK}
            ORDER BY since, url"""
        return self._events(query, start, end, site, site)

    def moved_pages(self, start: float, end: float, site: str) -> Iterator[Event]:
        """Pages that were there and led somewhere else for good for the first time in the span: where to."""
        query = f"""SELECT site, url, time, redirect FROM (
                SELECT site, url, captures.time, redirect,
                    row_number() OVER (PARTITION BY captures.page ORDER BY captures.time, seq) AS nth
                FROM captures {_OF_PAGES}
            WHERE captures.time >= ? AND captures.time < ? AND redirect <> '' AND status IN (301, 308) AND {_SITE}
                AND EXISTS (SELECT 1 FROM captures AS old WHERE old.page = captures.page AND old.time < captures.time
                            AND old.status < 300)
                AND NOT EXISTS (SELECT 1 FROM captures AS old WHERE old.page = captures.page AND old.time < ?
                                AND old.redirect = captures.redirect)
            ) AS found WHERE nth = 1 ORDER BY time, url"""
        return self._events(query, start, end, site, site, start)

    def visits(self, start: float, end: float, site: str) -> dict[str, SiteVisits]:
        """Visits to pages in the span, by site."""
        query = f"""SELECT site, count(*), sum(visits), sum(unchanged), sum(errors), sum(last - first) / 86400.0 FROM (
                SELECT site, authority, count(*) AS visits, sum(revisit) AS unchanged,
                    count(*) FILTER (WHERE status >= 400) AS errors, min(time) AS first, max(time) AS last
                FROM captures {_OF_PAGES} WHERE time >= ? AND time < ? AND kind = 'page'
                GROUP BY pages.page, hosts.host) AS visited
            WHERE {_SITE} GROUP BY site ORDER BY site"""
        found = (SiteVisits(*row) for row in self._rows(query, start, end, site, site))  # type: ignore[arg-type]
        return {one.site: one for one in found}

    def changes_by_site(self, start: float, end: float, site: str) -> dict[str, tuple[int, float]]:
        """Visible changes in the span and their importance, by site."""
        query = f"""SELECT site, count(*), sum(importance) FROM changes {_OF_PAGES}
            WHERE by >= ? AND by < ? AND {_BELIEVED} AND kind = 'page' AND {_SITE} GROUP BY site"""
        rows = self._rows(query, start, end, site, site)
        return {str(name): (int(str(count)), float(str(weight))) for name, count, weight in rows}

    def moved_visits(self, start: float, middle: float, end: float, site: str) -> Iterator[PageVisits]:
        """Pages by how much more or less they were visited after `middle` than before, the largest shift first."""
        query = f"""SELECT * FROM (
                SELECT site, url, count(*) FILTER (WHERE time < ?) AS visits_before,
                    count(*) FILTER (WHERE time >= ?) AS visits_after,
                    count(*) FILTER (WHERE time < ? AND {_BELIEVED}), count(*) FILTER (WHERE time >= ? AND {_BELIEVED})
                FROM captures {_OF_PAGES} LEFT JOIN changes ON by_seq = seq
                WHERE time >= ? AND time < ? AND kind = 'page' AND {_SITE}
                GROUP BY pages.page, hosts.host) AS visited
            WHERE visits_before > 0 AND visits_after > 0
            ORDER BY abs(visits_after - visits_before) DESC, url"""
        values = (middle, middle, middle, middle, start, end, site, site)
        return (PageVisits(*row) for row in self._rows(query, *values))  # type: ignore[arg-type]

    def rule_events(self, start: float, end: float, site: str) -> list[RuleEvent]:
        """Directory rules that were made or retired in the span."""
        query = """SELECT site, rule, made, retired FROM rule_history
            WHERE (made >= ? AND made < ? OR retired >= ? AND retired < ?) AND (? = '' OR site = ?)
            ORDER BY site, rule, made"""
        return [RuleEvent(*row) for row in self._rows(query, start, end, start, end, site, site)]  # type: ignore[arg-type]

    def hours(self, start: float, end: float) -> list[HourRow]:
        """What each hour of the watch was meant to do and did."""
        return [row for row in self.watch_hours(start) if row.start < end]
