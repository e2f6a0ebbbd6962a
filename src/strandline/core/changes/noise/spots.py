"""Where on a page a text stands: behind which other one. A box that shows another text at every look has its spot, the
list beside it has others, although both may lie in one block.
"""

from collections.abc import Sequence
from typing import Final

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.words.ticking import settled_text

MANY: Final = 16
"""Texts of a block in which one is not looked for one by one. Origin: a bound on time."""


class Spots:
    """The spots of one change of a page, worked out when they are asked for."""

    def __init__(self, blocks: Sequence[PageBlock]) -> None:
        self._blocks = blocks
        self._numbers: dict[int, int] = {}
        self._places: dict[int, dict[str, int]] = {}  # of the texts of long blocks, by the block

    def before(self, block: PageBlock, text: str) -> str:
        """The text that stands before a text of a block of the new version, without what ticks in it."""
        return settled_text(self.text_before(block, text))

    def text_before(self, block: PageBlock, text: str) -> str:
        """The text that stands there as it is, empty for none."""
        texts = block.texts
        many = len(texts) > MANY  # looking for each of them one by one would take time by the square
        place = self._in_many(block).get(text, 0) if many else texts.index(text) if text in texts else 0
        if place:
            return texts[place - 1]
        blocks = self._blocks
        if not self._numbers:
            self._numbers = {id(one): number for number, one in enumerate(blocks)}
        number = self._numbers.get(id(block), 0)
        return blocks[number - 1].texts[-1] if number and blocks[number - 1].texts else ""

    def _in_many(self, block: PageBlock) -> dict[str, int]:
        """Where the texts of a block stand first."""
        known = self._places.get(id(block))
        if known is None:
            texts = block.texts
            known = self._places[id(block)] = {texts[place]: place for place in range(len(texts) - 1, -1, -1)}
        return known


def spots_of(delta: Delta) -> Spots:
    """The spots of the new version; kept with the delta, which is scored and then learned from."""
    known: Spots | None = delta.__dict__.get("spots")
    if known is None:
        known = delta.__dict__["spots"] = Spots(delta.new.blocks)
    return known
