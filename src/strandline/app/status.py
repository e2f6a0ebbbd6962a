"""How an archive stands right now, while a watch runs and when none does: one answer for `status`, `/metrics` and the
interface. Only reads; never waits for the writer.
"""

import os
import socket
import time
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from strandline.alerts.alarms import alarm_data
from strandline.alerts.alert import moment
from strandline.alerts.targets import shown
from strandline.app.opening import place_of
from strandline.archive.database_names import named
from strandline.archive.deployment import Room
from strandline.archive.folder import Archive
from strandline.core.quality.estimates import Estimated
from strandline.errors import UsageError
from strandline.settings.schema import PlanSettings
from strandline.store.alarming import Alarm
from strandline.store.catalog import DATABASE
from strandline.store.outbox import Queue
from strandline.store.status import Failure, Lately, StatusReading
from strandline.store.watching import WatchState

HOUR, DAY = 3600.0, 86400.0
_FRESH: Final = 120.0
"""A watch on another machine counts as running when it said something so short a time ago."""
ERRORS: Final = 5


@dataclass(frozen=True)
class Status:
    """Everything at a glance. Times are UTC epoch seconds."""

    folder: Path
    time: float
    state: str
    """running, paused, ended, killed, or none when there never was a watch."""
    why: str
    """Why it pauses or how it ended."""
    watch: WatchState | None
    sites: int
    pages: int
    captures: int
    last: float | None
    hour: Lately
    day: Lately
    queued: int
    hosts_waiting: int
    unstudied: int
    unreadable: int
    learned: dict[str, int]
    unlearned: int
    """Captures newer than what was learned."""
    failures: list[Failure]
    alarms: list[Alarm]
    queues: list[Queue]
    room: Room | None
    """On disk; None where there is no one disk."""
    hollow: dict[str, int] = field(default_factory=dict)
    """Pages whose last visit gave no content, by kind; not looked for where errors are not."""
    completeness: Estimated | None = field(default=None)
    """None: not asked for, or nothing to tell it from."""

    def as_data(self) -> dict[str, Any]:
        """As `status --json` prints it."""
        document = self.watch.document if self.watch else {}
        names = (
            "budget", "strategy", "objective", "allowed", "spent_hour", "spent_day", "planned", "looks", "left_out",
            "why_left_out", "longest_gap",
        )  # fmt: skip
        return {
            "archive": named(self.folder),
            "time": moment(self.time),
            "state": self.state,
            "why": self.why,
            "watch": None if self.watch is None else _watch_data(self.watch),
            "sites": self.sites,
            "pages": self.pages,
            "captures": self.captures,
            "last": None if self.last is None else moment(self.last),
            "rates": {"hour": self.hour._asdict(), "day": self.day._asdict()},
            "budget": {name: document[name] for name in names if name in document},
            "queue": {"due": self.queued, "hosts_waiting": self.hosts_waiting, "unstudied": self.unstudied},
            "learning": {**self.learned, "unlearned": self.unlearned, "unreadable": self.unreadable},
            "completeness": None if self.completeness is None else asdict(self.completeness),
            "without_content": self.hollow,
            "errors": [one._asdict() | {"time": moment(one.time)} for one in self.failures],
            "alarms": [alarm_data(one) for one in self.alarms],
            "alerts": [queue_data(one) for one in self.queues],
            "disk": None if self.room is None else {"free": self.room.free, "reserve": self.room.reserve},
        }


def _watch_data(watch: WatchState) -> dict[str, Any]:
    return watch._asdict() | {"started": moment(watch.started), "updated": moment(watch.updated)}


def queue_data(queue: Queue) -> dict[str, Any]:
    """The deliveries to a target as JSON shows them."""
    return asdict(queue) | {"target": shown(queue.target), "last": moment(queue.last) if queue.last else None}


def status(archive: Archive, completeness: Estimated | None = None, errors: int = ERRORS) -> Status:
    """How the archive stands, with so many of the last errors and how much was learned; without errors nothing that
    takes a look at every page.

    `completeness` takes a while to estimate, and is left to the caller.
    """
    archive.reading.count()  # brings an older format up to date
    now, database = time.time(), archive.folder / DATABASE
    with closing(StatusReading.open(database)) as reading:
        watch = _with_plan(reading.watch(), archive.settings.plan)
        sites, pages, captures, last = reading.totals()
        queued, hosts = reading.queued(now)
        state, why = standing(watch, now)
        known = min(reading.learned_up_to().values(), default=0)
        # An hour of the watch may be shorter than one of the clock.
        hour = float(watch.document.get("hour_seconds", HOUR)) if watch and state in ("running", "paused") else HOUR
        return Status(
            folder=archive.folder,
            time=now,
            state=state,
            why=why,
            watch=watch,
            sites=sites,
            pages=pages,
            captures=captures,
            last=last,
            hour=reading.lately(now - hour),
            day=reading.lately(now - 24.0 * hour),
            queued=queued,
            hosts_waiting=hosts,
            unstudied=reading.waiting(),
            unreadable=reading.in_trouble(),
            learned=(reading.learned_counts() if errors else {}) | {"rules": len(reading.rules_in_force())},
            unlearned=max(0, reading.newest() - known),
            failures=reading.failures(errors) if errors else [],
            hollow=reading.without_content() if errors else {},
            alarms=reading.open_alarms(),
            queues=reading.queues(),
            room=place_of(archive).room(),
            completeness=completeness,
        )


def estimated_completeness(archive: Archive) -> Estimated | None:
    """Of the whole archive, or None when there is nothing to tell it from. Takes seconds on a large archive."""
    from strandline.plan.planning import Planning  # noqa: PLC0415
    from strandline.report.measuring import measured  # noqa: PLC0415 - all of planning, which a plain status does without

    try:
        found = measured(Planning(archive, time.time()))
    except UsageError:
        return None
    whole = found.whole.completeness if found.whole else None
    return whole if whole is not None and whole.value == whole.value else None


def _with_plan(watch: WatchState | None, plan: PlanSettings) -> WatchState | None:
    """A watch that does not say what it spends and how, as workers of a cluster, follows the settings."""
    if watch is None:
        return None
    known = {"budget": plan.budget, "strategy": plan.strategy, "objective": plan.objective}
    return watch._replace(document=known | watch.document)


def standing(watch: WatchState | None, now: float) -> tuple[str, str]:
    """Whether a watch runs, and why not."""
    if watch is None:
        return "none", "no watch was started yet"
    if watch.ended:
        return "ended", watch.ended
    if not _alive(watch, now):
        return "killed", "it ended without saying so; `strandline watch` goes on where it was"
    paused = str(watch.document.get("paused", ""))
    return ("paused", paused) if paused else ("running", "")


def _alive(watch: WatchState, now: float) -> bool:
    if watch.host != socket.gethostname():
        return now - watch.updated < _FRESH
    try:
        os.kill(watch.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
