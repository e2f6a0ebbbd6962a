"""Rows that move in step: a list of which most rows are others, in their numbers only, at a look.

One price that is another now is news. Of a ticker, of free places, of votes and views most rows move, look by look;
which number belongs to which row hardly matters then, and no word has to tell. Rows are of one form
when they say the same without numbers, dates and ages (`settled_text`): "58 free", "$ 17.40", "41 likes · 2h ago".
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import touched_texts
from strandline.core.changes.words.counters import is_limited
from strandline.core.changes.words.ticking import NUMBER, has_unit, settled_text

ROW: Final = 80
"""Letters of a row. Origin: a guess."""
FEWEST: Final = 3
"""Rows that move together. Origin: a guess."""
MOST_OF: Final = 0.5
"""Part of the rows of a form that move. Origin: a guess."""
ALL_OF, MANY = 0.8, 5
"""The same of prices, and rows that have to: a list of prices may be renewed, a ticker always is. Origin: a guess."""


LITTLE: Final = 0.25
"""Share by which numbers of rows that count up together rise at most. Origin: a guess, more than of one alone."""


_WAY: Final = re.compile(r"[-+−–±▲▼△▽↑↓](?<![^\W_][-+−–±▲▼△▽↑↓])\s?(?=#)")
_MAY_COUNT: Final = re.compile("[0-9#]")
_LETTER: Final = re.compile(r"[^\W\d_]")


class Rows(NamedTuple):
    """Rows of one form, at one place, that moved."""

    path: str
    form: str
    all_move: bool
    """Whether nearly all did, and many."""


def row_form(text: str) -> str:
    """What a row says without its numbers, dates and ages, and whether they rose or fell.

    >>> row_form("-1.64 %") == row_form("▲ 0.14 %") == row_form("0.14 %"), row_form("41 likes · 2h ago")
    (True, '# likes · @')
    """
    return _without_way(settled_text(text))


@lru_cache(maxsize=1 << 8)  # rows are of few forms
def _without_way(form: str) -> str:
    return _WAY.sub("", form)


def rows_in_step(delta: Delta) -> list[Rows]:
    """The forms of which most rows are others now; kept with the delta, which is scored and then learned from."""
    known: list[Rows] | None = delta.__dict__.get("in_step")
    if known is None:
        known = delta.__dict__["in_step"] = list(_rows_in_step(delta))
    return known


def _rows_in_step(delta: Delta) -> Iterator[Rows]:
    moved = Counter[tuple[str, str]]()
    for change, texts, _ in touched_texts(delta):
        path = change.block.path
        for before, after in texts:
            if not (before and after) or len(after) > ROW or (form := row_form(after)) == after:
                continue
            if row_form(before) == form:
                moved[path, form] += 1
    forms = {key: count for key, count in moved.items() if count >= FEWEST}
    if not forms:
        return
    paths = {path for path, _ in forms}
    counting = all("#" in form for _, form in forms)  # then no text without a number is of any of them
    rows = Counter[tuple[str, str]]()
    for block in delta.new.blocks:
        if block.path in paths:
            shown = filter(_MAY_COUNT.search, block.texts) if counting else block.texts
            rows.update([(block.path, row_form(text)) for text in shown if len(text) <= ROW])
    for (path, form), count in forms.items():
        if count >= MOST_OF * rows[path, form]:
            yield Rows(path, form, False)
            if count >= MANY and count >= ALL_OF * rows[path, form]:
                yield Rows(path, form, True)


def counting_up(delta: Delta) -> frozenset[tuple[str, str]]:
    """Places, and what stands behind a number there ("Ada, 40 visits"), where all numbers that are others now rose a
    little, those of several rows: already at the first look nobody raises so many limits by a few.
    """
    rose, others = Counter[tuple[str, str]](), set[tuple[str, str]]()
    for change, texts, _ in touched_texts(delta):
        for before, after in texts:
            if before and after and (behind := number_behind(before, after)):
                key = change.block.path, behind
                if _rises_a_little(before, after):
                    rose[key] += 1
                else:
                    others.add(key)
    return frozenset(key for key, count in rose.items() if count >= FEWEST and key not in others)


def number_behind(before: str, after: str) -> str:
    """What stands behind the only number that is another one in a row: words that are no unit and no limit, else ""."""
    if len(after) > ROW or _LETTER.search(after) is None or settled_text(before) != settled_text(after):
        return ""
    pairs = zip(NUMBER.finditer(before), NUMBER.finditer(after), strict=False)
    others = [(one, other) for one, other in pairs if one[0] != other[0]]
    if len(others) != 1:
        return ""
    one, other = others[0]
    behind = after[other.end() :]
    same = before[: one.start()] == after[: other.start()] and before[one.end() :] == behind
    words = behind[:1].isspace() and behind.strip()[:1].isalpha()
    return behind if same and words and not has_unit(behind) and not is_limited(after[: other.start()], behind) else ""


def _rises_a_little(before: str, after: str) -> bool:
    old, new = NUMBER.findall(before), NUMBER.findall(after)
    one, other = next((one, other) for one, other in zip(old, new, strict=False) if one != other)
    return one.isdigit() and other.isdigit() and int(one) < int(other) <= (1.0 + LITTLE) * int(one)
