"""What an export to Parquet reads: everything recorded after a number, site by site, and pages that were studied anew.

Written for an archive's catalog; a cluster's answers the same (store/postgres/exporting.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from strandline.core.capture import Capture
from strandline.store import rows
from strandline.store.studies import Change, StudyReading

Anchor = tuple[int, int, str, int]
"""Number, page, file and offset of a capture."""
PAGE = "site, pages.page, url, kind, authority, evidence, since, weight, via, hops, pages.captures"
SIGHT = "text_bytes, links, headings, images, emails, first_sights.last_modified, language"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A capture with its number, its page and its site."""

    site: str
    seq: int
    page: int
    capture: Capture


class ExportReading(StudyReading):
    """The questions of an export."""

    window = 250_000
    """Captures that are read together."""

    def knows(self, anchors: Sequence[Anchor]) -> bool:
        """Whether these captures are still recorded under these numbers: not so after a `reindex`."""
        query = """SELECT captures.page, files.name, offset FROM captures JOIN files USING (file) WHERE seq = ?"""
        return all(self._row(query, seq) == (page, file, offset) for seq, page, file, offset in anchors)

    def recorded(self, after: int, up_to: int) -> Iterator[Recorded]:
        """Captures in a range of numbers, by site, page and time."""
        query = f"""SELECT site, seq, captures.page, {rows.CAPTURE}
            FROM captures JOIN pages USING (page) JOIN hosts USING (host) JOIN files USING (file)
            WHERE seq > ? AND seq <= ? ORDER BY site, captures.page, captures.time, seq"""
        for row in self._rows(query, after, up_to):
            yield Recorded(str(row[0]), rows.whole(row[1]), rows.whole(row[2]), rows.capture(row[3:]))

    def claim_rows(self) -> Iterator[tuple[object, ...]]:
        """Site, page, source, time and first sight of every claim about a last change, by site and page."""
        query = """SELECT site, claims.page, source, claims.time, seen FROM claims JOIN pages USING (page)
            JOIN hosts USING (host) WHERE pages.captures > 0 ORDER BY site, claims.page, seen, claims.time, source"""
        return self._rows(query)

    def turn(self) -> int:
        """How often pages were studied anew."""
        row = self._row("SELECT coalesce(max(turn), 0) FROM restudied")
        return rows.whole(row[0]) if row else 0

    def found_changes(self, after: int, up_to: int) -> Iterator[Change]:
        """Changes shown by captures in a range of numbers, by site, page and time."""
        return self._changes("by_seq > ? AND by_seq <= ? ORDER BY site, changes.page, by, by_seq", after, up_to)

    def found_problems(self, after: int, up_to: int) -> Iterator[tuple[object, ...]]:
        """Site, time, number, page, address and problem of captures in a range of numbers that could not be studied."""
        return self._problem_rows("seq > ? AND seq <= ?", after, up_to)

    def month_changes(self, site: str, span: tuple[float, float], up_to: int) -> Iterator[Change]:
        """Changes of a site shown by captures of a stretch of time, up to a number, by page and time."""
        where = "site = ? AND by >= ? AND by < ? AND by_seq <= ? ORDER BY changes.page, by, by_seq"
        return self._changes(where, site, *span, up_to)

    def month_problems(self, site: str, span: tuple[float, float], up_to: int) -> Iterator[tuple[object, ...]]:
        """Captures of a site and a stretch of time that could not be studied, up to a number."""
        where = "site = ? AND captures.time >= ? AND captures.time < ? AND seq <= ?"
        return self._problem_rows(where, site, *span, up_to)

    def _problem_rows(self, where: str, *values: object) -> Iterator[tuple[object, ...]]:
        query = f"""SELECT site, captures.time, seq, captures.page, url, problem FROM study_problems
            JOIN captures USING (seq) JOIN pages ON pages.page = captures.page JOIN hosts USING (host)
            WHERE {where} ORDER BY site, captures.page, captures.time, seq"""
        return self._rows(query, *values)

    def restudied(self, since: int) -> Iterator[tuple[str, float]]:
        """Sites and times of the captures of pages that were studied anew after a turn."""
        query = """SELECT site, captures.time FROM restudied JOIN captures USING (page) JOIN pages USING (page)
            JOIN hosts USING (host) WHERE restudied.turn > ?"""
        return ((str(site), float(str(time))) for site, time in self._rows(query, since))

    def page_rows(self) -> Iterator[tuple[object, ...]]:
        """Site, facts and first sight of every page that was captured, by site and page."""
        query = f"""SELECT {PAGE}, {SIGHT}
            FROM pages JOIN hosts USING (host) LEFT JOIN first_sights USING (page)
            WHERE pages.captures > 0 ORDER BY site, pages.page"""
        return self._rows(query)
