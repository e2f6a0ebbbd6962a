"""One pass over a page's bytes (`scan_kernels`), with the arrays it needs: `scanned` and what it found."""

from functools import cache

import numpy as np
import xxhash
from numpy.typing import NDArray

from strandline.core.quick_dataclass import dataclass
from strandline.dom import scan_memory as at
from strandline.dom.markup_kernels import eight_by_eight
from strandline.dom.scan_kernels import most_attributes, scan
from strandline.dom.tags import TABLE_FLAGS, TABLE_KEYS

NESTING_LIMIT = at.STACK_LIMIT  # open elements; deeper ones are read as if they lay at this depth


MOST_TAGS = 4_000_000
_AT_FIRST = np.zeros(at.STACK, np.int64)  # the state before the first letter of any page
_AT_FIRST[[at.RUN, at.SKIPPING, at.NODE]] = -1
_AT_FIRST[at.BASE_NODES] = at.BASE


class PageTooCostlyError(Exception):
    """A page took more time or room than it may; it is kept, but not cut into blocks."""


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """Flat arrays of one page; their columns are described in `scan_memory`."""

    page: bytes
    text: bytes
    nesting: int
    attributes: int
    links: int
    addresses: int
    rows: NDArray[np.int64]
    """Nodes, then room, then items."""
    node_count: int
    first_item: int
    item_count: int

    @property
    def nodes(self) -> NDArray[np.int64]:
        """A row for each node."""
        return self.rows[: self.node_count * at.NODE_WIDTH].reshape(-1, at.NODE_WIDTH)

    @property
    def items(self) -> NDArray[np.int64]:
        """A row for each item."""
        first = self.first_item
        return self.rows[first : first + self.item_count * at.ITEM_WIDTH].reshape(-1, at.ITEM_WIDTH)

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
    source = np.frombuffer(page, np.uint8)
    return most_attributes(source, eight_by_eight(page), TABLE_KEYS, TABLE_FLAGS, np.zeros(at.STACK, np.int64))


def scanned(page: bytes, mode: int, signs: int = -1) -> ScannedPage:
    """Read `page`, UTF-8 HTML, in one pass; `signs` is how many `<` it has, where that is known."""
    source = np.frombuffer(page, np.uint8)
    tags = 2 + (signs if signs >= 0 else int(np.count_nonzero(source == ord("<"))))
    if tags > MOST_TAGS:
        raise PageTooCostlyError(f"the page has more than {MOST_TAGS:,} tags")
    # Each `<` begins at most one link or picture, and at most one run of text lies between two of them; blank lines of
    # preformatted text make further runs, as many as there is room for.
    splits = len(page) // 64
    most_items = 2 * tags + splits + 16
    text = np.empty(len(page) + 2 * tags + 16, np.uint8)
    base_items = at.BASE + tags * at.NODE_WIDTH
    memory = np.empty(base_items + most_items * at.ITEM_WIDTH, np.int64)
    memory[: at.STACK] = _AT_FIRST
    memory[at.MODE], memory[at.SPLITS_LEFT], memory[at.BASE_ITEMS] = mode, splits, base_items
    scan(source, eight_by_eight(page), TABLE_KEYS, TABLE_FLAGS, text, memory)
    state = memory[: at.STACK].tolist()
    return ScannedPage(
        page,
        text[: state[at.OUT]].tobytes(),
        state[at.DEEPEST],
        state[at.ATTRIBUTES],
        state[at.LINKS],
        state[at.ADDRESSES],
        memory[at.BASE :],
        state[at.NODES],
        base_items - at.BASE,
        state[at.ITEMS],
    )
