"""How often will a page change that has just been seen for the first time?

    m = level of its site  x  factor of its directory  x  static factor of the page itself        (changes a day)

*Static factor* S = sqrt(e^(z . c)), scaled to mean 1 over the site's pages; z are the nine numbers of
`features.MODEL_FEATURES`, c a table that ships with the product (`COEFFICIENTS`) and is moved by an archive's own
captures (`refit`). The root is taken because a table learned on other sites is too sure of itself on a new one.
*Directory factor* D, from the root down: D = (kappa + n) / (kappa / D_parent + E), n changes found in and below the
directory, E the changes expected there (days watched x level x static factor). Index pages belong to the directory
above. *Level* L = (1 + n) / (1 / base + E), E in days x static factor; base is the geometric mean over the archive's
other sites.

The result is the mean of the Gamma prior of each page: prior weight alpha0, refreshed daily. It replaces the
class of paper 002 (Barbosa et al., WIDM 2005) as what a schedule starts from; classes remain for people to read. The
table was fitted on eight documentation and government sites; news and shops were not among them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.features import Address, Directories, DirectoryTree, model_features
from strandline.core.history.pieces import Pieces, evenly

Floats = NDArray[np.float64]

COEFFICIENTS: Floats = np.array([0.204, 0.089, 0.165, 0.193, 0.164, 0.064, -0.171, -0.121, -1.127])
"""Of `fit_table`, on 182 days of changes of 8 public sites; per unit of each of features.MODEL_FEATURES, in that
order.
Origin: measured, `strandline experiment classes --data`."""

LARGEST = 3.0
"""Logarithm of the largest static factor of a page that comes later: addresses can be made up at will.
Origin: a guess."""


@dataclass(frozen=True, slots=True)
class FirstSight:
    """The settings of the model; the defaults are those that were measured."""

    prior_weight: float = 2.0
    """alpha0: how many changes the prior counts for."""
    directory_weight: float = 20.0
    """kappa: changes it takes to move a directory half-way from its parent to its own average."""
    first_base: float = 1.0 / 200.0
    """Changes a day expected of the first site of an archive."""
    ridge: float = 50.0
    """lambda: how hard the archive's own captures must pull to move the shipped table."""
    guard: float = 5.0
    """A page is fetched at the latest after this many times the average time between its turns."""
    refit_pages: int = 200
    refit_changes: float = 50.0


DEFAULT = FirstSight()


def static_factors(features: Floats, coefficients: Floats = COEFFICIENTS) -> Floats:
    """S of each page of a site, mean 1.

    >>> z = np.zeros((2, 9)); z[0, 8] = 1.0  # one page has a year in its address
    >>> static_factors(z).round(2).tolist()
    [0.73, 1.27]
    """
    if features.shape[0] == 0:
        return np.zeros(0)
    score = features @ coefficients / 2.0
    factor = np.exp(score - score.max())
    scaled: Floats = factor / factor.mean()
    return scaled


def archive_base(levels: Floats, settings: FirstSight = DEFAULT) -> float:
    """What to expect of a site, from the levels of the others: their geometric mean.

    >>> round(archive_base(np.array([0.01, 0.0001])), 6), archive_base(np.array([]))
    (0.001, 0.005)
    """
    return settings.first_base if levels.size == 0 else float(np.exp(np.log(levels).mean()))


@dataclass(frozen=True, slots=True)
class OtherSites:
    """Sites that are known elsewhere, to who learns about some only: how many, and the sum of the logarithms of their
    levels. A level to be told to others is the one before anything is known of them (base = `first_base`).

    >>> some, both = np.array([0.01]), np.array([0.01, 0.0001])
    >>> more = OtherSites(1, float(np.log(0.0001)))
    >>> round(more.base(some) / archive_base(both), 12), round(OtherSites().base(some), 12)
    (1.0, 0.01)
    """

    sites: int = 0
    logs: float = 0.0

    def base(self, levels: Floats, settings: FirstSight = DEFAULT) -> float:
        """What to expect of a site, from the levels of others here and elsewhere."""
        if not self.sites:
            return archive_base(levels, settings)
        return float(np.exp((self.logs + float(np.log(levels).sum())) / (self.sites + levels.size)))


def site_level(found: Floats, watched: Floats, static: Floats, base: float) -> float:
    """L: changes a day of an average page of the site."""
    return float((1.0 + found.sum()) / (1.0 / base + (watched * static).sum()))


def factors_by_directory(
    directories: DirectoryTree, found: Floats, expected: Floats, settings: FirstSight = DEFAULT
) -> Floats:
    """D of each directory; the root's is 1, its changes are in the level."""
    kappa = settings.directory_weight
    changes, hoped = directories.totals(found), directories.totals(expected)
    factor = np.ones(directories.parent.size)
    for rows in directories.by_level[1:]:
        above = factor[directories.parent[rows]]
        factor[rows] = (kappa + changes[rows]) / (kappa / above + hoped[rows])
    return factor


