"""Versions and blocks of pages, for readers: when each was shown, and what it is called."""

from collections.abc import Iterator
from dataclasses import dataclass

from strandline.core.changes.versions import PageHistory, labels
from strandline.store.history_rows import NUMBERS, read_history
from strandline.store.index import KeyReading


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
    path: str = ""
    labels: tuple[str, ...] = ()
    """What it is called: by a person, by its role, by its names."""


class HistoryReading(KeyReading):
    """Versions and blocks of pages."""

    def history(self, page: int) -> PageHistory:
        """The versions of a page."""
        return read_history(self._rows, page)

    def given_labels(self, url: str) -> dict[str, str]:
        """What people called the blocks of a page, by path."""
        query = "SELECT path, label FROM labels WHERE url = ? ORDER BY path"
        return {str(path): str(label) for path, label in self._rows(query, url)}

    def all_labels(self) -> Iterator[tuple[str, str, str, float]]:
        """Every label people gave: address, path, label, time."""
        yield from self._rows("SELECT url, path, label, time FROM labels ORDER BY url, path")  # type: ignore[misc]

    def lives(self, page: int) -> list[BlockLife]:
        """When each block of a page appeared and vanished, in the order of appearance."""
        row = self._row("SELECT url, seen FROM pages JOIN page_states USING (page) WHERE page = ?", page)
        if row is None:
            return []
        history, given = self.history(page), self.given_labels(str(row[0]))
        found = []
        for life in history.lives():
            path, _, role, hint = history.layout(life.layout).places[life.place]
            record = history.block(life.block)
            last = float(str(row[1])) if life.last is None else life.last
            called = labels(role, hint, given.get(path, ""))
            number = page << NUMBERS | life.block
            shown = (life.first, last, life.gone, path, called)
            found.append(BlockLife(str(row[0]), number, record.topic, record.text, *shown))
        return found

    def _shown(self, numbers: Iterator[int], since: float, until: float) -> Iterator[BlockLife]:
        """When blocks were shown, in their order, as far as it was between two times."""
        known: dict[int, list[BlockLife]] = {}
        for number in numbers:
            page = number >> NUMBERS
            if page not in known:
                known[page] = self.lives(page)
            yield from (one for one in known[page] if one.block == number and one.last >= since and one.first <= until)
