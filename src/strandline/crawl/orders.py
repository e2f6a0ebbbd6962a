"""What a crawl was asked to do, in numbers it can use: made from settings and flags by the application."""

import math
from dataclasses import field
from typing import Literal

from strandline.core.discovery.scope import ScopeRules
from strandline.core.discovery.traps import TrapLimits
from strandline.core.politeness.delays import LONGEST_WAIT
from strandline.core.quick_dataclass import dataclass

NEVER = math.inf
"""Due time of a page that is known but not wanted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a crawl ends before its work is done."""

    captures: int = 0
    """0 for none."""
    seconds: float = 0.0
    octets: int = 0


@dataclass(frozen=True, slots=True)
class Orders:
    """One crawl."""

    scope: ScopeRules
    traps: TrapLimits = field(default_factory=TrapLimits)
    limits: Limits = field(default_factory=Limits)
    connections: int = 25
    redirects: int = 10
    full_every: int = 10
    revisit: float = 0.0
    retries: int = 5
    patience: float = 10.0
    longest_wait: float = LONGEST_WAIT
    """Seconds that a page or host may ask for with Retry-After, at most."""
    longest_delay: float = 300.0
    """Seconds of a Crawl-delay that are honoured."""
    obey_robots: bool = True
    robots_unreachable: Literal["disallow", "allow"] = "disallow"
    sitemaps: bool = True
    feeds: bool = True
    secret_keys: frozenset[str] = frozenset()
    """Query keys that are taken out of every address that is found."""
    read_since: float = 0.0
    """Pages whose links were last taken in until then are fetched whole and read again: the scope is wider since."""
    pace: float = 1.0
    """How much shorter than its own a day of robots.txt is: on the user's own machine hours may be short."""
    commit_seconds: float = 1.0
    commit_captures: int = 64
    grace: float = 8.0
    """Seconds that exchanges in flight have to finish after a request to stop."""
