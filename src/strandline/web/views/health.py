"""Is all well? Alarms, disk or cluster, who works, what waits to be studied, and the last audit."""

from dataclasses import asdict, dataclass
from typing import Any

from strandline.app.browsing import Alarm
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
class WorkerView:
    """One worker of a cluster."""

    number: int
    name: str
    since: Moment
    heard: Moment
    """When it was last heard of."""
    captures: int
    octets: int
    hosts: int
    pages: int
    """Pages it is fetching now."""
    silent: bool
    """Whether it was not heard of for so long that it is missed."""


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What the workers of a cluster share."""

    database: str
    store: str
    workers: list[WorkerView]
    at_work: int
    """Of these, those that are not missed."""
    ended: int
    """Workers that ended before."""
    hosts: int
    hosts_held: int
    hosts_waiting: int
    queued: int
    octets: int
    files: int


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
    disk: DiskView | None
    """None for a cluster, which has no disk of its own."""
    writer: WriterView | None
    cluster: ClusterView | None
    """None for an archive in a folder."""
    leased: int
    """Pages that are being fetched."""
    waiting: int
    """Captures still to be studied."""
    problems: int
    """Captures that could not be studied."""
    unstudied: list[tuple[str, Moment, str]]
    """Some of them: address, time, why."""
    audit: AuditView | None
    auditable: bool
    """Whether an audit can be started from here."""


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
        writer=writer(desk),
        cluster=cluster(desk),
        leased=totals["leased"],
        waiting=desk.reading.waiting(),
        problems=totals["problems"],
        unstudied=[found for found, _ in zip(problems, range(20), strict=False)],
        audit=audit(desk),
        auditable="verify" in desk.jobs.kinds,
    )


def disk(desk: Desk) -> DiskView | None:
    """Room on disk."""
    room, sizes = desk.place.room(), desk.place.sizes()
    if room is None or sizes is None:
        return None
    return DiskView(room.free, room.total, room.reserve, *sizes, ok=room.free > room.reserve)


def writer(desk: Desk) -> WriterView | None:
    """Who writes the folder now."""
    found = desk.place.writer()
    return None if found is None else WriterView(**asdict(found))


def cluster(desk: Desk) -> ClusterView | None:
    """Who works, what waits, what was kept."""
    found = desk.place.together()
    if found is None:
        return None
    workers = [WorkerView(**asdict(one)) for one in found.workers[:_MOST]]
    at_work = sum(not one.silent for one in found.workers)
    return ClusterView(**{**asdict(found), "workers": workers, "at_work": at_work})


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
