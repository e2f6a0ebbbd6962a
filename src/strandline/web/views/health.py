"""Is all well? Alarms, disk, who writes, what waits to be studied, and the last audit."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strandline.app.browsing import Alarm, signature
from strandline.app.space import reserve_of
from strandline.errors import StrandlineError
from strandline.web.desk import Desk
from strandline.web.views.values import DAY, Moment

_PAST_DAYS = 30.0
_MOST = 100


@dataclass(frozen=True, slots=True)
class AlarmView:
    """Something that departs from its normal, or must not be."""

    kind: str
    subject: str
    opened: Moment
    closed: Moment | None
    explanation: str
    ending: str


@dataclass(frozen=True, slots=True)
class DiskView:
    """Room on the disk of the archive."""

    free: int
    total: int
    reserve: int
    """Crawling pauses below this."""
    archive: int
    """Bytes of the WARC files."""
    catalog: int
    ok: bool


@dataclass(frozen=True, slots=True)
class WriterView:
    """The process that writes the archive, as it signed the lock."""

    command: str
    process: int
    host: str
    since: Moment


@dataclass(frozen=True, slots=True)
class AuditView:
    """The last audit this server ran."""

    state: str
    started: Moment
    ended: Moment | None
    ok: bool | None
    captures: int
    problems: list[dict[str, Any]]
    problem: str
    """Why it could not be run; empty when it could."""


@dataclass(frozen=True, slots=True)
class Health:
    """Is all well?"""

    alarms: list[AlarmView]
    past: list[AlarmView]
    disk: DiskView
    writer: WriterView | None
    leased: int
    """Pages that are being fetched."""
    waiting: int
    """Captures still to be studied."""
    problems: int
    """Captures that could not be studied."""
    unstudied: list[tuple[str, Moment, str]]
    """Some of them: address, time, why."""
    audit: AuditView | None


def _alarm(alarm: Alarm) -> AlarmView:
    return AlarmView(alarm.kind, alarm.subject, alarm.opened, alarm.closed, alarm.explanation, alarm.ending)


def open_alarms(desk: Desk) -> list[AlarmView]:
    """Alarms that are open now."""
    return [_alarm(alarm) for alarm in desk.alarms.open_alarms()[:_MOST]]


def health(desk: Desk, now: float) -> Health:
    """Everything about the state of an archive."""
    totals = desk.reading.totals()
    problems = desk.reading.problems()
    return Health(
        alarms=open_alarms(desk),
        past=[_alarm(one) for one in desk.alarms.alarms(now - _PAST_DAYS * DAY) if one.closed is not None][:_MOST],
        disk=disk(desk),
        writer=writer(desk.archive.folder),
        leased=totals["leased"],
        waiting=desk.reading.waiting(),
        problems=totals["problems"],
        unstudied=[found for found, _ in zip(problems, range(20), strict=False)],
        audit=audit(desk),
    )


def disk(desk: Desk) -> DiskView:
    """Room on disk."""
    folder = desk.archive.folder
    usage = shutil.disk_usage(folder)
    try:
        reserve = reserve_of(desk.settings.keep.disk_reserve, folder)
    except (ValueError, StrandlineError):
        reserve = 0
    sizes = (entry.stat().st_size for entry in os.scandir(folder / "archive") if entry.is_file())
    catalog = sum(path.stat().st_size for path in folder.glob("strandline.db*"))
    return DiskView(usage.free, usage.total, reserve, sum(sizes), catalog, usage.free > reserve)


def writer(folder: Path) -> WriterView | None:
    """Who signed the lock, when that process is still there."""
    told = signature(folder)
    try:
        found = WriterView(str(told["command"]), int(told["pid"]), str(told["host"]), float(told["started"]))
        if found.host == os.uname().nodename:
            os.kill(found.process, 0)
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
    return found


def audit(desk: Desk) -> AuditView | None:
    """The last audit this server ran; None when it ran none."""
    job = next((job for job in desk.jobs.all() if job.kind == "verify"), None)
    if job is None:
        return None
    result = job.result if isinstance(job.result, dict) else {}
    return AuditView(
        state=job.state,
        started=job.started,
        ended=job.ended,
        ok=result.get("ok"),
        captures=int(result.get("captures", 0)),
        problems=list(result.get("problems", []))[:_MOST],
        problem=job.problem,
    )
