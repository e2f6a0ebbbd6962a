"""Erasing from the catalog: captures that are gone, all that was worked out from them, and every copy SQLite kept.

Whatever was learned from the text of a page (its history, changes, words, first sight, noise) is forgotten as a whole;
what is left of the page is studied again from the captures that stay (`to_study_again`). A page of which nothing is
left is known by its address only, and not asked for again.

SQLite overwrites what it deletes (`secure_delete`), words are merged until none of a deleted block is left, and in the
end the file is written anew and its log emptied: free pages may hold what was replaced long ago.
"""

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from strandline.core.capture import Capture
from strandline.core.capture import Place as RecordPlace
from strandline.core.keeping.takedowns import Target
from strandline.core.urls import surt_key
from strandline.store import rows, sqlite
from strandline.store.annotations import Writing
from strandline.store.catalog import SqliteCatalog
from strandline.store.history_rows import HistoryWriter
from strandline.store.reading import Reading
from strandline.store.studying import given_labels

AGAIN: Final = "study-again"
"""Kind of note under which pages wait to be studied again."""
_OF_PAGE: Final = ("study_problems", "page_states", "first_sights", "page_series", "page_rates")
_OF_GONE: Final = ("claims", "restudied", *_OF_PAGE)
_OF_ADDRESS: Final = ("ratings", "labels")
_AT: Final = "file = (SELECT file FROM files WHERE name = ?) AND offset = ?"

Place = tuple[str, int]
"""File and offset of a record."""


def captures_of(connection: Writing, target: Target) -> Iterator[tuple[int, Capture]]:
    """Numbers and captures that a target covers."""
    query = f"""SELECT seq, {rows.CAPTURE} FROM {rows.CAPTURES}
        WHERE surt >= ? AND surt < ? AND captures.time BETWEEN ? AND ? ORDER BY seq"""
    for low, high in target.keys:
        for row in connection.execute(query, (low, high, target.since, target.until)).fetchall():
            yield int(row[0]), rows.capture(row[1:])


def referring_to(connection: Writing, digests: set[str]) -> Iterator[tuple[int, Capture]]:
    """Numbers and captures of revisits of contents with these digests: one look at every revisit."""
    query = f"SELECT seq, {rows.CAPTURE} FROM {rows.CAPTURES} WHERE revisit = 1 ORDER BY seq"
    for row in connection.execute(query):
        capture = rows.capture(row[1:])
        if capture.digest in digests or (capture.original and capture.original.digest in digests):
            yield int(row[0]), capture


