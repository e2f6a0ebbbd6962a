"""What was learned, kept in PostgreSQL with what it was learned from; written by the holder of the learner's desk."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import zstandard

from strandline.store.learned import LearnedReading, LearnedWriter
from strandline.store.postgres.desks import Desk, check_desks
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.postgres.writing import Spelled


class SharedLearnedWriter(LearnedWriter):
    """Writes through a session of its own, as long as the desks it writes for are its own."""

    def __init__(self, session: Session, desks: Sequence[Desk]) -> None:
        self._session = session
        self._desks = desks
        self._path = Path("postgresql")
        self._packer = zstandard.ZstdCompressor(level=3)
        self.reading = on_postgres(LearnedReading, session)

    def close(self) -> None:
        """Release the connection."""
        self._session.close()

    @contextmanager
    def _writing(self) -> Iterator[Spelled]:  # type: ignore[override]
        """One transaction. One that is cut short is not repeated: the learner begins anew, here or elsewhere."""
        with self._session.transaction() as connection:
            check_desks(connection, self._desks)
            spelled = Spelled(connection)
            self._connection = spelled  # type: ignore[assignment]
            yield spelled
