"""The monitor of a cluster: alerts on what study found, and alarms on what departs from its normal or must not be.

Any worker would keep it, and one at a time has the duty; when it dies another takes over within a minute, and what the
first may still want to write is refused (store/postgres/duties.py). So each change is decided on once, in one
transaction with the deliveries it leads to; the deliveries to a target are a duty of their own, for one delivery
process at a time (store/postgres/outbox.py).

    each step        changes that nobody decided on; each is an alert, or is not
    now and then     dead workers, late desks, hosts nobody asks, the object store
    each hour        learned normals of sites, rules that came and went, the hour's account, the budget
    all the time     every stored byte is read again within `keep.audit` (cluster/auditing.py)
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from strandline.alerts.alarms import AlarmKeeper
from strandline.alerts.digest import weekly_digests
from strandline.alerts.monitor import RECENT, worth_telling
from strandline.alerts.outbox import AlertDispatch, archive_name
from strandline.alerts.saved_searches import Shown, saved_searches, search_alerts, shown_by
from strandline.archive.events import event
from strandline.cluster.auditing import AuditTerms, audit_job
from strandline.cluster.background import BackgroundJob, BackgroundThread, Step
from strandline.cluster.changed_pictures import ChangedPictures
from strandline.cluster.database_clock import DatabaseClock
from strandline.cluster.shared import Cluster, kept_settings
from strandline.core.keeping.takedowns import Hidden
from strandline.core.urls import surt_key
from strandline.errors import SettingError, StrandlineError
from strandline.plan.settings_wishes import budget_of
from strandline.settings.file import parse_settings
from strandline.settings.schema import Settings
from strandline.store.alarming import Alarm
from strandline.store.postgres.desks import Desk, leave_desks
from strandline.store.postgres.duties import MONITOR, claim_duty, keep_duty
from strandline.store.postgres.hours import past_hours
from strandline.store.postgres.outbox import SharedAlarms, SharedOutbox
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Connection, Session, shown, without_password
from strandline.store.postgres.takedowns import SharedJournal
from strandline.store.postgres.troubles import troubles, workers_alive
from strandline.store.studies import Change
from strandline.store.watching import HourRow, WatchReading
from strandline.warc.objects import Objects

_LEASE: Final = 60.0
_TURN: Final = 15.0
"""Seconds between two tries to get the duty."""
_LOOK: Final = 2.0
_CLOCK: Final = 60.0
"""Seconds after which the database is asked what time it is."""
_ROUND: Final = 500
"""Changes decided on together."""
_TROUBLES: Final = 15.0
_STORE: Final = 60.0
_STORE_PATIENCE: Final = 5.0
_AUDIT: Final = 30.0
"""Seconds after which one who took over goes on with the audit: a worker that comes and goes need not begin."""
_DAY: Final = 24
_EVIDENT: Final = ("worker", "workers", "desk", "hosts")
_OVER: Final = {
    "worker": "its machine has another worker, or it is long ago",
    "desk": "it is done again",
    "hosts": "workers ask them again",
}


class SharedAlertMonitor:
    """Looks around while it has the duty. Used by one thread."""

    def __init__(self, cluster: Cluster, session: Session, worker: int, hour: float) -> None:
        """`hour` are the seconds an hour of the watch lasts."""
        self._cluster = cluster
        self._session = session
        self._clock = DatabaseClock(session)
        self._worker = worker
        self._hour = hour
        self._duty: Desk | None = None
        self._dispatch: AlertDispatch | None = None
        self._audit: BackgroundThread | None = None
        self._pictures = ChangedPictures(cluster)
        self._alarmed: SimpleQueue[Alarm] = SimpleQueue()
        """Alarms of the audit, to be told."""
        self._next_turn = self._next_troubles = self._next_store = self._next_hour = float("-inf")

    def step(self) -> bool:
        """Look around, if it is one's duty; whether it is."""
        now = time.monotonic()
        if self._clock.age > _CLOCK:
            self._clock.look()
        if self._duty is None:
            if now < self._next_turn:
                return False
            self._next_turn = now + _TURN
            self._duty = claim_duty(self._session, "", MONITOR, self._worker, _LEASE)
            if self._duty is None:
                return False
            self._begin()
        else:
            self._session.run(self._guard)
        self.decide()
        if now >= self._next_troubles:
            self._next_troubles = now + _TROUBLES
            self._follow()
            self.look()
        if now >= self._next_store:
            self._next_store = now + _STORE
            self.try_store()
        if now >= self._next_hour:
            self._next_hour = now + self._hour
            self.observe()
        if self._audit is None and now >= self._next_audit:
            self._audit = self._auditing(self._duty)
        self._tell_of_fixity()
        return True

    def _tell_of_fixity(self) -> None:
        """What the audit raised, told by the one thread that tells."""
        while self._dispatch is not None and not self._alarmed.empty():
            self._dispatch.alarmed(self._alarmed.get())

    def _auditing(self, duty: Desk) -> BackgroundThread | None:
        """Compare stored bytes, beside all this: an object store may take its time."""
        within = self._settings.keep.audit
        if within <= 0.0:
            return None
        terms = AuditTerms(within, lambda connection: keep_duty(connection, duty, _LEASE), self._alarmed.put)
        return BackgroundThread(audit_job(self._cluster, terms), partial(event, "audit")).__enter__()

    def _guard(self, connection: Connection) -> None:
        assert self._duty is not None
        keep_duty(connection, self._duty, _LEASE)

    def _begin(self) -> None:
        """Take over: settings as they are now, and what the one before may not have told."""
        self._alarms = SharedAlarms(self._session, self._guard)
        self._kept: bytes | None = None
        name, password = without_password(self._cluster.database)
        outbox = SharedOutbox(self._session, self._guard)
        self._dispatch = AlertDispatch(outbox, name, {"PGPASSWORD": password} if password else {})
        self._follow()
        self._desk = AlarmKeeper(self._alarms, self._dispatch.alarmed, self._hour)
        self._next_audit = time.monotonic() + min(_AUDIT, self._hour / 60.0)
        self._dispatch.again(reversed(self._alarms.alarms(since=self._clock.now() - RECENT)))

    def _follow(self) -> None:
        """Take the cluster's settings as they are now; those nobody can use change nothing."""
        text = kept_settings(self._alarms)
        if text == self._kept:
            return
        first, self._kept = self._kept is None, text
        try:
            self._take(parse_settings(text.decode(), "the cluster's settings") if text else self._cluster.settings)
        except SettingError as problem:
            event("lookout", f"the settings stay as they were: {problem}", "warning")
            if first:
                self._take(self._cluster.settings)

    def _take(self, settings: Settings) -> None:
        assert self._dispatch is not None
        self._dispatch.reload(settings, archive_name(Path(shown(self._cluster.database)), settings))
        self._settings = settings

    def decide(self) -> int:
        """Alerts on what was studied since the last time; how many."""
        dispatch = self._dispatch
        assert dispatch is not None
        made, more = 0, True
        while more:
            found = self._alarms.undecided(_ROUND)
            hidden = Hidden(SharedJournal(self._session).acts(), time.time())
            changes = [change for change in found.changes if not hidden.hides(surt_key(change.url))]
            more = found.more
            if found:
                now = self._clock.now()
                pictured = self._pictures.looking(self._settings, lambda: self._session.run(self._guard))
                alerts = worth_telling(changes, dispatch, self._settings, now, pictured)
                searches = saved_searches(self._settings.alerts)
                if searches:
                    first = (Shown(*row) for row in self._alarms.first_seen(found.pages))
                    shown = [*shown_by(changes), *(one for one in first if not hidden.hides(surt_key(one.url)))]
                    about = (self._settings.alerts, dispatch.name)
                    alerts += search_alerts(searches, shown, self._alarms.lives, now, about)
                outbox = dispatch.outbox
                assert isinstance(outbox, SharedOutbox)
                made += outbox.settle(found, alerts, dispatch.wanted, dispatch.room)
        if made:
            event("alerts", f"{made} important changes", "debug", count=made)
            dispatch.poke()
        return made

    def look(self) -> None:
        """Open and close alarms on what is evident."""
        now = self._clock.now()
        found = {(one.kind, one.subject): one.why for one in troubles(self._session)}
        for (kind, subject), why in found.items():
            self._desk.raise_alarm(kind, subject, why, now)
        for alarm in self._alarms.open_alarms():
            if alarm.kind in _EVIDENT and (alarm.kind, alarm.subject) not in found:
                self._desk.clear_alarm(alarm.kind, alarm.subject, _OVER.get(alarm.kind, "it is over"), now)
        if self._dispatch is not None:
            self._dispatch.hear(self._alarms.alarms(since=now - RECENT))

    def try_store(self) -> None:
        """See whether the object store can be written and read."""
        try:
            Objects(self._cluster.store, _STORE_PATIENCE).check()
        except StrandlineError as problem:
            self._desk.raise_alarm("store", self._cluster.store, str(problem), self._clock.now())
        else:
            self._desk.clear_alarm("store", self._cluster.store, "it answers again", self._clock.now())

    def observe(self) -> None:
        """One observation of every site that was visited enough; the hours that are over; the budget."""
        now = self._clock.now()
        studied = self._settings.study.workers > 0
        waiting = 0 if studied else self._alarms.waiting()
        self._desk.observe(self._alarms.progress() + waiting, now)
        self._digests(now)
        budget = budget_of("plan.budget", self._settings.plan.budget)

        def account(connection: Connection) -> bool:
            self._guard(connection)
            return bool(past_hours(connection, self._hour, budget.amount / budget.hours))

        if self._session.run(account):
            day = on_postgres(WatchReading, self._session).watch_hours(now - (_DAY + 1) * self._hour)
            self._judge_budget([*day][-_DAY:], now)

    def _digests(self, now: float) -> None:
        dispatch = self._dispatch
        assert dispatch is not None
        hidden = Hidden(SharedJournal(self._session).acts(), time.time())

        def shown(change: Change) -> bool:
            return not hidden.hides(surt_key(change.url))

        for alert in weekly_digests((dispatch.targets, dispatch.name), self._alarms, shown, now, self._settings):
            dispatch.tell(alert)

    def _judge_budget(self, day: list[HourRow], now: float) -> None:
        if len(day) < _DAY:
            return
        planned = sum(one.planned for one in day)
        made = sum(min(one.planned, one.revisits) for one in day)
        self._desk.budget(planned, made, "", now)

    def close(self) -> None:
        """Decide on what was studied last, deliver what is possible in a few seconds, and leave the duty."""
        audit, self._audit = self._audit, None
        if audit is not None:
            audit.__exit__(None, None, None)
        with contextlib.suppress(StrandlineError):  # the next one decides, and tells
            if self._duty is not None:
                self.decide()
                self._tell_of_fixity()
        duty, self._duty = self._duty, None
        dispatch, self._dispatch = self._dispatch, None
        if dispatch is not None:
            dispatch.close()
        self._pictures.close()
        if duty is not None:
            with contextlib.suppress(StrandlineError):  # it runs out
                self._session.run(lambda connection: leave_desks(connection, [duty]))


