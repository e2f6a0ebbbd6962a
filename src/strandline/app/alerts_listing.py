"""What was told to whom, and what alarms there are: for the command line, the interface and programs."""

import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any

from strandline.alerts.alarms import audited
from strandline.alerts.alert import alarm_alert, moment, trial_alert
from strandline.alerts.delivery import DeliveryProcess
from strandline.alerts.digest import digest
from strandline.alerts.outbox import archive_name, check_alert_settings, delivery_orders
from strandline.alerts.targets import Target, shown
from strandline.app.opening import place_of
from strandline.app.status import queue_data
from strandline.archive.database_names import database_at
from strandline.archive.folder import Archive
from strandline.core.urls import surt_key
from strandline.errors import SettingError
from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.catalog import DATABASE
from strandline.store.outbox import Alert, OutboxReading, Queue
from strandline.store.studies import Change

_WEEK = 7 * 86400.0
_STATES = ("waiting", "delivered", "given up", "pushed out")


@dataclass(frozen=True)
class Told:
    """Alerts, the newest first, and the targets at a glance."""

    alerts: list[dict[str, Any]]
    queues: list[Queue]

    def as_data(self) -> dict[str, Any]:
        """As `alerts --json` prints it."""
        return {"alerts": self.alerts, "targets": [queue_data(queue) for queue in self.queues]}


def told(archive: Archive, limit: int = 50) -> Told:
    """The newest alerts and what became of them."""
    archive.reading.count()  # brings an older format up to date
    with closing(OutboxReading.open(archive.folder / DATABASE)) as reading:
        found = [
            {"id": alert.key, "sequence": alert.number, "time": moment(alert.time), **alert.document}
            | {"deliveries": [_delivery(*row) for row in reading.deliveries_of(alert.number)]}
            for alert in (_of_shown(one, reading) for one in reading.alerts(limit))
            if not alert.url or reading.shows(alert.url)
        ]
        return Told(found, reading.queues())


def _of_shown(alert: Alert, reading: OutboxReading) -> Alert:
    """A digest without changes of pages that were taken down since."""
    if alert.kind != "digest":
        return alert
    listed = [one for one in alert.document.get("changes", ()) if reading.shows(one["url"])]
    return replace(alert, document={**alert.document, "changes": listed})


def last_week(archive: Archive) -> dict[str, Any]:
    """The digest of the last seven days, of all sites, as one would be told that goes out now."""
    now = time.time()

    def shows(change: Change) -> bool:
        return not (archive.reading.hidden and archive.reading.hidden.hides(surt_key(change.url)))

    least = archive.settings.alerts.min_importance
    return digest(archive.studies, shows, (now - _WEEK, now), archive.settings, ("", "", least))


def _delivery(target: str, state: int, tries: int, at: float, detail: str) -> dict[str, Any]:
    tried = moment(at) if at else None
    return {"target": shown(target), "state": _STATES[state], "tries": tries, "time": tried, "detail": detail}


def alarms(archive: Archive, closed: bool = False) -> list[Alarm]:
    """Open alarms, the oldest first; with `closed` all of them, the newest first."""
    archive.reading.count()
    with closing(AlarmReading.open(archive.folder / DATABASE)) as reading:
        return reading.alarms() if closed else reading.open_alarms()


def deliver(archive: Archive, alerts: Sequence[Alert]) -> int:
    """Tell alerts that come from no study, also beside a process that writes the archive; returns how many are new."""
    targets = check_alert_settings(archive.settings)
    if not alerts:
        return 0
    with closing(place_of(archive).outbox()) as outbox:
        wanted = lambda one: [target.name for target in targets if target.wants(one)]  # noqa: E731
        new = outbox.add(alerts, wanted, archive.settings.alerts.queue)
    delivery_process = _delivery_process(archive, targets)
    delivery_process.poke()
    delivery_process.close()
    return new


def note_audit(archive: Archive, problems: int, checked: int) -> None:
    """Open or close the alarm on fixity after an audit, and tell; also beside a process that writes the archive.

    An archive that cannot be written (a read-only disk) is audited all the same.
    """
    check_alert_settings(archive.settings)
    name = archive_name(archive.folder, archive.settings)

    def tell(alarm: Alarm) -> None:
        deliver(archive, [alarm_alert(alarm, alarm.closed or alarm.opened, name)])

    with suppress(SettingError, OSError), closing(place_of(archive).alarms()) as writer:
        audited(writer, problems, checked, tell)


def try_targets(archive: Archive, wait: float = 40.0) -> list[tuple[str, bool, str]]:
    """Send a test to every target and wait for what becomes of it: target, taken or not, and why."""
    targets = check_alert_settings(archive.settings)
    if not targets:
        raise SettingError("nobody is to be told: set alerts.webhooks or alerts.email in strandline.toml")
    archive.reading.count()
    names = [target.name for target in targets]
    alert = trial_alert(time.time(), archive_name(archive.folder, archive.settings))
    end = time.monotonic() + wait
    with closing(place_of(archive).outbox()) as outbox:
        outbox.add([alert], lambda _: names, archive.settings.alerts.queue)
        number = next(one.number for one in outbox.alerts(1000) if one.key == alert.key)
        delivery_process = _delivery_process(archive, targets)
        delivery_process.poke()
        delivery_process.close(wait)
        found = [row for row in outbox.deliveries_of(number) if row[0] in names]
        elsewhere = bool(database_at(archive.folder))  # a worker's delivery process may see to a target just now
        while elsewhere and time.monotonic() < end and any(not (row[1] or row[2]) for row in found):
            time.sleep(0.2)
            found = [row for row in outbox.deliveries_of(number) if row[0] in names]
    return [(shown(row[0]), row[1] == 1, row[4] or "still waiting behind earlier alerts") for row in found]


def _delivery_process(archive: Archive, targets: tuple[Target, ...]) -> DeliveryProcess:
    address = place_of(archive).address
    return DeliveryProcess(delivery_orders(address.name, archive.settings, targets), address.secrets)
