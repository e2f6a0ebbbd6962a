"""One pass over a page's bytes (`scan_kernels`), with the arrays it needs: `scanned` and what it found."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import xxhash
from numpy.typing import NDArray

from strandline.dom import scan_kernels as kernel
from strandline.dom.tags import TABLE_FLAGS, TABLE_KEYS

NESTING_LIMIT = kernel.STACK_LIMIT  # open elements; deeper ones are read as if they lay at this depth


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """Flat arrays of one page; their columns are described in `scan_kernels`."""

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
    scanned(b"<p>ready</p>", kernel.AS_SERVED)


def scanned(page: bytes, mode: int) -> ScannedPage:
    """Read `page`, UTF-8 HTML, in one pass."""
    source = np.frombuffer(page, np.uint8)
    tags = int(np.count_nonzero(source == ord("<"))) + 2
    most_items = 2 * tags + len(page) // 64 + 16
    text = np.empty(len(page) + 2 * tags + 16, np.uint8)
    base_items = kernel.BASE + tags * kernel.NODE_WIDTH
    memory = np.empty(base_items + most_items * kernel.ITEM_WIDTH, np.int64)
    memory[: kernel.STACK] = 0
    memory[[kernel.RUN, kernel.SKIPPING, kernel.NODE]] = -1
    memory[[kernel.MODE, kernel.MOST_ITEMS]] = mode, most_items
    memory[[kernel.BASE_NODES, kernel.BASE_ITEMS]] = kernel.BASE, base_items
    kernel.scan(source, TABLE_KEYS, TABLE_FLAGS, text, memory)
    state = memory[: kernel.STACK].tolist()
    nodes = memory[kernel.BASE : kernel.BASE + state[kernel.NODES] * kernel.NODE_WIDTH]
    items = memory[base_items : base_items + state[kernel.ITEMS] * kernel.ITEM_WIDTH]
    return ScannedPage(
        page,
        nodes.reshape(-1, kernel.NODE_WIDTH),
        items.reshape(-1, kernel.ITEM_WIDTH),
        text[: state[kernel.OUT]].tobytes(),
        state[kernel.DEEPEST],
        state[kernel.ATTRIBUTES],
        state[kernel.LINKS],
        state[kernel.ADDRESSES],
    )
