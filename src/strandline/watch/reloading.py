"""Other settings while a watch runs: what can change at once, and what waits for the next start.

A watch that gets SIGHUP reads strandline.toml again. Budgets, campaigns and everything else the plan is made by, pauses
between requests, alerts and the reserve on disk are taken at once. Scope, limits of requests, robots and how captures
are kept shape what a crawl has already begun: they are named, and wait for a new start. A file with a mistake in it
changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Final

from strandline.settings.schema import Settings

AT_ONCE: Final[dict[str, frozenset[str]]] = {
    "plan": frozenset({"*"}),
    "alerts": frozenset({"*"}),
    "politeness": frozenset(
        {"delay", "delay_factor", "shortest", "longest", "connections_per_host", "hanging_per_host"}
    ),
    "keep": frozenset({"disk_reserve"}),
    "serve": frozenset(),
}
"""Keys that can change while a watch runs, by section; * for all of it."""


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


def reloaded(old: Settings, wanted: Settings) -> Reloaded:
    """The settings that follow from the ones in force and those in the file now.

    >>> plan = replace(Settings().plan, budget="900/day")
    >>> found = reloaded(Settings(), replace(Settings(), plan=plan, scope=replace(Settings().scope, hops=3)))
    >>> found.changed, found.waiting, found.settings.plan.budget, found.settings.scope.hops
    (('plan.budget',), ('scope.hops',), '900/day', 20)
    """
    changed: list[str] = []
    waiting: list[str] = []
    settings = old
    for section in fields(Settings):
        before, after = getattr(old, section.name), getattr(wanted, section.name)
        allowed = AT_ONCE.get(section.name, frozenset())
        taken = {}
        for key in fields(before):
            value = getattr(after, key.name)
            if value == getattr(before, key.name):
                continue
            name = f"{section.name}.{key.name}"
            if "*" in allowed or key.name in allowed:
                taken[key.name] = value
                changed.append(name)
            else:
                waiting.append(name)
        if taken:
            settings = replace(settings, **{section.name: replace(before, **taken)})
    return Reloaded(settings, tuple(changed), tuple(waiting))
