"""Is what was moved the same on both sides? A digest of every table that is moved, over all of its rows.

The digest of a table is the sum of those of its rows: the order in which a database gives them out does not matter.
"""

import hashlib
import sqlite3
from collections.abc import Callable

from strandline.store.postgres.addresses import clean
from strandline.store.postgres.moving import TABLES, Row, Table, next_rows
from strandline.store.postgres.reading import spelled
from strandline.store.postgres.session import Session

Digests = dict[str, tuple[int, str]]
"""Rows of each table, and their digest."""
_MODULUS = 1 << 256


def digests_of_sqlite(connection: sqlite3.Connection) -> Digests:
    """Of a catalog in a folder."""
    return _digests(lambda query, behind: connection.execute(query, behind or ()).fetchall())


def digests_of_postgres(session: Session) -> Digests:
    """Of a shared catalog."""

    def ask(query: str, behind: Row | None) -> list[Row]:
        return session.run(
            lambda connection: connection.execute(spelled(query).encode(), behind).fetchall(), at_once=True
        )

    return _digests(ask)


def differences(one: Digests, other: Digests) -> list[str]:
    """Tables that are not the same, with how many rows each side has."""
    return [f"{name} ({one[name][0]} and {other[name][0]} rows)" for name in one if one[name] != other[name]]


def _digests(ask: Callable[[str, Row | None], list[Row]]) -> Digests:
    return {table.name: _digest(ask, table) for table in TABLES}


def _digest(ask: Callable[[str, Row | None], list[Row]], table: Table) -> tuple[int, str]:
    count, total, behind = 0, 0, None
    while piece := ask(next_rows(table, behind), behind):
        for row in piece:
            text = repr(tuple(clean(value) if isinstance(value, str) else value for value in row))
            total += int.from_bytes(hashlib.sha256(text.encode()).digest())
        count += len(piece)
        behind = piece[-1][: table.keys]
    return count, f"{total % _MODULUS:064x}"
