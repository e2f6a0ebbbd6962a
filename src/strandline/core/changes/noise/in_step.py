"""Rows that move in step: a list of which most rows are others, in their numbers only, at a look.

One price that is another now is news. Of a ticker, of free places, of votes and views most rows move, look by look;
which number belongs to which row hardly matters then, and no word has to tell. Rows are of one form
when they say the same without numbers, dates and ages (`settled_text`): "58 free", "$ 17.40", "41 likes · 2h ago".
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.words.ticking import settled_text

ROW: Final = 80
"""Letters of a row. Origin: a guess."""
FEWEST: Final = 3
"""Rows that move together. Origin: a guess."""
MOST_OF: Final = 0.5
"""Part of the rows of a form that move. Origin: a guess."""
ALL_OF, MANY = 0.8, 5
"""The same of prices, and rows that have to: a list of prices may be renewed, a ticker always is. Origin: a guess."""


class Rows(NamedTuple):
    """Rows of one form, at one place, that moved."""

    path: str
    form: str
    all_move: bool
    """Whether nearly all did, and many."""


def rows_in_step(delta: Delta) -> Iterator[Rows]:
    """The forms of which most rows are others now."""
    moved = Counter[tuple[str, str]]()
    for change, texts, _ in touched_texts(delta):
        path = change.block.path
        for before, after in texts:
            if before and after and len(after) <= ROW and (form := settled_text(after)) != after:
                moved[path, form] += settled_text(before) == form
    forms = {key: count for key, count in moved.items() if count >= FEWEST}
    if not forms:
        return
    paths = {path for path, _ in forms}
    rows = Counter[tuple[str, str]]()
    for block in delta.new.blocks:
        if block.path in paths:
            rows.update((block.path, settled_text(text)) for text in block.texts if len(text) <= ROW)
    for (path, form), count in forms.items():
        if count >= MOST_OF * rows[path, form]:
            yield Rows(path, form, False)
            if count >= MANY and count >= ALL_OF * rows[path, form]:
                yield Rows(path, form, True)
