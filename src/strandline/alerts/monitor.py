"""The monitor: alerts and alarms beside a watch.

    changes that were studied --+
                                +--> outbox --> delivery process (its own process) --> webhooks, e-mail
    observations --> alarms ----+

`beside` is called often and is cheap: a look each second whether study went on, and a look each hour whether a site
departs from its normal. Nothing here waits for anybody outside.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from strandline.access.changed_pictures import both_pictured
from strandline.alerts.alarms import AlarmKeeper
from strandline.alerts.alert import change_alert
from strandline.alerts.digest import weekly_digests
from strandline.alerts.fixity_audit import RollingAudit
from strandline.alerts.outbox import AlertDispatch, archive_name, check_alert_settings
from strandline.alerts.saved_searches import Shown, saved_searches, search_alerts, shown_by
from strandline.archive.events import event
from strandline.archive.folder import open_archive
from strandline.archive.holdings import holdings
from strandline.archive.storage import forecast
from strandline.archive.wall_clock import SystemClock
from strandline.core.urls import surt_key
from strandline.errors import ArchiveBusy, OutOfSpace
from strandline.ports import Clock
from strandline.settings.schema import Settings
from strandline.store.alarming import AlarmWriter
from strandline.store.catalog import DATABASE
from strandline.store.outbox import Alert, Outbox
from strandline.store.retention import RetentionReading
from strandline.store.studies import Change
from strandline.store.takedowns import FolderHidden
from strandline.store.watching import HourRow, WatchReading
from strandline.warc.rolling import FolderShelf

_LOOK: Final = 1.0
_WAIT: Final = 30.0
"""Seconds after which something that could not be written is tried again."""
_DAY: Final = 24
RECENT: Final = 86400.0
"""Alarms of the last day are told again after a crash, if they were not told before it."""


def worth_telling(
    changes: Iterable[Change],
    dispatch: AlertDispatch,
    settings: Settings,
    now: float,
    pictured: Callable[[Change], bool] = lambda _: False,
) -> list[Alert]:
    """Alerts on changes that matter enough for the settings, or for any target; `pictured` says of which there are
    pictures, and is only asked where links are told, or mail is to bring them.
    """
    shown = bool(settings.alerts.link) or any(target.kind == "email" for target in dispatch.targets)
    alerts = []
    for change in changes:
        alert = change_alert(change, now, settings.alerts, dispatch.name)
        if alert is not None and (alert.importance >= settings.alerts.min_importance or dispatch.wanted(alert)):
            if shown and pictured(change):
                alert = change_alert(change, now, settings.alerts, dispatch.name, pictured=True) or alert
            alerts.append(alert)
    return alerts


class AlertMonitor:
    """Alerts and alarms of an archive that is being written by this process."""

    def __init__(self, folder: Path, settings: Settings, hour: float = 3600.0, clock: Clock | None = None) -> None:
        """`hour` is the length of an hour in seconds, `clock` that of the watch: demonstrations have others. People are
        told at once, and bytes are audited, by the clock on the wall.
        """
        check_alert_settings(settings)
        self._folder = folder
        self._hour = hour
        self._clock = clock or SystemClock()
        self._dispatch = AlertDispatch(Outbox.open(folder / DATABASE), str(folder.absolute()))
        self._alarms = AlarmWriter.open(folder / DATABASE)
        self._desk = AlarmKeeper(self._alarms, self._dispatch.alarmed, hour)
        self._next_look = self._next_hour = float("-inf")
        self._day: deque[HourRow] = deque(self._hours_before(), maxlen=_DAY)
        self._short_of_room: bool | None = None
        """At the last look; None before the first, since an alarm may be open from an earlier run."""
        self._hidden = FolderHidden(folder)
        self._dispatch.outbox.begin()
        self.reload(settings)
        self._audit = RollingAudit(
            FolderShelf(folder / "archive"), settings.keep.audit, self._alarms, self.alarm, self.calm
        )
        self._dispatch.again(reversed(self._alarms.alarms(since=self._clock.now() - RECENT)))

    def _hours_before(self) -> list[HourRow]:
        """What watches noted of the last day, so that a new start is not a new day."""
        with closing(WatchReading.open(self._folder / DATABASE, everything=True)) as watch:
            return list(watch.watch_hours(self._clock.now() - _DAY * self._hour))

    def reload(self, settings: Settings) -> None:
        """Take other settings; SettingError leaves everything as it was."""
        self._dispatch.reload(settings, archive_name(self._folder, settings))
        self._settings = settings

    # Beside the watch

    def beside(self) -> None:
        """Look around; cheap to call often."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        with self._patiently():
            self.decide()
            self._dispatch.hear(self._alarms.alarms(since=self._clock.now() - RECENT))
            if self._clock.monotonic() >= self._next_hour:
                self._next_hour = self._clock.monotonic() + self._hour
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
        progress, done = self._alarms.progress(), self._dispatch.outbox.decided() or 0
        if done >= progress:
            return 0
        dispatch = self._dispatch
        self._hidden.refreshed()
        hidden = self._hidden.hidden
        recorded = self._alarms.changes_recorded(done, progress)
        changes = (change for change in recorded if not hidden.hides(surt_key(change.url)))
        now, searches = time.time(), saved_searches(self._settings.alerts)
        listed = list(changes)
        alerts = worth_telling(listed, dispatch, self._settings, now, self._pictured)
        if searches:
            first = (Shown(*row) for row in self._alarms.first_shown(done, progress))
            shown = [*shown_by(listed), *(one for one in first if not hidden.hides(surt_key(one.url)))]
            about = (self._settings.alerts, dispatch.name)
            alerts += search_alerts(searches, shown, self._alarms.lives, now, about)
        made = dispatch.outbox.decide(alerts, progress, dispatch.wanted, dispatch.room)
        if made:
            event("alerts", f"{made} important changes", "debug", count=made)
            dispatch.poke()
        return made

    def _pictured(self, change: Change) -> bool:
        """Whether there are pictures of a change; looked at only while pictures are taken."""
        if not self._settings.capture.screenshots:
            return False
        return both_pictured(holdings(open_archive(self._folder)), change.url, change.after, change.by)

    def observe(self) -> None:
        """One observation of every site that was visited enough, and a look at the disk."""
        now = self._clock.now()
        studied = self._settings.study.workers > 0
        self._desk.observe(self._alarms.progress() if studied else self._newest(), now)
        self._look_ahead(now)
        self._hidden.refreshed()
        hidden, dispatch = self._hidden.hidden, self._dispatch

        def shown(change: Change) -> bool:
            return not hidden.hides(surt_key(change.url))

        for alert in weekly_digests((dispatch.targets, dispatch.name), self._alarms, shown, now, self._settings):
            dispatch.tell(alert)

    def _look_ahead(self, now: float) -> None:
        """Whether the disk will be full soon, at the pace of the last weeks."""
        with closing(RetentionReading.open(self._folder / DATABASE, everything=True)) as reading:
            ahead = forecast(self._folder, reading, self._settings.keep.disk_reserve, now)
        if ahead.soon:
            pace = f"{ahead.a_day / 1e6:.1f} MB a day"
            self.alarm("filling", "", f"at {pace} the disk is full, but for its reserve, in {ahead.days:.0f} days")
        else:
            self.calm("filling", "", "there is room for longer")

    def _newest(self) -> int:
        return self._alarms.progress() + self._alarms.waiting()

    # Alarms

    def alarm(self, kind: str, subject: str, why: str) -> None:
        """Open an alarm that has no normal: disk, budget, fixity."""
        self._desk.raise_alarm(kind, subject, why, self._clock.now())

    def calm(self, kind: str, subject: str, why: str) -> None:
        """Close it."""
        self._desk.clear_alarm(kind, subject, why, self._clock.now())

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
            self._budget(remark, self._clock.now())

    def _budget(self, remark: str, now: float) -> None:
        if remark:
            self._desk.raise_alarm("budget", "", remark, now)
        else:
            self._desk.budget_fits(now)
        if remark or len(self._day) < _DAY:
            return
        planned = sum(one.planned for one in self._day)
        made = sum(min(one.planned, one.revisits) for one in self._day)
        self._desk.budget(planned, made, "there is too little room on disk" if self._short_of_room else "", now)

    def close(self) -> None:
        """Decide on what was studied last, let the delivery process deliver what it can in a few seconds, and end."""
        try:
            with suppress(OutOfSpace, ArchiveBusy):  # the next start decides
                self.decide()
                self._dispatch.hear(self._alarms.alarms(since=self._clock.now() - RECENT))
        finally:
            self._dispatch.close()
            self._alarms.close()
