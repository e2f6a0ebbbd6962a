"""What the pages and the API work with: one archive, its queries, its jobs, and the process that thinks about it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field

from strandline.access.index import Holdings
from strandline.app.browsing import AlarmReading, BrowsingReading, open_alarm_reading, open_browsing
from strandline.app.opening import place_of
from strandline.archive.deployment import Place
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.archive.storage import StoredSums
from strandline.errors import Unreachable
from strandline.settings.schema import Settings
from strandline.web.jobs import Jobs
from strandline.web.slow_queries import SlowQueries

TICK = 1.0
"""Seconds between two looks at what is new, for those who watch."""


@dataclass(eq=False)
class Desk:
    """One archive at work. Used from the thread of the event loop only."""

    archive: Archive
    place: Place
    reading: BrowsingReading
    alarms: AlarmReading
    holdings: Holdings
    jobs: Jobs
    slow_queries: SlowQueries
    stored: StoredSums = field(default_factory=StoredSums, repr=False)
    _watchers: set[asyncio.Event] = field(default_factory=set, repr=False)
    _hushed: bool = False
    _ticking: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self.place.settings()

    @property
    def shared(self) -> bool:
        """Whether workers elsewhere do the archiving."""
        return "crawl" not in self.jobs.kinds

    def change_settings(self, values: dict[str, str]) -> Settings:
        """Write settings (`section.key` to a TOML value); SettingError names a bad one."""
        found = self.place.change_settings(values)
        self.slow_queries.forget()
        return found

    async def ticks(self) -> AsyncIterator[None]:
        """Yields once now, and again whenever something was captured or a job moved."""
        event = asyncio.Event()
        self._watchers.add(event)
        if self._ticking is None or self._ticking.done():
            self._ticking = asyncio.create_task(self._tick())
        try:
            while not self._hushed:
                event.clear()
                yield
                await event.wait()
        finally:
            self._watchers.discard(event)

    async def _tick(self) -> None:
        """One look a second for all watchers together; ends with the last of them."""
        before: object = None
        while self._watchers:
            jobs = [(job.number, job.state, job.captured, job.unchanged) for job in self.jobs.all()]
            with suppress(Unreachable):  # a database that is away is asked again
                now = (self.reading.mark(), jobs)
                if now != before:
                    before = now
                    for event in self._watchers:
                        event.set()
            await asyncio.sleep(TICK)

    def hush(self) -> None:
        """Let go of all who watch or wait for an answer: the server is about to end."""
        self._hushed = True
        self.slow_queries.hush()
        for event in self._watchers:
            event.set()

    async def close(self) -> None:
        """End what was started."""
        await self.slow_queries.close()
        await self.jobs.close()


def open_desk(archive: Archive) -> Desk:
    """The desk of an archive."""
    place = place_of(archive)
    reading, alarms = open_browsing(archive), open_alarm_reading(archive)
    jobs, slow_queries = Jobs(place.address, place.jobs), SlowQueries(place.address)
    return Desk(archive, place, reading, alarms, holdings(archive), jobs, slow_queries)
