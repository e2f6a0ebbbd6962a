"""Packs what an older catalog kept in rows (layouts, blocks, versions, appearances) into histories, page by page.

Part of the step to the format that has `segments`: it runs inside that step's transaction, on either database.
"""

import json
import sqlite3
from collections.abc import Iterator

import numpy as np

from strandline.core.blocks.tree import Item
from strandline.core.changes.versions import BlockRecord, LayoutRecord, Sight, unpacked
from strandline.store.history_rows import HistoryWriter

_OLD = ("appearances", "versions", "blocks", "layouts")


def pack_histories(connection: sqlite3.Connection) -> None:
    """Make histories of the rows, and drop those."""
    old = _Rows(connection)
    writer = HistoryWriter(connection)
    pages = [int(page) for (page,) in connection.execute("SELECT DISTINCT page FROM versions ORDER BY page").fetchall()]
    for page in pages:
        writer.add(page, tuple(old.versions(page)), {})
    for table in _OLD:
        connection.execute(f"DROP TABLE {table}")


class _Rows:
    """Versions as rows tell them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def versions(self, page: int) -> Iterator[Sight]:
        """The versions of a page in the order they came."""
        found = self._connection.execute(
            "SELECT seq, time, layout, blocks, indexed FROM versions WHERE page = ? ORDER BY time, seq", (page,)
        ).fetchall()
        # When the version before was last seen was told by the blocks that vanished with the new one.
        seen = dict(
            self._connection.execute(
                "SELECT gone, max(last) FROM appearances WHERE page = ? AND gone IS NOT NULL GROUP BY gone", (page,)
            ).fetchall()
        )
        layouts: dict[int, LayoutRecord] = {}
        blocks: dict[int, BlockRecord] = {}
        for seq, time, layout, numbers, indexed in found:
            if layout not in layouts:
                layouts[layout] = self._layout(layout)
            shown = []
            for number in np.frombuffer(numbers, "<u4").tolist():
                if number not in blocks:
                    blocks[number] = self._block(number)
                shown.append(blocks[number])
            yield Sight(seq, seen.get(time, time), time, layouts[layout], tuple(shown), bool(indexed))

    def _layout(self, number: int) -> LayoutRecord:
        (frame,) = self._connection.execute("SELECT content FROM layouts WHERE layout = ?", (number,)).fetchone()
        level, scale, places = json.loads(unpacked(bytes(frame)))
        return LayoutRecord(tuple((path, nth, role, hint) for path, nth, role, hint in places), level, scale)

    def _block(self, number: int) -> BlockRecord:
        weight, link_weight, lead, items = json.loads(self._content(number))
        return BlockRecord(tuple(Item(*item) for item in items), weight, link_weight, lead)

    def _content(self, number: int) -> bytes:
        frame, base = self._connection.execute("SELECT content, base FROM blocks WHERE block = ?", (number,)).fetchone()
        return unpacked(bytes(frame), b"" if base is None else self._content(base))
