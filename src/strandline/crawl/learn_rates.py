"""From captures to rates: what a page promises at first sight, and what its captures made of it.

The prior of a page is level of its site x factor of its directory x factor of the page itself (core/learn/first_sight).
The table behind the last factor is moved by the archive's own captures once there are enough of them. A change found
after a long wait may stand for several; how many depends on the rate believed in, so the counts are made twice: first
every find is one change, then as many as the prior of the page makes likely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.learn.classes import ChangeGroups, change_groups
from strandline.core.learn.features import Directories, PageSummary, model_features, read_address
from strandline.core.learn.first_sight import (
    COEFFICIENTS,
    DEFAULT,
    SitePrior,
    archive_base,
    refit,
    site_level,
    site_prior,
    static_factors,
)
from strandline.core.learn.learned import DAY, PageRate, Visits
from strandline.crawl.experience import path_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SitePages:
    """The pages of a site as rates see them: what they look like, where they lie, and what was found."""

    pages: tuple[int, ...]
    features: Floats
    directories: Directories
    counts: tuple[Floats, Floats]
    """Changes found, each counted once, and days watched."""

    @classmethod
    def of(cls, visits: Sequence[Visits], summaries: Mapping[int, PageSummary]) -> "SitePages":
        """Read the addresses of captured pages and count what was found."""
        addresses = [read_address(path_of(one.url)) for one in visits]
        columns = [_column(visits, summaries, name) for name in ("text_bytes", "headings", "links")]
        features = model_features(addresses, *columns)
        return cls(tuple(one.page for one in visits), features, Directories(addresses), _counts(visits))


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """Everything `learn classes` finds out."""

    pages: dict[int, PageRate]
    levels: dict[str, float]
    """Changes a day of an average page of each site."""
    coefficients: Floats
    groups: ChangeGroups | None
    """None while no page was seen twice."""

    @property
    def moved(self) -> bool:
        """Whether the archive's own captures moved the shipped table."""
        return not np.array_equal(self.coefficients, COEFFICIENTS)

    @property
    def base(self) -> float:
        """What to expect of a page of a site that was never seen."""
        return archive_base(np.array(list(self.levels.values())))


def learn_rates(known: Mapping[str, SitePages], visits: Mapping[str, Sequence[Visits]], classes: int) -> Rates:
    """Rates of all pages and the groups they fall into; `visits` are those of the same pages, by site."""
    known = {name: one for name, one in known.items() if one.pages}
    coefficients, means = first_priors(known)
    rated = {name: rated_pages(visits[name], means[name]) for name in known}
    return settled_rates(known, rated, coefficients, classes)


def first_priors(known: Mapping[str, SitePages]) -> tuple[Floats, dict[str, Floats]]:
    """The table behind first sight, moved by what was found, and what is expected of each page of each site."""
    counts = {name: one.counts for name, one in known.items()}
    priors = _priors(known, counts, COEFFICIENTS)
    coefficients = COEFFICIENTS
    if known:
        names = list(known)
        history = tuple(np.concatenate([counts[name][column] for name in names]) for column in (0, 1))
        expected = np.concatenate([priors[name].level * priors[name].directory for name in names])
        features = np.vstack([known[name].features for name in names])
        coefficients = refit(features, (history[0], history[1]), expected)
        priors = _priors(known, counts, coefficients)
    return coefficients, {name: prior.mean for name, prior in priors.items()}


def settled_rates(
    known: Mapping[str, SitePages], rated: Mapping[str, Sequence[PageRate]], coefficients: Floats, classes: int
) -> Rates:
    """Rates with priors that count changes as often as they are likely to have happened."""
    counts = {name: _told(rates) for name, rates in rated.items()}
    priors = _priors(known, counts, coefficients)
    pages = {}
    for name, one in known.items():
        for page, rate, mean in zip(one.pages, rated[name], priors[name].mean.tolist(), strict=True):
            rate.prior = mean
            pages[page] = rate
    levels = {name: prior.level for name, prior in priors.items()}
    return Rates(pages, levels, coefficients, groups_of(pages, classes))


def groups_of(pages: Mapping[int, PageRate], classes: int) -> ChangeGroups | None:
    """Pages that were seen more than once, put into groups by their rate."""
    seen = [rate for page in pages.values() if (rate := page.rate) is not None]
    return change_groups(seen, classes) if seen else None


def _column(visits: Sequence[Visits], summaries: Mapping[int, PageSummary], name: str) -> Floats:
    """A count of every page; one that could not be read is taken for a typical page of its site."""
    values = np.array(
        [float(getattr(summaries[one.page], name)) if one.page in summaries else np.nan for one in visits]
    )
    missing = np.isnan(values)
    values[missing] = 0.0 if missing.all() else np.median(values[~missing])
    return values


def _counts(visits: Sequence[Visits]) -> tuple[Floats, Floats]:
    """Changes found, each counted once, and days watched."""
    found = np.array([float(one.changed.sum()) for one in visits])
    watched = np.array([float(one.times[-1] - one.times[0]) / DAY for one in visits])
    return found, watched


def _told(rates: Sequence[PageRate]) -> tuple[Floats, Floats]:
    return np.array([one.found for one in rates]), np.array([one.watched for one in rates])


def rated_pages(pages: Sequence[Visits], means: Floats) -> list[PageRate]:
    """What the captures of a site's pages make of what was expected of each."""
    rated = []
    for visits, mean in zip(pages, means.tolist(), strict=True):
        if not visits.changed.any():  # most pages
            watched = float(visits.times[-1] - visits.times[0]) / DAY
            rated.append(PageRate(visits.times.size - 1, watched=watched, prior=mean))
            continue
        rate = PageRate(prior=mean)
        waits = (np.diff(visits.times) / DAY).tolist()
        for waited, changed in zip(waits, visits.changed[1:].tolist(), strict=True):
            rate.observe(waited, changed)
        rated.append(rate)
    return rated


def _priors(
    sites: Mapping[str, SitePages], counts: Mapping[str, tuple[Floats, Floats]], coefficients: Floats
) -> dict[str, SitePrior]:
    """Priors of all sites; each leans on the levels of the others."""
    static = {name: static_factors(one.features, coefficients) for name, one in sites.items()}
    alone = {name: site_level(*counts[name], static[name], DEFAULT.first_base) for name in sites}
    found = {}
    for name, one in sites.items():
        others = np.array([level for other, level in alone.items() if other != name])
        found[name] = site_prior(one.directories, static[name], counts[name], archive_base(others))
    return found
