"""What the parts of a page's lines did at earlier looks (`line_parts`), kept among the slots of its noise.

A part is told by its place and its key. Each look at which it was another one is counted, with the look since which it
is: what stood still for long and then moves is not taken for what never rests.
"""

from typing import Final, NamedTuple, Protocol

from strandline.core.blocks.tree import PageBlock, hashed
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.noise.line_parts import lines_apart, moved_parts, position_of
from strandline.core.changes.noise.stays import Stay
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.changes.words.ticking import tick_form

ONCE: Final = 0.5
"""Changes that may be missing: by chance a number is the same at two looks. Origin: a guess, as in `volatility`."""
LEARNED: Final = frozenset(("", "time", "reading"))
"""Forms of edits that are learned from: what ticks by any other does so at every look, whatever it did before."""


class Looks(Protocol):
    """What is asked of a page's noise: `NoiseState` has it."""

    comparisons: int
    slots: dict[int, tuple[int, int]]
    stays: dict[int, Stay]

    def settled(self, path: str) -> int:
        """Hash of a path without the names that were seen to change between fetches."""


class Past(NamedTuple):
    """What a part did."""

    changes: int = 0
    share: float = 0.0
    """Part of the looks since the first time at which it was another one."""


def past_of(noise: Looks, path: str, key: str) -> Past:
    """What a part of a line did; nothing for one that always stood."""
    since, changes = noise.slots.get(_slot(noise, path, key), (0, 0))
    return Past(changes, (changes + ONCE) / max(1, noise.comparisons - since)) if changes else Past()


def position(noise: Looks, delta: Delta, block: PageBlock, text: str) -> str:
    """What a short text of the new version is known by that has no label; empty for nothing."""
    return position_of(delta, block, text, lambda before: hashed(before) not in noise.stays)


def parts_moved(noise: Looks, delta: Delta) -> set[int]:
    """The slots of the parts that are others now."""
    moved = set[int]()
    pairs = [(path, before, after) for (path, after), before in lines_apart(delta).items()]
    for change, texts, _ in touched_texts(delta):
        block = change.block
        for before, after in texts:
            if before and after and before != after and tick_form(before, after) in LEARNED:
                pairs.append((block.path, before, after))
                if change.new and not block.link_weight and not is_same_text(before, after):
                    moved.add(_slot(noise, block.path, position(noise, delta, block, after)))
    moved.update([_slot(noise, path, part.key) for path, *pair in pairs for part in moved_parts(*pair)])
    return moved


def _slot(noise: Looks, path: str, key: str) -> int:
    return hashed(f"{noise.settled(path)}\x1c{key}")
