"""Recording what study found. One transaction takes a whole round: after a crash it is there, or studied again."""

import json
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from strandline.core.changes.noise.volatility import Rating
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.core.changes.versions import packed
from strandline.store import sqlite
from strandline.store.addresses import page_number
from strandline.store.annotations import Writing
from strandline.store.frontier import RESTING, Frontier
from strandline.store.history_rows import HistoryWriter
from strandline.store.studies import SIGNED, StudyReading

_TABLES = ("changes", "study_problems", "page_states")


def rate_beside(database: Path, url: str, paths: Iterable[str], rating: Rating, author: str = "") -> None:
    """Keep ratings while another process writes the archive: SQLite lets one transaction in after the other."""
    with closing(sqlite.open_writing(database)) as connection:
        _keep(connection, database, rated(url, paths, rating, author))


def note_hollow(connection: Writing, judged: Iterable[tuple[int, float, str]]) -> None:
    """Note with pages what their capture of a time is instead of content, empty for content; not with those that were
    visited later.
    """
    connection.executemany(
        "UPDATE pages SET detail = ? WHERE page = ? AND visited <= ? AND (detail = '' OR detail LIKE 'hollow:%')",
        [(detail, page, moment) for page, moment, detail in judged],
    )


RATE = "REPLACE INTO ratings (url, path, rating, time, author) VALUES (?, ?, ?, ?, ?)"
UNRATE = "DELETE FROM ratings WHERE url = ? AND path = ?"


def unrate_beside(database: Path, url: str, path: str) -> None:
    """Forget a rating while another process writes the archive."""
    with closing(sqlite.open_writing(database)) as connection, sqlite.told(database), sqlite.transaction(connection):
        connection.execute(UNRATE, (url, path))


def label_beside(database: Path, url: str, path: str, label: str) -> None:
    """Keep what a person calls a block while another process writes the archive."""
    with closing(sqlite.open_writing(database)) as connection, sqlite.told(database), sqlite.transaction(connection):
        page = page_number(connection, url) or 0
        keep_label(connection, HistoryWriter(connection), page, (url, path), label)


def keep_label(
    connection: sqlite3.Connection, histories: HistoryWriter, page: int, block: tuple[str, str], label: str
) -> None:
    """Call a block of a page (address, path) something, or nothing any more; it is found under it from now on."""
    url, path = block
    before = given_labels(connection, url)
    connection.execute("DELETE FROM labels WHERE url = ? AND path = ?", block)
    after = {name: called for name, called in before.items() if name != path}
    if label:
        after[path] = label
        connection.execute(
            "INSERT INTO labels (url, path, label, time) VALUES (?, ?, ?, ?)", (*block, label, time.time())
        )
    histories.label(page, before, after)


def given_labels(connection: sqlite3.Connection, url: str) -> dict[str, str]:
    """What people called the blocks of a page, by path."""
    found = connection.execute("SELECT path, label FROM labels WHERE url = ?", (url,)).fetchall()
    return {str(path): str(label) for path, label in found}


def rated(url: str, paths: Iterable[str], rating: Rating, author: str = "") -> list[tuple[str, str, str, float, str]]:
    """Rows of what a person said about blocks."""
    now = time.time()
    return [(url, path, rating, now, author) for path in dict.fromkeys(paths)]


def _keep(connection: sqlite3.Connection, database: Path, ratings: list[tuple[str, str, str, float, str]]) -> None:
    with sqlite.told(database), sqlite.transaction(connection):
        connection.executemany(RATE, ratings)


