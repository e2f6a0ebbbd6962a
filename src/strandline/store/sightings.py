"""Captures as the learner wants them: what study found in each, what sources claimed, what pages looked like.

A capture that was not studied, or could not be (an index without its WARC file), is told changed by its digest, and
says so. Times are handed out in the seconds the archive lived by (core/history/lived_time): other than those of the
clock only after a watch with hours of its own.

Whoever goes through the whole history asks once which pages there are (`pages_to_learn`), then about some pages at a
time: asked site by site, each question would look through the pages of all sites.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from strandline.core.beliefs.features import PageSummary
from strandline.core.history.lived_time import LivedTime
from strandline.store import rows
from strandline.store.reading import Claim
from strandline.store.studies import StudyReading

PAGES = "pages.kind = 'page'"
ON_SITE = "pages.host IN (SELECT host FROM hosts WHERE site = ?)"
ASKED_AT_ONCE = 500
"""Pages in one question. Origin: a bound, of the values a question may have."""
_CAPTURES_AT_ONCE = 20_000
"""Captures of pages that are asked about together; a page with more is asked about alone. Origin: a bound on memory."""


class Sighting(NamedTuple):
    """A capture with what is known of the change since the one before."""

    page: int
    url: str
    site: str
    time: float
    status: int
    changed: bool
    importance: float
    held: bool
    studied: bool
    """False: told by the digests alone; a change then has importance 1."""
    differs: bool = False
    """Whether the bytes differ from those of the capture before."""


class PagesToLearn(NamedTuple):
    """The pages of a site: numbers, ascending, and how many captures each has."""

    numbers: "array[int]"
    captures: "array[int]"

    def parts(self) -> Iterator[Sequence[int]]:
        """As many pages as are asked about together, then the next ones.

        >>> [list(part) for part in PagesToLearn(array("q", [3, 5, 8]), array("q", [19_000, 900, 200])).parts()]
        [[3, 5], [8]]
        """
        begin = captures = 0
        for place, count in enumerate(self.captures):
            if place > begin and (captures + count > _CAPTURES_AT_ONCE or place - begin == ASKED_AT_ONCE):
                yield self.numbers[begin:place]
                begin, captures = place, 0
            captures += count
        if begin < len(self.numbers):
            yield self.numbers[begin:]


class SightingReading(StudyReading):
    """Queries about captures to learn from."""

    def lived_time(self) -> LivedTime:
        """How hours ran: the times of captures and claims that are learned from follow them."""
        query = "SELECT start, hour, length FROM watch_time ORDER BY start"
        return LivedTime(tuple(self._rows(query)))  # type: ignore[arg-type]

    # Of a whole site

    def learned_sites(self) -> list[str]:
        """Sites with captures of pages."""
        query = f"""SELECT DISTINCT site FROM hosts WHERE EXISTS
            (SELECT 1 FROM pages WHERE pages.host = hosts.host AND {PAGES} AND pages.captures > 0) ORDER BY site"""
        return [str(row[0]) for row in self._rows(query)]

    def pages_to_learn(self) -> dict[str, PagesToLearn]:
        """Pages with captures, by site in the order of names; 12 bytes for each."""
        sites = {row[0]: str(row[1]) for row in self._rows("SELECT host, site FROM hosts")}
        found: dict[str, PagesToLearn] = {}
        query = f"SELECT host, page, captures FROM pages WHERE {PAGES} AND captures > 0 ORDER BY page"
        for host, page, captures in self._rows(query):
            site = found.setdefault(sites[host], PagesToLearn(array("q"), array("i")))
            site.numbers.append(rows.whole(page))
            site.captures.append(rows.whole(captures))
        return {name: found[name] for name in sorted(found)}

    def visits(self, site: str) -> Iterator[Sighting]:
        """Captures of a site's pages in the order of page and time."""
        return self._visits(ON_SITE, site)

    def first_sights(self, site: str) -> dict[int, PageSummary]:
        """What a site's pages looked like at first sight."""
        query = f"""SELECT page, text_bytes, links, headings, images, emails, first_sights.last_modified
            FROM first_sights JOIN pages USING (page) WHERE {ON_SITE}"""
        return {
            rows.whole(row[0]): PageSummary(*row[1:6], None if row[6] is None else bool(row[6]))  # type: ignore[arg-type, call-arg]
            for row in self._rows(query, site)
        }

    def spoken(self, site: str) -> str | None:
        """The language most pages of a site are in."""
        row = self._row(
            f"""SELECT language FROM first_sights JOIN pages USING (page) WHERE {ON_SITE} AND language <> ''
                GROUP BY language ORDER BY count(*) DESC, min(page) LIMIT 1""",
            site,
        )
        return None if row is None else str(row[0])

    def languages(self) -> dict[str, str]:
        """The same of all sites that have one."""
        query = """SELECT site, language FROM first_sights CROSS JOIN pages USING (page) CROSS JOIN hosts USING (host)
            WHERE language <> '' GROUP BY site, language ORDER BY site, count(*) DESC, min(page)"""
        return {str(site): str(next(found)[1]) for site, found in groupby(self._rows(query), key=itemgetter(0))}

    # Of some pages

    def visits_of(self, page: int) -> Iterator[Sighting]:
        """Captures of one page in the order of time."""
        return self._visits("pages.page = ?", page)

    def visits_of_pages(self, pages: Sequence[int]) -> Iterator[Sighting]:
        """Captures of some pages, at most as many as are asked about together, in the order of page and time."""
        return self._visits(f"pages.page IN ({_marks(pages)})", *pages)

    def _visits(self, where: str, *values: object) -> Iterator[Sighting]:
        query = f"""SELECT captures.page, pages.url, site, captures.time, captures.status,
                visible, importance, held, {rows.CONTENT},
                captures.seq <= ? AND study_problems.seq IS NULL
            FROM pages CROSS JOIN hosts USING (host) CROSS JOIN captures ON captures.page = pages.page
            LEFT JOIN changes ON by_seq = captures.seq LEFT JOIN study_problems ON study_problems.seq = captures.seq
            WHERE {PAGES} AND {where} ORDER BY captures.page, captures.time, captures.seq"""
        page, before = 0, ""
        time = self.lived_time()
        for row in self._rows(query, self.progress(), *values):
            if row[0] != page:
                page, before = rows.whole(row[0]), ""
            digest = str(row[8])
            compared = row[5] is not None
            studied = compared or bool(row[9])
            differs = bool(before) and digest != before and row[4] in (200, 304)
            if row[4] in (200, 304):
                before = digest
            changed = bool(row[5]) if studied else differs
            importance = row[6] if compared else float(changed)
            at = time.lived(row[3])  # type: ignore[call-overload]
            yield Sighting(*row[:3], at, row[4], changed, importance, bool(row[7]), studied, differs)  # type: ignore[arg-type, call-arg]

    def claims(self, page: int) -> list[Claim]:
        """What sources said about the last change of a page."""
        return [_lived(claim, self.lived_time()) for claim in super().claims(page)]

    def claims_of_pages(self, pages: Sequence[int]) -> dict[int, list[Claim]]:
        """The same of some pages, at most as many as are asked about together; those of which nothing was said are
        left out.
        """
        query = f"""SELECT claims.page, source, claims.time, seen FROM claims JOIN pages USING (page)
            WHERE {PAGES} AND claims.page IN ({_marks(pages)}) ORDER BY claims.page, seen, claims.time"""
        found: dict[int, list[Claim]] = {}
        time = self.lived_time()
        for row in self._rows(query, *pages):
            found.setdefault(rows.whole(row[0]), []).append(_lived(Claim(*row), time))  # type: ignore[arg-type]
        return found

    def sights_of_pages(self, pages: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Page, bytes of text, headings and links of some pages at first sight, at most as many as are asked about
        together.
        """
        query = f"""SELECT page, text_bytes, headings, links FROM first_sights WHERE page IN ({_marks(pages)})
            ORDER BY page"""
        return self._rows(query, *pages)  # type: ignore[return-value]

    def addresses(self) -> Iterator[tuple[int, str]]:
        """All pages with captures and their addresses, by address."""
        return self._rows(f"SELECT page, url FROM pages WHERE {PAGES} AND captures > 0 ORDER BY url")  # type: ignore[return-value]

    # As they come

    def studied_since(self, seq: int) -> Iterator[tuple[int, Sighting]]:
        """Captures of pages recorded after this number and studied since, in that order, with their numbers.

        Those that could not be studied are left out: they wait until everything is learned anew.
        """
        query = f"""SELECT captures.seq, captures.page, pages.url, site, captures.time, captures.status,
                coalesce(visible, 0), coalesce(importance, 0.0), coalesce(held, 0)
            FROM captures JOIN pages USING (page) JOIN hosts USING (host) LEFT JOIN changes ON by_seq = captures.seq
            WHERE {PAGES} AND captures.seq > ? AND captures.seq <= ?
                AND captures.seq NOT IN (SELECT seq FROM study_problems) ORDER BY captures.seq"""
        time = self.lived_time()
        for row in self._rows(query, seq, self.progress()):
            at = time.lived(row[4])  # type: ignore[call-overload]
            yield rows.whole(row[0]), Sighting(*row[1:4], at, row[5], bool(row[6]), row[7], bool(row[8]), True)  # type: ignore[arg-type, call-arg]


def _marks(values: Sequence[int]) -> str:
    return ", ".join("?" * len(values))


def _lived(claim: Claim, time: LivedTime) -> Claim:
    return claim if time.by_clock else Claim(claim.page, claim.source, time.lived(claim.time), time.lived(claim.seen))
