"""What a parser or browser saw of a page (`LayoutTree`) and what it is cut into (`PageBlock`, `BlockTree`).

Both providers of layouts, the static one (`strandline.dom.html`) and the rendered one (`strandline.dom.rendered`),
fill the same flat `LayoutTree`: block-level nodes in document order, and the items a reader sees, each in the order it
is met. The items of a subtree are always one contiguous range, so the partition touches only the nodes above its cuts.

Paper 003: Block tree -> `BlockTree` (its leaves at the chosen partition level), Layout -> `BlockTree.layout`: the
skeleton with the places of blocks marked and their contents left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final, Literal, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from strandline.core.blocks.word_numbers import WordCounts, WordNumbers, word_numbers
from strandline.core.blocks.words import masked
from strandline.core.kept_property import kept_property
from strandline.core.quick_dataclass import dataclass

ItemKind = Literal["text", "link", "image", "frame"]
KINDS_OF_ITEMS: Final[tuple[ItemKind, ...]] = ("text", "link", "image", "frame")
_KIND_NUMBERS: Final = {kind: place for place, kind in enumerate(KINDS_OF_ITEMS)}
LINK_WEIGHT: Final = 8  # what a link weighs, in characters of text
PICTURE_WEIGHT: Final = 40  # what an image or frame weighs
BEGINNING: Final = 24  # characters of a text that decide, with its length, whether the page is cut after it
NEARLY_EMPTY: Final = 200  # characters
PLAIN: Final = 9  # prominence of ordinary text; headings are 1 to 6, text that is bold throughout is 7


class Item(NamedTuple):
    """One thing a reader sees: a run of text, or a link, image or frame with its address."""

    kind: ItemKind
    text: str
    address: str = ""

    @property
    def identity(self) -> str:
        """What makes two items the same: the words of a text, else the address without query and fragment."""
        return self.text if self.kind == "text" else plain_address(self.address)


def plain_address(address: str) -> str:
    """An address without query and fragment, where tracking tokens live; an inline image becomes its hash.

    >>> plain_address("/terms?session=81#top")
    '/terms'
    """
    if address[:5] == "data:":
        return f"data:{hashed(address):016x}"
    if "#" in address:
        address = address[: address.index("#")]
    return address[: address.index("?")] if "?" in address else address


@dataclass(frozen=True, slots=True)
class Box:
    """Where a block lies on the rendered page, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class LayoutTree:
    """Block-level nodes in document order (node 0 is the root) and the items inside them.

    Node n covers the nodes n+1 .. ends[n]-1 and the items firsts[n] .. lasts[n]-1. An item weighs its characters, a
    link or picture a fixed number of them. A rendered page also has the area of each node (`sizes`), which then is what
    the division measures, and marks on nodes that look apart from what precedes them (`cuts`).
    """

    parents: list[int]
    ends: list[int]
    firsts: list[int]
    lasts: list[int]
    roles: list[str]
    apart: list[bool]  # a role, or hidden until asked for: never merged with its neighbours
    containers: list[bool]
    items: list[Item]
    nodes: NDArray[np.int64]  # node of each item
    weights: NDArray[np.int64]
    link_weights: NDArray[np.int64]
    prominence: NDArray[np.int64]
    hashes: NDArray[np.uint64]  # of the first words of each text, or of an address: any 64 bits
    step: Callable[[int], str]  # of the path: a node by its tag and names
    hint: Callable[[int], str]  # what a node's own names say it is for (`roles.hint_of`)
    sizes: list[float] | None = None
    cuts: list[bool] = field(default_factory=list)
    boxes: Callable[[int], Box | None] | None = None
    title: str = ""
    kinds: NDArray[np.int64] | None = None  # of each node: its kind of tag (`content_marks.KIND_OF_TAG`), -1 for none
    marks: NDArray[np.int64] | None = None  # what its names speak of (`content_marks.name_marks`)
    looks: NDArray[np.int64] | None = None  # equal for nodes with the same tag and classes
    content: NDArray[np.float64] | None = None  # of each item: how likely it is the page's own content, -1 for no text
    declared: int = 0  # what kinds of page it calls itself, a bit each (`content_marks.PAGE_KINDS`)

    @kept_property
    def item_kinds(self) -> NDArray[np.int8]:
        """What each item is, as its place in `KINDS_OF_ITEMS`."""
        return np.fromiter([_KIND_NUMBERS[item[0]] for item in self.items], np.int8, len(self.items))


