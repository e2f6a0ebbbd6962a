"""Erasing from the catalog: captures that are gone, all that was worked out from them, and every copy SQLite kept.

Whatever was learned from the text of a page (its history, changes, words, first sight, noise) is forgotten as a whole;
what is left of the page is studied again from the captures that stay (`to_study_again`). A page of which nothing is
left is known by its address only, and not asked for again.

SQLite overwrites what it deletes (`secure_delete`), words are merged until none of a deleted block is left, and in the
end the file is written anew and its log emptied: free pages may hold what was replaced long ago.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from strandline.core.capture import Capture
from strandline.core.keeping.takedowns import Target
from strandline.core.urls import surt_key
from strandline.store import rows, sqlite
from strandline.store.catalog import SqliteCatalog
from strandline.store.history_rows import HistoryWriter
from strandline.store.studying import given_labels

AGAIN: Final = "study-again"
"""Kind of note under which pages wait to be studied again."""
_OF_PAGE: Final = ("changes", "study_problems", "page_states", "first_sights", "page_series", "page_rates")
_OF_GONE: Final = ("claims", "restudied", *_OF_PAGE)
_OF_ADDRESS: Final = ("ratings", "labels")

Place = tuple[str, int]
"""File and offset of a record."""


def captures_of(connection: sqlite3.Connection, target: Target) -> Iterator[tuple[int, Capture]]:
    """Numbers and captures that a target covers."""
    query = f"""SELECT seq, {rows.CAPTURE} FROM {rows.CAPTURES}
        WHERE surt >= ? AND surt < ? AND captures.time BETWEEN ? AND ? ORDER BY seq"""
    for low, high in target.keys:
        for row in connection.execute(query, (low, high, target.since, target.until)).fetchall():
            yield int(row[0]), rows.capture(row[1:])


def referring_to(connection: sqlite3.Connection, digests: set[str]) -> Iterator[tuple[int, Capture]]:
    """Numbers and captures of revisits of contents with these digests: one look at every revisit."""
    query = f"SELECT seq, {rows.CAPTURE} FROM {rows.CAPTURES} WHERE revisit = 1 ORDER BY seq"
    for row in connection.execute(query):
        capture = rows.capture(row[1:])
        if capture.digest in digests or (capture.original and capture.original.digest in digests):
            yield int(row[0]), capture


class CatalogEraser:
    """Erases through the writer's connection."""

    def __init__(self, catalog: SqliteCatalog) -> None:
        self._catalog = catalog
        self.connection = catalog.writer
        self._path = catalog.path

    def replace(self, captures: Iterable[tuple[Place, Capture]]) -> None:
        """Let captures that were made whole stand for the revisits they were; in one transaction."""
        with sqlite.told(self._path), sqlite.transaction(self.connection):
            for (file, offset), capture in captures:
                self.connection.execute("INSERT OR IGNORE INTO files (name) VALUES (?)", (capture.place.file,))
                values = rows.capture_values(capture, 0, 0)
                self.connection.execute(
                    """UPDATE OR REPLACE captures SET status = ?, mime = ?, digest = ?,
                           file = (SELECT file FROM files WHERE name = ?), offset = ?, length = ?, revisit = 0,
                           truncated = ?, redirect = ?, record_id = ?, entity = ?, original_url = NULL,
                           original_time = NULL, original_digest = NULL, original_record = NULL
                       WHERE file = (SELECT file FROM files WHERE name = ?) AND offset = ?""",
                    (*values[2:5], capture.place.file, *values[6:8], *values[9:13], file, offset),
                )

    def erase(self, places: Iterable[Place], targets: Sequence[Target]) -> list[int]:
        """Forget captures by their places, and what was worked out from them; returns the pages they were of. Targets
        that are whole addresses lose what is kept by address, too.
        """
        connection = self.connection
        with sqlite.told(self._path):
            connection.execute("PRAGMA secure_delete = ON")
            with sqlite.transaction(connection):
                pages = self._forget_captures(places)
                whole = [stretch for target in targets if target.whole for stretch in target.keys]
                for low, high in whole:
                    found = connection.execute("SELECT page FROM pages WHERE surt >= ? AND surt < ?", (low, high))
                    pages |= {int(page) for (page,) in found.fetchall()}
                for page in sorted(pages):
                    self._forget_study(page)
                self._unlisted(pages)
        self._catalog.reread()
        return sorted(pages)

    def thin(self, places: Iterable[Place]) -> None:
        """Forget captures by their places, with the changes they show; what was learned from them stays."""
        connection = self.connection
        with sqlite.told(self._path), sqlite.transaction(connection):
            connection.execute("CREATE TEMP TABLE IF NOT EXISTS thinned (seq INTEGER PRIMARY KEY)")
            connection.execute("DELETE FROM temp.thinned")
            listed = [(file, offset) for file, offset in places]
            for file, offset in listed:
                connection.execute(
                    """INSERT OR IGNORE INTO temp.thinned SELECT seq FROM captures
                       WHERE file = (SELECT file FROM files WHERE name = ?) AND offset = ?""",
                    (file, offset),
                )
            for column in ("by_seq", "after_seq"):
                connection.execute(f"DELETE FROM changes WHERE {column} IN (SELECT seq FROM temp.thinned)")
            connection.execute("DELETE FROM study_problems WHERE seq IN (SELECT seq FROM temp.thinned)")
            self._unlisted(self._forget_captures(listed))
        self._catalog.reread()

    def _forget_captures(self, places: Iterable[Place]) -> set[int]:
        pages: set[int] = set()
        for file, offset in places:
            row = self.connection.execute(
                """SELECT seq, captures.page, host, time, revisit, status FROM captures JOIN pages USING (page)
                   WHERE file = (SELECT file FROM files WHERE name = ?) AND offset = ?""",
                (file, offset),
            ).fetchone()
            if row is None:
                continue  # done before a crash
            seq, page, host, time, revisit, status = row
            pages.add(int(page))
            self.connection.execute("DELETE FROM captures WHERE seq = ?", (seq,))
            self.connection.execute(
                """UPDATE host_days SET captures = captures - 1, unchanged = unchanged - ?, errors = errors - ?
                   WHERE host = ? AND day = cast(? / 86400.0 AS INTEGER)""",
                (revisit != 0, status >= 400, host, time),
            )
            self.connection.execute("UPDATE hosts SET captures = captures - 1 WHERE host = ?", (host,))
            self.connection.execute(
                """UPDATE pages SET captures = captures - 1,
                       etag = CASE WHEN origin = :seq THEN '' ELSE etag END,
                       last_modified = CASE WHEN origin = :seq THEN '' ELSE last_modified END,
                       origin = CASE WHEN origin = :seq THEN NULL ELSE origin END WHERE page = :page""",
                {"seq": seq, "page": page},
            )
        return pages

    def _forget_study(self, page: int) -> None:
        connection = self.connection
        url, host, left = connection.execute("SELECT url, host, captures FROM pages WHERE page = ?", (page,)).fetchone()
        studied = connection.execute("SELECT level FROM page_states WHERE page = ?", (page,)).fetchone()
        HistoryWriter(connection).forget(page, given_labels(connection, url))
        for table in _OF_PAGE if left else _OF_GONE:
            connection.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
        # What people wrote of a capture may quote it.
        connection.execute("DELETE FROM annotations WHERE url = ? AND capture IS NOT NULL", (url,))
        told = connection.execute("SELECT alert FROM alerts WHERE url = ? OR kind = 'digest'", (url,)).fetchall()
        connection.executemany("DELETE FROM deliveries WHERE alert = ?", told)
        connection.execute("DELETE FROM alerts WHERE url = ? OR kind = 'digest'", (url,))
        if url.endswith("/robots.txt"):
            connection.execute("UPDATE robots SET time = 0, status = 0, body = x'' WHERE host = ?", (host,))
        if left:
            if studied:
                connection.execute("REPLACE INTO notes VALUES (?, ?, ?)", (AGAIN, str(page), bytes([studied[0]])))
            return
        connection.execute("DELETE FROM notes WHERE kind = ? AND key = ?", (AGAIN, str(page)))
        connection.execute("DELETE FROM links WHERE source = ?", (page,))
        for table in _OF_ADDRESS:
            connection.execute(f"DELETE FROM {table} WHERE url = ?", (url,))
        connection.execute("DELETE FROM annotations WHERE surt = ?", (surt_key(url),))
        connection.execute(
            """UPDATE pages SET state = 0, due = 9e999, not_before = 0, attempts = 0, evidence = 'unknown', since = 0,
                   outcome = '', detail = '', surt = NULL, etag = '', last_modified = '', conditional = 0, origin = NULL
               WHERE page = ?""",
            (page,),
        )
        connection.execute("DELETE FROM leases WHERE page = ?", (page,))

    def _unlisted(self, pages: set[int]) -> None:
        """What hosts say of their pages, after some have gone."""
        connection = self.connection
        hosts = {connection.execute("SELECT host FROM pages WHERE page = ?", (page,)).fetchone()[0] for page in pages}
        for host in hosts:
            connection.execute(
                """UPDATE hosts SET queued = (SELECT count(*) FROM pages WHERE host = :host AND state = 1),
                       first = (SELECT min(time) FROM captures JOIN pages USING (page) WHERE host = :host),
                       last = (SELECT max(time) FROM captures JOIN pages USING (page) WHERE host = :host)
                   WHERE host = :host""",
                {"host": host},
            )
        connection.execute("DELETE FROM files WHERE file NOT IN (SELECT file FROM captures)")

    def sweep(self) -> None:
        """Leave no copy of what was deleted: in the index of words, in free pages, in the log."""
        with sqlite.told(self._path):
            self.connection.execute("INSERT INTO block_words (block_words) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def to_study_again(connection: sqlite3.Connection) -> list[tuple[int, str, int]]:
    """Pages that wait to be studied again: number, address, and how they are cut (0: as the settings say)."""
    query = """SELECT page, url, value FROM notes JOIN pages ON page = cast(notes.key AS INTEGER) 
        WHERE notes.kind = ? ORDER BY page"""
    return [(int(page), str(url), value[0] if value else 0) for page, url, value in connection.execute(query, (AGAIN,))]
