"""Where on a page a text stands: behind which other one. A box that shows another text at every look has its spot, the
list beside it has others, although both may lie in one block.
"""

from strandline.core.blocks.tree import PageBlock
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.words.ticking import settled_text


class Spots:
    """The spots of one change of a page, worked out when they are asked for."""

    def __init__(self, delta: Delta) -> None:
        self._delta = delta
        self._numbers: dict[int, int] = {}

    def before(self, block: PageBlock, text: str) -> str:
        """The text that stands before a text of a block of the new version, without what ticks in it."""
        texts = block.texts
        place = texts.index(text) if text in texts else 0
        if place:
            return settled_text(texts[place - 1])
        blocks = self._delta.new.blocks
        if not self._numbers:
            self._numbers = {id(one): number for number, one in enumerate(blocks)}
        number = self._numbers.get(id(block), 0)
        return settled_text(blocks[number - 1].texts[-1]) if number and blocks[number - 1].texts else ""
