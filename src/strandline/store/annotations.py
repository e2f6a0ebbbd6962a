"""Tags and notes in the catalog. What is taken down is not seen here either: see store/hidden.py.

Statements are the same for both databases; whoever writes brings a transaction (`Archive.beside`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from strandline.core.keeping.annotations import Annotation
from strandline.store.reading import Reading

_COLUMNS: Final = "key, kind, url, text, capture, author, time"


class Writing(Protocol):
    """What is needed of a connection: SQLite's, or one to PostgreSQL."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Any:  # noqa: ANN401 - a cursor of either
        """Do one statement."""

    def executemany(self, statement: str, table: Iterable[Sequence[Any]], /) -> Any:  # noqa: ANN401
        """Do a statement for every row."""


def keep_annotations(connection: Writing, annotations: Iterable[Annotation]) -> int:
    """Keep tags and notes; those that are there already, and tags a page or capture has, are not kept twice."""
    kept = 0
    for one in annotations:
        known = connection.execute(
            """SELECT 1 FROM annotations WHERE key = ? OR (kind = 'tag' AND ? = 'tag' AND surt = ? AND text = ?
                   AND coalesce(capture, -1.0) = ?)""",
            (one.key, one.kind, one.surt, one.text, -1.0 if one.capture is None else one.capture),
        ).fetchone()
        if known is None:
            values = (one.key, one.kind, one.url, one.surt, one.capture, one.text, one.author, one.time)
            connection.execute(
                "INSERT INTO annotations (key, kind, url, surt, capture, text, author, time) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            kept += 1
    return kept


def forget_annotations(connection: Writing, keys: Iterable[str]) -> None:
    """Remove tags and notes by their keys."""
    connection.executemany("DELETE FROM annotations WHERE key = ?", [(key,) for key in keys])


class AnnotationReading(Reading):
    """Tags and notes."""

    def annotations(self, surt: str = "", kind: str = "", tag: str = "") -> Iterator[Annotation]:
        """Tags and notes, the newest first: of a page, of a kind, or one tag wherever it is."""
        asked = [("surt = ?", surt), ("kind = ?", kind), ("kind = 'tag' AND text = ?", tag)]
        wanted = [(where, value) for where, value in asked if value]
        which = " AND ".join(where for where, _ in wanted) or "true"
        query = f"SELECT {_COLUMNS} FROM annotations WHERE {which} ORDER BY time DESC, key"
        for row in self._rows(query, *(value for _, value in wanted)):
            yield Annotation(*row)  # type: ignore[arg-type]

    def annotation(self, key: str) -> Annotation | None:
        """One tag or note."""
        row = self._row(f"SELECT {_COLUMNS} FROM annotations WHERE key = ?", key)
        return None if row is None else Annotation(*row)  # type: ignore[arg-type]

    def tags(self) -> Counter[str]:
        """All tags and how often each was given."""
        rows = self._rows("SELECT text, count(*) FROM annotations WHERE kind = 'tag' GROUP BY text ORDER BY text")
        return Counter({str(text): int(str(count)) for text, count in rows})
