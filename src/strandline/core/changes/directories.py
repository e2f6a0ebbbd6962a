"""A site as a tree of directories, and how much of each directory changed between two versions.

Paper: Chen, Bhowmick and Nejdl, NEAR-Miner (paper 000), definition 1.
    paper: S = <N, E>         here: a site version is the set of its pages, path -> content digest;
                              directories follow from the paths
    paper: D(S_t, S_t+1)      here: TreeDifference: inserted, deleted and updated pages (siblings have distinct
                              names, so versions are matched by path and no move can be seen)
    paper: DoC(S_t, S_t+1)    here: DeltaTree (core/history/delta_tree.py): changed nodes / nodes, over the union of
                              both versions, the directory itself included
The authors leave the content of a change for later work; `importance` here is that step: an updated page counts
as much as its change matters, so a directory of cosmetic edits is no busy directory.

Paths are taken literally: `a//b` has a directory with an empty name, `a/` is the page with the empty name in `a`,
and `.` and `..` are names like any other (URLs are normalised before they become paths). A path without a slash
lies in the site root.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SITE_ROOT = ""
"""How the site root is written where directories are listed by path."""

INDEX_STEMS = frozenset({"", "index", "_index", "default"})
INDEX_INITIALS = frozenset({"", "?", "i", "I", "_", "d", "D"})
Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """What turns one site version into the next."""

    inserted: frozenset[str]
    deleted: frozenset[str]
    updated: frozenset[str]

    @property
    def changed(self) -> frozenset[str]:
        """Every page that appeared, disappeared or has other content."""
        return self.inserted | self.deleted | self.updated


def tree_difference(before: Mapping[str, str], after: Mapping[str, str]) -> TreeDifference:
    """Compare two versions given as path -> digest.

    >>> tree_difference({"a": "1", "b": "1"}, {"b": "2", "c": "1"}).updated
    frozenset({'b'})
    """
    return TreeDifference(
        inserted=frozenset(after.keys() - before.keys()),
        deleted=frozenset(before.keys() - after.keys()),
        updated=frozenset(path for path in before.keys() & after.keys() if before[path] != after[path]),
    )


@dataclass(frozen=True, slots=True)
class PageChanges:
    """The same difference in page numbers; `importance` belongs to `updated` (None: every update counts 1)."""

    inserted: Ids
    deleted: Ids
    updated: Ids
    importance: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.inserted) + len(self.deleted) + len(self.updated)


@dataclass(frozen=True, slots=True)
class TreeShape:
    """All pages and directories ever seen on a site, as numbers.

    Directory 0 is the site root; a directory's number is larger than its parent's, so a loop over numbers backwards
    goes from the leaves to the root.
    """

    parents: NDArray[np.int32]
    """Parent of each directory; -1 for the site root."""
    page_directories: NDArray[np.int32]
    """Directory of each page."""
    name_groups: NDArray[np.int32]
    """Pages with the same file name (index pages: same last two segments) share a number."""
    index_pages: NDArray[np.bool_]
    """Which pages are the index of their directory."""

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.page_directories)

    @property
    def directories(self) -> int:
        """Number of directories, the site root included."""
        return len(self.parents)


def is_index_name(name: str) -> bool:
    """Whether a file name is that of a directory's index page.

    >>> [is_index_name(name) for name in ("", "?q=1", "index.html", "_index.md", "Default.aspx")]
    [True, True, True, True, True]
    >>> [is_index_name(name) for name in ("indexes.html", "news.html", ".htaccess")]
    [False, False, False]
    """
    if name[:1] not in INDEX_INITIALS:  # most names end here
        return False
    return name.lower().partition("?")[0].partition(".")[0] in INDEX_STEMS


class SiteIndex:
    """Numbers for paths: pages and directories are numbered in the order in which they are first met."""

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}
        self._page_paths: list[str] = []
        self._directories: dict[str, int] = {}
        self._directory_paths: list[str] = [SITE_ROOT]
        self._groups: dict[str, int] = {}
        self._parents = array("i", [-1])
        self._page_directories = array("i")
        self._name_groups = array("i")
        self._index_pages = array("b")

    def __len__(self) -> int:
        return len(self._page_paths)

    def page(self, path: str) -> int:
        """Number of a page; a new path gets the next number."""
        number = self._pages.get(path)
        if number is None:
            number = self._pages[path] = len(self._page_paths)
            self._page_paths.append(path)
            head, slash, name = path.rpartition("/")
            self._page_directories.append(self._directory(head) if slash else 0)
            index = is_index_name(name)
            group = path[head.rfind("/") + 1 :] if index else name
            self._name_groups.append(self._groups.setdefault(group, len(self._groups)))
            self._index_pages.append(index)
        return number

    def pages(self, paths: Iterable[str]) -> Ids:
        """Numbers of many pages."""
        return np.fromiter((self.page(path) for path in paths), dtype=np.int64)

    def find(self, path: str) -> int | None:
        """Number of a page that was met before."""
        return self._pages.get(path)

    def find_directory(self, path: str) -> int | None:
        """Number of a directory that was met before; the empty path is the site root unless it was met as a name."""
        return self._directories.get(path, 0 if path == SITE_ROOT else None)

    def page_path(self, page: int) -> str:
        """Path of a page."""
        return self._page_paths[page]

    def directory_path(self, directory: int) -> str:
        """Path of a directory."""
        return self._directory_paths[directory]

    def shape(self) -> TreeShape:
        """The tree known so far."""
        return TreeShape(
            parents=np.array(self._parents, dtype=np.int32),
            page_directories=np.array(self._page_directories, dtype=np.int32),
            name_groups=np.array(self._name_groups, dtype=np.int32),
            index_pages=np.array(self._index_pages, dtype=np.bool_),
        )

    def _directory(self, path: str) -> int:
        known = self._directories.get(path)
        if known is not None:
            return known
        missing = [path]  # a loop, not recursion: hostile paths can be thousands of segments deep
        parent = 0
        while True:
            head, slash, _ = missing[-1].rpartition("/")
            if not slash:
                break
            above = self._directories.get(head)
            if above is not None:
                parent = above
                break
            missing.append(head)
        for one in reversed(missing):
            number = self._directories[one] = len(self._directory_paths)
            self._directory_paths.append(one)
            self._parents.append(parent)
            parent = number
        return parent
