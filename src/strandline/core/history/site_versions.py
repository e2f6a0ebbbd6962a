"""The versions of a site as differences: which pages appeared, disappeared or changed in each.

This is what directory rules, change rates and the site-level policy learn from. It is filled from a history file,
from the captures of an archive, or from a generator; paths become numbers once, when they come in.
"""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import PageChanges, SiteIndex, TreeShape, tree_difference
from strandline.core.history.tree_kernels import subtree_sums

Mask = NDArray[np.bool_]


class SiteHistory:
    """Successive versions of one site; version 0 is whole (all its pages count as inserted), later ones differences."""

    def __init__(self) -> None:
        self.index = SiteIndex()
        self.times: list[str] = []
        self.changes: list[PageChanges] = []
        self.watched: Mask | None = None
        """Pages, by number, that were looked at in more than one version; None: all were, in all versions."""
        self._shape: TreeShape | None = None

    @classmethod
    def from_versions(cls, versions: Iterable[tuple[str, Mapping[str, str]]]) -> "SiteHistory":
        """Build from whole versions, each (time, path -> digest); two of them are in memory at a time."""
        history = cls()
        before: Mapping[str, str] = {}
        for time, after in versions:
            difference = tree_difference(before, after)
            history.add(time, sorted(difference.inserted), sorted(difference.deleted), sorted(difference.updated))
            before = dict(after)
        return history

    def add(self, time: str, inserted: Iterable[str], deleted: Iterable[str], updated: Iterable[str]) -> None:
        """Append one version by its difference to the last."""
        pages = self.index.pages
        self.add_changes(time, PageChanges(pages(inserted), pages(deleted), pages(updated)))

    def add_changes(self, time: str, changes: PageChanges) -> None:
        """Append one version by its difference in page numbers of this history's index."""
        self._shape = None
        self.times.append(time)
        self.changes.append(changes)

    @property
    def versions(self) -> int:
        """Number of versions."""
        return len(self.changes)

    @property
    def shape(self) -> TreeShape:
        """The tree over all versions."""
        if self._shape is None:
            self._shape = self.index.shape()
        return self._shape

    def watched_directories(self) -> Mask:
        """Directories in or below which at least one page was looked at more than once."""
        shape = self.shape
        if self.watched is None:
            return np.ones(shape.directories, dtype=np.bool_)
        own = np.bincount(shape.page_directories[self.watched], minlength=shape.directories)
        found: Mask = subtree_sums(shape.parents, own.astype(np.float64)) > 0
        return found

    def live_at(self, version: int) -> Mask:
        """Which pages (by number, over all versions) exist in a version."""
        live = np.zeros(self.shape.pages, dtype=np.bool_)
        for changes in self.changes[: version + 1]:
            live[changes.inserted] = True
            live[changes.deleted] = False
        return live
