"""What study found, for readers: changes with their reasons, the history of blocks, search, and sightings.

A *sighting* is a capture as the learning side sees it: when a page was looked at, and whether it had changed. Long
answers are iterators over the database. Times are UTC epoch seconds.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import zstandard

from strandline.core.blocks.tree import BlockTree
from strandline.core.blocks.words import words
from strandline.core.capture import Capture, Kind
from strandline.core.changes.observation import PageState, Sighted
from strandline.core.changes.versions import BlockRecord, LayoutRecord, rebuilt, stored_block, stored_layout
from strandline.core.changes.volatility import Rating
from strandline.store import rows, sqlite
from strandline.store.addresses import page_number
from strandline.store.index import KeyReading

SIGNED = 1 << 63
_PACKING = 9
_STATE = """level, scale, noise, base, digest, visible, seen, absent, doubling, importance, changes, passed_over, time,
    seq"""
_CHANGE = """change, changes.page, pages.url, site, after, by, importance, impch, visible, held, operations, blocks,
    after_seq, by_seq"""
_CHANGES = "changes JOIN pages USING (page) JOIN hosts USING (host)"


@dataclass(frozen=True, slots=True)
class Change:
    """An observed change: it happened after one capture time and by the next."""

    change: int
    page: int
    url: str
    site: str
    after: float
    by: float
    importance: float
    impch: float
    visible: bool
    held: bool
    operations: int
    blocks: tuple[dict[str, Any], ...]
    """Changed blocks, the weightiest first: path, topic, role, contribution, why, ..."""
    after_seq: int
    by_seq: int


@dataclass(frozen=True, slots=True)
class Seen:
    """One capture of a page, and whether a reader would have seen a change since the one before."""

    page: int
    url: str
    site: str
    time: float
    status: int
    changed: bool
    importance: float
    impch: float
    held: bool
    first: bool


@dataclass(frozen=True, slots=True)
class BlockLife:
    """When a page showed a block."""

    url: str
    block: int
    topic: str
    text: str
    first: float
    last: float
    """When it was last seen."""
    gone: float | None
    """When the page was first seen without it; None while it is there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search: words that all occur, words of the topic, and when the block was shown."""

    words: str = ""
    topic: str = ""
    since: float = float("-inf")
    until: float = float("inf")
    site: str = ""


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """The block index and the search index at a glance."""

    versions: int
    indexed: int
    blocks: int
    indexed_blocks: int
    changes: int
    pending: int
    problems: int

    @property
    def saving(self) -> float:
        """Share of the versions that did not enter the search index."""
        return 1.0 - self.indexed / self.versions if self.versions else 0.0


class StudyReading(KeyReading):
    """Queries over what study found. Usable while a writer works."""

    # What is to be studied

    def progress(self) -> int:
        """All captures up to this number were studied."""
        row = self._row("SELECT seq FROM study_progress")
        return rows.whole(row[0]) if row else 0

    def waiting(self) -> int:
        """How many captures are still to be studied, at most: told without counting them."""
        row = self._row("SELECT coalesce(max(seq), 0) - (SELECT seq FROM study_progress) FROM captures")
        return max(0, rows.whole(row[0])) if row else 0

    def pending(self, limit: int = -1) -> Iterator[Sighted]:
        """Captures not yet studied, in the order they were recorded; a negative limit is none."""
        return self._sighted("seq > ? ORDER BY seq LIMIT ?", self.progress(), limit)

    def captures_of(self, page: int, up_to: int) -> Iterator[Sighted]:
        """All captures of a page recorded so far, in time order."""
        return self._sighted("captures.page = ? AND seq <= ? ORDER BY captures.time, seq", page, up_to)

    def capture(self, seq: int) -> Capture | None:
        """A capture by its number."""
        found = next(self._sighted("seq = ?", seq), None)
        return None if found is None else found.capture

    def _sighted(self, where: str, *values: object) -> Iterator[Sighted]:
        query = f"SELECT seq, page, kind, {rows.CAPTURE} FROM {rows.CAPTURES} WHERE {where}"
        for row in self._rows(query, *values):
            yield Sighted(rows.whole(row[0]), rows.whole(row[1]), Kind(str(row[2])), rows.capture(row[3:]))

    def state(self, page: int) -> PageState | None:
        """What is known of a page."""
        row = self._row(f"SELECT {_STATE} FROM page_states WHERE page = ?", page)
        if row is None:
            return None
        return PageState(*row[:5], rows.whole(row[5]) % (2 * SIGNED), *row[6:])  # type: ignore[arg-type, call-arg]

    def ratings(self, url: str) -> dict[str, Rating]:
        """What people said about the blocks of a page, by path."""
        query = "SELECT path, rating FROM ratings WHERE url = ? ORDER BY path"
        return {str(path): "noise" if rating == "noise" else "matters" for path, rating in self._rows(query, url)}

    def all_ratings(self) -> Iterator[tuple[str, str, str, float]]:
        """Every rating: address, path, rating, time."""
        query = "SELECT url, path, rating, time FROM ratings ORDER BY url, path"
        yield from self._rows(query)  # type: ignore[misc]

    # Changes

    def changes(self, site: str = "", since: float | None = None, min_importance: float = 0.0) -> Iterator[Change]:
        """Observed changes in the order they were seen; `site` is a registered domain or a host."""
        where, values = "by >= ? AND importance >= ?", [float("-inf") if since is None else since, min_importance]
        if site:
            return self._changes(f"{where} AND ? IN (site, authority) ORDER BY by, change", *values, site)
        return self._changes(f"{where} ORDER BY by, change", *values)

    def changes_after(self, seq: int) -> Iterator[Change]:
        """Changes shown by captures recorded after this number, in that order."""
        return self._changes("by_seq > ? ORDER BY by_seq", seq)

    def changes_of(self, url: str) -> Iterator[Change]:
        """Observed changes of one page, in time order."""
        return self._changes("changes.page = ? ORDER BY by, change", self._number(url))

    def change_by(self, seq: int) -> Change | None:
        """The change a capture showed."""
        return next(self._changes("by_seq = ?", seq), None)

    def _changes(self, where: str, *values: object) -> Iterator[Change]:
        for row in self._rows(f"SELECT {_CHANGE} FROM {_CHANGES} WHERE {where}", *values):
            blocks = tuple(json.loads(unpacked(row[11])))  # type: ignore[arg-type]
            flags = (bool(row[8]), bool(row[9]))
            yield Change(*row[:8], *flags, row[10], blocks, *row[12:])  # type: ignore[arg-type, call-arg]

    def sightings(self, site: str = "") -> Iterator[Seen]:
        """Every capture in the order of page and time. Unchanged answers, and changes nobody sees, are no change.

        Captures that are still to be studied are left out; their pages' later ones follow when they are.
        """
        which = "AND ? IN (site, authority)" if site else ""
        query = f"""SELECT captures.page, pages.url, site, captures.time, captures.status,
                coalesce(visible, 0), coalesce(importance, 0.0), coalesce(impch, 0.0), coalesce(held, 0)
            FROM captures INDEXED BY captures_page CROSS JOIN pages USING (page) CROSS JOIN hosts USING (host)
            LEFT JOIN changes ON by_seq = captures.seq
            WHERE captures.seq <= ? {which} ORDER BY captures.page, captures.time, captures.seq"""
        before = None
        for row in self._rows(query, self.progress(), *([site] if site else [])):
            flags = (bool(row[5]), row[6], row[7], bool(row[8]), row[0] != before)
            before = row[0]
            yield Seen(*row[:5], *flags)  # type: ignore[arg-type, call-arg]

    # Blocks

    def block_history(self, url: str) -> Iterator[BlockLife]:
        """When each block of a page appeared and vanished, in the order of appearance."""
        query = """SELECT url, block, topic, first, coalesce(last, seen), gone
            FROM appearances JOIN blocks USING (block) JOIN pages USING (page) JOIN page_states USING (page)
            WHERE page = ? ORDER BY first, block"""
        return self._lives(query, self._number(url))

    def search(self, wanted: Wanted) -> Iterator[BlockLife]:
        """Blocks with these words, best match first, and when each page showed them."""
        terms = [f'"{word}"' for word in words(wanted.words)] + [f'topic:"{word}"' for word in words(wanted.topic)]
        if not terms:
            return iter(())
        which = "AND ? IN (site, authority)" if wanted.site else ""
        query = f"""SELECT url, block, blocks.topic, appearances.first, coalesce(appearances.last, seen), gone
            FROM block_words JOIN blocks ON block = block_words.rowid JOIN appearances USING (block)
            JOIN pages USING (page) JOIN hosts USING (host) JOIN page_states USING (page)
            WHERE block_words MATCH ? AND coalesce(appearances.last, seen) >= ? AND appearances.first <= ? {which}
            ORDER BY block_words.rank, appearances.first"""
        values = (" ".join(terms), wanted.since, wanted.until, *([wanted.site] if wanted.site else []))
        return self._lives(query, *values)

    def _lives(self, query: str, *values: object) -> Iterator[BlockLife]:
        for url, block, topic, first, last, gone in self._rows(query, *values):
            text = self.block(rows.whole(block)).text
            yield BlockLife(url, block, topic, text, first, last, gone)  # type: ignore[arg-type]

    def block(self, number: int) -> BlockRecord:
        """A stored block by its number."""
        row = self._row("SELECT key, topic, label FROM blocks WHERE block = ?", number)
        assert row is not None
        key: bytes = row[0]  # type: ignore[assignment]
        return stored_block(key, self.block_content(number), str(row[1]), str(row[2]))

    def block_content(self, number: int) -> bytes:
        """The stored content of a block; at most one other is read for it."""
        row = self._row("SELECT content, base FROM blocks WHERE block = ?", number)
        assert row is not None
        frame: bytes = row[0]  # type: ignore[assignment]
        return unpacked(frame, b"" if row[1] is None else self.block_content(rows.whole(row[1])))

    def version(self, url: str, at: float) -> tuple[float, BlockTree] | None:
        """The version of a page shown at a time, put together from its layout and blocks; None before the first."""
        row = self._row(
            """SELECT time, layout, blocks FROM versions WHERE page = ? AND time <= ?
               ORDER BY time DESC, seq DESC LIMIT 1""",
            self._number(url),
            at,
        )
        if row is None:
            return None
        records = [self.block(number) for number in block_numbers(row[2])]
        known = {record.key: record for record in records}
        tree = rebuilt(url, self.layout(rows.whole(row[1])), known, tuple(record.key for record in records))
        return float(str(row[0])), tree

    def layout(self, number: int) -> LayoutRecord:
        """A stored layout by its number."""
        row = self._row("SELECT key, content FROM layouts WHERE layout = ?", number)
        assert row is not None
        key: bytes = row[0]  # type: ignore[assignment]
        return stored_layout(key, unpacked(row[1]))  # type: ignore[arg-type]

    # At a glance

    def counts(self) -> StudyCounts:
        """How much was studied and stored."""
        row = self._row(
            """SELECT (SELECT count(*) FROM versions), (SELECT coalesce(sum(indexed), 0) FROM versions),
                   (SELECT count(*) FROM blocks), (SELECT coalesce(sum(indexed), 0) FROM blocks),
                   (SELECT count(*) FROM changes),
                   (SELECT count(*) FROM captures WHERE seq > (SELECT seq FROM study_progress)),
                   (SELECT count(*) FROM study_problems)"""
        )
        assert row is not None
        return StudyCounts(*map(rows.whole, row))

    def problems(self) -> Iterator[tuple[str, float, str]]:
        """Captures that could not be studied: address, time, why."""
        query = """SELECT url, captures.time, problem FROM study_problems JOIN captures USING (seq)
            JOIN pages ON pages.page = captures.page ORDER BY seq"""
        yield from self._rows(query)  # type: ignore[misc]

    def _number(self, url: str) -> int:
        with sqlite.told(self._path):
            return page_number(self._connection, url) or 0


def packed(content: bytes, base: bytes = b"") -> bytes:
    """A content as a zstd frame, as a difference from a base content when there is one."""
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if base else None
    return zstandard.ZstdCompressor(level=_PACKING, dict_data=known).compress(content)


def unpacked(frame: bytes, base: bytes = b"") -> bytes:
    """What `packed` was given, with the same base."""
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if base else None
    return zstandard.ZstdDecompressor(dict_data=known).decompress(frame)


def block_numbers(stored: object) -> list[int]:
    """The blocks of a version, in page order."""
    numbers: list[int] = np.frombuffer(stored, "<u4").tolist()  # type: ignore[call-overload]
    return numbers
