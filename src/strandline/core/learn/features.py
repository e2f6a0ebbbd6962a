"""What can be seen of a page at its first capture, as numbers.

Paper: Barbosa et al., WIDM 2005, section 3.3. Its six features (links, e-mail addresses, Last-Modified present,
size without tags, images, directory level) are `PAPER_FEATURES`; in-links and PageRank, which the authors left for
later, are `LINK_FEATURES`. The nine that the first-sight model uses are `MODEL_FEATURES`: they were the ones whose
sign agreed between sites, and they can be read off any page.

The page itself is parsed elsewhere, once, for every purpose; here arrive only the counts (`PageSummary`) and the
address.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strandline.core.blocks.tree import LayoutTree

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

_INDEX_NAME = re.compile(r"(index|default|home|welcome)(\.[a-z0-9]{1,6})?", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(19|20)\d\d(?!\d)")
_LOWEST_HEADING = 6  # prominence of <h6>; smaller numbers stand out more
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,6}$")


@dataclass(frozen=True, slots=True)
class PageSummary:
    """Counts of one parsed page. `last_modified` is None when the header was not recorded."""

    text_bytes: int = 0
    links: int = 0
    headings: int = 0
    images: int = 0
    emails: int = 0
    last_modified: bool | None = None


def summary_of(layout: LayoutTree, *, last_modified: bool | None = None) -> PageSummary:
    """Counts of a page that was parsed for its blocks; a walk over its items, no second parse."""
    kinds = [item[0] for item in layout.items]
    links = [item[2] for item in layout.items if item[0] == "link"]
    is_text = np.array([kind == "text" for kind in kinds], dtype=bool)
    headings = is_text & (layout.prominence <= _LOWEST_HEADING)
    return PageSummary(
        text_bytes=sum(len(item[1]) for item in layout.items if item[0] == "text"),
        links=len(links),
        headings=int(np.unique(layout.nodes[headings]).size),
        images=kinds.count("image"),
        emails=sum(address[:7].lower() == "mailto:" for address in links),
        last_modified=last_modified,
    )


@dataclass(frozen=True, slots=True)
class Address:
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
    segments = plain.strip("/").split("/") if plain.strip("/") else []
    is_directory = not segments or plain.endswith("/")
    named_index = bool(segments) and not is_directory and _INDEX_NAME.fullmatch(segments[-1]) is not None
    is_index = (is_directory or named_index) and not question
    own = tuple(segments[:-1] if named_index else segments)
    return Address(
        directory=tuple(segments[:-1]) if not is_index else own[:-1],
        level=len(segments) - (0 if is_directory else 1),
        is_index=is_index,
        digits=sum(map(str.isdigit, path)),
        has_year=_YEAR.search(path) is not None,
        below=own if is_index else (*own[:-1], _EXTENSION.sub("", own[-1])),
    )


class Directories:
    """The directories of a site's pages as numbers, parents before children; row 0 is the root."""

    def __init__(self, addresses: Sequence[Address]) -> None:
        number: dict[tuple[str, ...], int] = {(): 0}
        parents = [0]
        levels = [0]

        def enter(directory: tuple[str, ...]) -> int:
            known = number.get(directory)
            if known is None:
                above = enter(directory[:-1])
                known = number[directory] = len(parents)
                parents.append(above)
                levels.append(levels[above] + 1)
            return known

        self.of_page: Ints = np.array([enter(address.directory) for address in addresses], dtype=np.int64)
        self.parent: Ints = np.array(parents, dtype=np.int64)
        level = np.array(levels, dtype=np.int64)
        self.by_level = [np.flatnonzero(level == depth) for depth in range(int(level.max()) + 1)]
        self.number = number

    def totals(self, amounts: Floats) -> Floats:
        """Sum of the amounts of all pages in and below each directory."""
        sums: Floats = np.zeros(self.parent.size)
        np.add.at(sums, self.of_page, amounts)
        for rows in reversed(self.by_level[1:]):
            np.add.at(sums, self.parent[rows], sums[rows])
        return sums


def model_features(
    addresses: Sequence[Address], text_bytes: ArrayLike, headings: ArrayLike, links: ArrayLike
) -> Floats:
    """The nine numbers per page of one site, columns as MODEL_FEATURES; shape (pages, 9)."""
    table = np.zeros((len(addresses), len(MODEL_FEATURES)))
    if not addresses:
        return table
    directories = Directories(addresses)
    inside = np.bincount(directories.of_page, minlength=directories.parent.size)
    below = directories.totals(np.ones(len(addresses)))
    own = np.array([directories.number.get(address.below, -1) for address in addresses])
    table[:, 0] = np.log1p(np.asarray(text_bytes, dtype=np.float64))
    table[:, 1] = np.log1p(np.asarray(headings, dtype=np.float64))
    table[:, 2] = np.log1p(np.asarray(links, dtype=np.float64))
    table[:, 3] = np.log1p(np.where(own >= 0, below[own], 0.0))
    table[:, 4] = [address.is_index for address in addresses]
    table[:, 5] = [address.level for address in addresses]
    table[:, 6] = np.log1p(inside[directories.of_page])
    table[:, 7] = np.log1p([address.digits for address in addresses])
    table[:, 8] = [address.has_year for address in addresses]
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


def in_link_counts(sources: ArrayLike, targets: ArrayLike, pages: int) -> Ints:
    """How many other pages link to each page; several links from one page count once.

    >>> in_link_counts([0, 0, 1, 2], [1, 1, 2, 2], 3).tolist()
    [0, 1, 1]
    """
    end = _links(sources, targets, pages)[1]
    return np.bincount(end, minlength=pages)


def page_rank(sources: ArrayLike, targets: ArrayLike, pages: int, damping: float = 0.85) -> Floats:
    """PageRank (sum 1) of pages 0..pages-1 from the links between them, by power iteration.

    A page without links hands its rank to all pages alike.

    >>> page_rank([0, 1, 2], [2, 2, 0], 3).round(3).tolist()
    [0.464, 0.05, 0.486]
    """
    if pages == 0:
        return np.zeros(0)
    start, end = _links(sources, targets, pages)
    out = np.bincount(start, minlength=pages)
    rank: Floats = np.full(pages, 1.0 / pages)
    for _ in range(200):
        flow = np.bincount(end, weights=rank[start] / out[start], minlength=pages)
        dangling = float(rank[out == 0].sum())
        fresh = (1.0 - damping) / pages + damping * (flow + dangling / pages)
        moved = float(np.abs(fresh - rank).sum())
        rank = fresh.astype(np.float64)
        if moved < 1e-10:
            break
    return rank


def _links(sources: ArrayLike, targets: ArrayLike, pages: int) -> tuple[Ints, Ints]:
    start, end = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    if start.shape != end.shape:
        raise ValueError("every link needs two ends")
    if start.size and (min(start.min(), end.min()) < 0 or max(start.max(), end.max()) >= pages):
        raise ValueError(f"links must join pages 0 to {pages - 1}")
    pairs = np.unique(start * pages + end)
    pairs = pairs[pairs // max(pages, 1) != pairs % max(pages, 1)]
    return pairs // max(pages, 1), pairs % max(pages, 1)
