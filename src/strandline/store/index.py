"""Captures by SURT key and time, for replay: what lies before and after a moment, without reading the rest."""

import heapq
from collections.abc import Callable, Iterator
from itertools import islice

from strandline.core.capture import Capture
from strandline.store import rows
from strandline.store.reading import Reading, SiteRow, Span


class KeyReading(Reading):
    """Reading, by key instead of address. A key has few pages (http and https, with and without www)."""

    def before(self, key: str, time: float, limit: int) -> list[Capture]:
        """Captures of a key at or before a time, newest first."""
        return self._nearest(
            key, "captures.time <= ? ORDER BY captures.time DESC, seq DESC", time, limit, lambda c: -c.time
        )

    def after(self, key: str, time: float, limit: int) -> list[Capture]:
        """Captures of a key later than a time, oldest first."""
        return self._nearest(key, "captures.time > ? ORDER BY captures.time, seq", time, limit, lambda c: c.time)

    def _nearest(
        self, key: str, where: str, time: float, limit: int, order: Callable[[Capture], float]
    ) -> list[Capture]:
        pages = [page for (page,) in self._rows("SELECT page FROM pages WHERE surt = ?", key)]
        query = f"SELECT {rows.CAPTURE} FROM {rows.CAPTURES} WHERE page = ? AND {where} LIMIT ?"
        each = [list(map(rows.capture, self._rows(query, page, time, limit))) for page in pages]
        return each[0] if len(each) == 1 else list(islice(heapq.merge(*each, key=order), limit))

    def of_key(self, key: str) -> Iterator[Capture]:
        """All captures of a key in time order."""
        return (indexed.capture for indexed in self.index(Span(key, key + "\0")))

    def busiest(self, limit: int) -> list[SiteRow]:
        """Sites with the most captures."""
        query = """SELECT site, count(*), sum(pages), sum(captures), min(first), max(last) FROM hosts
            WHERE captures > 0 GROUP BY site ORDER BY sum(captures) DESC, site LIMIT ?"""
        return [SiteRow(*row) for row in self._rows(query, limit)]  # type: ignore[arg-type]

    def count(self) -> int:
        """Number of captures in all."""
        row = self._row("SELECT coalesce(sum(captures), 0) FROM hosts")
        return int(str(row[0])) if row else 0
