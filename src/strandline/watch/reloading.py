"""Other settings while a watch runs: what can change at once, and what waits for the next start.

A watch reads strandline.toml again when the file has changed, and when it gets SIGHUP. Sites and their settings, scope,
budgets, campaigns and everything else the plan is made by, pauses between requests, alerts and the reserve on disk are
taken at once. Limits of requests, robots and how captures are kept shape what a crawl has already begun: they are
named, and wait for a new start. A file with a mistake in it changes nothing.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final

from strandline.settings.schema import TABLES, Settings, sections

AT_ONCE: Final[dict[str, frozenset[str]]] = {
    "scope": frozenset({"seeds", "scope", "include", "exclude", "hops", "requisites", "sitemaps", "feeds"}),
    "plan": frozenset({"*"}),
    "alerts": frozenset({"*"}),
    "politeness": frozenset(
        {"delay", "delay_factor", "shortest", "longest", "connections_per_host", "hanging_per_host"}
    ),
    "keep": frozenset({"disk_reserve"}),
    "serve": frozenset(),
}
"""Keys that can change while a watch runs, by section; * for all of it."""


class ChangingFile:
    """Tells whether the file of the settings was changed, by a command, the interface or an editor; it looks
    once a second.
    """

    def __init__(self, path: Path, every: float = 1.0) -> None:
        self._path = path
        self._every = every
        self._next = time.monotonic() + every
        self._mark = self._look()

    def changed(self) -> bool:
        """Whether it is another one than at the last look; one that is not there is none."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + self._every
        before, self._mark = self._mark, self._look()
        return self._mark not in (before, None)

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


@dataclass(frozen=True, slots=True)
class Reloaded:
    """Settings in force from now on, the keys that changed, and those that wait for a new start."""

    settings: Settings
    changed: tuple[str, ...]
    waiting: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """What an operator is told."""
        yield f"settings taken anew: {', '.join(self.changed)}" if self.changed else "settings read: nothing to change"
        if self.waiting:
            yield f"not before a new start: {', '.join(self.waiting)}"


def _shown(table: object) -> str:
    """Whether a site is shown in a browser: browsers are started with a watch."""
    return str(getattr(table, "browser", ""))


def reloaded(old: Settings, wanted: Settings) -> Reloaded:
    """The settings that follow from the ones in force and those in the file now.

    >>> plan = replace(Settings().plan, budget="900/day")
    >>> found = reloaded(Settings(), replace(Settings(), plan=plan, fetch=replace(Settings().fetch, redirects=3)))
    >>> found.changed, found.waiting, found.settings.plan.budget, found.settings.fetch.redirects
    (('plan.budget',), ('fetch.redirects',), '900/day', 10)
    """
    changed: list[str] = []
    waiting: list[str] = []
    settings = old
    for table in TABLES:
        known, new = ({one.name: one for one in getattr(found, table)} for found in (old, wanted))
        changed += [f"{table} {name}" for name in {**known, **new} if known.get(name) != new.get(name)]
        shown = [f"{table} {name} browser" for name in new if _shown(new[name]) != _shown(known.get(name))]
        waiting += shown
        settings = replace(settings, **{table: getattr(wanted, table)})
    for section, before in sections(old):
        after = getattr(wanted, section)
        allowed = AT_ONCE.get(section, frozenset())
        taken = {}
        for key in fields(before):
            value = getattr(after, key.name)
            if value == getattr(before, key.name):
                continue
            name = f"{section}.{key.name}"
            if "*" in allowed or key.name in allowed:
                taken[key.name] = value
                changed.append(name)
            else:
                waiting.append(name)
        if taken:
            settings = replace(settings, **{section: replace(before, **taken)})
    return Reloaded(settings, tuple(changed), tuple(waiting))
