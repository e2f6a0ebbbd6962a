"""What an archivist wishes of a plan: how much may be spent, by which strategy, and what matters more for a while."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from strandline.core.keeping.collections import Members
from strandline.core.plan.budget import Allowance
from strandline.core.plan.objective import Objective
from strandline.learn.known_pages import Known


@dataclass(frozen=True, slots=True)
class Boost:
    """A campaign as it is wished for: a site, a host or the beginning of addresses; times in UTC epoch seconds."""

    name: str
    place: str
    start: float
    end: float
    factor: float = 10.0

    def running(self, now: float) -> bool:
        """Whether it is on."""
        return self.start <= now < self.end

    def covers(self, page: Known) -> bool:
        """Whether a page belongs to it."""
        return self.place in (page.site, page.host) or ("://" in self.place and page.url.startswith(self.place))


@dataclass(frozen=True, slots=True)
class Aim:
    """A collection in which something else counts than in the archive."""

    name: str
    objective: Objective
    members: Members

    @property
    def key(self) -> str:
        """What others know it by who have the same settings."""
        return f"{self.name} {self.objective}"


@dataclass(frozen=True)
class Wishes:
    """What the archive is planned by. `longest_gap` are the hours a page may be unseen, `gap_share` the part of the
    visits that may see to it, `pauses` the seconds each host is owed between two requests, `hour_seconds` those that a
    planned hour lasts, `aims` the collections with an objective of their own.
    """

    allowance: Allowance
    strategy: str = "priced-plan"
    objective: Objective = "middle"
    coherence: float = 0.0
    longest_gap: float = 336.0
    gap_share: float = 0.05
    boosts: tuple[Boost, ...] = ()
    site_allowances: Mapping[str, Allowance] = field(default_factory=dict)
    host_allowances: Mapping[str, Allowance] = field(default_factory=dict)
    pause: float = 3.0
    pauses: Mapping[str, float] = field(default_factory=dict)
    hour_seconds: float = 3600.0
    aims: tuple[Aim, ...] = ()

    def aim_of(self, page: Known) -> int:
        """The place of the first of the aims that a page belongs to; -1 for none."""
        return next((place for place, aim in enumerate(self.aims) if aim.members.has(page.url)), -1)

    def counts(self, place: int) -> str:
        """What counts of a page with this aim, for people."""
        return self.objective if place < 0 else f"{self.aims[place].objective} (collection {self.aims[place].name})"

    def per_hour(self, host: str) -> float:
        """The most requests an hour that politeness allows at a host."""
        pause = self.pauses.get(host, self.pause)
        return self.hour_seconds / pause if pause > 0 else np.inf
