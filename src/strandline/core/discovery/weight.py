"""How much a page matters within its site: PageRank over the site's own links.

    rank(v) = (1 - d) / n  +  d * ( sum over links u -> v of rank(u) / outlinks(u)  +  dangling / n )

Paper: Page, Brin, Motwani & Winograd, "The PageRank citation ranking: bringing order to the web", 1999.
    d         probability of following a link, 0.85
    dangling  rank of pages without links, spread evenly over all pages

Weights have mean 1 over the site, so that a site's size does not make its pages more or less important, and a page
nobody looked at yet (weight 1) counts as an average one. Weights the user gives win and leave the others as they are.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

FOLLOW = 0.85
"""Probability of following a link: d. Origin: a standard, PageRank."""
_PRECISION = 1e-10
"""Sum of differences between two rounds at which ranks are final. Origin: a bound on rounding."""
_ROUNDS = 200
"""Rounds at most. Origin: a bound on time."""


def page_rank(sources: ArrayLike, targets: ArrayLike, pages: int, follow: float = FOLLOW) -> NDArray[np.float64]:
    """Rank of pages 0..pages-1 with mean 1, from parallel arrays of links; repeats and links to itself do not count.

    A page both others link to is worth more than they are:
        >>> page_rank([0, 1], [2, 2], 3).round(3).tolist()
        [0.638, 0.638, 1.723]
    """
    if pages <= 0:
        return np.zeros(0)
    source, target = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
    if source.shape != target.shape or source.ndim != 1:
        raise ValueError("links are two arrays of the same length")
    if source.size and (min(source.min(), target.min()) < 0 or max(source.max(), target.max()) >= pages):
        raise ValueError("a link names a page that is not there")
    links = np.unique(source * pages + target)
    source, target = np.divmod(links, pages)
    source, target = source[source != target], target[source != target]
    outlinks = np.bincount(source, minlength=pages)
    dangling = outlinks == 0
    share = 1.0 / outlinks[source]
    rank = np.ones(pages)
    # The error shrinks by `follow` each round, so the rounds needed are known; the test for change only ends sooner.
    for _ in range(_ROUNDS):
        followed = np.bincount(target, rank[source] * share, minlength=pages)
        renewed = (1.0 - follow) + follow * (followed + rank[dangling].sum() / pages)
        change = float(np.abs(renewed - rank).sum())
        rank = renewed
        if change < _PRECISION * pages:
            break
    return rank


def weights(
    sources: ArrayLike, targets: ArrayLike, numbers: ArrayLike, given: Mapping[int, float] | None = None
) -> dict[int, float]:
    """Weight of each page of a site by its number; links from or to pages not in `numbers` are ignored.

    >>> weights([10, 20], [20, 10], [10, 20, 30], given={10: 5.0})[10]
    5.0
    """
    known = np.unique(np.asarray(numbers, np.int64))
    source, target = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
    inside = np.isin(source, known) & np.isin(target, known)
    rank = page_rank(np.searchsorted(known, source[inside]), np.searchsorted(known, target[inside]), known.size)
    found = dict(zip(known.tolist(), rank.tolist(), strict=True))
    return found | {page: weight for page, weight in (given or {}).items() if page in found}