class CatalogEraser:
    """Erases through the writer's connection. What PostgreSQL does otherwise: store/postgres/erasing.py."""

    _days = "host_days"
    _queues: tuple[tuple[int, str], ...] = ((1, "queued"),)
    """States of pages, and where hosts count them."""

    def __init__(self, catalog: SqliteCatalog) -> None:
        self._catalog = catalog
        self.connection: Writing = catalog.writer
        self.reading: Reading = catalog.reading
        self._path = catalog.path

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with sqlite.told(self._path), sqlite.transaction(self._catalog.writer):
            yield

    # Looking

    def captures_of(self, target: Target) -> list[Capture]:
        """Captures that a target covers."""
        return [capture for _, capture in captures_of(self.connection, target)]

    def referring_to(self, digests: set[str]) -> list[Capture]:
        """Revisits of contents with these digests."""
        return [capture for _, capture in referring_to(self.connection, digests)]

    def is_recorded(self, place: RecordPlace) -> bool:
        """Whether there is a capture at a place."""
        query = f"SELECT 1 FROM captures WHERE {_AT}"
        return self.connection.execute(query, (place.file, place.offset)).fetchone() is not None

    def places(self) -> set[Place]:
        """Files and offsets of all captures."""
        found = self.connection.execute("SELECT files.name, offset FROM captures JOIN files USING (file)")
        return {(str(file), int(offset)) for file, offset in found.fetchall()}

    # Erasing

    def replace(self, captures: Iterable[tuple[Place, Capture]]) -> None:
        """Let captures that were made whole stand for the revisits they were; in one transaction."""
        with self._transaction():
            for (file, offset), capture in captures:
                self.connection.execute("INSERT OR IGNORE INTO files (name) VALUES (?)", (capture.place.file,))
                values = rows.capture_values(capture, 0, 0)
                self.connection.execute(
                    f"""UPDATE OR REPLACE captures SET status = ?, mime = ?, digest = ?,
                           file = (SELECT file FROM files WHERE name = ?), offset = ?, length = ?, revisit = 0,
                           truncated = ?, redirect = ?, record_id = ?, entity = ?, original_url = NULL,
                           original_time = NULL, original_digest = NULL, original_record = NULL,
                           rendered_digest = ?, rendered_at = ?, rendered_length = ?
                       WHERE {_AT}""",
                    (*values[2:5], capture.place.file, *values[6:8], *values[9:13], *values[17:], file, offset),
                )

    def erase(self, places: Iterable[Place], targets: Sequence[Target]) -> list[int]:
        """Forget captures by their places, and what was worked out from them; returns the pages they were of. Targets
        that are whole addresses lose what is kept by address, too.
        """
        self._overwriting()
        with self._transaction():
            pages = self._forget_captures(places)
            whole = [stretch for target in targets if target.whole for stretch in self._reached(target)]
            for low, high in whole:
                found = self.connection.execute("SELECT page FROM pages WHERE surt >= ? AND surt < ?", (low, high))
                pages |= {int(page) for (page,) in found.fetchall()}
            for page in sorted(pages):
                self._forget_study(page)
            self._unlisted(pages)
        self._reread()
        return sorted(pages)

    def _overwriting(self) -> None:
        self.connection.execute("PRAGMA secure_delete = ON")

    def _reread(self) -> None:
        self._catalog.reread()

    def _reached(self, target: Target) -> Iterable[tuple[str, str]]:
        return target.keys

    def thin(self, places: Iterable[Place]) -> None:
        """Forget captures by their places, with the changes they show; what was learned from them stays."""
        with self._transaction():
            self._thin(list(places))
        self._reread()

    def _thin(self, places: Sequence[Place]) -> None:
        connection = self.connection
        for file, offset in places:
            row = connection.execute(f"SELECT page, seq FROM captures WHERE {_AT}", (file, offset)).fetchone()
            if row is None:
                continue  # done before a crash
            page, seq = row
            self._forget_changes("page = ? AND (by_seq = ? OR after_seq = ?)", page, seq, seq)
            connection.execute("DELETE FROM study_problems WHERE seq = ?", (seq,))
        self._unlisted(self._forget_captures(places))

    def _forget_changes(self, which: str, *values: int) -> None:
        self.connection.execute(f"DELETE FROM changes WHERE {which}", values)

    def _forget_captures(self, places: Iterable[Place]) -> set[int]:
        pages: set[int] = set()
        for file, offset in places:
            row = self.connection.execute(
                f"""SELECT seq, captures.page, host, time, revisit, status, length FROM captures
                   JOIN pages USING (page) WHERE {_AT}""",
                (file, offset),
            ).fetchone()
            if row is None:
                continue  # done before a crash
            seq, page, host, time, revisit, status, length = row
            pages.add(int(page))
            self._forget_capture(seq)
            self._count_off(host, time, (1, int(revisit != 0), int(status >= 400), length))
            self.connection.execute("UPDATE hosts SET captures = captures - 1 WHERE host = ?", (host,))
            self.connection.execute("UPDATE pages SET captures = captures - 1 WHERE page = ?", (page,))
            self.connection.execute(
                "UPDATE pages SET etag = '', last_modified = '', origin = NULL WHERE page = ? AND origin = ?",
                (page, seq),
            )
        return pages

    def _forget_capture(self, seq: int) -> None:
        self.connection.execute("DELETE FROM captures WHERE seq = ?", (seq,))

    def _count_off(self, host: int, time: float, counted: tuple[int, int, int, int]) -> None:
        self.connection.execute(
            f"""UPDATE {self._days} SET captures = captures - ?, unchanged = unchanged - ?, errors = errors - ?,
                    octets = octets - ? WHERE host = ? AND day = ?""",
            (*counted, host, int(time / 86400.0)),
        )

    def _forget_study(self, page: int) -> None:
        connection = self.connection
        url, host, left = connection.execute("SELECT url, host, captures FROM pages WHERE page = ?", (page,)).fetchone()
        studied = connection.execute("SELECT level FROM page_states WHERE page = ?", (page,)).fetchone()
        self._forget_history(page, url)
        self._forget_changes("page = ?", page)
        for table in _OF_PAGE if left else _OF_GONE:
            connection.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
        # What people wrote of a capture may quote it.
        connection.execute("DELETE FROM annotations WHERE url = ? AND capture IS NOT NULL", (url,))
        told = connection.execute("SELECT alert FROM alerts WHERE url = ? OR kind = 'digest'", (url,)).fetchall()
        connection.executemany("DELETE FROM deliveries WHERE alert = ?", told)
        connection.execute("DELETE FROM alerts WHERE url = ? OR kind = 'digest'", (url,))
        if url.endswith("/robots.txt"):
            connection.execute("DELETE FROM robots WHERE host = ? AND scheme = ?", (host, url.partition(":")[0]))
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
            """UPDATE pages SET state = 0, due = ?, not_before = 0, attempts = 0, evidence = 'unknown', since = 0,
                   outcome = '', detail = '', surt = NULL, etag = '', last_modified = '', conditional = 0, origin = NULL
               WHERE page = ?""",
            (math.inf, page),
        )
        self._unlease(page)

    def _forget_history(self, page: int, url: str) -> None:
        writer = self._catalog.writer
        HistoryWriter(writer).forget(page, given_labels(writer, url))

    def _unlease(self, page: int) -> None:
        self.connection.execute("DELETE FROM leases WHERE page = ?", (page,))

    def _unlisted(self, pages: set[int]) -> None:
        """What hosts say of their pages, after some have gone."""
        connection = self.connection
        found = [connection.execute("SELECT host FROM pages WHERE page = ?", (page,)).fetchone() for page in pages]
        for host in sorted({int(row[0]) for row in found}):
            for state, count in self._queues:
                connection.execute(
                    f"""UPDATE hosts SET {count} = (SELECT count(*) FROM pages WHERE host = ? AND state = ?)
                        WHERE host = ?""",
                    (host, state, host),
                )
            for column, of_times in (("first", "min"), ("last", "max")):
                connection.execute(
                    f"""UPDATE hosts SET {column} = (SELECT {of_times}(time) FROM captures JOIN pages USING (page)
                        WHERE host = ?) WHERE host = ?""",
                    (host, host),
                )
        unused = "NOT EXISTS (SELECT 1 FROM captures WHERE captures.file = files.file)"
        connection.execute(f"DELETE FROM files WHERE {unused}")

    def sweep(self) -> None:
        """Leave no copy of what was deleted: in the index of words, in free pages, in the log."""
        with sqlite.told(self._path):
            self.connection.execute("INSERT INTO block_words (block_words) VALUES ('optimize')")
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def to_study_again(connection: Writing) -> list[tuple[int, str, int]]:
    """Pages that wait to be studied again: number, address, and how they are cut (0: as the settings say)."""
    # Keys of other kinds are no numbers, and PostgreSQL may look at them first.
    query = """SELECT page, url, value FROM notes
        JOIN pages ON page = CASE WHEN notes.kind = ? THEN cast(notes.key AS BIGINT) END
        WHERE notes.kind = ? ORDER BY page"""
    found = connection.execute(query, (AGAIN, AGAIN)).fetchall()
    return [(int(page), str(url), value[0] if value else 0) for page, url, value in found]
