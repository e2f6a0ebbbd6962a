"""Recording what study found. One transaction takes a whole round: after a crash it is there, or studied again."""

import json
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import numpy as np

from strandline.core.blocks.words import words
from strandline.core.changes.observation import Observed, PageState, PageStudy, Sight
from strandline.core.changes.versions import BlockRecord, LayoutRecord
from strandline.core.changes.volatility import Rating
from strandline.store import sqlite
from strandline.store.frontier import RESTING, Frontier
from strandline.store.studies import SIGNED, StudyReading, block_numbers, packed

_TABLES = ("changes", "versions", "appearances", "study_problems", "page_states")


def rate_beside(database: Path, url: str, paths: Iterable[str], rating: Rating) -> None:
    """Keep ratings while another process writes the archive: SQLite lets one transaction in after the other."""
    with closing(sqlite.open_writing(database)) as connection:
        _keep(connection, database, rated(url, paths, rating))


def rated(url: str, paths: Iterable[str], rating: Rating) -> list[tuple[str, str, str, float]]:
    """Rows of what a person said about blocks."""
    now = time.time()
    return [(url, path, rating, now) for path in dict.fromkeys(paths)]


def _keep(connection: sqlite3.Connection, database: Path, ratings: list[tuple[str, str, str, float]]) -> None:
    with sqlite.told(database), sqlite.transaction(connection):
        connection.executemany("REPLACE INTO ratings (url, path, rating, time) VALUES (?, ?, ?, ?)", ratings)


class StudyWriter:
    """Writes through the writer's connection; `reading` sees what was written."""

    def __init__(self, connection: sqlite3.Connection, path: Path, frontier: Frontier) -> None:
        self._connection = connection
        self._path = path
        self._frontier = frontier
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
        for version in study.versions:
            self._version(page, version)
        for change in study.changes:
            self._change(page, change)
        self._connection.executemany(
            "REPLACE INTO study_problems (seq, page, problem) VALUES (?, ?, ?)",
            [(seq, page, problem) for seq, problem in study.problems],
        )
        self._state(page, study.state)
        if study.again:
            self._hasten(page, study.again)

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

    # The block repository

    def _version(self, page: int, version: Sight) -> None:
        before = self._before(page)
        numbers = [
            self._block(record, version.indexed, before.get((place[0], place[1])))
            for place, record in zip(version.layout.places, version.blocks, strict=True)
        ]
        self._connection.execute(
            "INSERT INTO versions (page, seq, time, layout, blocks, indexed) VALUES (?, ?, ?, ?, ?, ?)",
            (
                page,
                version.seq,
                version.time,
                self._layout(version.layout),
                np.array(numbers, "<u4").tobytes(),
                version.indexed,
            ),
        )
        shown = {
            int(block)
            for (block,) in self._connection.execute(
                "SELECT block FROM appearances WHERE page = ? AND gone IS NULL", (page,)
            )
        }
        now = set(numbers)
        self._connection.executemany(
            "UPDATE appearances SET last = ?, gone = ? WHERE page = ? AND block = ? AND gone IS NULL",
            [(version.after, version.time, page, block) for block in sorted(shown - now)],
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO appearances (page, block, first) VALUES (?, ?, ?)",
            [(page, block, version.time) for block in sorted(now - shown)],
        )

    def _layout(self, layout: LayoutRecord) -> int:
        find = "SELECT layout FROM layouts WHERE key = ?"
        row = self._connection.execute(find, (layout.key,)).fetchone()
        if row is None:
            self._connection.execute(
                "INSERT INTO layouts (key, content) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                (layout.key, packed(layout.as_bytes())),
            )
            row = self._connection.execute(find, (layout.key,)).fetchone()
        return int(row[0])

    def _before(self, page: int) -> dict[tuple[str, int], int]:
        """The block at each place of the version before."""
        row = self._connection.execute(
            "SELECT layout, blocks FROM versions WHERE page = ? ORDER BY time DESC, seq DESC LIMIT 1", (page,)
        ).fetchone()
        if row is None:
            return {}
        places = self.reading.layout(int(row[0])).places
        return {(path, nth): block for (path, nth, _, _), block in zip(places, block_numbers(row[1]), strict=True)}

    def _block(self, record: BlockRecord, indexed: bool, replaced: int | None) -> int:
        """Number of a block, stored from now on: whole, or as a difference from the one it replaced at its place."""
        find = "SELECT block, indexed FROM blocks WHERE key = ?"
        row = self._connection.execute(find, (record.key,)).fetchone()
        if row is None:
            base = replaced and self._base(replaced)
            content = packed(record.as_bytes(), self.reading.block_content(base) if base else b"")
            self._connection.execute(
                """INSERT INTO blocks (key, topic, label, indexed, base, content) VALUES (?, ?, ?, 0, ?, ?)
                   ON CONFLICT (key) DO NOTHING""",
                (record.key, record.topic, record.label, base, content),
            )
            row = self._connection.execute(find, (record.key,)).fetchone()
        mark = "UPDATE blocks SET indexed = 1 WHERE block = ? AND indexed = 0"
        if indexed and not row[1] and self._connection.execute(mark, (row[0],)).rowcount:
            self._connection.execute(
                "INSERT INTO block_words (rowid, topic, text) VALUES (?, ?, ?)",
                (row[0], " ".join(words(record.topic)), " ".join(words(record.text))),
            )
        return int(row[0])

    def _base(self, block: int) -> int:
        """A block that is stored whole: this one, or the one it differs from."""
        return int(
            self._connection.execute("SELECT coalesce(base, block) FROM blocks WHERE block = ?", (block,)).fetchone()[0]
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

    def rate(self, url: str, paths: Iterable[str], rating: Rating) -> int:
        """Keep what a person said about blocks of a page; later captures are scored by it."""
        ratings = rated(url, paths, rating)
        _keep(self._connection, self._path, ratings)
        return len(ratings)

    def take_over(self, ratings: Iterable[tuple[str, str, str, float]]) -> None:
        """Keep the ratings of an earlier catalog."""
        _keep(self._connection, self._path, list(ratings))
