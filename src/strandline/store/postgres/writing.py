"""Writers of the embedded catalog on PostgreSQL: their statements, spelled anew, through something like a connection.

What study and learning write is the same in both stores, so it is written by the same code (store/studying.py,
store/learned.py). `Spelled` gives that code the few methods of a connection it uses. Transactions, and what happens
when they are cut short, are the affair of whoever makes one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final

import psycopg

from strandline.store.postgres.addresses import clean
from strandline.store.postgres.reading import spelled
from strandline.store.postgres.session import Connection

_REPLACE: Final = re.compile(r"^REPLACE INTO (\w+)(?: \(([^)]*)\))? VALUES")
_IGNORE: Final = "INSERT OR IGNORE INTO "
_OR_REPLACE: Final = "UPDATE OR REPLACE "
_AT_ONCE: Final = 2000
_LARGER: Final = re.compile(r"\bmax\((\w+), \?\)")
_TABLES: Final = {
    # What REPLACE replaces by, and the columns of tables that are written without naming them.
    "changes": ("by_seq", ""),
    "study_problems": ("seq", ""),
    "ratings": ("url, path", ""),
    "notes": ("kind, key", "kind, key, value"),
    "page_states": (
        "page",
        "page, level, scale, noise, base, digest, visible, seen, absent, doubling, importance, changes, passed_over, "
        "time, seq",
    ),
    "first_sights": ("page", "page, text_bytes, links, headings, images, emails, last_modified, language"),
    "page_rates": ("page", "page, visits, changes, found, watched, prior, last"),
    "learned_from": ("part", "part, seq, studied, captures, pages, unstudied, first, last, data"),
}


@cache
def written(statement: str) -> str:
    """A statement of the embedded catalog that writes, as psycopg and PostgreSQL want it.

    >>> written("INSERT OR IGNORE INTO claims VALUES (?, ?)")
    'INSERT INTO claims VALUES (%s, %s) ON CONFLICT DO NOTHING'
    >>> written("REPLACE INTO study_problems (seq, page) VALUES (?, ?)")
    'INSERT INTO study_problems (seq, page) VALUES (%s, %s) ON CONFLICT (seq) DO UPDATE SET page = excluded.page'
    """
    replaced = _REPLACE.match(statement)
    if replaced is not None:
        key, columns = _TABLES[replaced[1]]
        keys = key.split(", ")
        names = [name.strip() for name in (replaced[2] or columns).split(",")]
        kept = ", ".join(f"{name} = excluded.{name}" for name in names if name not in keys)
        statement = f"INSERT{statement.removeprefix('REPLACE')} ON CONFLICT ({key}) DO UPDATE SET {kept}"
    elif statement.startswith(_OR_REPLACE):  # who replaces a row has made sure that it takes nobody else's place
        statement = f"UPDATE {statement.removeprefix(_OR_REPLACE)}"
    elif statement.startswith(_IGNORE):
        statement = f"INSERT INTO {statement.removeprefix(_IGNORE)} ON CONFLICT DO NOTHING"
    return spelled(_LARGER.sub(r"greatest(\1, ?)", statement))


class Spelled:
    """What the embedded writers need of a connection, on one to PostgreSQL."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[object] = ()) -> "psycopg.Cursor[tuple[object, ...]]":
        """Do one statement."""
        return self._connection.execute(written(statement).encode(), _plain(values))

    def executemany(self, statement: str, table: Iterable[Sequence[object]]) -> None:
        """Do a statement for every row; of millions, some are held at a time."""
        rows = map(_plain, table)
        with self._connection.cursor() as cursor:
            while some := list(islice(rows, _AT_ONCE)):
                cursor.executemany(written(statement).encode(), some)


def _plain(values: Sequence[object]) -> Sequence[object] | Mapping[str, object]:
    """Values as PostgreSQL can keep them: truth is a number here, and text has no NUL."""
    return [
        clean(value) if isinstance(value, str) else int(value) if isinstance(value, bool) else value for value in values
    ]