class StudyWriter:
    """Writes through the writer's connection; `reading` sees what was written."""

    def __init__(self, connection: sqlite3.Connection, path: Path, frontier: Frontier) -> None:
        self._connection = connection
        self._path = path
        self._frontier = frontier
        self._histories = HistoryWriter(connection)
        self.reading = StudyReading(connection, path)

    def record(self, studies: Iterable[PageStudy], up_to: int) -> None:
        """Record a round of study: all captures up to this number are done with it."""
        with sqlite.told(self._path):
            try:
                # Not synced by itself: what a power cut takes is studied again.
                with sqlite.transaction(self._connection, durable=False):
                    for study in studies:
                        self._study(study)
                    self._connection.execute("UPDATE study_progress SET seq = max(seq, ?)", (up_to,))
            except BaseException:
                self._frontier.recount()
                raise

    def _study(self, study: PageStudy) -> None:
        page = study.page
        if study.anew:
            for table in _TABLES:
                self._connection.execute(f"DELETE FROM {table} WHERE page = ?", (page,))
        if study.anew or study.versions:
            given = self._given(page)
            if study.anew:
                self._histories.forget(page, given)
            self._histories.add(page, study.versions, given)
        for change in study.changes:
            self._change(page, change)
        self._connection.executemany(
            "REPLACE INTO study_problems (seq, page, problem) VALUES (?, ?, ?)",
            [(seq, page, problem) for seq, problem in study.problems],
        )
        self._state(page, study.state)
        if study.again:
            self._hasten(page, study.again)

    def _given(self, page: int) -> dict[str, str]:
        """What people called the blocks of a page."""
        row = self._connection.execute("SELECT url FROM pages WHERE page = ?", (page,)).fetchone()
        return given_labels(self._connection, str(row[0])) if row else {}

    def _state(self, page: int, state: PageState) -> None:
        visible = state.visible - 2 * SIGNED if state.visible >= SIGNED else state.visible
        values = (
            page, state.level, state.scale, state.noise, state.base, state.digest, visible, state.seen, state.absent,
            state.doubling, state.importance, state.changes, state.passed_over, state.time, state.seq,
        )  # fmt: skip
        self._connection.execute(f"REPLACE INTO page_states VALUES ({', '.join('?' * len(values))})", values)

    def _change(self, page: int, change: Observed) -> None:
        blocks = json.dumps(change.blocks, ensure_ascii=False, separators=(",", ":"))
        self._connection.execute(
            """REPLACE INTO changes (page, after_seq, by_seq, after, by, importance, impch, visible, held, operations,
                   blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                page,
                change.after_seq,
                change.by_seq,
                change.after,
                change.by,
                change.importance,
                change.impch,
                change.visible,
                change.held,
                change.operations,
                packed(blocks.encode("utf-8", "surrogatepass")),
            ),
        )

    # What people and the frontier are told

    def _hasten(self, page: int, due: float) -> None:
        """Ask for a page earlier; one that is waiting already, or is not crawled at all, stays as it is."""
        row = self._connection.execute(
            "SELECT host FROM pages WHERE page = ? AND state = ? AND due > ? AND due < 9e999", (page, RESTING, due)
        ).fetchone()
        if row is not None:
            state = self._frontier.state_for(due, 0.0)
            self._connection.execute("UPDATE pages SET due = ?, state = ? WHERE page = ?", (due, state, page))
            self._frontier.moved([(int(row[0]), RESTING, state, 1)])

    def rate(self, url: str, paths: Iterable[str], rating: Rating, author: str = "") -> int:
        """Keep what a person said about blocks of a page; later captures are scored by it."""
        ratings = rated(url, paths, rating, author)
        _keep(self._connection, self._path, ratings)
        return len(ratings)

    def unrate(self, url: str, path: str) -> None:
        """Forget what a person said about a block."""
        with sqlite.told(self._path), sqlite.transaction(self._connection):
            self._connection.execute(UNRATE, (url, path))

    def label(self, url: str, path: str, label: str) -> None:
        """Keep what a person calls a block."""
        with sqlite.told(self._path), sqlite.transaction(self._connection):
            page = page_number(self._connection, url) or 0
            keep_label(self._connection, self._histories, page, (url, path), label)

    def take_over_labels(self, labels: Iterable[tuple[str, str, str, float]]) -> None:
        """Keep the labels of an earlier catalog, before its pages are studied again."""
        with sqlite.told(self._path), sqlite.transaction(self._connection):
            self._connection.executemany("REPLACE INTO labels (url, path, label, time) VALUES (?, ?, ?, ?)", labels)

    def take_over(self, ratings: Iterable[tuple[str, str, str, float, str]]) -> None:
        """Keep the ratings of an earlier catalog."""
        _keep(self._connection, self._path, list(ratings))
