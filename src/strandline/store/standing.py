"""How pages stand: everything the catalog knows of them that decides whether and when they are fetched.

Also sightings of captures that are still to be studied. Until then nobody knows how much a change mattered; that the
bytes differ is known from the digests, and is better than nothing for an archive that was imported a minute ago.
"""

import heapq
import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from strandline.core.capture import Kind
from strandline.ports import PLANNED
from strandline.store import rows
from strandline.store.studies import Seen, StudyReading

UNSTUDIED_IMPORTANCE = 0.3
"""Of a change that was seen by digest only."""

_STANDING = f"""page, url, authority, site, kind, via, hops, due, pages.not_before, attempts, evidence, since, outcome,
    detail, visited, weight, weight_given, pages.captures, hosts.not_before, {rows.DEAD_LINK},
    {rows.ANSWERED_WITH}"""
_PAGES = "pages JOIN hosts USING (host)"


class Standing(NamedTuple):
    """A page and its host, as the frontier sees them. Times are UTC epoch seconds."""

    page: int
    url: str
    host: str
    site: str
    kind: str
    via: str
    hops: int
    due: float
    not_before: float
    attempts: int
    evidence: str
    since: float
    outcome: str
    detail: str
    visited: float
    weight: float
    weight_given: bool
    captures: int
    host_not_before: float
    dead: bool = False
    """Nothing was ever seen under this address, and its site says that there is nothing."""
    status: int | None = None
    """Of the last answer, when the page could not be had."""

    @property
    def waits(self) -> str:
        """Why no visit of the page is planned: it comes by itself, or was left out for good; empty when one may be."""
        left_out = self.due > PLANNED and self.outcome == "skipped"
        return "" if self.due >= PLANNED and not left_out else self.detail or self.outcome or "waits"

    @property
    def comes_back(self) -> bool:
        """Whether the start of a watch plans the visits of the page: see Frontier.plan_visited."""
        known = self.evidence == "present" or (self.outcome == "skipped" and self.evidence != "absent")
        return self.due < PLANNED and self.visited > 0 and not self.attempts and known


