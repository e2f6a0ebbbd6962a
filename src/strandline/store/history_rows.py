"""Histories of pages (`core/changes/versions.py`) as rows of the catalog, and the words they are found by.

A page's history is a few rows of `segments`. Words are searched in `block_words`, where a block's number is made of the
page and of its number in the page's history; what it says and when it was shown is read from the history. Nothing of
it is shared between pages, so that a page's history can be forgotten or studied anew by itself.
"""

import sqlite3
from collections.abc import Callable, Iterator

from strandline.core.blocks.queries import searched_words
from strandline.core.changes.versions import BlockRecord, LayoutRecord, PageHistory, Segment, Sight, labels
from strandline.store import rows

NUMBERS = 24
"""Bits of a block's number that count it within its page."""
_MASK = (1 << NUMBERS) - 1
_HEAD = "number, start, versions, indexed, layouts, blocks"
Found = dict[int, tuple[BlockRecord, str]]
"""Blocks by their number in the history, with what they are called."""
Ask = Callable[..., Iterator[tuple[object, ...]]]


def read_history(ask: Ask, page: int) -> PageHistory:
    """The history of a page."""
    found = ask(f"SELECT {_HEAD}, frame FROM segments WHERE page = ? ORDER BY number", page)
    return PageHistory([Segment(*row) for row in found])  # type: ignore[arg-type]


def read_tail(ask: Ask, page: int) -> PageHistory:
    """The history of a page as it takes to add to it: without the content of segments that are finished."""
    heads = list(ask(f"SELECT {_HEAD} FROM segments WHERE page = ? ORDER BY number", page))
    if not heads:
        return PageHistory()
    whole = Segment(*heads[-1], b"").base  # type: ignore[arg-type, call-arg]
    tail = ask("SELECT number, frame FROM segments WHERE page = ? AND number >= ?", page, whole)
    frames = {number: frame for number, frame in tail}
    return PageHistory([Segment(*head, frames.get(head[0], b"")) for head in heads])  # type: ignore[arg-type, call-arg]


class HistoryWriter:
    """Writes histories and their words through a writer's connection."""

    def __init__(self, connection: sqlite3.Connection, worker: int = 0) -> None:
        self._connection = connection
        self._worker = worker

    def add(self, page: int, versions: tuple[Sight, ...], given: dict[str, str]) -> None:
        """Add versions to the history of a page, and the words of those that are to be found by them."""
        if not versions:
            return
        history = read_tail(self._ask, page)
        first = max(0, len(history.segments) - 1)
        before = history.block_count
        for version in versions:
            numbers = history.add(version).version.blocks
            if version.indexed:
                found: Found = {}
                for number, record, name in zip(numbers, version.blocks, _called(version.layout, given), strict=True):
                    found.setdefault(number, (record, name))
                self._index(page, found)
        for segment in history.segments[first:]:
            self._connection.execute(
                """INSERT INTO segments (page, number, start, versions, indexed, layouts, blocks, frame)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (page, number) DO UPDATE SET start = excluded.start,
                   versions = excluded.versions, indexed = excluded.indexed, layouts = excluded.layouts,
                   blocks = excluded.blocks, frame = excluded.frame""",
                (
                    page,
                    segment.number,
                    segment.start,
                    segment.versions,
                    segment.indexed,
                    segment.layouts,
                    segment.blocks,
                    segment.frame,
                ),
            )
        self._count(len(versions), sum(one.indexed for one in versions), history.block_count - before)

    def forget(self, page: int, given: dict[str, str]) -> None:
        """Forget the history of a page and its words."""
        history = read_history(self._ask, page)
        if not history.segments:
            return
        self._forget_words(page, history, given)
        self._connection.execute("DELETE FROM segments WHERE page = ?", (page,))
        versions = sum(segment.versions for segment in history.segments)
        self._count(-versions, -sum(segment.indexed for segment in history.segments), -history.block_count)

    def label(self, page: int, before: dict[str, str], after: dict[str, str]) -> None:
        """Find the blocks of a page under what they are called now."""
        history = read_history(self._ask, page)
        self._forget_words(page, history, before)
        self._index(page, _indexed_blocks(history, after))

    # Words

    def _index(self, page: int, blocks: Found) -> None:
        """Make blocks found by their words, those that are not yet."""
        known = self._indexed(page, blocks)
        new = {number: what for number, what in blocks.items() if number not in known}
        for number, what in new.items():
            self._connection.execute(
                "INSERT INTO block_words (rowid, topic, label, text) VALUES (?, ?, ?, ?)",
                (page << NUMBERS | number, *_texts(*what)),
            )
        self._count_words(len(new))

    def _indexed(self, page: int, blocks: Found) -> set[int]:
        """Those of the blocks whose words can be found."""
        if not blocks:
            return set()
        low, high = page << NUMBERS | min(blocks), page << NUMBERS | max(blocks)
        found = self._ask("SELECT rowid FROM block_words WHERE rowid BETWEEN ? AND ?", low, high)
        return {rows.whole(number) & _MASK for (number,) in found}

    def _forget_words(self, page: int, history: PageHistory, given: dict[str, str]) -> None:
        """SQLite keeps the words only, and forgets them when it is told what they were."""
        gone = _indexed_blocks(history, given)
        for number, what in gone.items():
            self._connection.execute(
                "INSERT INTO block_words (block_words, rowid, topic, label, text) VALUES ('delete', ?, ?, ?, ?)",
                (page << NUMBERS | number, *_texts(*what)),
            )
        self._count_words(-len(gone))

    # At a glance

    def _counted(self) -> int:
        self._connection.execute(
            """INSERT INTO history_counts (worker, versions, indexed, blocks, indexed_blocks) VALUES (?, 0, 0, 0, 0)
               ON CONFLICT (worker) DO NOTHING""",
            (self._worker,),
        )
        return self._worker

    def _count(self, versions: int, indexed: int, blocks: int) -> None:
        self._connection.execute(
            """UPDATE history_counts SET versions = versions + ?, indexed = indexed + ?, blocks = blocks + ?
               WHERE worker = ?""",
            (versions, indexed, blocks, self._counted()),
        )

    def _count_words(self, blocks: int) -> None:
        self._connection.execute(
            "UPDATE history_counts SET indexed_blocks = indexed_blocks + ? WHERE worker = ?", (blocks, self._counted())
        )

    def _ask(self, query: str, *values: object) -> Iterator[tuple[object, ...]]:
        return iter(self._connection.execute(query, values).fetchall())


def _texts(record: BlockRecord, called: str) -> tuple[str, str, str]:
    """What is found of a block: topic, labels, words."""
    topic, labels_found, text = (" ".join(searched_words(one)) for one in (record.topic, called, record.text))
    return topic, labels_found, text


def _called(layout: LayoutRecord, given: dict[str, str]) -> list[str]:
    """What the blocks of a layout are called, in page order."""
    return [" ".join(labels(role, hint, given.get(path, ""))) for path, _, role, hint in layout.places]


def _indexed_blocks(history: PageHistory, given: dict[str, str]) -> Found:
    """Blocks that are found by their words, called as in the first version that made them so."""
    found: Found = {}
    for version in history.versions():
        if version.indexed and any(number not in found for number in version.blocks):
            called = _called(history.layout(version.layout), given)
            for number, name in zip(version.blocks, called, strict=True):
                if number not in found:
                    found[number] = (history.block(number), name)
    return found
