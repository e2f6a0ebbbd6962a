"""Synthetic site histories with the parameters of paper 000: tree size, fanout, depth, versions, change.

Paper: NEAR-Miner and WARM (paper 000), section 6.3.
    paper: N F D    here: nodes, fanout, depth of the first version
    paper: V C      here: versions, and the share of the nodes that changes from one version to the next
The paper does not say which operations make up the change: here half are updates, a quarter inserts and a quarter
deletes of random pages, so that the size stays the same. Directories are one in `fanout` nodes, in a tree as deep
as `depth` allows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import PageChanges, TreeShape
from strandline.core.history.site_versions import SiteHistory


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """What to generate."""

    nodes: int = 16_000
    fanout: int = 10
    depth: int = 8
    versions: int = 50
    change: float = 0.06

    def __post_init__(self) -> None:
        """Refuse what cannot be generated."""
        if self.nodes < 2 or self.fanout < 2 or self.depth < 2 or self.versions < 0:
            raise ValueError("a site needs at least 2 nodes, fanout 2, depth 2 and no negative number of versions")
        if not 0.0 <= self.change <= 1.0:
            raise ValueError(f"change must lie between 0 and 1, not {self.change}")


@dataclass(frozen=True, slots=True)
class GeneratedSite:
    """A site in numbers; `changes[0]` inserts the first version."""

    shape: TreeShape
    changes: list[PageChanges]

    def listings(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Every version whole: its pages and their digests (a number that grows with each update)."""
        digests = np.ones(self.shape.pages, dtype=np.uint64)
        live = np.zeros(self.shape.pages, dtype=np.bool_)
        for changes in self.changes:
            live[changes.inserted] = True
            live[changes.deleted] = False
            digests[changes.updated] += np.uint64(1)
            pages = np.flatnonzero(live)
            yield pages, digests[pages]


def generate_site(settings: GeneratorSettings, rng: np.random.Generator) -> GeneratedSite:
    """Draw a site history."""
    directories = max(1, settings.nodes // settings.fanout)
    pages = settings.nodes - directories
    moved = round(settings.change * settings.nodes) // 4
    slots = pages + 2 * moved  # the spare ones are pages that do not exist at first
    live = np.zeros(slots, dtype=np.bool_)
    live[:pages] = True
    changes = [PageChanges(np.arange(pages), _none(), _none())] if settings.versions else []
    for _ in range(1, settings.versions):
        there = rng.permutation(np.flatnonzero(live))
        absent = rng.permutation(np.flatnonzero(~live))
        deleted, updated = there[:moved], there[moved : moved + 2 * moved]
        inserted = absent[:moved]
        live[inserted] = True
        live[deleted] = False
        changes.append(PageChanges(np.sort(inserted), np.sort(deleted), np.sort(updated)))
    shape = TreeShape(
        parents=_tree(directories, settings),
        page_directories=rng.integers(0, directories, slots).astype(np.int32),
        name_groups=np.arange(slots, dtype=np.int32),
        index_pages=np.zeros(slots, dtype=np.bool_),
    )
    return GeneratedSite(shape, changes)


def generate_history(settings: GeneratorSettings, rng: np.random.Generator) -> SiteHistory:
    """The same with paths: directories are `d<number>`, pages `p<number>.html`, times are week numbers."""
    site = generate_site(settings, rng)
    names = [""]
    for directory, parent in enumerate(site.shape.parents[1:].tolist(), start=1):
        names.append(f"{names[parent]}d{directory}/")
    paths = [f"{names[d]}p{page}.html" for page, d in enumerate(site.shape.page_directories.tolist())]

    def named(pages: NDArray[np.int64]) -> list[str]:
        return [paths[page] for page in pages.tolist()]

    history = SiteHistory()
    for week, changes in enumerate(site.changes):
        history.add(str(week), named(changes.inserted), named(changes.deleted), named(changes.updated))
    return history


def _tree(directories: int, settings: GeneratorSettings) -> NDArray[np.int32]:
    """A complete tree with as few children per directory as the depth allows."""
    for children in range(1, settings.fanout + 1):
        levels = settings.depth - 1  # pages take the last one
        room = levels if children == 1 else (children**levels - 1) // (children - 1)
        if room >= directories:
            return ((np.arange(directories) - 1) // children).astype(np.int32)
    raise ValueError(f"{settings.nodes} nodes do not fit in depth {settings.depth} with fanout {settings.fanout}")


def _none() -> NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)
