"""What an archivist wishes of a plan: how much may be spent, by which strategy, and what matters more for a while."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

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


@dataclass(frozen=True)
class Wishes:
    """What the archive is planned by. `longest_gap` are the hours a page may be unseen, `gap_share` the part of the
    visits that may see to it, `pauses` the seconds each host is owed between two requests, `hour_seconds` those that a
    planned hour lasts.
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

    def per_hour(self, host: str) -> float:
        """The most requests an hour that politeness allows at a host."""
        pause = self.pauses.get(host, self.pause)
        return self.hour_seconds / pause if pause > 0 else np.inf
