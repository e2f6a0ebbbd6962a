"""What people look at: bounded answers about sites, directories, pages, changes and blocks.

No query here reads a whole archive. Counts per day are kept by triggers (`host_days`), directories are found by
jumping over the SURT index, and lists that filter look at a bounded number of rows and say where to go on. Times are
UTC epoch seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from strandline.core.capture import Capture
from strandline.core.mining.learned import PageRate
from strandline.core.urls import surt_key
from strandline.store import rows
from strandline.store.histories import BlockLife
from strandline.store.matching import MATCHES
from strandline.store.narrowing import EVERYTHING, Narrow
from strandline.store.reading import SiteRow
from strandline.store.site_spans import FEW, HOSTS, SpansReading
from strandline.store.studies import Change, Wanted

SCANNED = 20_000
"""Rows a filtered list looks at before it says where to go on."""
SAMPLED = 400
"""Pages of a directory that stand for all of it."""
_MOST_BRANCHES = 200
_DAY = 86_400.0


class Day(NamedTuple):
    """One UTC day of a site; `day` counts from 1970-01-01."""

    day: int
    captures: int
    unchanged: int
    errors: int
    changes: int
    important: int
    importance: float


class Branch(NamedTuple):
    """A directory or a page of a site, one step below another directory."""

    name: str
    key: str
    """SURT prefix of all that lies in it."""
    url: str
    """Address of a page in it."""
    pages: int
    changes: float
    """Visible changes a page had, as a mean over some of its pages."""
    importance: float
    """Of a change, as a mean."""
    folder: bool


class ListedPage(NamedTuple):
    """A page in a list."""

    page: int
    surt: str
    url: str
    captures: int
    evidence: str
    since: float
    visited: float
    changes: int
    importance: float


class ChangeRow(NamedTuple):
    """A change without its blocks, for calendars."""

    change: int
    after: float
    by: float
    importance: float
    visible: bool
    held: bool


@dataclass(frozen=True, slots=True)
class ChangesWanted:
    """Which changes, newest first, behind which one."""

    site: str = ""
    since: float = float("-inf")
    until: float = float("inf")
    min_importance: float = 0.0
    below: int = 2**62
    """Only changes with a smaller number at `until`: where the list goes on."""
    narrow: Narrow = EVERYTHING


class BrowsingReading(SpansReading):
    """Queries of the interface. Usable while a writer works."""

    _DAY_OF: ClassVar = "cast({} / 86400.0 AS INTEGER)"
    """The UTC day of a time, in whole days since 1970."""
    _OF_SITE: ClassVar = "host IN (SELECT host FROM hosts WHERE ? IN (site, authority))"

    # Sites

    def site_row(self, site: str) -> SiteRow | None:
        """A site, or a host, at a glance; None when nothing of it is known."""
        query = "SELECT ?, count(*), sum(pages), sum(captures), min(first), max(last) FROM hosts WHERE"
        for where in ("site = ?", "authority = ?"):
            row = self._row(f"{query} {where}", site, site)
            if row is not None and row[1]:
                return SiteRow(*row)  # type: ignore[arg-type]
        return None

    def listed_sites(self, limit: int, start: int = 0, like: str = "") -> list[SiteRow]:
        """Sites with the most captures, including those that wait for their first."""
        query = """SELECT site, count(*), sum(pages), sum(captures), min(first), max(last) FROM hosts
            WHERE site LIKE ? ESCAPE '\\' GROUP BY site ORDER BY sum(captures) DESC, site LIMIT ? OFFSET ?"""
        return [SiteRow(*row) for row in self._rows(query, _holding(like), limit, start)]  # type: ignore[arg-type]

    def days(self, site: str = "", since: float = 0.0, until: float = float("inf")) -> list[Day]:
        """Days of a site, or of the whole archive, on which something was captured or seen to change."""
        which = f"{self._OF_SITE} AND" if site else ""
        query = f"""SELECT day, sum(captures), sum(unchanged), sum(errors), sum(changes), sum(important),
                sum(importance) FROM host_days WHERE {which} day BETWEEN ? AND ? GROUP BY day ORDER BY day"""
        last = 2**40 if until == float("inf") else int(until / _DAY)
        return [Day(*row) for row in self._rows(query, *([site] if site else []), int(since / _DAY), last)]  # type: ignore[arg-type]

    # Directories

    def branches(self, prefix: str, limit: int = _MOST_BRANCHES) -> Iterator[Branch]:
        """What lies one step below a SURT prefix that ends in a slash, in the order of the index."""
        low, high = prefix, _behind(prefix)
        known: set[str] = set()
        while len(known) < limit:
            row = self._row("SELECT surt, url FROM pages WHERE surt >= ? AND surt < ? ORDER BY surt LIMIT 1", low, high)
            if row is None:
                return
            surt, url = str(row[0]), str(row[1])
            name = surt[len(prefix) :].partition("?")[0].partition("/")[0]
            key = prefix + name
            if name not in known:
                known.add(name)
                yield self._branch(name, key, url)
            # `news-old/` sorts between `news` and `news/`: only what is surely of this name is jumped over.
            low = surt + "\0" if surt == key or not name else _behind(key + surt[len(key)])

    def _branch(self, name: str, key: str, url: str) -> Branch:
        """With its counts; of a large directory some pages stand for all."""
        stretches = [(key, key + "\0"), (f"{key}?", _behind(f"{key}?")), (f"{key}/", _behind(f"{key}/"))]
        pages = [self._count(low, high) for low, high in (stretches if name else stretches[:2])]
        seen = changes = 0
        importance = 0.0
        query = f"""SELECT count(*), coalesce(sum(changes), 0), coalesce(sum(importance), 0.0)
            FROM (SELECT page FROM pages WHERE surt >= ? AND surt < ? LIMIT {SAMPLED}) AS few
            JOIN page_states USING (page)"""
        for low, high in stretches if name else stretches[:2]:
            row = self._row(query, low, high)
            assert row is not None
            seen, changes = seen + rows.whole(row[0]), changes + rows.whole(row[1])
            importance += float(str(row[2]))
        mean = changes / seen if seen else 0.0
        return Branch(
            name, key, url, sum(pages), mean, importance / changes if changes else 0.0, len(pages) > 2 and pages[2] > 0
        )

    def host_branch(self, host: str, low: str, high: str) -> Branch:
        """A whole host as a directory."""
        row = self._row("SELECT url FROM pages WHERE surt >= ? AND surt < ? ORDER BY surt LIMIT 1", low, high)
        inside = self._branch(host, low[:-1], str(row[0]) if row else "")
        return inside._replace(key=low, folder=True)

    def _count(self, low: str, high: str) -> int:
        row = self._row("SELECT count(*) FROM pages WHERE surt >= ? AND surt < ?", low, high)
        return rows.whole(row[0]) if row else 0

    def listed_pages(self, low: str, high: str, limit: int) -> list[ListedPage]:
        """Captured pages of a stretch of the index, by key."""
        query = f"""SELECT {_LISTED} FROM pages LEFT JOIN page_states USING (page)
            WHERE surt > ? AND surt < ? AND kind = 'page' ORDER BY surt LIMIT ?"""
        return [ListedPage(*row) for row in self._rows(query, low, high, limit)]  # type: ignore[arg-type]

    def new_pages(self, site: str, since: float, limit: int) -> list[tuple[ListedPage, float]]:
        """Pages found last that were there for the first time at a time or later; with that capture's time."""
        began = "SELECT min(time) FROM captures WHERE captures.page = pages.page AND status < 400"
        query = f"""SELECT * FROM (
                SELECT {_LISTED}, ({began}) AS began
                FROM pages LEFT JOIN page_states USING (page)
                WHERE page > (SELECT max(page) FROM pages) - {SCANNED}
                    AND host IN (SELECT host FROM hosts WHERE ? IN (site, authority, ''))
                    AND kind = 'page' AND pages.captures > 0 AND NOT ({rows.DEAD_LINK})) AS found
            WHERE began >= ? ORDER BY began DESC LIMIT ?"""
        return [(ListedPage(*row[:9]), float(str(row[9]))) for row in self._rows(query, site, since, limit)]  # type: ignore[arg-type]

    def gone_pages(self, site: str, since: float, limit: int) -> list[ListedPage]:
        """Pages that were there and answer 404 or 410 since a time or later, newest first."""
        return self._absent(f"NOT ({rows.DEAD_LINK})", site, since, limit)

    def dead_links(self, site: str, since: float, limit: int) -> list[ListedPage]:
        """Addresses under which there never was a page, found out at a time or later, newest first."""
        return self._absent(rows.DEAD_LINK, site, since, limit)

    def _absent(self, which: str, site: str, since: float, limit: int) -> list[ListedPage]:
        query = f"""SELECT {_LISTED} FROM pages JOIN hosts USING (host) LEFT JOIN page_states USING (page)
            WHERE evidence = 'absent' AND {which} AND kind = 'page' AND pages.since >= ?
                AND ? IN (site, authority, '') ORDER BY pages.since DESC LIMIT ?"""
        return [ListedPage(*row) for row in self._rows(query, since, site, limit)]  # type: ignore[arg-type]

    def found_pages(
        self, text: str, after: int, limit: int, narrow: Narrow = EVERYTHING
    ) -> tuple[list[ListedPage], int | None]:
        """Captured pages whose address holds a text, in the order they were found; and where to go on, or None."""
        which, more = narrow.pages()
        query = f"""SELECT {_LISTED} FROM (SELECT * FROM pages WHERE page > ? ORDER BY page LIMIT {10 * SCANNED})
            AS pages LEFT JOIN page_states USING (page)
            WHERE lower(url) LIKE ? ESCAPE '\\' AND kind = 'page' AND pages.captures > 0 AND {which}
            ORDER BY page LIMIT ?"""
        values = (after, _holding(text.lower()), *more, limit + 1)
        found = [ListedPage(*row) for row in self._rows(query, *values)]  # type: ignore[arg-type]
        if len(found) > limit:
            return found[:limit], found[limit - 1].page
        end = self._row("SELECT max(page) FROM pages")
        last = after + 10 * SCANNED
        return found, last if end and end[0] is not None and last < rows.whole(end[0]) else None

    # Changes

    def latest_changes(self, wanted: ChangesWanted, limit: int) -> tuple[list[Change], tuple[float, int] | None]:
        """Visible changes, newest first, and where the list goes on: time and number, or None at the end."""
        if (row := self.site_row(wanted.site)) and row.pages <= FEW and row.hosts <= HOSTS:
            return self._changes_of_few(wanted, limit)
        which, more = wanted.narrow.changes("newest.by")
        query = f"""SELECT change, by, importance >= ? AND visible = 1 AND ? IN (site, authority, '') AND {which}
            FROM (SELECT change, page, by, importance, visible FROM changes INDEXED BY changes_time
                  WHERE by <= ? AND by >= ? AND (by < ? OR change < ?) ORDER BY by DESC, change DESC LIMIT ?) AS newest
            JOIN pages USING (page) JOIN hosts USING (host) ORDER BY by DESC, change DESC"""
        found: list[int] = []
        last = (min(wanted.until, 1e15), wanted.below)
        scanned, batch = 0, 4 * limit  # most filters find enough among the newest
        while scanned < SCANNED:
            batch = min(batch, SCANNED - scanned)
            values = (wanted.min_importance, wanted.site, *more, last[0], wanted.since, *last, batch)
            looked_at = list(self._rows(query, *values))
            for number, by, fits in looked_at:
                last = (float(str(by)), rows.whole(number))
                if fits:
                    found.append(last[1])
                    if len(found) == limit:
                        return self._numbered(found), last
            if len(looked_at) < batch:
                return self._numbered(found), None
            scanned, batch = scanned + batch, 8 * batch
        return self._numbered(found), last

    def _changes_of_few(self, wanted: ChangesWanted, limit: int) -> tuple[list[Change], tuple[float, int] | None]:
        """The same of a site with few pages, page by page: among those of all sites they might be far between."""
        which, more = wanted.narrow.changes()
        keys = [key for _, *stretch in self.spans(wanted.site) for key in stretch]
        within = " OR ".join(["surt >= ? AND surt < ?"] * (len(keys) // 2))
        query = f"""SELECT change, changes.by FROM changes JOIN pages USING (page) JOIN hosts USING (host)
            WHERE changes.page IN (SELECT page FROM pages WHERE {within}) AND ? IN (site, authority) AND importance >= ?
                AND visible = 1 AND {which} AND changes.by >= ? AND (changes.by < ? OR changes.by = ? AND change < ?)
            ORDER BY 2 DESC, 1 DESC LIMIT ?"""
        last = (wanted.since, min(wanted.until, 1e15), min(wanted.until, 1e15), wanted.below, limit)
        newest = list(self._rows(query, *keys, wanted.site, wanted.min_importance, *more, *last))
        end = (float(str(newest[-1][1])), rows.whole(newest[-1][0])) if len(newest) == limit else None
        return self._numbered([rows.whole(number) for number, _ in newest]), end

    def _numbered(self, changes: list[int]) -> list[Change]:
        """Changes by their numbers, newest first."""
        return list(self._changes(f"change IN ({_marks(changes)}) ORDER BY by DESC, change DESC", *changes))

    def page_numbers(self, url: str) -> list[int]:
        """Pages under the SURT key of an address: http and https, with and without www."""
        return [rows.whole(row[0]) for row in self._rows("SELECT page FROM pages WHERE surt = ?", surt_key(url))]

    def change_rows(self, pages: list[int], since: float, until: float, limit: int) -> list[ChangeRow]:
        """Changes of a page in a stretch of time, without their blocks, newest first."""
        query = f"""SELECT change, after, by, importance, visible, held FROM changes
            WHERE page IN ({_marks(pages)}) AND by >= ? AND by <= ? ORDER BY by DESC LIMIT ?"""
        found = self._rows(query, *pages, since, until, limit)
        return [ChangeRow(*row[:4], bool(row[4]), bool(row[5])) for row in found]  # type: ignore[arg-type, call-arg]

    def newest_of(self, pages: list[int], limit: int) -> list[Change]:
        """The newest visible changes of a page, with their blocks."""
        return list(
            self._changes(f"changes.page IN ({_marks(pages)}) AND visible = 1 ORDER BY by DESC LIMIT ?", *pages, limit)
        )

    def important_beside(self, pages: list[int], time: float, least: float) -> tuple[float | None, float | None]:
        """Times of the captures that show the last important change before a moment and the first one after it."""
        found = []
        for compare, order, moment in (("<", "DESC", time), (">", "ASC", time + 0.9995)):
            query = f"""SELECT by FROM changes WHERE page IN ({_marks(pages)}) AND by {compare} ? AND importance >= ?
                AND visible = 1 ORDER BY by {order} LIMIT 1"""
            row = self._row(query, *pages, moment, least)
            found.append(None if row is None else float(str(row[0])))
        return found[0], found[1]

    def capture_days(self, pages: list[int], since: float, until: float) -> dict[int, tuple[int, int, float]]:
        """Per UTC day: captures of a page, those kept as revisits, and the time of the last one."""
        query = f"""SELECT {self._DAY_OF.format("time")}, count(*), sum(revisit), max(time) FROM captures
            WHERE page IN ({_marks(pages)}) AND time >= ? AND time < ? GROUP BY 1"""
        return {
            rows.whole(day): (rows.whole(count), rows.whole(same), float(str(last)))
            for day, count, same, last in self._rows(query, *pages, since, until)
        }

    def capture_span(self, pages: list[int]) -> tuple[float, float, int] | None:
        """First and last capture of a page, and how many there are; None for none."""
        first = last = None
        total = 0
        for page in pages:
            row = self._row("SELECT min(time), max(time) FROM captures WHERE page = ?", page)
            if row is not None and row[0] is not None:
                begin, end = float(str(row[0])), float(str(row[1]))
                first = begin if first is None else min(first, begin)
                last = end if last is None else max(last, end)
                count = self._row("SELECT captures FROM pages WHERE page = ?", page)
                total += rows.whole(count[0]) if count else 0
        return None if first is None or last is None else (first, last, total)

    def shown_captures(self, pages: list[int], until: float, limit: int) -> list[Capture]:
        """Captures of a page at or before a time, newest first."""
        query = f"""SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE page IN ({_marks(pages)}) AND captures.time <= ?
            ORDER BY captures.time DESC, seq DESC LIMIT ?"""
        return list(map(rows.capture, self._rows(query, *pages, until, limit)))

    def latest_captures(self, limit: int) -> list[Capture]:
        """The captures recorded last, newest first."""
        query = f"SELECT {rows.CAPTURE} FROM {rows.CAPTURES} ORDER BY seq DESC LIMIT ?"
        return list(map(rows.capture, self._rows(query, limit)))

    def captures_after(self, pages: list[int], since: float, limit: int) -> list[Capture]:
        """Captures of a page at or after a time, oldest first."""
        query = f"""SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE page IN ({_marks(pages)}) AND captures.time >= ?
            ORDER BY captures.time, seq LIMIT ?"""
        return list(map(rows.capture, self._rows(query, *pages, since, limit)))

    # Blocks

    def block_lives(self, page: int, limit: int, start: int = 0) -> list[BlockLife]:
        """When the blocks of a page appeared and vanished, the newest first."""
        found = sorted(self.lives(page), key=lambda life: (life.gone is not None, -life.first, life.block))
        return found[start : start + limit]

    def search_blocks(self, wanted: Wanted, limit: int, start: int = 0) -> list[BlockLife]:
        """Blocks with these words, best match first; of common words a thousand matches are looked at."""
        return list(islice(self.search(wanted, MATCHES), start, start + limit))

    # What was learned

    def group_members(self, number: int, limit: int) -> list[str]:
        """Pages that share a pattern."""
        query = "SELECT url FROM page_series JOIN pages USING (page) WHERE shared = ? ORDER BY page LIMIT ?"
        return [str(row[0]) for row in self._rows(query, number, limit)]

    def some_rates(self, after: int, limit: int) -> list[tuple[int, str, PageRate]]:
        """Rates of pages, in the order they were found."""
        query = """SELECT page, url, visits, page_rates.changes, found, watched, prior FROM page_rates
            JOIN pages USING (page) WHERE page > ? ORDER BY page LIMIT ?"""
        return [(row[0], row[1], PageRate(*row[2:])) for row in self._rows(query, after, limit)]  # type: ignore[misc, arg-type]

    def ruled_sites(self, limit: int, start: int = 0) -> list[str]:
        """Sites for which directory rules were learned."""
        return [
            str(row[0])
            for row in self._rows("SELECT site FROM site_rules ORDER BY site LIMIT ? OFFSET ?", limit, start)
        ]

    # At a glance

    def totals(self) -> dict[str, int]:
        """How much there is of everything that is counted cheaply."""
        row = self._row(
            """SELECT (SELECT count(DISTINCT site) FROM hosts), (SELECT coalesce(sum(pages), 0) FROM hosts),
                (SELECT coalesce(sum(captures), 0) FROM hosts), (SELECT coalesce(sum(changes), 0) FROM host_days),
                (SELECT coalesce(sum(versions), 0) FROM history_counts),
                (SELECT coalesce(sum(blocks), 0) FROM history_counts),
                (SELECT count(*) FROM leases), (SELECT count(*) FROM study_problems)"""
        )
        names = ("sites", "pages", "captures", "changes", "versions", "blocks", "leased", "problems")
        assert row is not None
        return dict(zip(names, map(rows.whole, row), strict=True))

    def mark(self) -> tuple[int, int]:
        """Changes whenever something was captured or studied."""
        row = self._row("SELECT coalesce(max(seq), 0), (SELECT seq FROM study_progress) FROM captures")
        assert row is not None
        return rows.whole(row[0]), rows.whole(row[1])


_LISTED = """pages.page, surt, url, pages.captures, evidence, pages.since, visited,
    coalesce(page_states.changes, 0), coalesce(page_states.importance, 0.0)"""


def _behind(prefix: str) -> str:
    """The first key after all that begin with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _holding(text: str) -> str:
    """A pattern for LIKE: whatever holds a text."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _marks(values: list[Any]) -> str:
    return ", ".join("?" * len(values)) or "NULL"
