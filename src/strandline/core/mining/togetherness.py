"""How strongly do the changes of one crawl come together: in a directory, and among pages of the same name?

No paper. While a crawl runs, the site-level policy (core/plan/site_level) multiplies the chances of a directory's pages
by what it found there so far. On some sites that is worth most of what the policy gains; on others every page changes
by itself, and the multipliers are noise. So each site's own crawls decide: the multiplier of a directory is taken for a
draw from Gamma(kappa m, kappa) around that of the directory above, m, hence the changes found in it are negative
binomial, and the kappa under which the past crawls are likeliest is used for the next. The same holds for names,
around 1. A large kappa lets multipliers stay where they are.

On eight real sites the choice is nearly always 1. On generated sites whose pages change by themselves it recovers up to
.11 of change recall that multipliers cost there.

    e, c     changes expected and found in a subtree, or among the pages of a name
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.first_sight import log_gamma
from strandline.core.history.tree_kernels import shrink_down, subtree_sums

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]
PRIORS = (1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
"""Values of kappa to choose from; the first while nothing is known. Smaller ones were never better on real sites.
Origin: measured, `strandline experiment near --data`."""
SITE_PRIOR = 10.0
"""Expected changes after which what a crawl found on the whole site outweighs what was expected of it.
Origin: a guess."""
SURE = 0.98
"""No page is taken to change more surely than this. Origin: a guess."""
LOOSE = 10.0
"""A kappa of directories above this says that pages change by themselves. Origin: a guess."""
_ENOUGH = 0.05
"""Changes expected or found below which a group tells nothing. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one crawl found, page by page."""

    directories: Ints
    names: Ints
    """Numbers of the directory each page lies in, and of its name."""
    expected: Floats
    """Chance of a change, as thought before the crawl."""
    changed: NDArray[np.bool_]


@dataclass(slots=True)
class Togetherness:
    """Log-likelihood of the past crawls under each of PRIORS."""

    directories: Floats = field(default_factory=lambda: np.zeros(len(PRIORS)))
    names: Floats = field(default_factory=lambda: np.zeros(len(PRIORS)))

    @property
    def directory_prior(self) -> float:
        """The likeliest kappa of directories."""
        return PRIORS[int(self.directories.argmax())]

    @property
    def name_prior(self) -> float:
        """The likeliest kappa of names where directories do not come together.

        Where they do, a few names are shared (translations) and most are not, which one kappa for all cannot say:
        there the first of PRIORS was better on real sites, likely or not.
        """
        return PRIORS[int(self.names.argmax())] if self.directory_prior > LOOSE else PRIORS[0]

    def as_data(self) -> list[list[float]]:
        """For JSON."""
        return [self.directories.tolist(), self.names.tolist()]

    @classmethod
    def from_data(cls, data: list[list[float]]) -> "Togetherness":
        """The inverse of `as_data`; nothing is known when other priors were kept."""
        if [len(one) for one in data] != [len(PRIORS)] * 2:
            return cls()
        return cls(*(np.array(one, dtype=np.float64) for one in data))

    def learn(self, parents: NDArray[np.int32], found: Found, weight: float) -> None:
        """Add a crawl; `weight` is what it counts."""
        rows = len(parents)
        own = [np.bincount(found.directories, amounts, rows) for amounts in (found.changed, found.expected)]
        pages = subtree_sums(parents, np.bincount(found.directories, minlength=rows).astype(np.float64))
        changes, expected = (subtree_sums(parents, one.astype(np.float64)) for one in own)
        top = (SITE_PRIOR + changes[0]) / (SITE_PRIOR + expected[0])
        above = np.maximum(parents, 0)
        # A directory that is all there is in the one above says the same once more.
        asked = (pages > 1) & (pages < pages[above]) & (np.maximum(changes, expected) >= _ENOUGH)
        asked[0] = False
        places = np.flatnonzero(asked)
        for number, prior in enumerate(PRIORS):
            multipliers = _multipliers(parents, (changes, expected), top, prior)
            around = _without(places, parents, (changes, expected, multipliers), prior)
            score = _score(changes[places], expected[places], around, prior)
            self.directories[number] += weight * float(score.sum())
        self._learn_names(found, _multipliers(parents, (changes, expected), top, self.directory_prior), weight)

    def forget(self, share: float) -> None:
        """Older crawls count less."""
        self.directories *= share
        self.names *= share

    def _learn_names(self, found: Found, multipliers: Floats, weight: float) -> None:
        if not len(found.names):
            return
        chances = np.minimum(SURE, found.expected * multipliers[found.directories])
        expected = np.bincount(found.names, chances).astype(np.float64)
        changes = np.bincount(found.names, found.changed).astype(np.float64)
        asked = (np.bincount(found.names) > 1) & (np.maximum(changes, expected) >= _ENOUGH)
        for number, prior in enumerate(PRIORS):
            self.names[number] += weight * float(_score(changes[asked], expected[asked], 1.0, prior).sum())


def _multipliers(parents: NDArray[np.int32], sums: tuple[Floats, Floats], top: float, prior: float) -> Floats:
    """As at the end of a crawl; the root's is `top` itself."""
    changes, expected = sums[0].copy(), sums[1].copy()
    changes[0] = expected[0] = 0.0
    return shrink_down(parents, changes, expected, top, prior)


def _without(
    places: NDArray[np.int64], parents: NDArray[np.int32], known: tuple[Floats, Floats, Floats], prior: float
) -> Floats:
    """The multiplier of the directory above each of these, as it were without what was found in them."""
    changes, expected, multipliers = known
    above = parents[places]
    higher = np.where(above > 0, multipliers[np.maximum(parents[above], 0)], multipliers[0])
    rest: Floats = (prior * higher + changes[above] - changes[places]) / (prior + expected[above] - expected[places])
    return np.where(above > 0, rest, multipliers[0])


def _score(changes: Floats, expected: Floats, mean: Floats | float, prior: float) -> Floats:
    """Log-likelihood of the changes, up to a constant that is the same for every prior."""
    shape = prior * np.maximum(mean, 1e-6)
    share = prior / (prior + expected)
    score: Floats = (
        log_gamma(shape + changes) - log_gamma(np.broadcast_to(shape, changes.shape)) + shape * np.log(share)
    )
    return score + changes * np.log(np.maximum(1.0 - share, 1e-300))
