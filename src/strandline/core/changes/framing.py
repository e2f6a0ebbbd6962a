"""Where on a picture of a page a change is seen: the texts that are not in the other version, as far as they changed.

Blocks say what changed; the boxes of a picture (core/pictures.py) say where which text stands. A box is framed when its
text belongs to a block that changed and is not among what that block had in common with the other version.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from strandline.core.pictures import Box

_SPACES: Final = re.compile(r"\s+")
MOST: Final = 200
"""Frames on a picture. Origin: a bound on time."""


class ChangedText(NamedTuple):
    """A block that changed: what it says, and what it said in the other version; empty when it was not there."""

    text: str
    other: str


def frames(boxes: Sequence[Box], changed: Iterable[ChangedText]) -> list[Box]:
    """The boxes of what changed, each once, in the order of the page.

    >>> boxes = [Box(0, 0, 9, 9, "Old title"), Box(0, 9, 9, 9, "Seven boats left"), Box(0, 18, 9, 9, "Imprint")]
    >>> [box.text for box in frames(boxes, [ChangedText("Old title Seven boats left", "Old title Six boats left")])]
    ['Seven boats left']
    """
    wanted = [(_plain(one.text), _plain(one.other)) for one in changed]
    found = []
    for box in boxes:
        text = _plain(box.text)
        if text and any(text in said and text not in other for said, other in wanted):
            found.append(box)
    return found[:MOST]


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().lower()
