"""What can be seen of a page at its first capture, as numbers.

Paper: Barbosa et al., WIDM 2005, section 3.3. Its six features (links, e-mail addresses, Last-Modified present,
size without tags, images, directory level) are `PAPER_FEATURES`; in-links and PageRank, which the authors left for
later, are `LINK_FEATURES`. The nine that the first-sight model uses are `MODEL_FEATURES`: they were the ones whose
sign agreed between sites, and they can be read off any page.

The page itself is parsed elsewhere, once, for every purpose; here arrive only the counts (`PageSummary`) and the
address.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.blocks.tree import LINK_WEIGHT, PICTURE_WEIGHT, LayoutTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PAPER_FEATURES = ("links", "e-mail addresses", "Last-Modified present", "text bytes", "images", "directory level")
LINK_FEATURES = ("in-links", "PageRank")
MODEL_FEATURES = (
    "log1p text bytes",
    "log1p headings",
    "log1p links",
    "log1p pages below this one",
    "index page",
    "depth",
    "log1p pages in the directory",
    "log1p digits in the address",
    "year in the address",
)

_INDEX_NAMES = frozenset({"index", "default", "home", "welcome"})
_YEAR = re.compile(r"(?<!\d)(19|20)\d\d(?!\d)")
_LOWEST_HEADING = 6
"""Prominence of `h6`; smaller numbers stand out more. Origin: a definition, HTML."""
_NO_DIGITS = str.maketrans("", "", "0123456789")
_KIND = itemgetter(0)


@dataclass(frozen=True, slots=True)
class PageSummary:
    """Counts of one parsed page. `last_modified` is None when the header was not recorded."""

    text_bytes: int = 0
    links: int = 0
    headings: int = 0
    images: int = 0
    emails: int = 0
    last_modified: bool | None = None


def summary_of(layout: LayoutTree, *, last_modified: bool | None = None, emails: bool = False) -> PageSummary:
    """Counts of a page that was parsed for its blocks; no second parse.

    E-mail addresses are only counted when asked for: the model has no use for them, the static classifier has.
    A text weighs its characters, anything else a fixed number of them: only items of those weights are looked at, for a
    walk over all items would cost as much as the parse.
    """
    weights, items = layout.weights, layout.items
    linked = [items[place] for place in (weights == LINK_WEIGHT).nonzero()[0].tolist()]
    pictured = [items[place] for place in (weights == PICTURE_WEIGHT).nonzero()[0].tolist()]
    # Joined texts are searched at the speed of memory.
    links = "".join(map(_KIND, linked)).count("link")
    pictures = "".join(map(_KIND, pictured))
    images = pictures.count("image")
    heading = layout.nodes[layout.prominence <= _LOWEST_HEADING]
    return PageSummary(
        int(weights.sum()) - LINK_WEIGHT * links - PICTURE_WEIGHT * (images + pictures.count("frame")),
        links,
        int(np.count_nonzero(heading[1:] != heading[:-1])) + bool(heading.size),
        images,
        sum(item[2].startswith("mailto:") for item in linked) if emails else 0,
        last_modified,
    )


class Address(NamedTuple):
    """The parts of a page's path that say something about it.

    An index page stands for its directory, so it is a member of the directory above.
    """

    directory: tuple[str, ...]
    level: int
    is_index: bool
    digits: int
    has_year: bool
    below: tuple[str, ...]
    """The directory whose pages lie below this one."""


def read_address(path: str) -> Address:
    """Take apart the path of a URL (query strings belong to the page's own name).

    >>> read_address("/docs/tasks/index.html").directory, read_address("/docs/tasks/run.html").directory
    (('docs',), ('docs', 'tasks'))
    >>> read_address("/news/2024/05/17-vote.html").digits, read_address("/news/2024/05/17-vote.html").has_year
    (8, True)
    """
    plain, question, _ = path.partition("?")
    bare = plain.strip("/")
    segments = bare.split("/") if bare else []
    is_directory = not bare or plain[-1] == "/"
    level = len(segments) if is_directory else len(segments) - 1
    name = "" if is_directory else segments[-1]
    stem = name.partition(".")[0]
    named_index = stem.lower() in _INDEX_NAMES
    is_index = (is_directory or named_index) and not question
    own = tuple(segments[:-1] if named_index else segments)
    inside = own[:-1] if is_index else tuple(segments[:-1])
    below = own if is_index or not own else (*own[:-1], name.rpartition(".")[0] or own[-1])
    digits = len(path) - len(path.translate(_NO_DIGITS))
    return Address(inside, level, is_index, digits, digits > 3 and _YEAR.search(path) is not None, below)


class DirectoryTree:
    """Directories as numbers, parents before children, and the pages in them; row 0 is the root."""

    def __init__(self, of_page: Ints, parent: Ints, level: Ints) -> None:
        """The directory of each page, and parent and depth of each directory."""
        self.of_page, self.parent, self.level = of_page, parent, level
        self.by_level = [np.flatnonzero(level == depth) for depth in range(int(level.max()) + 1)]

    def totals(self, amounts: Floats) -> Floats:
        """Sum of the amounts of all pages in and below each directory."""
        sums: Floats = np.zeros(self.parent.size)
        np.add.at(sums, self.of_page, amounts)
        for rows in reversed(self.by_level[1:]):
            np.add.at(sums, self.parent[rows], sums[rows])
        return sums


class Directories(DirectoryTree):
    """The directories of a site's pages, by name."""

    def __init__(self, addresses: Iterable[Address]) -> None:
        number: dict[tuple[str, ...], int] = {(): 0}
        parents = [0]
        levels = [0]

        def enter(directory: tuple[str, ...]) -> int:
            known = number.get(directory)
            if known is not None:
                return known
            known = 0
            for depth in range(1, len(directory) + 1):  # no recursion: traps make paths of any depth
                above, known = known, number.setdefault(directory[:depth], len(parents))
                if known == len(parents):
                    parents.append(above)
                    levels.append(depth)
            return known

        of_page = np.fromiter((enter(address.directory) for address in addresses), dtype=np.int64)
        super().__init__(of_page, np.array(parents, dtype=np.int64), np.array(levels, dtype=np.int64))
        self.number = number


class ReadAddresses(Sequence[Address]):
    """Addresses that are read each time they are gone through: as objects those of a page take half a kilobyte.

    >>> read = ReadAddresses(["/a/index.html", "/a/b.html"])
    >>> len(read), read[1].directory, [one.is_index for one in read], [one.level for one in read[:1]]
    (2, ('a',), [True, False], [1])
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, place: int) -> Address: ...
    @overload
    def __getitem__(self, place: slice) -> list[Address]: ...
    def __getitem__(self, place: int | slice) -> Address | list[Address]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return read_address(self._paths[place])

    def __iter__(self) -> Iterator[Address]:
        return map(read_address, self._paths)


_SEEN_OF_ADDRESS = np.dtype(
    [("below", np.int64), ("index", np.bool_), ("level", np.int64), ("digits", np.int64), ("year", np.bool_)]
)


def model_features(
    addresses: Sequence[Address],
    text_bytes: ArrayLike,
    headings: ArrayLike,
    links: ArrayLike,
    *,
    directories: Directories | None = None,
) -> Floats:
    """The nine numbers per page of one site, columns as MODEL_FEATURES; shape (pages, 9).

    `directories` are those of the addresses, where the caller has them.
    """
    table = np.zeros((len(addresses), len(MODEL_FEATURES)))
    if not addresses:
        return table
    directories = directories or Directories(addresses)
    number = directories.number
    inside = np.bincount(directories.of_page, minlength=directories.parent.size)
    below = directories.totals(np.ones(len(addresses)))
    seen = np.fromiter(
        ((number.get(one.below, -1), one.is_index, one.level, one.digits, one.has_year) for one in addresses),
        dtype=_SEEN_OF_ADDRESS,
        count=len(addresses),
    )
    own = seen["below"]
    table[:, 0] = np.log1p(np.asarray(text_bytes, dtype=np.float64))
    table[:, 1] = np.log1p(np.asarray(headings, dtype=np.float64))
    table[:, 2] = np.log1p(np.asarray(links, dtype=np.float64))
    table[:, 3] = np.log1p(np.where(own >= 0, below[own], 0.0))
    table[:, 4] = seen["index"]
    table[:, 5] = seen["level"]
    table[:, 6] = np.log1p(inside[directories.of_page])
    table[:, 7] = np.log1p(seen["digits"])
    table[:, 8] = seen["year"]
    return table


def paper_features(summary: PageSummary, path: str, in_links: int = 0, rank: float = 0.0) -> tuple[float, ...]:
    """The paper's six numbers of a page, then in-links and PageRank.

    The directory level counts from 1, as the paper does: the root is level 1.

    >>> paper_features(PageSummary(text_bytes=900, links=12, images=2, last_modified=True), "/mail/")
    (12.0, 0.0, 1.0, 900.0, 2.0, 2.0, 0.0, 0.0)
    """
    return (
        float(summary.links),
        float(summary.emails),
        float(bool(summary.last_modified)),
        float(summary.text_bytes),
        float(summary.images),
        float(read_address(path).level + 1),
        float(in_links),
        rank,
    )
