"""Numbers for the pages of a site that is whole: as `SiteIndex` gives them, in an eighth of its memory.

An index of a million pages that grows holds each path, twice in tables by name, and the names of files: .4 GB. Where
all paths are known before, and few are ever asked for, they lie one behind the other in bytes.
"""

from array import array
from collections.abc import Iterable

import numpy as np

from strandline.core.changes.directories import Ids, SiteIndex, is_index_name

_CODING = ("utf-8", "surrogatepass")


class WrittenPaths:
    """Paths one behind the other, with a mark each by which those that are the same are found.

    >>> paths = WrittenPaths()
    >>> [paths.append(path) for path in ("h/b", "h/a", "h/b", "h/c")] and paths[1]
    'h/a'
    >>> paths.chosen(np.array([5, 1, 6, 1])).tolist(), paths.chosen(np.array([5, 1, 5, 1])).tolist()
    ([2, 1, 3], [0, 1, 3])
    """

    def __init__(self) -> None:
        self._written = bytearray()
        self._ends = array("q", [0])
        self._marks = array("q")

    def append(self, path: str) -> None:
        """One more."""
        self._written += path.encode(*_CODING)
        self._ends.append(len(self._written))
        self._marks.append(hash(path))

    def __getitem__(self, place: int) -> str:
        return self._written[self._ends[place] : self._ends[place + 1]].decode(*_CODING)

    def chosen(self, worth: Ids) -> Ids:
        """One place for each path, in the order the paths were first met: the one worth most, the first of equals."""
        marks = np.array(self._marks)
        order = np.argsort(marks, kind="stable")
        same = marks[order[1:]] == marks[order[:-1]]
        twins = np.zeros(len(marks), dtype=np.bool_)
        twins[order[1:][same]] = twins[order[:-1][same]] = True
        first: dict[str, int] = {}
        found = np.arange(len(marks))
        for place in np.flatnonzero(twins).tolist():  # the marks of paths that differ may be the same
            begun = first.setdefault(self[place], place)
            if begun != place:
                if worth[place] > worth[found[begun]]:
                    found[begun] = place
                found[place] = -1
        return found[found >= 0]


class NumberedPaths(SiteIndex):
    """Pages at these places of written paths, which differ from one another, numbered in this order.

    >>> paths = WrittenPaths()
    >>> [paths.append(path) for path in ("h/a/x", "h/a/", "h/b")] and None
    >>> index = NumberedPaths(paths, np.array([2, 0]))
    >>> len(index), index.page_path(1), index.find("h/b"), index.find("h/a/"), index.directory_path(2)
    (2, 'h/a/x', 0, None, 'h/a')
    """

    def __init__(self, paths: WrittenPaths, places: Ids) -> None:
        super().__init__()
        self._paths = paths
        self._places = places
        for path in self._every():
            head, slash, name = path.rpartition("/")
            index = is_index_name(name)
            group = path[head.rfind("/") + 1 :] if index else name
            self._page_directories.append(self._directory(head) if slash else 0)
            self._name_groups.append(self._groups.setdefault(group, len(self._groups)))
            self._index_pages.append(index)
        self._groups = {}

    def __len__(self) -> int:
        return len(self._places)

    def _every(self) -> Iterable[str]:
        return (self._paths[place] for place in self._places.tolist())

    def page(self, path: str) -> int:
        """Number of a page; KeyError for one that is none of these."""
        found = self.find(path)
        if found is None:
            raise KeyError(path)
        return found

    def find(self, path: str) -> int | None:
        """Number of a page; all are looked through."""
        return next((number for number, one in enumerate(self._every()) if one == path), None)

    def page_path(self, page: int) -> str:
        """Path of a page."""
        return self._paths[int(self._places[page])]