@dataclass(frozen=True)
class PageBlock:
    """A part of a page a reader perceives as one: its place, what kind of place that is, and what it shows."""

    path: str
    nth: int
    role: str
    hint: str
    items: tuple[Item, ...]
    weight: int
    link_weight: int
    lead: str = ""  # the text that stands out by its format, else the first
    box: Box | None = None
    content: float = field(default=-1.0, compare=False)
    """How likely its text is the page's own content, by letters; -1 when nobody judged it."""

    @property
    def key(self) -> tuple[str, int]:
        """Place of the block: its path and which of the blocks with this path it is."""
        return self.path, self.nth

    @kept_property
    def identities(self) -> tuple[str, ...]:
        """What makes each item what it is: the words of a text, else its kind and address without query."""
        return tuple(
            [item[1] if item[0] == "text" else f"\x1e{item[0]} {plain_address(item[2])}" for item in self.items]
        )

    @kept_property
    def stored_items(self) -> tuple[Item, ...]:
        """The items as they are stored: links, images and frames by their addresses without query and fragment."""
        found = tuple([item if item[0] == "text" else _without_query(item) for item in self.items])
        return self.items if found == self.items else found

    @kept_property
    def digest(self) -> int:
        """64 bits over everything the block shows (`h`)."""
        return hashed("\x1f".join(self.identities))

    @kept_property
    def masked_digest(self) -> int:
        """64 bits over the texts with numbers masked (`sh`)."""
        return hashed(masked("\x1f".join(self.texts)))

    @kept_property
    def texts(self) -> tuple[str, ...]:
        """The runs of text, in order."""
        return tuple([item[1] for item in self.items if item[0] == "text"])

    @property
    def text(self) -> str:
        """All text of the block, a run a line."""
        return "\n".join(self.texts)

    @kept_property
    def words(self) -> WordNumbers:
        """Distinct words of the block, as numbers."""
        return word_numbers("\n".join(self.texts))

    @property
    def link_density(self) -> float:
        """Share of the text that is inside links."""
        return self.link_weight / self.weight if self.weight else 0.0

    @property
    def linked(self) -> float:
        """How far the block is a list of links, in [0, 1]: one in which three quarters of the text are is no text."""
        share = 1.3 * self.link_weight / self.weight if self.link_weight else 0.0
        return share if share < 1.0 else 1.0


def _without_query(item: Item) -> Item:
    """A link, image or frame by its address without query and fragment; most have none."""
    plain = plain_address(item[2])
    return item if plain == item[2] else Item(item[0], item[1], plain)


@dataclass(frozen=True)
class BlockTree:
    """A page cut into blocks at one partition level, in page order."""

    blocks: tuple[PageBlock, ...]
    level: int = 2
    scale: int = 0
    url: str = ""
    title: str = ""
    rendered: bool = False
    _word_counts: list[WordCounts] = field(default_factory=list, compare=False, repr=False)  # none until asked for

    @kept_property
    def layout(self) -> str:
        """The skeleton: the place of each block, contents left out (paper 003)."""
        return "\n".join(f"{block.path}[{block.nth}]" for block in self.blocks)

    @kept_property
    def visible_digest(self) -> int:
        """64 bits over everything the page shows."""
        return hashed(",".join(f"{block.digest:x}" for block in self.blocks))

    @property
    def word_counts(self) -> WordCounts:
        """In how many blocks each word of the page occurs."""
        if not self._word_counts:
            self._word_counts.append(WordCounts.of([block.words for block in self.blocks]))
        return self._word_counts[0]

    def count_words_on(self, before: "BlockTree", come: Sequence[WordNumbers], gone: Sequence[WordNumbers]) -> None:
        """Work out the word counts from those of an earlier version and the words that blocks gained and lost since."""
        if not self._word_counts:
            self._word_counts.append(before.word_counts.after(come, gone))

    @property
    def nearly_empty(self) -> bool:
        """True when the page has hardly any text: made by scripts, an error, or a picture. A browser may see more."""
        return sum(len(text) for block in self.blocks for text in block.texts) < NEARLY_EMPTY

    @property
    def text(self) -> str:
        """All text of the page, for reading."""
        return "\n\n".join(block.text for block in self.blocks if block.texts)


def hashed(text: str) -> int:
    """64 bits of a text."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


def item_weight(item: Item) -> int:
    """What an item weighs, in characters."""
    if item.kind == "text":
        return len(item.text)
    return LINK_WEIGHT if item.kind == "link" else PICTURE_WEIGHT
