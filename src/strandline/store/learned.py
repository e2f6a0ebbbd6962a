"""What was learned about how pages change: the tables of the learner's results, beside what it learns from.

`LearnedReading` hands out captures to learn from (store/sightings.py), and what was learned.
`LearnedWriter` replaces what a whole `learn` found, or keeps one page after one capture. Nothing here is
synced by itself: what a power cut takes can be learned again.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import zstandard

from strandline.core.beliefs.evidence import TrustBook
from strandline.core.beliefs.features import PageSummary
from strandline.core.capture import Capture
from strandline.core.history.calendar import Cycle, Periods
from strandline.core.history.series import PageSeries
from strandline.core.mining.learned import LearnedFrom, PageRate, SiteClock, SiteRules
from strandline.core.mining.site_state import SiteState
from strandline.store import rows, sqlite
from strandline.store.reading import Claim
from strandline.store.sightings import ASKED_AT_ONCE, ON_SITE, PAGES, SightingReading

_HTML = ("text/html", "application/xhtml+xml")
_SERIES = "zone, country, cycle, periods, sums, page_series.last, page_series.captures"
_WEIGHED_AT_ONCE = 1000
"""Pages whose weights are set in one transaction. Origin: a guess."""
_RATE = "visits, changes, found, watched, prior"


class LearnedReading(SightingReading):
    """Queries of the learning side. Usable while a writer works."""

    def slight_changes(self, pages: Sequence[int], below: float) -> dict[int, int]:
        """Of some pages, how many differences a reader sees are less important than that; none are left out."""
        found: dict[int, int] = {}
        for start in range(0, len(pages), ASKED_AT_ONCE):
            some = pages[start : start + ASKED_AT_ONCE]
            query = f"""SELECT page, count(*) FROM changes WHERE page IN ({", ".join("?" * len(some))})
                AND visible = 1 AND held = 0 AND importance < ? GROUP BY page"""
            found |= {rows.whole(page): rows.whole(count) for page, count in self._rows(query, *some, below)}
        return found

    def heads_to_read(self) -> Iterator[tuple[int, int, Capture]]:
        """Captures of pages whose head was not looked at yet: sequence number, page, capture."""
        query = f"""SELECT seq, captures.page, {rows.CAPTURE} FROM {rows.CAPTURES}
            WHERE seq > (SELECT seq FROM heads_read) AND {PAGES} AND status IN (200, 304) ORDER BY seq"""
        for row in self._rows(query):
            yield rows.whole(row[0]), rows.whole(row[1]), rows.capture(row[2:])

    def unsighted(self, after: int = 0) -> Iterator[tuple[int, Capture]]:
        """The first capture of each HTML page whose first sight was not kept, after a page; in the order of pages."""
        query = f"""SELECT pages.page, {rows.CAPTURE} FROM pages
            CROSS JOIN captures ON captures.seq = (SELECT seq FROM captures AS c WHERE c.page = pages.page
                AND c.status = 200 AND c.revisit = 0 AND c.mime IN (?, ?) ORDER BY c.time, c.seq LIMIT 1)
            JOIN files USING (file)
            WHERE {PAGES} AND pages.page > ? AND pages.page NOT IN (SELECT page FROM first_sights)
            ORDER BY pages.page"""
        for row in self._rows(query, *_HTML, after):
            yield rows.whole(row[0]), rows.capture(row[1:])

    # What was learned

    def learned_from(self, part: str) -> LearnedFrom | None:
        """What a part of the knowledge rests on; None when it was never learned."""
        query = "SELECT part, seq, studied, captures, pages, unstudied, first, last, data FROM learned_from"
        row = self._row(f"{query} WHERE part = ?", part)
        return None if row is None else LearnedFrom(*row[:8], json.loads(str(row[8])))  # type: ignore[arg-type, call-arg]

    def site_clocks(self) -> dict[str, SiteClock]:
        """Where the sites keep their clocks."""
        query = "SELECT site, zone, country, reason FROM learned_sites ORDER BY site"
        return {str(row[0]): SiteClock(*row[1:]) for row in self._rows(query)}  # type: ignore[arg-type]

    def all_series(self, site: str = "") -> Iterator[tuple[int, str, PageSeries, int | None]]:
        """Page, address, series and pattern group of every page that was learned."""
        where = f"WHERE {ON_SITE}" if site else ""
        query = f"SELECT page, url, shared, {_SERIES} FROM page_series JOIN pages USING (page) {where} ORDER BY url"
        for row in self._rows(query, *([site] if site else [])):
            yield row[0], row[1], _series(row[3:]), row[2]  # type: ignore[misc]

    def series(self, page: int) -> tuple[PageSeries, int | None] | None:
        """Series and pattern group of one page."""
        row = self._row(f"SELECT shared, {_SERIES} FROM page_series WHERE page = ?", page)
        return None if row is None else (_series(row[1:]), row[0])  # type: ignore[return-value]

    def all_rates(self) -> Iterator[tuple[int, str, PageRate]]:
        """Page, address and rate of every page that was learned."""
        query = f"SELECT page, url, {_RATE} FROM page_rates JOIN pages USING (page) ORDER BY url"
        for row in self._rows(query.replace("visits", "page_rates.visits", 1)):
            yield row[0], row[1], PageRate(*row[2:])  # type: ignore[misc, arg-type]

    def page_knowledge(self, page: int) -> tuple[PageSeries, PageRate, float] | None:
        """Series, rate, and time of the last capture; None for a page nothing was learned about."""
        series = self.series(page)
        row = self._row(f"SELECT {_RATE}, last FROM page_rates WHERE page = ?", page)
        if series is None or row is None:
            return None
        return series[0], PageRate(*row[:5]), float(row[5])  # type: ignore[arg-type]

    def trust(self) -> TrustBook:
        """Who may be believed about times."""
        names = ("host", "source", "confirmed", "false_alarms", "missed", "consistent", "worthless")
        query = f"SELECT {', '.join(names)} FROM trust"
        return TrustBook.from_data(dict(zip(names, row, strict=True)) for row in self._rows(query))

    def site_rules(self, site: str = "") -> Iterator[SiteRules]:
        """Rules of all sites, or of one."""
        query = "SELECT data FROM site_rules" + (" WHERE site = ?" if site else "") + " ORDER BY site"
        for (data,) in self._rows(query, *([site] if site else [])):
            yield SiteRules.from_data(json.loads(self._unpacked(data)))

    @staticmethod
    def _unpacked(data: object) -> bytes:
        assert isinstance(data, bytes)
        return zstandard.decompress(data)


class LearnedWriter:
    """Writes what was learned; `reading` sees it. The caller holds the archive's write lock."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._packer = zstandard.ZstdCompressor(level=3)
        self.reading = LearnedReading(connection, path)

    @classmethod
    def open(cls, database: Path) -> "LearnedWriter":
        """A connection of its own, beside that of the catalog which holds the lock."""
        return cls(sqlite.open_writing(database), database)

    def close(self) -> None:
        """Release the database."""
        self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with sqlite.told(self._path), sqlite.transaction(self._connection, durable=False):
            yield self._connection

    def forget(self, kind: str, key: str) -> None:
        """Remove a note."""
        with self._writing() as connection:
            connection.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (kind, key))

    def keep_first_sights(self, sights: Iterable[tuple[int, PageSummary, str]]) -> None:
        """Keep what was seen of pages at their first capture, and their language."""
        values = [
            (page, s.text_bytes, s.links, s.headings, s.images, s.emails, s.last_modified, language)
            for page, s, language in sights
        ]
        with self._writing() as connection:
            connection.executemany(f"REPLACE INTO first_sights VALUES ({', '.join('?' * 8)})", values)

    def keep_claims(self, claims: Iterable[Claim], up_to: int) -> None:
        """Keep what heads claim about the last change; all captures up to this number were looked at."""
        with self._writing() as connection:
            values = [(claim.page, claim.source, claim.time, claim.seen) for claim in claims]
            connection.executemany("INSERT OR IGNORE INTO claims VALUES (?, ?, ?, ?)", values)
            connection.execute("UPDATE heads_read SET seq = max(seq, ?)", (up_to,))

    def weigh(self, weights: Iterable[tuple[int, float]]) -> None:
        """Set the weight of pages from the link graph; weights given by the user stay."""
        self._set_weights(weights, 0)

    def give_weights(self, weights: Iterable[tuple[str, float]]) -> list[str]:
        """Set the weight of pages as the user wants it; return addresses that are not known."""
        known = [(self.reading.page(url), url, weight) for url, weight in weights]
        self._set_weights(((row.page, weight) for row, _, weight in known if row is not None), 1)
        return [url for row, url, _ in known if row is None]

    def _set_weights(self, weights: Iterable[tuple[int, float]], given: int) -> None:
        """In the order of pages, some at a time: a watch or worker that commits meanwhile hardly waits."""
        left = iter(sorted(weights))
        statement = f"""UPDATE pages SET weight = ?, weight_given = {given}
            WHERE page = ? AND weight_given <= {given} AND (weight <> ? OR weight_given < {given})"""
        while some := list(islice(left, _WEIGHED_AT_ONCE)):
            with self._writing() as connection:
                connection.executemany(statement, [(weight, page, weight) for page, weight in some])

    def replace_patterns(
        self,
        about: LearnedFrom,
        clocks: Mapping[str, SiteClock],
        pages: Iterable[tuple[int, PageSeries, int | None]],
        trust: TrustBook,
    ) -> None:
        """All series, with the clocks they are in and the trust they rest on."""
        with self._writing() as connection:
            for table in ("page_series", "learned_sites", "trust"):
                connection.execute(f"DELETE FROM {table}")
            connection.executemany(
                "INSERT INTO learned_sites VALUES (?, ?, ?, ?)",
                [(site, clock.zone, clock.country, clock.reason) for site, clock in clocks.items()],
            )
            connection.executemany(
                f"INSERT INTO page_series VALUES ({', '.join('?' * 9)})",
                ((page, *self._packed(series), shared) for page, series, shared in pages),
            )
            connection.executemany(
                "INSERT INTO trust VALUES (?, ?, ?, ?, ?, ?, ?)", [tuple(row.values())[:7] for row in trust.as_data()]
            )
            self._about(about)

    def replace_rates(self, about: LearnedFrom, pages: Iterable[tuple[int, PageRate, float]]) -> None:
        """All rates, each with the time of the page's last capture."""
        with self._writing() as connection:
            connection.execute("DELETE FROM page_rates")
            connection.executemany(
                "INSERT INTO page_rates VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((page, r.visits, r.changes, r.found, r.watched, r.prior, last) for page, r, last in pages),
            )
            self._about(about)

    def replace_rules(
        self, about: LearnedFrom, sites: Iterable[SiteRules], states: Mapping[str, SiteState], now: float
    ) -> None:
        """Rules of all sites, and what the site-level policy knows of them; which are new and which are gone `now`.

        A directory that failed its re-tests may be skipped again once rules rest on a version made after that.
        """
        pace, found = self.reading.lived_time().pace, set[tuple[str, str]]()
        with self._writing() as connection:
            connection.execute("DELETE FROM site_rules")
            connection.execute("DELETE FROM site_rates")
            for rules in sites:
                found.update((rules.site, rule.as_text()) for rule in rules.rules)
                text = json.dumps(rules.as_data(), ensure_ascii=False, separators=(",", ":"))
                packed = self._packer.compress(text.encode("utf-8", "surrogatepass"))
                connection.execute("INSERT INTO site_rules VALUES (?, ?)", (rules.site, packed))
                connection.execute(
                    "DELETE FROM skip_tests WHERE site = ? AND retired > 0 AND retired < ?",
                    (rules.site, rules.last - pace * rules.period),
                )
            for site, state in states.items():
                connection.execute(
                    "INSERT INTO site_rates VALUES (?, ?)", (site, self._packer.compress(state.to_bytes()))
                )
            known = set(connection.execute("SELECT site, rule FROM rule_history WHERE retired IS NULL").fetchall())
            connection.executemany(
                "UPDATE rule_history SET retired = ? WHERE site = ? AND rule = ? AND retired IS NULL",
                [(now, *one) for one in sorted(known - found)],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO rule_history VALUES (?, ?, ?, NULL)",
                [(*one, now) for one in sorted(found - known)],
            )
            self._about(about)

    def keep_pages(self, pages: Iterable[tuple[int, PageSeries, PageRate, float]], seq: int) -> None:
        """Replace what is known about single pages; patterns and rates now rest on all captures up to this number.

        The pattern group of a page stays until groups are learned anew.
        """
        with self._writing() as connection:
            for page, series, rate, last in pages:
                connection.execute(
                    """INSERT INTO page_series VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (page) DO UPDATE SET
                       zone = excluded.zone, country = excluded.country, cycle = excluded.cycle,
                       periods = excluded.periods, captures = excluded.captures, last = excluded.last,
                       sums = excluded.sums""",
                    (page, *self._packed(series)),
                )
                values = (page, rate.visits, rate.changes, rate.found, rate.watched, rate.prior, last)
                connection.execute("REPLACE INTO page_rates VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            connection.execute(
                """UPDATE learned_from SET seq = max(seq, ?), studied = max(studied, ?)
                   WHERE part IN ('patterns', 'classes')""",
                (seq, seq),
            )

    def _about(self, about: LearnedFrom) -> None:
        values = (
            about.part, about.seq, about.studied, about.captures, about.pages, about.unstudied, about.first, about.last,
            json.dumps(about.data),
        )  # fmt: skip
        self._connection.execute(f"REPLACE INTO learned_from VALUES ({', '.join('?' * 9)})", values)

    def _packed(self, series: PageSeries) -> tuple[object, ...]:
        sums = np.stack([series.importance, series.changes, series.observed]).astype("<f8").tobytes()
        cut = series.periods
        packed = self._packer.compress(sums)
        return cut.zone, cut.country, cut.cycle.value, cut.count, series.captures, series.last, packed


def _series(row: tuple[object, ...]) -> PageSeries:
    """A row of the columns _SERIES."""
    zone, country, cycle, count, sums, last, captures = row
    periods = Periods(str(zone), country, Cycle(str(cycle)), rows.whole(count))  # type: ignore[arg-type]
    data = np.frombuffer(zstandard.decompress(sums), "<f8")  # type: ignore[arg-type]
    importance, changes, observed = data.reshape(3, len(periods.kinds), periods.count).astype(np.float64)
    return PageSeries(periods, importance, changes, observed, last, rows.whole(captures))  # type: ignore[arg-type]
