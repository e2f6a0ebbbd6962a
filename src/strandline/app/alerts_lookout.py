"""The lookout: alerts and alarms beside a watch.

    changes that were studied --+
                                +--> outbox --> courier (its own process) --> webhooks, e-mail
    observations --> alarms ----+

`beside` is called often and is cheap: a look each second whether study went on, and a look each hour whether a site
departs from its normal. Nothing here waits for anybody outside.
"""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from strandline.app.alarms import AlarmDesk
from strandline.app.alarms_audit import RollingAudit
from strandline.app.alerts import alarm_alert, change_alert
from strandline.app.alerts_courier import Courier, Errand
from strandline.app.alerts_targets import Target, address_of, targets_of
from strandline.app.events import event
from strandline.errors import ArchiveBusy, OutOfSpace, SettingError
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.mail import mail_server
from strandline.settings.schema import Settings
from strandline.store.alarming import Alarm, AlarmWriter
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedReading
from strandline.store.outbox import Alert, Outbox
from strandline.store.watching import HourRow

_LOOK: Final = 1.0
_WAIT: Final = 30.0
"""Seconds after which something that could not be written is tried again."""
_DAY: Final = 24
_RECENT: Final = 86400.0
"""Alarms of the last day are told again after a crash, if they were not told before it."""


def check_alert_settings(settings: Settings) -> tuple[Target, ...]:
    """Targets from settings; SettingError says what is wrong with any of them."""
    targets = targets_of(settings.alerts)
    try:
        AddressPolicy.allowing(settings.alerts.allow_address)
    except ValueError as problem:
        raise SettingError(f"alerts.allow_address: {problem}") from None
    if settings.alerts.smtp:
        try:
            mail_server(settings.alerts.smtp)
        except ValueError as problem:
            raise SettingError(f"alerts.smtp: {problem}") from None
    return targets


def _say_what_is_missing(target: Target) -> None:
    """A webhook whose secret is not in the environment cannot be reached: told at once, not after days of tries."""
    if target.kind == "webhook":
        try:
            address_of(target)
        except SettingError as problem:
            event("alerts", f"{problem}; alerts for it wait", "warning")


def errand_of(folder: Path, settings: Settings, targets: tuple[Target, ...]) -> Errand:
    """What a courier is told."""
    alerts = settings.alerts
    return Errand(
        folder=str(folder.absolute()),
        targets=targets,
        smtp=alerts.smtp,
        sender=alerts.sender,
        mail_pause=alerts.mail_pause,
        patience=alerts.patience,
        allow_address=(*settings.fetch.allow_address, *alerts.allow_address),
        contact=settings.archive.contact,
    )


def archive_name(folder: Path, settings: Settings) -> str:
    """What alerts call the archive."""
    return settings.archive.description or folder.resolve().name


