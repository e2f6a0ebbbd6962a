"""Study in a cluster: whoever holds the study desks of some sites studies what they captured, and records it once.

For study/studying.py a `DeskStudies` is what a StudyWriter is to it on a folder: `reading.pending` gives captures to
study, `record` keeps what was found. Here `pending` first takes desks of sites that have something to study, and
`record` refuses what comes too late: a desk whose lease ran out has gone to another worker, which studies it again.
"""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from strandline.core.changes.noise.volatility import Rating
from strandline.core.changes.observation import PageStudy, Sighted
from strandline.core.changes.versions import PageHistory
from strandline.store.history_rows import NUMBERS, HistoryWriter
from strandline.store.postgres.addresses import page_number
from strandline.store.postgres.desks import Desk, check_desks, claim_study, leave_desks, renew_desks
from strandline.store.postgres.reading import PostgresStudyReading
from strandline.store.postgres.session import Connection, Session
from strandline.store.postgres.writing import Spelled
from strandline.store.studies import StudyReading
from strandline.store.studying import RATE, UNRATE, StudyWriter, keep_label, rated

_SITES = 16
"""Sites whose captures are studied in one round."""


class DeskReading(PostgresStudyReading):
    """What is known of pages, and what is to be studied at the desks one holds."""

    def __init__(self, session: Session, worker: int, lease: float) -> None:
        super().__init__(session)
        self._worker = worker
        self._lease = lease
        self.desks: list[Desk] = []
        self.taken: list[int] = []
        """Captures of the round under way."""

    def pending(self, limit: int = -1) -> Iterator[Sighted]:
        """Captures of sites that nobody else studies now, in the order they were recorded."""
        self.desks = claim_study(self._session, self._worker, self._lease, _SITES)
        self.taken = []
        if not self.desks:
            return
        query = """seq IN (SELECT seq FROM unstudied JOIN hosts USING (host) WHERE site = ANY (?)
            ORDER BY seq LIMIT ?) ORDER BY seq"""
        for one in self._sighted(query, [desk.site for desk in self.desks], None if limit < 0 else limit):
            self.taken.append(one.seq)
            yield one


class DeskStudies:
    """Studies of the sites whose desks a worker holds."""

    def __init__(self, session: Session, worker: int, lease: float) -> None:
        self._session = session
        self._worker = worker
        self._lease = lease
        self.reading = DeskReading(session, worker, lease)

    def record(self, studies: Iterable[PageStudy], up_to: int) -> None:
        """Keep a round; LeaseLost, and nothing is kept, when a desk has gone to another worker."""
        reading, found = self.reading, list(studies)

        def write(connection: Connection) -> None:
            check_desks(connection, reading.desks)
            writer = _Writer(connection, reading, self._worker)
            for study in found:
                writer.keep(study)
            if up_to:
                connection.execute("DELETE FROM unstudied WHERE seq = ANY (%s)", (reading.taken,))
            leave_desks(connection, reading.desks)

        try:
            self._session.run(write)
        finally:
            reading.desks, reading.taken = [], []

    def renew(self) -> None:
        """Keep the desks: a round may take longer than a lease."""
        if self.reading.desks:
            renew_desks(self._session, self.reading.desks, self._lease)

    def leave(self) -> None:
        """Give the desks back; what was not recorded is studied by others."""
        desks, self.reading.desks = self.reading.desks, []
        if desks:
            self._session.run(lambda connection: leave_desks(connection, desks))


def rate_shared(session: Session, url: str, paths: Iterable[str], rating: Rating, author: str = "") -> None:
    """Keep what a person said about blocks of a page."""
    rows = rated(url, paths, rating, author)
    session.run(lambda connection: Spelled(connection).executemany(RATE, rows))


def unrate_shared(session: Session, url: str, path: str) -> None:
    """Forget what a person said about a block."""
    session.run(lambda connection: Spelled(connection).execute(UNRATE, (url, path)))


def label_shared(session: Session, worker: int, block: tuple[str, str], label: str) -> None:
    """Keep what a person calls a block of a page (address, path)."""

    def write(connection: Connection) -> None:
        spelled = Spelled(connection)
        page = page_number(connection, block[0]) or 0
        keep_label(spelled, SharedHistories(spelled, worker), page, block, label)  # type: ignore[arg-type]

    session.run(write)


class SharedHistories(HistoryWriter):
    """PostgreSQL keeps the words with their text: they are deleted like anything else."""

    def _forget_words(self, page: int, history: PageHistory, given: dict[str, str]) -> None:
        gone = self._connection.execute(
            "DELETE FROM block_words WHERE rowid BETWEEN ? AND ?", (page << NUMBERS, (page + 1 << NUMBERS) - 1)
        ).rowcount
        self._count_words(-gone)


class _Writer(StudyWriter):
    """Writes one round, inside a transaction."""

    def __init__(self, connection: Connection, reading: StudyReading, worker: int) -> None:
        self._connection = Spelled(connection)  # type: ignore[assignment]
        self._path = Path("postgresql")
        self._histories = SharedHistories(self._connection, worker)
        self.reading = reading

    def keep(self, study: PageStudy) -> None:
        """Everything about one page."""
        self._study(study)

    def _hasten(self, page: int, due: float) -> None:
        """Ask for a page earlier; what becomes due is found when pages are taken."""
        values = (due, page, due, math.inf)
        cast(Spelled, self._connection).execute(
            "UPDATE pages SET due = ? WHERE page = ? AND state = 0 AND due > ? AND due < ?", values
        )
