"""What an archive has learned, as it is kept and shown: rates and rules with what they were learned from.

    Visits        the captures of one page as columns: when it was looked at, and whether it had changed
    PageRate      changes found and days watched of one page, and what was expected of it at first sight
    SiteRules     directory rules, dormant directories and directory rates of one site, with their evidence
    LearnedFrom   which captures a part of the knowledge rests on

Paper 002 (Barbosa et al., WIDM 2005) estimates a rate from regular visits; `PageRate.rate` is its estimator with the
mean time between visits as the interval. The planner uses `PageRate.expected`, the mean of the Gamma belief that
starts from the first-sight prior. One more visit costs a few multiplications.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.first_sight import DEFAULT
from strandline.core.history.rates import change_rate
from strandline.core.mining.near import NearRule, Thresholds

Floats = NDArray[np.float64]
DAY = 86_400.0
"""Seconds. Origin: a unit."""


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """The captures of one page in the order of time. The first is compared with nothing: `changed[0]` is False."""

    page: int
    url: str
    times: Floats
    changed: NDArray[np.bool_]
    importance: Floats
    """Of the change since the capture before; 0 where nothing changed."""
    gone: NDArray[np.bool_]
    """Answered 404 or 410."""
    unstudied: int = 0
    """Captures whose change was told by their digests alone."""
    restless: int = 0
    """Captures whose bytes differed though nothing a reader sees had changed."""


@dataclass(slots=True)
class PageRate:
    """How often a page was found changed."""

    visits: int = 0
    """Captures that could be compared with an earlier one."""
    changes: int = 0
    """Of these, how many had changed."""
    found: float = 0.0
    """Changes these stand for: one that is found after a long wait may be several."""
    watched: float = 0.0
    """Days between the first and the last capture."""
    prior: float = DEFAULT.first_base
    """Changes a day expected at first sight."""

    def observe(self, waited: float, changed: bool) -> None:
        """Add a capture that came `waited` days after the last one.

        >>> page = PageRate(prior=0.5)
        >>> page.observe(2.0, True)
        >>> round(page.found, 4), page.watched, page.changes
        (1.582, 2.0, 1)
        """
        if changed:
            mass = self.expected * waited
            self.found += 1.0 + mass / 2.0 if mass < 1e-6 else mass / -math.expm1(-mass)
            self.changes += 1
        self.visits += 1
        self.watched += waited

    @property
    def expected(self) -> float:
        """Changes a day to expect: the Gamma belief that starts from the prior."""
        weight = DEFAULT.prior_weight
        return (weight + self.found) / (weight / self.prior + self.watched)

    @property
    def rate(self) -> float | None:
        """Changes a day by the paper's estimator; None while no time has passed between captures."""
        if self.visits == 0 or self.watched <= 0.0:
            return None
        return float(change_rate(self.visits, self.changes)) * self.visits / self.watched


@dataclass(frozen=True, slots=True)
class DirectoryView:
    """A directory as the site-level policy sees it, beside what the two skipping rules say."""

    path: str
    pages: int
    """Pages in it, without those of its subdirectories."""
    changes_a_week: float
    """Probability that a page of it changes within a week, as a mean over its pages."""
    changed: int
    """Versions in which anything in or below it changed."""
    near: bool
    """Skipped by a directory rule."""
    dormant: bool
    """Never changed at all."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What is known about the directories of a site."""

    site: str
    versions: int
    period: float
    """Seconds that make a version."""
    captures: int
    first: float
    last: float
    weighted: bool
    """Whether updated pages count by the importance of their change."""
    thresholds: Thresholds
    chosen: bool
    """False: no thresholds reached the wanted change recall on the site's own history; these are the defaults."""
    bypass_ratio: float | None
    change_recall: float | None
    """What the thresholds skipped and caught in the second half of the history; None when they were given."""
    rules: tuple[NearRule, ...]
    dormant: tuple[str, ...]
    directories: tuple[DirectoryView, ...]

    def as_data(self) -> dict[str, Any]:
        """For a catalog or JSON."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        # Not `asdict` for the directories: it copies each value of what may be a million rows.
        names = [field.name for field in fields(DirectoryView)]
        return columns | {
            "thresholds": asdict(self.thresholds),
            "rules": [rule.as_data() for rule in self.rules],
            "dormant": list(self.dormant),
            "directories": [{name: getattr(view, name) for name in names} for view in self.directories],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "SiteRules":
        """The inverse of `as_data`."""
        rules = tuple(
            NearRule(tuple(rule["if"]), rule["skip"], rule["foc"], rule["coc"], rule["confidence"])
            for rule in data["rules"]
        )
        rest = {
            "thresholds": Thresholds(**data["thresholds"]),
            "rules": rules,
            "dormant": tuple(data["dormant"]),
            "directories": tuple(DirectoryView(**row) for row in data["directories"]),
        }
        return cls(**{**data, **rest})


@dataclass(frozen=True, slots=True)
class SiteClock:
    """Where a site keeps its clock, and how we know."""

    zone: str
    country: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class LearnedFrom:
    """The captures a part of the knowledge (patterns, rules, classes) rests on, and results of the whole archive."""

    part: str
    seq: int
    """Number of the newest capture that was looked at."""
    studied: int
    """Number of the newest capture whose changes were known block by block."""
    captures: int
    pages: int
    unstudied: int
    """Captures whose change was told by their digests alone."""
    first: float | None
    last: float | None
    data: dict[str, Any]
