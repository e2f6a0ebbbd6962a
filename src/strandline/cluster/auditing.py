"""The fixity audit of a cluster: whoever keeps the monitor also reads every stored byte again, a little at a time.

It has a thread and a connection of its own, so that a slow store keeps nobody waiting. What it notes and raises is
written under the duty of the monitor: when another has taken over, this one writes nothing more, and the other goes on
with the file that waited longest.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from strandline.alerts.alarms import AlarmKeeper
from strandline.alerts.fixity_audit import RollingAudit
from strandline.cluster.background import BackgroundJob, Step
from strandline.cluster.database_clock import DatabaseClock
from strandline.cluster.shared import Cluster
from strandline.store.alarming import Alarm
from strandline.store.auditing import AuditReading
from strandline.store.postgres.outbox import Guard, SharedAlarms
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.warc.objects import Objects
from strandline.warc.objects_verify import ObjectShelf

_EVERY: Final = 2.0
_PATIENCE: Final = 5.0


@dataclass(frozen=True, slots=True)
class AuditTerms:
    """Within how many seconds everything is compared once, who may write, and who hears of alarms."""

    within: float
    guard: Guard
    told: Callable[[Alarm], None]


def audit_job(cluster: Cluster, terms: AuditTerms) -> BackgroundJob:
    """Compare what is stored with what was written, beside a worker's crawl."""

    @contextlib.contextmanager
    def opened(stopped: Callable[[], bool]) -> Iterator[Step]:
        with contextlib.closing(Session(cluster.database, _PATIENCE)) as session:
            clock, alarms = DatabaseClock(session), SharedAlarms(session, terms.guard)
            desk = AlarmKeeper(alarms, terms.told)
            shelf = ObjectShelf(Objects(cluster.store, _PATIENCE), on_postgres(AuditReading, session))

            def alarm(kind: str, subject: str, why: str) -> None:
                desk.raise_alarm(kind, subject, why, clock.now())

            def calm(kind: str, subject: str, why: str) -> None:
                desk.clear_alarm(kind, subject, why, clock.now())

            audit = RollingAudit(shelf, terms.within, alarms, alarm, calm)
            yield lambda: audit.step(clock.now(), stopped)

    return BackgroundJob("audit", _EVERY, opened, "stored bytes are not compared by this worker")