def directory_factors(
    directories: DirectoryTree, found: Floats, expected: Floats, settings: FirstSight = DEFAULT
) -> Floats:
    """D of each page: that of the directory it lies in."""
    return factors_by_directory(directories, found, expected, settings)[directories.of_page]


@dataclass(frozen=True, slots=True)
class SitePrior:
    """The three factors of a site's pages, kept apart so that a reason can be given for each."""

    level: float
    directory: Floats
    static: Floats

    @property
    def mean(self) -> Floats:
        """Expected changes a day of each page before its own history is looked at."""
        rate: Floats = self.level * self.directory * self.static
        return rate

    def reason(self, page: int) -> str:
        """One line for people."""
        return (
            f"expected {self.mean[page]:.4f} changes a day: site {self.level:.4f}"
            f" x directory {self.directory[page]:.2f} x page {self.static[page]:.2f}"
        )


def site_prior(
    directories: DirectoryTree,
    static: Floats,
    history: tuple[Floats, Floats],
    base: float,
    settings: FirstSight = DEFAULT,
) -> SitePrior:
    """The prior of a site's pages from what was found (changes, days watched) on all of them so far."""
    found, watched = history
    level = site_level(found, watched, static, base)
    factor = directory_factors(directories, found, watched * level * static, settings)
    return SitePrior(level, factor, static)


class SiteSight:
    """What addresses say of the pages of a site: of those it is made from, and of pages found later.

    Made from the addresses of a site's pages and what was found of them (changes, days watched) in one go; a page that
    comes later costs a few multiplications. What pages look like inside is not asked: one never fetched has no inside.

    >>> from strandline.core.beliefs.features import read_address
    >>> known = [read_address(f"/{part}/{n}.html") for part in ("news", "law") for n in range(9)]
    >>> site = SiteSight(known, np.repeat([6.0, 0.0], 9), np.full(18, 30.0))
    >>> [round(site.expected(read_address(path)), 3) for path in ("/news/x.html", "/law/x.html", "/news/2019/x.html")]
    [0.142, 0.038, 0.088]
    """

    def __init__(self, addresses: Sequence[Address], found: Floats, watched: Floats) -> None:
        nothing = np.zeros(len(addresses))
        features = model_features(addresses, nothing, nothing, nothing)
        self._history = (found, watched)
        self._static = static_factors(features)
        # What a page of factor 1 scores.
        self._usual = float((features @ COEFFICIENTS / 2.0 - np.log(self._static)).mean()) if addresses else 0.0
        self._directories = Directories(addresses)
        self._inside = np.bincount(self._directories.of_page, minlength=self._directories.parent.size)
        self._below = self._directories.totals(np.ones(len(addresses)))
        self.lean_on(archive_base(np.empty(0)))

    def lean_on(self, base: float) -> None:
        """Say what is expected of sites in general, changes a day."""
        found, watched = self._history
        self.level = site_level(found, watched, self._static, base)
        self._factor = factors_by_directory(self._directories, found, watched * self.level * self._static)

    @property
    def mean(self) -> Floats:
        """Changes a day expected of the pages it was made from."""
        rate: Floats = self.level * self._factor[self._directories.of_page] * self._static
        return rate

    def expected(self, address: Address) -> float:
        """Changes a day expected of a page that was not known then."""
        number, inside = self._directories.number, address.directory
        while inside not in number:  # a directory nobody has seen is like the one above it
            inside = inside[:-1]
        place, own = number[inside], number.get(address.below, -1)
        together = self._inside[place] if inside == address.directory else 0
        features = np.array([
            0.0, 0.0, 0.0, np.log1p(self._below[own] if own >= 0 else 0.0), address.is_index, address.level,
            np.log1p(together + 1.0), np.log1p(address.digits), address.has_year,
        ])  # fmt: skip
        static = np.exp(min(float(features @ COEFFICIENTS) / 2.0 - self._usual, LARGEST))
        return float(self.level * self._factor[place] * static)


def ridge_poisson(
    features: Floats, counts: Floats, offset: Floats, penalty: float, towards: Floats | None = None
) -> Floats:
    """Coefficients of a Poisson regression with log link, pulled towards `towards`; the intercept is free.

    Maximises sum(counts * eta - offset * e^eta) - penalty / 2 * |c - towards|^2, eta = intercept + features @ c.
    Returns the coefficients, then the intercept.
    """
    pull = np.append(np.full(features.shape[1], penalty), 1e-9)
    target = np.append(np.zeros(features.shape[1]) if towards is None else towards, 0.0)
    return _Regression(lambda: [(features, counts, offset)], pull, target).solved()


