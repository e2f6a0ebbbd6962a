"""Telling people: alerts into the outbox, with a delivery for every target that wants them, and a delivery process to
take them away. The same for a folder and for a cluster; who decides what is told is the monitor of either.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from strandline.alerts.alarms import LOGGED_OUT
from strandline.alerts.alert import alarm_alert
from strandline.alerts.delivery import DeliveryOrders, DeliveryProcess
from strandline.alerts.targets import Target, address_of, targets_of
from strandline.archive.events import event
from strandline.errors import SettingError
from strandline.fetch.addresses import AddressPolicy
from strandline.fetch.mail import mail_server
from strandline.settings.schema import Settings
from strandline.store.alarming import Alarm
from strandline.store.outbox import Alert, Outbox


def check_alert_settings(settings: Settings) -> tuple[Target, ...]:
    """Targets from settings; SettingError says what is wrong with any of them."""
    targets = targets_of(settings.alerts, settings.collection)
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


def delivery_orders(archive: str, settings: Settings, targets: tuple[Target, ...]) -> DeliveryOrders:
    """What a delivery process is told; `archive` is a folder, or the address of a database without its password."""
    alerts = settings.alerts
    return DeliveryOrders(
        archive=archive,
        targets=targets,
        smtp=alerts.smtp,
        sender=alerts.sender,
        mail_pause=alerts.mail_pause,
        patience=alerts.patience,
        allow_address=(*settings.fetch.allow_address, *alerts.allow_address),
        contact=settings.archive.contact,
        pictures=settings.capture.screenshots,
    )


def archive_name(folder: Path, settings: Settings) -> str:
    """What alerts call the archive."""
    return settings.archive.description or folder.resolve().name


class AlertDispatch:
    """Who is told, of one archive."""

    def __init__(self, outbox: Outbox, archive: str, secrets: Mapping[str, str] | None = None) -> None:
        """`archive` is how the delivery process's process finds it, with what its environment must have besides."""
        self.outbox = outbox
        self._archive = archive
        self._secrets = secrets
        self._delivery_process: DeliveryProcess | None = None
        self._targets: tuple[Target, ...] = ()
        self._room = 0
        self._heard: set[tuple[int, float | None]] = set()
        self.name = ""

    def reload(self, settings: Settings, name: str) -> None:
        """Take other settings, and another name of the archive; SettingError leaves everything as it was."""
        targets = check_alert_settings(settings)
        if self._delivery_process is not None:
            self._delivery_process.close(wait=0.0)
        self._targets, self._room, self.name = targets, settings.alerts.queue, name
        self._delivery_process = DeliveryProcess(delivery_orders(self._archive, settings, targets), self._secrets)
        for target in targets:
            _say_what_is_missing(target)
        self.outbox.tidy([target.name for target in targets], time.time())
        if any(queue.waiting for queue in self.outbox.queues()):
            self._delivery_process.poke()

    @property
    def room(self) -> int:
        """How many alerts may wait for one target."""
        return self._room

    def wanted(self, alert: Alert) -> list[str]:
        """Targets that want an alert."""
        return [target.name for target in self._targets if target.wants(alert)]

    def tell(self, alert: Alert) -> None:
        """An alert that comes from no change."""
        if self.outbox.add([alert], self.wanted, self._room):
            self.poke()

    @property
    def targets(self) -> tuple[Target, ...]:
        """Who is told."""
        return self._targets

    def alarmed(self, alarm: Alarm) -> None:
        """An alarm has opened or closed."""
        name = "alarm-opened" if alarm.closed is None else "alarm-closed"
        said = alarm.explanation if alarm.closed is None else alarm.ending
        about = f"{alarm.kind}{f' {alarm.subject}' if alarm.subject else ''}"
        event(name, f"alarm {name[6:]}: {about}: {said}", "warning", kind=alarm.kind, subject=alarm.subject)
        self.tell(alarm_alert(alarm, alarm.closed or alarm.opened, self.name))

    def again(self, alarms: Iterable[Alarm]) -> None:
        """Tell of alarms that may have opened or closed right before a crash; what was told is not told twice."""
        for alarm in alarms:
            self.tell(alarm_alert(replace(alarm, closed=None), alarm.opened, self.name))
            if alarm.closed is not None:
                self.tell(alarm_alert(alarm, alarm.closed, self.name))

    def hear(self, recent: Sequence[Alarm]) -> None:
        """Tell of those of recent alarms, the latest first, that others open and close (sites that log out, people who
        log in), each time once.
        """
        theirs = (one for one in reversed(recent) if one.kind == LOGGED_OUT)
        new = [one for one in theirs if (one.number, one.closed) not in self._heard]
        self._heard.update((one.number, one.closed) for one in new)
        self.again(new)

    def poke(self) -> None:
        """There is something to deliver."""
        if self._delivery_process is not None:
            self._delivery_process.poke()

    def close(self) -> None:
        """Let the delivery process deliver what it can in a few seconds."""
        if self._delivery_process is not None:
            self._delivery_process.close()
        self.outbox.close()


def _say_what_is_missing(target: Target) -> None:
    """A webhook whose secret is not in the environment cannot be reached: told at once, not after days of tries."""
    if target.kind == "webhook":
        try:
            address_of(target)
        except SettingError as problem:
            event("alerts", f"{problem}; alerts for it wait", "warning")