class StandIn(SharedAlertMonitor):
    """Keeps the monitor only while no worker is alive: so that somebody tells when all of them are dead."""

    def _auditing(self, duty: Desk) -> None:
        """Reading a whole store is for workers."""

    def step(self) -> bool:
        """Look around, if nobody else can."""
        if not workers_alive(self._session):
            return super().step()
        if self._duty is not None:
            self.close()
        return False


def monitor_job(cluster: Cluster, worker: int, hour: float) -> BackgroundJob:
    """Keep the monitor beside a worker's crawl; `hour` are the seconds an hour of the watch lasts."""

    @contextlib.contextmanager
    def opened(_stopped: Callable[[], bool]) -> Iterator[Step]:
        with (
            contextlib.closing(Session(cluster.database, 30.0)) as session,
            contextlib.closing(SharedAlertMonitor(cluster, session, worker, hour)) as monitor,
        ):
            yield monitor.step

    return BackgroundJob("lookout", min(_LOOK, hour / 60.0), opened, "alerts and alarms are left to other workers")


def stand_in_job(cluster: Cluster) -> BackgroundJob:
    """Keep the monitor beside the interface, while there is no worker."""

    @contextlib.contextmanager
    def opened(_stopped: Callable[[], bool]) -> Iterator[Step]:
        with (
            contextlib.closing(Session(cluster.database, 10.0)) as session,
            contextlib.closing(StandIn(cluster, session, 0, 3600.0)) as monitor,
        ):
            yield monitor.step

    return BackgroundJob("lookout", _TURN, opened, "nobody tells when all workers are dead")
