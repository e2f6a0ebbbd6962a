"""The general delta tree: for every directory ever seen, one bit per transition that says "changed significantly".

Paper: NEAR-Miner (paper 000), definition 11 and algorithm 2.
    paper: GDT            here: DeltaTree; directories are numbers, their tree is an array of parent numbers
    paper: bitmap of x    here: a row of 64-bit words; bit i is 1 when DoC in transition i is >= alpha
    paper: WD-Diff        here: compare_listings(), one pass over two arrays of digests; not needed at all
                          when the history already consists of differences
Versions are streamed: adding one costs one difference and one pass over the directories, whatever the number of
versions before it. Several alphas can be kept side by side, so thresholds can be compared without a second pass.
Any range of versions can be cut out as a `ChangeWindow`, which is what the miner reads.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.changes.directories import Ids, PageChanges, SiteIndex, TreeShape
from strandline.core.history.site_versions import SiteHistory
from strandline.core.history.tree_kernels import (
    Bits,
    book_pages,
    book_weighted,
    compare_listings,
    count_bits,
    cut_bits,
    degrees,
    set_bits,
    subtree_sums,
)

SMALLEST = float(np.nextafter(0.0, 1.0))
"""The alpha that every change reaches."""


@dataclass(frozen=True, slots=True)
class ChangeWindow:
    """The delta tree of a range of versions at one alpha."""

    alpha: float
    transitions: int
    parents: NDArray[np.int32]
    present: NDArray[np.bool_]
    """Directories that existed in at least one version of the window."""
    bits: Bits
    """One row per directory; bit i is transition i of the window."""
    pages_in_root: bool = False
    index: SiteIndex | None = None

    @property
    def root(self) -> int:
        """The directory at the top of the site; -1 when nothing existed in the window.

        A site whose pages all lie below one top directory (its host, say) has that directory as its root.
        """
        if not self.present.any():
            return -1
        tops = np.flatnonzero(self.present & (self.parents == 0))
        return int(tops[0]) if len(tops) == 1 and not self.pages_in_root else 0

    @property
    def change_counts(self) -> NDArray[np.int64]:
        """In how many transitions each directory changed significantly."""
        return count_bits(self.bits)

    def bit_rows(self) -> NDArray[np.bool_]:
        """Bitmaps unpacked to one column per transition."""
        octets = self.bits.astype("<u8").view(np.uint8)
        return np.unpackbits(octets, axis=1, bitorder="little")[:, : self.transitions].astype(np.bool_)

    def directory_path(self, directory: int) -> str:
        """Path of a directory; its number when the tree was built without paths."""
        return f"#{directory}" if self.index is None else self.index.directory_path(directory)


class DeltaTree:
    """Bitmaps of a growing history; see the module for what they mean."""

    def __init__(self, alphas: Sequence[float], index: SiteIndex | None = None) -> None:
        for alpha in alphas:
            if not 0.0 <= alpha <= 1.0:
                raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
        self.alphas = tuple(alphas)
        self.index = index
        self.versions = 0
        self._shape = TreeShape(
            np.array([-1], dtype=np.int32), np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.bool_)
        )
        self._live = np.zeros(1)
        self._digests = np.zeros(0, dtype=np.uint64)
        self._bits = [np.zeros((1, 1), dtype=np.uint64) for _ in self.alphas]
        self._alive = np.zeros((1, 1), dtype=np.uint64)
        self._root_pages = np.zeros(0, dtype=np.bool_)

    @classmethod
    def of(cls, history: SiteHistory, alphas: Sequence[float]) -> "DeltaTree":
        """The delta tree of a whole history."""
        tree = cls(alphas, history.index)
        for changes in history.changes:
            tree.add_changes(history.shape, changes)
        return tree

    def add_version(self, shape: TreeShape, pages: Ids, digests: NDArray[np.uint64]) -> PageChanges:
        """Add a version by its full listing; digests are non-zero numbers. Returns the difference to the last one."""
        after = np.zeros(shape.pages, dtype=np.uint64)
        after[pages] = digests
        before = np.zeros(shape.pages, dtype=np.uint64)
        before[: len(self._digests)] = self._digests
        changes = PageChanges(*compare_listings(before, after))
        self._digests = after
        self.add_changes(shape, changes)
        return changes

    def add_changes(self, shape: TreeShape, changes: PageChanges) -> NDArray[np.float64] | None:
        """Add a version by its difference to the last one; `shape` must know all its pages.

        Returns the degree of change of every directory, or None for the first version, which is no transition.
        """
        self._grow(shape)
        directories = shape.page_directories
        before = self._live[: shape.directories].copy()
        nodes, after, changed = before.copy(), before.copy(), np.zeros(shape.directories)
        book_pages(directories, changes.inserted, 1.0, nodes)
        book_pages(directories, changes.inserted, 1.0, after)
        book_pages(directories, changes.deleted, -1.0, after)
        degree = None
        self._live[: shape.directories] = after
        if self.versions:
            book_pages(directories, changes.inserted, 1.0, changed)
            book_pages(directories, changes.deleted, 1.0, changed)
            if changes.importance is None:
                book_pages(directories, changes.updated, 1.0, changed)
            else:
                book_weighted(directories, changes.updated, changes.importance, changed)
            degree = degrees(shape.parents, before, after, nodes, changed)
            for alpha, bits in zip(self.alphas, self._bits, strict=True):
                set_bits(degree, alpha, bits, self.versions - 1)
        else:
            after = subtree_sums(shape.parents, after)
        set_bits(after, 1.0, self._alive, self.versions)
        self._root_pages[self.versions] = self._live[0] > 0
        self.versions += 1
        return degree

    def window(self, alpha: float | None = None, first: int = 0, last: int | None = None) -> ChangeWindow:
        """The versions first .. last (both included; default: all) at one of the tree's alphas."""
        place = 0 if alpha is None else self.alphas.index(alpha)
        last = self.versions - 1 if last is None else last
        if not 0 <= first <= max(last, 0) or last >= max(self.versions, 1):
            raise ValueError(f"no versions {first} to {last} in a history of {self.versions}")
        rows = self._shape.directories
        transitions = max(0, last - first)
        alive = cut_bits(self._alive[:rows], first, last - first + 1)
        return ChangeWindow(
            alpha=self.alphas[place],
            transitions=transitions,
            parents=self._shape.parents,
            present=(alive != 0).any(axis=1),
            bits=cut_bits(self._bits[place][:rows], first, transitions),
            index=self.index,
            pages_in_root=bool(self._root_pages[first : last + 1].any()),
        )

    @property
    def memory(self) -> int:
        """Bytes held in arrays, page and directory numbers of the shape not counted."""
        arrays = [self._live, self._digests, self._alive, *self._bits]
        return sum(one.nbytes for one in arrays)

    def _grow(self, shape: TreeShape) -> None:
        rows, words = len(self._live), self._alive.shape[1]
        if shape.directories > rows or self.versions >= 64 * words:
            new_rows = rows if shape.directories <= rows else max(shape.directories, rows + rows // 2)
            new_words = words if self.versions < 64 * words else 2 * words
            self._live = np.concatenate([self._live, np.zeros(new_rows - rows)])
            self._bits = [_enlarged(bits, new_rows, new_words) for bits in self._bits]
            self._alive = _enlarged(self._alive, new_rows, new_words)
        if self.versions >= len(self._root_pages):
            self._root_pages = np.concatenate([self._root_pages, np.zeros(max(64, self.versions), dtype=np.bool_)])
        self._shape = shape


def _enlarged(bits: Bits, rows: int, words: int) -> Bits:
    larger = np.zeros((rows, words), dtype=np.uint64)
    larger[: bits.shape[0], : bits.shape[1]] = bits
    return larger
