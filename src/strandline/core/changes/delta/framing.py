"""Where on a picture of a page a change is seen: the texts that are not in the other version, as far as they changed.

Blocks say what changed; the boxes of a picture (core/pictures.py) say where which text stands. A box is framed when its
text belongs to a block that changed and is not among what that block had in common with the other version.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from strandline.core.pictures import Box

_SPACES: Final = re.compile(r"\s+")
MOST: Final = 200
"""Frames on a picture. Origin: a bound on time."""
_ABOVE: Final = 40.0
"""Pixels that are shown above the first frame of a part that is cut out. Origin: a guess."""


class ChangedText(NamedTuple):
    """A block that changed: what it says, and what it said in the other version; empty when it was not there."""

    text: str
    other: str


def frames(boxes: Sequence[Box], changed: Iterable[ChangedText], others: Sequence[Box] = ()) -> list[Box]:
    """The boxes of what changed, each once, in the order of the page; `others` are those of the other version. A text
    that stands more often on the page than in what changed says nothing of where: it is framed if it came to stand
    there more often than before.

    >>> boxes = [Box(0, 0, 9, 9, "Old title"), Box(0, 9, 9, 9, "Seven boats left"), Box(0, 18, 9, 9, "Imprint")]
    >>> [box.text for box in frames(boxes, [ChangedText("Old title Seven boats left", "Old title Six boats left")])]
    ['Seven boats left']
    """
    wanted = [(_plain(one.text), _plain(one.other)) for one in changed]
    texts = [_plain(box.text) for box in boxes]
    here, there = Counter(texts), Counter(_plain(box.text) for box in others)

    def came(text: str) -> bool:
        within = [said for said, other in wanted if text in said and text not in other]
        return bool(within) and (here[text] <= sum(said.count(text) for said in within) or here[text] > there[text])

    framed = {text for text in here if text and came(text)}
    return [box for box, text in zip(boxes, texts, strict=True) if text in framed][:MOST]


def both_frames(
    early: Sequence[Box], late: Sequence[Box], changed: Sequence[ChangedText]
) -> tuple[list[Box], list[Box]]:
    """The frames of two versions; `changed` are texts of the earlier one."""
    turned = [ChangedText(one.other, one.text) for one in changed]
    return frames(early, changed, late), frames(late, turned, early)


def best_part(framed: Sequence[Box], height: int, tall: int) -> tuple[int, int]:
    """Where to cut a part of at most `tall` pixels out of a picture of a height: it shows as much of what is framed as
    one part can, the upper one of several that show as much; the top of the picture where nothing is framed.

    >>> best_part([Box(0, 900, 10, 20, "a"), Box(0, 950, 10, 20, "b"), Box(0, 10, 10, 20, "c")], 3000, 400)
    (860, 1260)
    """
    best, most = 0.0, 0.0
    for start in sorted({max(0.0, box.y - _ABOVE) for box in framed}):
        within = (max(0.0, min(box.y + box.height, start + tall) - max(box.y, start)) * box.width for box in framed)
        if (seen := sum(within)) > most:
            best, most = start, seen
    top = max(0, min(int(best), height - tall))
    return top, min(height, top + tall)


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().lower()
