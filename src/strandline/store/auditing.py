"""What a fixity audit asks the catalog, one WARC file at a time."""

from collections.abc import Iterator
from typing import Final

from strandline.core.capture import Capture
from strandline.store import rows
from strandline.store.reading import Reading

_PIECE: Final = 5_000


class AuditReading(Reading):
    """What is recorded of each WARC file."""

    def warc_files(self) -> Iterator[str]:
        """Names of all files something is recorded of, in order."""
        return (str(name) for (name,) in self._rows("SELECT name FROM files ORDER BY name"))

    def captures_in(self, file: str) -> Iterator[Capture]:
        """Captures of one file in the order they lie in it."""
        query = f"""SELECT {rows.CAPTURE} FROM {rows.CAPTURES}
            WHERE file = (SELECT file FROM files WHERE name = ?) AND offset > ? ORDER BY offset LIMIT {_PIECE}"""
        behind = -1
        while True:
            piece = list(map(rows.capture, self._rows(query, file, behind)))
            yield from piece
            if len(piece) < _PIECE:
                return
            behind = piece[-1].place.offset
