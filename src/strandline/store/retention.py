"""What retention and storage reports read: captures with the changes they show, and bytes by site, kind and age."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from strandline.core.capture import Kind
from strandline.core.changes.observation import Sighted
from strandline.core.keeping.retention import Kept, PageCaptures
from strandline.store import rows
from strandline.store.recording import SERVES
from strandline.store.studies import StudyReading


@dataclass(frozen=True, slots=True)
class Stored:
    """Bytes of the captures of a site, of a kind, of a year."""

    site: str
    kind: str
    year: int
    captures: int
    bytes: int


class RetentionReading(StudyReading):
    """The questions of keepers about room."""

    def page_captures(self) -> Iterator[PageCaptures]:
        """All captures of each page in time order, with what is important about them."""
        query = """SELECT captures.page, site, authority, kind, captures.seq, captures.time, length,
                coalesce(CASE WHEN changes.visible <> 0 THEN changes.importance END, 0.0), coalesce(after_seq, 0),
                captures.seq <= (SELECT seq FROM study_progress), coalesce(original_record, ''), origin, base,
                coalesce(pages.surt, '')
            FROM captures JOIN pages USING (page) JOIN hosts USING (host) LEFT JOIN changes ON by_seq = captures.seq
            LEFT JOIN page_states ON page_states.page = captures.page
            ORDER BY captures.page, captures.time, captures.seq"""
        holding = self._holding()
        for page, found in groupby(self._rows(query), key=lambda row: row[0]):
            kept, needed, facts = [], set(), ("", "", "", "")
            for row in found:
                facts = (str(row[1]), str(row[2]), str(row[3]), str(row[13]))
                needed |= {rows.whole(number) for number in row[11:13] if number}
                change = (float(str(row[7])), rows.whole(row[8]))
                refers = holding.get(str(row[10]), 0)
                kept.append(
                    Kept(rows.whole(row[4]), float(str(row[5])), rows.whole(row[6]), *change, refers, bool(row[9]))
                )
            requisite = facts[2] == Kind.REQUISITE
            yield PageCaptures(rows.whole(page), *facts[:2], requisite, kept, frozenset(needed), facts[3])

    def shown_captures(self) -> Iterator[Sighted]:
        """Captures that were shown in a browser."""
        return self._sighted("rendered_digest IS NOT NULL")

    def _holding(self) -> dict[str, int]:
        """Captures that others refer to, by the id of their record."""
        query = """SELECT held.record_id, held.seq FROM captures AS held
            WHERE held.revisit = 0 AND held.record_id <> ''
                AND held.record_id IN (SELECT original_record FROM captures WHERE revisit = 1)"""
        return {str(record): rows.whole(seq) for record, seq in self._rows(query)}

    def serving(self) -> dict[str, list[str]]:
        """Sites that give parts to pages of other sites, and those."""
        found: dict[str, list[str]] = {}
        for key, _ in self.notes(SERVES):
            giver, _, site = key.partition(" ")
            found.setdefault(giver, []).append(site)
        return found

    def places(self, captures: set[int]) -> Iterator[tuple[int, str, int, str]]:
        """Number, file, offset and record of captures, in the order they lie in files."""
        query = """SELECT seq, files.name, offset, record_id FROM captures JOIN files USING (file)
            ORDER BY files.name, offset"""
        for seq, file, offset, record in self._rows(query):
            if seq in captures:
                yield rows.whole(seq), str(file), rows.whole(offset), str(record)

    def stored(self, after: int = 0, until: int = 2**62) -> list[Stored]:
        """Bytes by site, kind and year, the largest first; of the captures between two numbers, the first left out."""
        query = """SELECT site, kind, cast(time / 31556952.0 AS INTEGER) + 1970, count(*), sum(length)
            FROM captures JOIN pages USING (page) JOIN hosts USING (host)
            WHERE captures.seq > ? AND captures.seq <= ? GROUP BY 1, 2, 3 ORDER BY 5 DESC"""
        return [Stored(*row) for row in self._rows(query, after, until)]  # type: ignore[arg-type]

    def written_on(self, after: int, until: int) -> list[tuple[int, int, float]]:
        """Of the captures between two numbers, the first left out: each UTC day, bytes, and when the first was made."""
        query = """SELECT cast(time / 86400.0 AS INTEGER), sum(length), min(time) FROM captures
            WHERE seq > ? AND seq <= ? GROUP BY 1"""
        found = self._rows(query, after, until)
        return [(rows.whole(day), rows.whole(octets), float(str(first))) for day, octets, first in found]

    def written_files(self) -> tuple[int, int]:
        """Number of the capture recorded last, and of the oldest file: another one when files were written anew."""
        row = self._row("SELECT (SELECT max(seq) FROM captures), (SELECT min(file) FROM files)")
        return (rows.whole(row[0] or 0), rows.whole(row[1] or 0)) if row else (0, 0)

    def written_since(self, time: float) -> tuple[int, float]:
        """Bytes of captures since the day of a time, and when the first of them was made, or the beginning of its day
        if there are older ones; 0 for none.
        """
        since = int(max(time, 0.0) // 86400.0)  # as they are written: databases round to whole numbers each in its way
        row = self._row(
            """SELECT coalesce(sum(host_days.octets), 0), min(day), (SELECT min(first) FROM hosts)
               FROM host_days WHERE day >= ? AND captures > 0""",
            since,
        )
        if row is None or row[1] is None or row[2] is None:
            return 0, 0.0
        return rows.whole(row[0]), max(86400.0 * rows.whole(row[1]), float(str(row[2])))