class StandingReading(StudyReading):
    """Queries of the planning side."""

    def standing(self, url: str) -> Standing | None:
        """One page; None when the address is not known."""
        number = self._number(url)
        row = self._row(f"SELECT {_STANDING} FROM {_PAGES} WHERE page = ?", number) if number else None
        return None if row is None else Standing(*row)  # type: ignore[arg-type]

    def standings(self) -> Iterator[Standing]:
        """All pages in the order they were found; images, styles and other files behind the pages are left out."""
        query = f"SELECT {_STANDING} FROM {_PAGES} WHERE kind = 'page' ORDER BY page"
        return _holding_texts_once(self._rows(query))

    def standings_of(self, pages: Iterable[int]) -> Iterator[Standing]:
        """Some pages, in the order they were found; images, styles and other files are left out."""
        query = f"""SELECT {_STANDING} FROM {_PAGES} WHERE kind = 'page' AND page IN (SELECT value FROM json_each(?))
            ORDER BY page"""
        return map(Standing._make, self._rows(query, json.dumps(sorted(pages))))

    def hosts_waiting(self, until: float) -> dict[str, float]:
        """Hosts that are left alone up to a time at least, because they failed or asked for it, and until when."""
        query = "SELECT authority, not_before FROM hosts WHERE not_before >= ?"
        return {str(host): float(str(not_before)) for host, not_before in self._rows(query, until)}

    def newest_page(self) -> int:
        """Number of the page found last: as many were found, at most."""
        row = self._row("SELECT coalesce(max(page), 0) FROM pages")
        return int(str(row[0])) if row else 0

    def longest_unseen(self, limit: int, before: float) -> list[tuple[int, str]]:
        """Number and address of pages whose visits are planned, visited longest ago first; none since `before`."""
        query = """SELECT page, url FROM pages WHERE due = ? AND kind = 'page' AND visited < ?
            ORDER BY visited LIMIT ?"""
        return [(int(str(page)), str(url)) for page, url in self._rows(query, PLANNED, before, limit)]

    def seen_since(self, seq: int) -> Iterator[tuple[int, Seen]]:
        """Sightings of captures recorded after this number and studied since, in that order, with their numbers."""
        query = """SELECT seq, captures.page, url, site, captures.time, captures.status, coalesce(visible, 0),
                coalesce(importance, 0.0), coalesce(impch, 0.0), coalesce(held, 0)
            FROM captures JOIN pages USING (page) JOIN hosts USING (host) LEFT JOIN changes ON by_seq = seq
            WHERE seq > ? AND seq <= ? AND kind = 'page' ORDER BY seq"""
        for row in self._rows(query, seq, self.progress()):
            flags = (bool(row[6]), row[7], row[8], bool(row[9]), False)
            yield int(str(row[0])), Seen(*row[1:6], *flags)  # type: ignore[arg-type, call-arg]

    def contents(self) -> Iterator[tuple[int, str, str]]:
        """Page, site and digest of what each page last showed."""
        query = f"""SELECT pages.page, site, {rows.CONTENT} FROM {_PAGES}
            JOIN captures ON captures.seq = pages.origin WHERE kind = 'page'"""
        for page, site, digest in self._rows(query):
            yield int(str(page)), str(site), str(digest)

    def sizes(self, pages: Iterable[int] | None = None) -> dict[int, float]:
        """Mean bytes of a capture of each page, or of some pages, as stored."""
        some, values = "", []
        if pages is not None:
            some, values = "WHERE page IN (SELECT value FROM json_each(?))", [json.dumps(sorted(pages))]
        query = f"SELECT page, avg(length) FROM captures {some} GROUP BY page"
        return {int(str(page)): float(str(size)) for page, size in self._rows(query, *values)}

    def due_by_themselves(self, until: float, starting: bool, limit: int, kind: str = "") -> list[Standing]:
        """What is due by a time without a plan and may be asked for by then, of any kind or of one, in the order a
        watch takes it: hosts in turn, best first; of one that failed last a single one. `starting`: without pages whose
        visits the start of a watch plans.
        """
        planned = _unplanned(starting, kind)
        query = f"""SELECT {_STANDING} FROM {_PAGES} JOIN (
                SELECT page, row_number() OVER (PARTITION BY host ORDER BY priority, page) AS place FROM pages
                WHERE due <= ? AND not_before <= ? AND state <> 3 {planned}
            ) AS waiting USING (page) WHERE hosts.not_before <= ? AND (failures = 0 OR place = 1)
            ORDER BY place, turn, page LIMIT ?"""
        return list(map(Standing._make, self._rows(query, until, until, until, limit)))

    def count_due(self, until: float, starting: bool, kind: str = "") -> int:
        """How many pages and parts, or those of a kind, `due_by_themselves` gives."""
        row = self._row(rows.count_due(_unplanned(starting, kind)), until, until, until)
        return int(str(row[0])) if row else 0

    def claims_told(self, pages: Iterable[int] | None = None) -> Iterator[tuple[int, float, float, str]]:
        """Page and time of claims about a last change, when each was first read, and who said so first, by page and
        time; of all pages, or of some.
        """
        some, values = "", []
        if pages is not None:
            some, values = "WHERE page IN (SELECT value FROM json_each(?))", [json.dumps(sorted(pages))]
        query = f"SELECT page, time, seen, source FROM claims {some} ORDER BY page, time, seen, source"
        yield from rows.first_told(self._rows(query, *values))

    def sitemap_readings(self, between: tuple[int, int] | None = None) -> Iterator[tuple[str, str, float]]:
        """Site, kind and time of every time that one of its sitemaps or feeds was read, in the order it was recorded;
        or only by captures after one number, up to another.
        """
        which = "captures.page IN (SELECT page FROM pages WHERE kind IN ('sitemap', 'feed'))"
        if between is not None:  # few captures: these are looked through, rather than all pages
            which = "seq > ? AND seq <= ? AND kind IN ('sitemap', 'feed')"
        query = f"""SELECT site, kind, captures.time FROM captures JOIN pages USING (page) JOIN hosts USING (host)
            WHERE {which} ORDER BY seq"""
        for site, kind, time in self._rows(query, *(between or ())):
            yield str(site), str(kind), float(str(time))

    def last_capture(self) -> tuple[int, float]:
        """Number of the capture recorded last, and the time of the latest; zeros for an empty archive."""
        row = self._row("SELECT coalesce(max(seq), 0), (SELECT coalesce(max(last), 0.0) FROM hosts) FROM captures")
        assert row is not None
        return int(str(row[0])), float(str(row[1]))

    def visits_since(self, time: float, site: str = "") -> tuple[int, int]:
        """Captures of pages made since a time, and pages whose last visit since then failed."""
        which = " AND ? IN (site, authority)" if site else ""
        values = (time, *([site] if site else []))
        made = self._row(
            f"""SELECT count(*) FROM captures JOIN pages USING (page) JOIN hosts USING (host)
                WHERE captures.time >= ? AND kind = 'page'{which}""",
            *values,
        )
        failed = self._row(
            f"""SELECT count(*) FROM {_PAGES} WHERE visited >= ? AND kind = 'page'
                AND {rows.FAILED}{which}""",
            *values,
        )
        return int(str(made[0])) if made else 0, int(str(failed[0])) if failed else 0

    def all_sightings(self, site: str = "") -> Iterator[Seen]:
        """Sightings of studied and of unstudied captures, by page and time."""
        if self.progress() >= self.last_capture()[0]:
            return self.sightings(site)
        both = (self.sightings(site), self._unstudied(site))
        return heapq.merge(*both, key=lambda seen: (seen.page, seen.time))

    def _unstudied(self, site: str) -> Iterator[Seen]:
        which = " AND ? IN (site, authority)" if site else ""
        query = f"""SELECT page, url, site, time, status, before IS NOT NULL AND before <> digest, before IS NULL FROM (
                SELECT seq, captures.page, url, host, time, status, {rows.CONTENT} AS digest,
                    lag({rows.CONTENT}) OVER (PARTITION BY page ORDER BY time, seq) AS before
                FROM captures JOIN pages USING (page)
                WHERE page IN (SELECT page FROM captures WHERE seq > :progress)
            ) JOIN hosts USING (host) WHERE seq > :progress{which} ORDER BY page, time, seq"""
        progress = self.progress()
        query = query.replace(":progress", str(progress))
        for page, url, place, time, status, changed, first in self._rows(query, *([site] if site else [])):
            importance = UNSTUDIED_IMPORTANCE if changed else 0.0
            facts = (bool(changed), importance, importance, False, bool(first))
            yield Seen(page, url, place, time, status, *facts)  # type: ignore[arg-type]


def _holding_texts_once(found: Iterable[rows.Row]) -> Iterator[Standing]:
    """Rows as they are; texts that many pages have in common (host, site, kind, via, evidence, outcome) are one object:
    they would take a third of the memory.
    """
    same = dict[object, object]().setdefault
    for r in found:
        names = (same(r[2], r[2]), same(r[3], r[3]), same(r[4], r[4]), same(r[5], r[5]))
        evidence, outcome = same(r[10], r[10]), same(r[12], r[12])
        yield Standing._make((*r[:2], *names, *r[6:10], evidence, r[11], outcome, *r[13:]))


def _unplanned(starting: bool, kind: str) -> str:
    """More conditions of what is due by itself."""
    kinds = f"AND kind = '{Kind(kind)}'" if kind else ""
    return f"{kinds} AND NOT ({rows.COMES_BACK})" if starting else kinds