@dataclass(frozen=True, slots=True)
class _Regression:
    """A Poisson regression over rows that come in pieces: features, counts, offset."""

    rows: Pieces
    pull: Floats
    target: Floats

    def solved(self) -> Floats:
        """By Newton's steps, each shortened until it improves."""
        counted = hoped = 0.0
        start = self.target[:-1]
        for features, counts, offset in self._even():
            counted += float(counts.sum())
            hoped += float((offset * np.exp(features @ start)).sum())
        if counted <= 0 or hoped <= 0:
            raise ValueError("a regression needs pages, time watched and changes")
        c = self.target.copy()
        c[-1] = np.log(counted / hoped)
        value = self._penalised(c)
        for _ in range(100):
            step = self._step(c)
            size = 1.0
            while (better := self._penalised(c + size * step)) < value and size > 1e-6:
                size /= 2.0
            c = c + size * step
            if better - value < 1e-10 * (1.0 + abs(value)):
                break
            value = better
        return c

    def _even(self) -> Iterator[tuple[Floats, ...]]:
        return evenly(self.rows())

    def _designed(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        for features, counts, offset in self._even():
            yield np.column_stack([features, np.ones(len(features))]), counts, offset

    def _step(self, c: Floats) -> Floats:
        slope = -self.pull * (c - self.target)
        curve = np.diag(self.pull)
        for design, counts, offset in self._designed():
            mean = offset * np.exp(design @ c)
            slope = slope + design.T @ (counts - mean)
            curve = curve + (design * mean[:, None]).T @ design
        return np.asarray(np.linalg.solve(curve, slope), dtype=np.float64)

    def _penalised(self, c: Floats) -> float:
        value = -0.5 * float((self.pull * (c - self.target) ** 2).sum())
        for design, counts, offset in self._designed():
            eta = design @ c
            with np.errstate(over="ignore"):
                value += float(counts @ eta - offset @ np.exp(eta))
        return value


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What one site contributes to a table: features, changes found and days watched of its pages."""

    features: Floats
    found: Floats
    watched: Floats


def fit_table(sites: Sequence[SiteRecord], ridge: float = 1.0) -> Floats:
    """Coefficients common to several sites; each site has a level of its own and the same say.

    Say = number of changes, since that is what a Poisson regression learns from: without the weights the largest site
    would write the table alone.
    """
    useful = [site for site in sites if site.found.sum() > 0 and site.watched.sum() > 0]
    if not useful:
        raise ValueError("no site with changes to learn from")
    say = [500.0 / site.found.sum() for site in useful]
    own = np.concatenate([np.full(site.found.size, i) for i, site in enumerate(useful)])
    design = np.hstack(
        [np.vstack([site.features for site in useful]), (own[:, None] == np.arange(len(useful))).astype(float)]
    )
    counts = np.concatenate([site.found * weight for site, weight in zip(useful, say, strict=True)])
    exposure = np.concatenate(
        [
            site.watched * (weight * site.found.sum() / site.watched.sum())
            for site, weight in zip(useful, say, strict=True)
        ]
    )
    return ridge_poisson(design, counts, exposure, ridge)[: useful[0].features.shape[1]]


def log_gamma(x: Floats) -> Floats:
    """Logarithm of the Gamma function of positive numbers, by Stirling's series after shifting by 8."""
    shift = np.zeros_like(x)
    for k in range(8):
        shift += np.log(x + k)
    y = x + 8.0
    series = (y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + 1 / (12 * y) - 1 / (360 * y**3)
    return np.asarray(series - shift)


def refit(
    features: Floats,
    history: tuple[Floats, Floats],
    rate: Floats,
    shipped: Floats = COEFFICIENTS,
    settings: FirstSight = DEFAULT,
) -> Floats:
    """The shipped table moved by an archive's own captures; unchanged while there is too little to learn from.

    `rate` is what is expected of each page without its static factor (level x directory), a day.
    """
    rows = refit_rows(features, history, rate)
    return refitted(lambda: [rows], shipped, settings)


def refit_rows(features: Floats, history: tuple[Floats, Floats], rate: Floats) -> tuple[Floats, Floats, Floats]:
    """What `refitted` needs of some pages; see `refit`. Pages that were not watched say nothing.

    What the fit predicts is the square of the static factor's score, hence the factor 2.
    """
    found, watched = history
    seen = watched > 0
    return features[seen] / 2.0, found[seen], (watched * rate)[seen]


def refitted(pages: Pieces, shipped: Floats = COEFFICIENTS, settings: FirstSight = DEFAULT) -> Floats:
    """The shipped table moved by pages that come in pieces of `refit_rows`: however many, a few are held at a time."""
    count, changes = 0, 0.0
    for _, found, _ in evenly(pages()):
        count, changes = count + len(found), changes + float(found.sum())
    if count < settings.refit_pages or changes < settings.refit_changes:
        return shipped
    pull = np.append(np.full(shipped.size, settings.ridge), 1e-9)
    return _Regression(pages, pull, np.append(shipped, 0.0)).solved()[:-1]
