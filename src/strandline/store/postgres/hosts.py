"""What a commit changes in the lines of hosts: counts of pages by state, of captures, and when the host is free."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from strandline.store.postgres.frontier import BACKED_OFF, LEASED, QUEUED
from strandline.store.postgres.session import Connection

_HOSTS = """UPDATE hosts SET queued = hosts.queued + v.queued, backed_off = hosts.backed_off + v.backed_off,
       leased = hosts.leased + v.leased, pages = hosts.pages + v.pages, captures = hosts.captures + v.captures,
       first = least(hosts.first, v.first), last = greatest(hosts.last, v.last),
       held_until = CASE WHEN v.leased < 0 AND hosts.leased + v.leased = 0
           THEN clock_timestamp() + v.polite * interval '1 second' ELSE held_until END
   FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::float8[], %s::float8[],
               %s::float8[]) AS v (host, queued, backed_off, leased, pages, captures, first, last, polite)
   WHERE hosts.host = v.host"""


@dataclass(slots=True)
class HostChange:
    """What a batch changes in the line of one host."""

    authority: str = ""
    states: Counter[int] = field(default_factory=Counter)
    pages: int = 0
    captures: int = 0
    first: float = math.inf
    last: float = -math.inf

    def moved(self, old: int | None, new: int) -> None:
        """A page went from one state to another."""
        if old is not None:
            self.states[old] -= 1
        self.states[new] += 1

    def captured(self, time: float) -> None:
        """A page of it was captured."""
        self.captures += 1
        self.first, self.last = min(self.first, time), max(self.last, time)


class HostChanges(defaultdict[int, HostChange]):
    """Changes by host, written at the end of a transaction that has locked the hosts."""

    def __init__(self, polite: Callable[[str], float]) -> None:
        super().__init__(HostChange)
        self._polite = polite

    @property
    def new_pages(self) -> int:
        """Pages that were not known before."""
        return sum(change.pages for change in self.values())

    @property
    def new_captures(self) -> int:
        """Captures that were not recorded before."""
        return sum(change.captures for change in self.values())

    def apply(self, connection: Connection) -> None:
        """Write the changes."""
        table = []
        for host, change in sorted(self.items()):
            states, timed = change.states, change.captures > 0
            moved = (states[QUEUED], states[BACKED_OFF], states[LEASED])
            polite = self._polite(change.authority) if states[LEASED] < 0 else 0.0
            times = (change.first, change.last) if timed else (None, None)
            if any(moved) or change.pages or timed:
                table.append((host, *moved, change.pages, change.captures, *times, polite))
        if table:
            connection.execute(_HOSTS, columns(table, 9))


def columns(table: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    """Rows as columns, for unnest."""
    return [list(column) for column in zip(*table, strict=True)] if table else [[] for _ in range(width)]
