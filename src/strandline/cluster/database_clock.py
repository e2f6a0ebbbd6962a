"""The clock of the database, as a worker sees it: all workers agree on the time, whatever their own clocks say."""

import time

from strandline.core.capture import Exchange, Request, whole_milliseconds
from strandline.ports import Fetcher
from strandline.store.postgres.session import Session


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


class OnTime:
    """Implements ports.Fetcher: a fetcher whose exchanges are dated by the clock of the database."""

    def __init__(self, fetcher: Fetcher, clock: DatabaseClock) -> None:
        self._fetcher = fetcher
        self._clock = clock

    @property
    def in_flight(self) -> int:
        """Exchanges started and not yet returned."""
        return self._fetcher.in_flight

    def start(self, request: Request) -> None:
        """Begin an exchange."""
        self._fetcher.start(request)

    def finished(self, timeout: float) -> list[Exchange]:
        """Exchanges that ended, with the time the database had when they began."""
        exchanges = self._fetcher.finished(timeout)
        behind = self._clock.now() - time.time() if exchanges else 0.0
        for exchange in exchanges:
            exchange.started = whole_milliseconds(exchange.started + behind)
        return exchanges

    def wake(self) -> None:
        """Make `finished` return soon."""
        self._fetcher.wake()

    def abandon(self) -> list[Request]:
        """Stop everything in flight at once and say what was lost."""
        return self._fetcher.abandon()

    def close(self) -> None:
        """Release connections."""
        self._fetcher.close()
