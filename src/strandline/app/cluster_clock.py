"""The clock of the database, as a worker sees it: all workers agree on the time, whatever their own clocks say."""

import time

from strandline.store.postgres import Session


class DatabaseClock:
    """Implements ports.Clock. Between two looks at the database time runs by the machine's steady clock."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._offset = 0.0
        self._looked = 0.0
        self.look()

    def look(self) -> float:
        """Set by the database; returns by how many seconds this machine's own clock is ahead of it."""
        before = time.monotonic()
        row = self._session.run(
            lambda connection: connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone(),
            at_once=True,
        )
        assert row is not None
        after = time.monotonic()
        self._offset = float(str(row[0])) - (before + after) / 2
        self._looked = after
        return time.time() - self.now()

    @property
    def age(self) -> float:
        """Seconds since the last look."""
        return time.monotonic() - self._looked

    def now(self) -> float:
        """UTC epoch seconds."""
        return time.monotonic() + self._offset

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
