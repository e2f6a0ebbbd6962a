"""The static classifier of paper 002 on an archive's own pages: which class would a page be put into at first sight?

Its features are the paper's six, and the two the authors left for later: how many pages of the site link to a page, and
its PageRank. It explains; plans start from `core.learn.first_sight`, which measured better. Needs the extra `study`.
"""

from collections.abc import Iterator

import numpy as np

from strandline.core.beliefs.features import LINK_FEATURES, PAPER_FEATURES, paper_features
from strandline.core.discovery.weight import weights
from strandline.core.mining.classes import ClassTree
from strandline.core.urls import site
from strandline.errors import SettingError, UsageError
from strandline.learn.known_pages import path_of
from strandline.learn.learning import Lore

try:
    from strandline.core.mining.static_classifiers import class_tree
except ImportError:
    raise SettingError("a decision tree needs scikit-learn: pip install 'strandline[study]'") from None

LEAST_PAGES = 20
"""Pages, captured twice, that a tree is made of at least. Origin: a guess."""
_NAMES = PAPER_FEATURES + LINK_FEATURES


def archive_tree(lore: Lore) -> ClassTree:
    """The tree of all pages that were read at first sight and seen more than once since."""
    groups = lore.change_groups()
    rates = {page: (url, rate.rate) for page, url, rate in lore.rates() if rate.rate is not None}
    rows = list(_features(lore, {page: url for page, (url, _) in rates.items()})) if groups is not None else []
    if groups is None or len(rows) < LEAST_PAGES:
        raise UsageError(f"a tree needs at least {LEAST_PAGES} pages that were captured twice, there are {len(rows)}")
    group = groups.assign([rates[page][1] for page, _ in rows])
    numbers, counts = np.unique(group, return_counts=True)
    kept = np.isin(group, numbers[counts > 1])
    if np.unique(group[kept]).size < 2:
        raise UsageError("a tree needs pages of at least two classes: here all change alike")
    features = np.array([values for _, values in rows])
    return class_tree(features[kept], group[kept], _NAMES, len(LINK_FEATURES))


def _features(lore: Lore, urls: dict[int, str]) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Page and its features, site by site."""
    for name in lore.reading.learned_sites():
        sights = lore.reading.first_sights(name)
        pages = [page for page in sights if page in urls and site(urls[page]) == name]
        sources, targets = (np.frombuffer(ends, dtype=np.int64) for ends in lore.reading.edges(name))
        ranks = weights(sources, targets, [row.page for row in lore.reading.pages(name)])
        named, times = np.unique(targets[sources != targets], return_counts=True)
        in_links = dict(zip(named.tolist(), times.tolist(), strict=True))
        for page in pages:
            summary = sights[page]
            yield page, paper_features(summary, path_of(urls[page]), in_links.get(page, 0), ranks.get(page, 0.0))
