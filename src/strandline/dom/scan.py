"""One pass over a page's bytes (`scan_kernels`), with the arrays it needs: `scanned` and what it found."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import xxhash
from numpy.typing import NDArray

from strandline.dom import scan_memory as at
from strandline.dom.scan_kernels import most_attributes, scan
from strandline.dom.tags import TABLE_FLAGS, TABLE_KEYS

NESTING_LIMIT = at.STACK_LIMIT  # open elements; deeper ones are read as if they lay at this depth


MOST_TAGS = 4_000_000


class PageTooCostlyError(Exception):
    """A page took more time or room than it may; it is kept, but not cut into blocks."""


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """Flat arrays of one page; their columns are described in `scan_memory`."""

    page: bytes
    nodes: NDArray[np.int64]
    items: NDArray[np.int64]
    text: bytes
    nesting: int
    attributes: int
    links: int
    addresses: int

    def visible_hash(self) -> int:
        """64 bits over what a reader sees and where links and images point, without queries and fragments."""
        return xxhash.xxh3_64_intdigest(self.text, seed=self.addresses & 0xFFFFFFFFFFFFFFFF)


@cache
def ready() -> None:
    """Load the compiled pass, or compile it the first time it is used on this machine (some ten seconds)."""
    scanned(b"<p>ready</p>", at.AS_SERVED)
    attributes_of(b"<p>ready</p>")


def attributes_of(page: bytes) -> int:
    """How many attributes a tag of `page`, UTF-8 HTML, has at most: a small part of the work of `scanned`."""
    return most_attributes(np.frombuffer(page, np.uint8), TABLE_KEYS, TABLE_FLAGS, np.zeros(at.STACK, np.int64))


def scanned(page: bytes, mode: int) -> ScannedPage:
    """Read `page`, UTF-8 HTML, in one pass."""
    source = np.frombuffer(page, np.uint8)
    tags = int(np.count_nonzero(source == ord("<"))) + 2
    if tags > MOST_TAGS:
        raise PageTooCostlyError(f"the page has more than {MOST_TAGS:,} tags")
    # Each `<` begins at most one link or picture, and at most one run of text lies between two of them; blank lines of
    # preformatted text make further runs, as many as there is room for.
    splits = len(page) // 64
    most_items = 2 * tags + splits + 16
    text = np.empty(len(page) + 2 * tags + 16, np.uint8)
    base_items = at.BASE + tags * at.NODE_WIDTH
    memory = np.empty(base_items + most_items * at.ITEM_WIDTH, np.int64)
    memory[: at.STACK] = 0
    memory[[at.RUN, at.SKIPPING, at.NODE]] = -1
    memory[[at.MODE, at.SPLITS_LEFT]] = mode, splits
    memory[[at.BASE_NODES, at.BASE_ITEMS]] = at.BASE, base_items
    scan(source, TABLE_KEYS, TABLE_FLAGS, text, memory)
    state = memory[: at.STACK].tolist()
    nodes = memory[at.BASE : at.BASE + state[at.NODES] * at.NODE_WIDTH]
    items = memory[base_items : base_items + state[at.ITEMS] * at.ITEM_WIDTH]
    return ScannedPage(
        page,
        nodes.reshape(-1, at.NODE_WIDTH),
        items.reshape(-1, at.ITEM_WIDTH),
        text[: state[at.OUT]].tobytes(),
        state[at.DEEPEST],
        state[at.ATTRIBUTES],
        state[at.LINKS],
        state[at.ADDRESSES],
    )
