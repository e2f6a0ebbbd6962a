"""Looking for what is not as it should be, beside a watch or after a crawl: observations, and alarms from them.

What visits led to is counted site by site; with enough visits it makes an observation, which is judged against the
site's own normal (core/quality/alarms.py). Budget, fixity and room on disk have no normal: they are promises, and an
alarm is open while one is not kept. Nor has a site that answers nothing at all: its hosts are soon asked so rarely that
there are too few visits for any observation.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any, Final

from strandline.alerts.alert import moment
from strandline.core.quality.alarms import (
    COLLAPSE,
    GONE,
    LEAST_VISITS,
    REFUSED,
    SMALLER,
    UNREACHABLE,
    Point,
    Signal,
    explanation,
    judge,
)
from strandline.core.wording import counted
from strandline.store.alarming import Alarm, AlarmWriter, Observation, Visits

LOGGED_OUT: Final = "login"
"""The kind of alarm of a site that logged out: opened by whoever crawls, closed by whoever logs in."""
_WINDOWS: Final = "windows"
SILENT: Final = "silent"
_SOONER: Final = ("refused", "unreachable", SILENT)
"""A site that is refused or away looks smaller, too: told once is enough."""
_SILENT_HOURS, _SILENT_TRIES = 3.0, 3
"""Hours without any answer, and visits in them at least, after which a site is called silent. Origin: a guess."""
BUDGET_MET, BUDGET_MISSED = 0.9, 0.8
_INTENDED: Final = "intended visits"
LEAST_INTENDED: Final = 20
"""Visits below which a share of the budget says nothing."""

Told = Callable[[Alarm], None]


class AlarmKeeper:
    """Alarms of one archive. `told` hears of each that opens or closes; `hour` are the seconds of an hour."""

    def __init__(self, writer: AlarmWriter, told: Told = lambda _: None, hour: float = 3600.0) -> None:
        self._writer = writer
        self._told = told
        self._hour = hour
        kept = writer.note("alarms", _WINDOWS)
        state = json.loads(kept) if kept else {}
        self._seq: int | None = state.get("seq")
        self._since = float(state.get("since", 0.0))
        self._windows = {site: Visits(**counts) for site, counts in state.get("sites", {}).items()}
        self._failing: dict[str, tuple[float, int]] = {
            site: (since, tries) for site, (since, tries) in state.get("failing", {}).items()
        }
        """Sites of which nothing was answered since a time, and how many visits were made since."""

    # Promises

    def raise_alarm(self, kind: str, subject: str, why: str, now: float) -> None:
        """Open an alarm, unless it is open."""
        if self._writer.raise_alarm(kind, subject, now, why):
            for opened in self._writer.open_alarms():  # another process may have closed it by now
                if (opened.kind, opened.subject) == (kind, subject):
                    self._told(opened)

    def clear_alarm(self, kind: str, subject: str, why: str, now: float) -> None:
        """Close an alarm, if it is open."""
        closed = self._writer.clear_alarm(kind, subject, now, why)
        if closed is not None:
            self._told(closed)

    def budget(self, intended: float, achieved: float, why: str, now: float) -> None:
        """Compare what was to be fetched in a day with what was."""
        if intended < LEAST_INTENDED:
            self.clear_alarm("budget", "", f"only {counted(round(intended), 'visit')} a day are intended", now)
            return
        share = achieved / intended
        said = f"{achieved:.0f} of {intended:.0f} {_INTENDED} were made in the last day ({100 * share:.0f} %)"
        if share < BUDGET_MISSED:
            self.raise_alarm("budget", "", f"{said}: {why}" if why else said, now)
        elif share >= BUDGET_MET:
            self.clear_alarm("budget", "", said, now)

    def budget_fits(self, now: float) -> None:
        """The budget is not more than politeness allows, which may have been why its alarm is open."""
        for alarm in self._writer.open_alarms():
            if alarm.kind == "budget" and _INTENDED not in alarm.explanation:
                self.clear_alarm("budget", "", "politeness allows the budget", now)

    # Normals

    def observe(self, up_to: int, now: float) -> None:
        """Count what visits led to since the last time, up to a capture number, and judge what is enough."""
        if self._seq is None:
            self._seq, self._since = up_to, now
            self._keep([], now)
            return
        self._count(up_to, now)
        self._listen(now)
        present = self._writer.present()
        kept: list[Observation] = []
        for site, seen in list(self._windows.items()):
            if seen.visits < LEAST_VISITS:
                continue
            del self._windows[site]
            for signal, point in _points(seen, present.get(site, 0)):
                strange = self._judged(site, signal, point, now)
                kept.append(Observation(site, signal.name, replace(point, strange=strange)))
        self._seq, self._since = up_to, now
        self._keep(kept, now)

    def _count(self, up_to: int, now: float) -> None:
        for site, seen in self._writer.visits_between(self._seq or 0, up_to).items():
            window = self._windows.setdefault(site, Visits())
            window += seen
        for site, failed in self._writer.failed_between(self._since, now).items():
            window = self._windows.setdefault(site, Visits())
            window += Visits(visits=failed, failing=failed)

    def _listen(self, now: float) -> None:
        """Whether sites answer anything at all. One that answered nothing for hours opens an alarm, which closes with
        its first answer.
        """
        for site, (tries, first) in self._writer.in_vain_between(self._since, now).items():
            since, before = self._failing.get(site, (first, 0))
            self._failing[site] = since, before + tries
        # Captures before those of this round were looked at in rounds before it.
        answered = self._writer.answered_since({site: one[0] for site, one in self._failing.items()}, self._seq or 0)
        for site, (since, tries) in list(self._failing.items()):
            if site in answered:
                del self._failing[site]
                self.clear_alarm(SILENT, site, "it answers again", now)
                continue
            lasts = tries >= _SILENT_TRIES and now - since >= _SILENT_HOURS * self._hour
            if lasts and not self._writer.is_open(UNREACHABLE.name, site):
                tried = counted(tries, "visit")
                why = f"none of {tried} since {moment(since)} was answered but by errors of the server"
                self.raise_alarm(SILENT, site, why, now)

    def _judged(self, site: str, signal: Signal, point: Point, now: float) -> bool:
        """Judge a point, and open or close its alarm; returns whether it is strange."""
        is_open = self._writer.is_open(signal.name, site)
        judged = judge(self._writer.points(site, signal.name), point, signal, is_open)
        if judged.change == "opens" and judged.normal is not None:
            sooner = {SMALLER: _SOONER, UNREACHABLE: (SILENT,)}.get(signal, ())
            if not any(self._writer.is_open(kind, site) for kind in sooner):
                self.raise_alarm(signal.name, site, explanation(signal, point, judged.normal), now)
        elif judged.change == "closes":
            self.clear_alarm(signal.name, site, "back to normal", now)
        elif judged.change == "settles":
            self.clear_alarm(signal.name, site, "it lasts, and is the normal from now on", now)
            self._writer.settle(site, signal.name)
            return False
        return judged.strange

    def _keep(self, observations: list[Observation], now: float) -> None:
        sites = {site: asdict(seen) for site, seen in self._windows.items()}
        state: dict[str, object] = {"seq": self._seq, "since": self._since, "sites": sites, "failing": self._failing}
        self._writer.keep(observations, now, (_WINDOWS, state))


def _points(seen: Visits, present: int) -> Iterator[tuple[Signal, Point]]:
    troubles = ((GONE, seen.gone), (REFUSED, seen.refused), (UNREACHABLE, seen.failing), (COLLAPSE, seen.collapsed))
    for signal, count in troubles:
        yield signal, Point(count / seen.visits, seen.visits)
    yield SMALLER, Point(float(present))


def audited(writer: AlarmWriter, problems: int, checked: int, told: Told = lambda _: None) -> None:
    """Open or close the alarm on fixity after an audit; also beside a process that writes the archive."""
    now = time.time()
    desk = AlarmKeeper(writer, told)
    if problems:
        why = f"{counted(problems, 'problem')} among {counted(checked, 'capture')}; `strandline verify` names them"
        desk.raise_alarm("fixity", "", why, now)
        return
    for alarm in writer.open_alarms():
        if alarm.kind == "fixity":
            desk.clear_alarm("fixity", alarm.subject, f"all {checked} captures are sound", now)


def alarm_data(alarm: Alarm) -> dict[str, Any]:
    """An alarm as JSON shows it."""
    return {
        "kind": alarm.kind,
        "subject": alarm.subject,
        "opened": moment(alarm.opened),
        "closed": None if alarm.closed is None else moment(alarm.closed),
        "explanation": alarm.explanation,
        "ending": alarm.ending,
    }
