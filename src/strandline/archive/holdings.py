"""An archive folder as the reading side sees it."""

from collections.abc import Iterator, Sequence

from strandline.access.index import Holdings, SiteRow, Span
from strandline.archive.folder import Archive
from strandline.core.capture import Capture
from strandline.store.index import KeyReading
from strandline.store.reading import Resume
from strandline.store.reading import Span as Stretch


class CatalogIndex:
    """Implements access.index.CaptureIndex on the catalog."""

    def __init__(self, reading: KeyReading) -> None:
        self._reading = reading

    def before(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key at or before a time, newest first."""
        return self._reading.before(key, time, limit)

    def after(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key later than a time, oldest first."""
        return self._reading.after(key, time, limit)

    def captures(self, key: str) -> Iterator[Capture]:
        """All captures of a key in time order."""
        return self._reading.of_key(key)

    def scan(self, span: Span) -> Iterator[tuple[str, Capture]]:
        """Keys and captures of a span, read as they are asked for."""
        # Several captures can share key and time: a resumed scan goes on behind all of them.
        resume = Resume(span.resume[0], span.resume[1], 2**62) if span.resume else None
        stretch = Stretch(span.start, span.end, span.since, span.until)
        return ((found.surt, found.capture) for found in self._reading.index(stretch, resume))

    def same_payload(self, digest: str) -> Capture | None:
        """A capture that holds the payload with this digest itself, not by reference."""
        return self._reading.holding(digest)

    def sites(self, limit: int) -> Sequence[SiteRow]:
        """Sites with the most captures."""
        return [
            SiteRow(row.name, row.pages, row.captures, row.first or 0.0, row.last or 0.0)
            for row in self._reading.busiest(limit)
        ]

    def count(self) -> int:
        """Number of captures in all."""
        return self._reading.count()


def holdings(archive: Archive) -> Holdings:
    """What readers need of an archive."""
    index = CatalogIndex(archive.reading)
    name = archive.settings.archive.description or archive.folder.resolve().name
    originals = CatalogIndex(archive.everything)
    return Holdings(index, archive.records, name, originals, lambda: archive.reading.hidden)
