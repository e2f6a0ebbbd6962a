"""Workers follow the settings of their cluster while they work.

The heartbeat of a worker brings a mark of the settings with it. When that is another one, the settings are read and
looked at as `cluster init` looks at them; then the worker ends what is in flight, commits, and goes on with the new
ones, under a new number, as it does after it lost its leases: whatever a setting is about, it holds from then on.
Settings it cannot use (those of a later release, say) are told once, and the old ones are kept.
"""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.shared import Cluster, check_settings, kept_settings
from strandline.crawl.orders import Limits
from strandline.crawl.preparing import CrawlRequest
from strandline.crawl.tally import Tally
from strandline.errors import StrandlineError, Unreachable
from strandline.settings.file import parse_settings
from strandline.settings.schema import Settings
from strandline.store.postgres.reading import PostgresReading
from strandline.watch.reloading import reloaded

CHANGED: Final = "settings"
"""How a run ends whose settings are no longer those of the cluster."""
_LOOK: Final = 1.0
_NOT_FOLLOWED: Final = ("serve.",)
"""Of no concern to workers."""


def mark_of(text: bytes) -> str:
    """The mark of settings as they are kept; the database reckons it in the same way."""
    return hashlib.md5(text, usedforsecurity=False).hexdigest()


class Following:
    """The settings one worker follows."""

    def __init__(self, cluster: Cluster, say: Callable[[str], None]) -> None:
        self.cluster = cluster
        self._say = say
        self._seen = ""
        """Mark of the last settings that were looked at."""

    def look(self, mark: str) -> bool:
        """Whether to go on with other settings from now on; `mark` is that of the settings the database has."""
        if mark in ("", self._seen):
            return False
        try:
            text = self._read()
        except Unreachable:  # the next look will tell
            return False
        self._seen = mark_of(text)
        try:
            wanted = parse_settings(text.decode(), "the cluster's settings")
            if wanted == self.cluster.settings:
                return False
            check_settings(wanted)
        except StrandlineError as problem:
            self._say(f"the cluster's new settings cannot be used here, the old ones are kept: {problem}")
            return False
        return self._take(wanted)

    def _read(self) -> bytes:
        with contextlib.closing(PostgresReading.at(self.cluster.database)) as reading:
            return kept_settings(reading)

    def _take(self, wanted: Settings) -> bool:
        found = reloaded(self.cluster.settings, wanted)
        keys = [key for key in (*found.changed, *found.waiting) if not key.startswith(_NOT_FOLLOWED)]
        self.cluster = replace(self.cluster, settings=wanted)
        if keys:
            self._say(f"other settings from now on: {', '.join(keys)}")
        return bool(keys)


def follow_job(following: Following, mark: Callable[[], str], end: Callable[[str], None]) -> BackgroundJob:
    """Look for other settings beside a worker's crawl, and `end` its run when there are."""

    @contextlib.contextmanager
    def opened(_stopped: Callable[[], bool]) -> Iterator[Step]:
        def step() -> None:
            if following.look(mark()):
                end(CHANGED)

        yield step

    return BackgroundJob("settings", _LOOK, opened, "settings are not looked at again by this worker")


class Account:
    """What one worker did under all the numbers it had, and what is left of the limits it was started with."""

    def __init__(self, request: CrawlRequest) -> None:
        self._request = request
        self._started = time.monotonic()
        self.total = Tally()

    def add(self, tally: Tally) -> None:
        """A run has ended."""
        self.total = self.total.followed_by(tally)

    def rest(self) -> CrawlRequest | None:
        """What is asked of the next run; None when a limit is reached, and then the tally says which."""
        limits, total = self._request.limits, self.total
        kept, passed = total.captured + total.unchanged, time.monotonic() - self._started
        for name, limit, used in (
            ("limit", limits.captures, kept),
            ("time", limits.seconds, passed),
            ("size", limits.octets, total.octets),
        ):
            if limit and used >= limit:
                total.ended = name
                return None
        left = Limits(
            limits.captures and limits.captures - kept,
            limits.seconds and limits.seconds - passed,
            limits.octets and limits.octets - total.octets,
        )
        before = total.followed_by(Tally())

        def progress(tally: Tally) -> None:
            self._request.progress(before.followed_by(tally))

        return replace(self._request, limits=left, progress=progress)