class Lookout:
    """Alerts and alarms of an archive that is being written by this process."""

    def __init__(self, folder: Path, settings: Settings, hour: float = 3600.0) -> None:
        """`hour` is the length of an hour in seconds; demonstrations shorten it."""
        check_alert_settings(settings)
        self._folder = folder
        self._hour = hour
        self._outbox = Outbox.open(folder / DATABASE)
        self._alarms = AlarmWriter.open(folder / DATABASE)
        self._desk = AlarmDesk(self._alarms, self._alarmed)
        self._courier: Courier | None = None
        self._next_look = self._next_hour = float("-inf")
        self._day: deque[HourRow] = deque(maxlen=_DAY)
        self._short_of_room: bool | None = None
        """At the last look; None before the first, since an alarm may be open from an earlier run."""
        self._outbox.begin()
        self.reload(settings)
        self._audit = RollingAudit(folder / "archive", settings.keep.audit, self._alarms, self.alarm, self.calm)
        self._tell_again()

    def reload(self, settings: Settings) -> None:
        """Take other settings; SettingError leaves everything as it was."""
        targets = check_alert_settings(settings)
        if self._courier is not None:
            self._courier.close(wait=0.0)
        self._settings, self._targets = settings, targets
        self._name = archive_name(self._folder, settings)
        self._courier = Courier(errand_of(self._folder, settings, targets))
        for target in targets:
            _say_what_is_missing(target)
        self._outbox.tidy([target.name for target in targets], time.time())
        if any(queue.waiting for queue in self._outbox.queues()):
            self._courier.poke()

    def _wanted(self, alert: Alert) -> list[str]:
        return [target.name for target in self._targets if target.wants(alert)]

    def _tell_again(self) -> None:
        now = time.time()
        for alarm in reversed(self._alarms.alarms(since=now - _RECENT)):
            self._tell(alarm_alert(replace(alarm, closed=None), alarm.opened, self._name))
            if alarm.closed is not None:
                self._tell(alarm_alert(alarm, alarm.closed, self._name))

    # Beside the watch

    def beside(self) -> None:
        """Look around; cheap to call often."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        with self._patiently():
            self.decide()
            if now >= self._next_hour:
                self._next_hour = now + self._hour
                self.observe()
            self._audit.step(time.time())

    @contextmanager
    def _patiently(self) -> Iterator[None]:
        """A full disk, or a database that is held for long, is no reason to end a watch: all of this can wait."""
        try:
            yield
        except (OutOfSpace, ArchiveBusy) as problem:
            self._next_look = time.monotonic() + _WAIT
            event("lookout", f"alerts and alarms wait: {problem}", "warning")

    def decide(self) -> int:
        """Alerts on what was studied since the last time."""
        progress, done = self._alarms.progress(), self._outbox.decided() or 0
        if done >= progress:
            return 0
        now, alerts = time.time(), []
        for change in self._alarms.changes_recorded(done, progress):
            alert = change_alert(change, now, self._settings.alerts, self._name)
            if alert is not None and (alert.importance >= self._settings.alerts.min_importance or self._wanted(alert)):
                alerts.append(alert)
        made = self._outbox.decide(alerts, progress, self._wanted, self._settings.alerts.queue)
        if made:
            event("alerts", f"{made} important changes", "debug", count=made)
            self._poke()
        return made

    def observe(self) -> None:
        """One observation of every site that was visited enough, and a look at the rules that were learned."""
        now = time.time()
        studied = self._settings.study.workers > 0
        self._desk.observe(self._alarms.progress() if studied else self._newest(), now)
        self._note_rules(now)

    def _newest(self) -> int:
        return self._alarms.progress() + self._alarms.waiting()

    def _note_rules(self, now: float) -> None:
        learned = LearnedReading.open(self._folder / DATABASE)
        try:
            rules = {
                (one.site, f"when {' and '.join(rule.if_changed)} change, skip {rule.skip}")
                for one in learned.site_rules()
                for rule in one.rules
            }
        finally:
            learned.close()
        known = self._alarms.rules_in_force()
        if rules != known:
            self._alarms.log_rules(sorted(rules - known), sorted(known - rules), now)

    def _poke(self) -> None:
        if self._courier is not None:
            self._courier.poke()

    # Alarms

    def _alarmed(self, alarm: Alarm) -> None:
        name = "alarm-opened" if alarm.closed is None else "alarm-closed"
        said = alarm.explanation if alarm.closed is None else alarm.ending
        about = f"{alarm.kind}{f' {alarm.subject}' if alarm.subject else ''}"
        event(name, f"alarm {name[6:]}: {about}: {said}", "warning", kind=alarm.kind, subject=alarm.subject)
        self._tell(alarm_alert(alarm, alarm.closed or alarm.opened, self._name))

    def _tell(self, alert: Alert) -> None:
        if self._outbox.add([alert], self._wanted, self._settings.alerts.queue):
            self._poke()

    def alarm(self, kind: str, subject: str, why: str) -> None:
        """Open an alarm that has no normal: disk, budget, fixity."""
        self._desk.raise_alarm(kind, subject, why, time.time())

    def calm(self, kind: str, subject: str, why: str) -> None:
        """Close it."""
        self._desk.clear_alarm(kind, subject, why, time.time())

    def room(self, short: str) -> None:
        """Why there is too little room on disk, told again and again; empty when there is enough."""
        if bool(short) == self._short_of_room:
            return
        with self._patiently():
            if short:
                self.alarm("disk", "", short)
            else:
                self.calm("disk", "", "there is room again")
            self._short_of_room = bool(short)

    def hour(self, row: HourRow, remark: str) -> None:
        """An hour of the watch has ended; `remark` says why its budget cannot be spent, if that is so."""
        event("hour", level="debug", **row._asdict())
        self._day.append(row)
        with self._patiently():
            self._budget(remark, time.time())

    def _budget(self, remark: str, now: float) -> None:
        if remark:
            self._desk.raise_alarm("budget", "", remark, now)
        if remark or len(self._day) < _DAY:
            return
        planned = sum(one.planned for one in self._day)
        made = sum(min(one.planned, one.revisits + one.failed) for one in self._day)
        self._desk.budget(planned, made, "there is too little room on disk" if self._short_of_room else "", now)

    def close(self) -> None:
        """Decide on what was studied last, let the courier deliver what it can in a few seconds, and end."""
        try:
            with suppress(OutOfSpace, ArchiveBusy):  # the next start decides
                self.decide()
        finally:
            if self._courier is not None:
                self._courier.close()
            self._outbox.close()
            self._alarms.close()
