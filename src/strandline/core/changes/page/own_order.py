"""Where in the order of the page's own texts some came and left, and which of them are entries of a list.

Texts that came one after the other are a *run*. A run among short texts, at least three of them around it, is an entry
of a list, whatever the page is made of: rows of a table, links, cards, clauses. Its first text that names something
stands for it; the others are its date, its place, its button. A cell between two that came may be a known one.
An entry that left is told in the same way, where none came: a list passes on what others push off.
"""

import re
from collections.abc import Set
from functools import lru_cache
from typing import Final

from strandline.core.blocks.words import words
from strandline.core.changes.delta.carried import LONG
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.touched import followers, touched_texts
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page.notices import boxes
from strandline.core.changes.page.page_kind import PageKind
from strandline.core.changes.words.bylines import is_count
from strandline.core.changes.words.same_text import is_same_text
from strandline.core.changes.words.small_letters import like_digits
from strandline.core.changes.words.ticking import holds_date, is_stamp, settled_text, tick_form
from strandline.core.kept_property import kept_property

TOP: Final = 0.34
"""Part of a list from which a text that leaves is gone, not passed on. Origin: a guess."""
AROUND: Final = 3
"""Texts before and after a run that tell whether it stands in a list. Origin: a guess."""
FEWEST: Final = 3
"""Of these, those there must be. Origin: a guess."""
GAP: Final = 2
"""Texts that stay between two entries; a cell of a row may say what others say. Origin: a guess."""
ROW, MOST_CELLS = 2, 12
"""Cells of a row, at least and at most. Origin: a guess."""
_TIME: Final = re.compile(r"\d{1,2}[:.h]\d\d")
_VERSION: Final = re.compile(r"v?\d+\.\d+(?:\.\d+)*")
CHOICES: Final = 2
"""Versions around one that came which make it one of a choice. Origin: a guess."""
STAMPED: Final = 6
"""Words of a text that says when the page was made, at most: headlines say "today" and "last", too. Origin: a guess."""
NAMES: Final = 3
"""Letters of a word that names something. Origin: a guess."""


class OwnOrder:
    """The page's own texts, before and after; `edited` are those that are others of the same now, as they were and as
    they are, `news` those that were never on the page and came, and not to a list beside what it is about: only these
    push others off.
    """

    def __init__(
        self, old: list[str], new: list[str], edited: Set[str], news: Set[str], language: str, listing: bool
    ) -> None:
        self._old, self._new, self._edited, self._news = old, new, edited, news
        self._language, self._listing = language, listing

    @kept_property
    def _left_after(self) -> dict[str, list[str]]:
        return dict(followers(self._old, self._after))

    @kept_property
    def _came_after(self) -> dict[str, str]:
        return {text: stay for stay, come in followers(self._new, self._before) for text in come}

    @kept_property
    def _before(self) -> frozenset[str]:
        return frozenset(self._old)

    @kept_property
    def _after(self) -> frozenset[str]:
        return frozenset(self._new)

    @kept_property
    def _places(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self._old)}

    @property
    def grew(self) -> bool:
        """Whether anything came that pushes others off; a counter that moved does not."""
        return bool(self._news)

    def came_with_others(self, text: str) -> bool:
        """True unless a text took the place of one that left: it moved in."""
        stay = self._came_after.get(text)
        return stay is not None and not self._left_after.get(stay)

    def left_the_top(self, text: str) -> bool:
        """True for a text that stood in the upper part of the list, or took the place of another there."""
        place = self._places.get(text)
        return place is not None and place / len(self._old) < TOP

    @kept_property
    def entries(self) -> frozenset[str]:
        """Of each entry that came to a list, the text that names it."""
        return frozenset(self._come)

    def texts_of(self, entry: str) -> list[str]:
        """All texts of an entry that came, by the one that names it."""
        return self._come[entry][1]

    @kept_property
    def _come(self) -> dict[str, tuple[int, list[str]]]:
        return self._named(self._new, self._runs)

    @kept_property
    def gone(self) -> dict[str, list[str]]:
        """Of each entry that left a list, the text that named it, and all of it. Where news came, entries are
        pushed off; and from a list in the order of time the first is taken when its day is over.
        """
        if any(len(text) >= LONG or names_something(text) for text in self._news):
            return {}
        runs = _runs(self._old, self._after | self._edited)
        found = self._named(self._old, runs)
        return {name: run for name, (start, run) in found.items() if not self._is_over(start, run)}

    def _is_over(self, start: int, run: list[str]) -> bool:
        return any(map(holds_date, run)) and not any(map(holds_date, self._old[:start]))

    def _named(self, texts: list[str], runs: list[tuple[int, int]]) -> dict[str, tuple[int, list[str]]]:
        """Those of the runs that are entries of a list, by the text that names them, with where they begin."""
        found: dict[str, tuple[int, list[str]]] = {}
        ended = -GAP
        for start, end in runs:
            around = texts[max(0, start - AROUND) : start] + texts[end : end + AROUND]
            if len(around) < FEWEST or (not self._listing and any(len(text) >= LONG for text in around)):
                continue
            named = next(filter(names_something, texts[start:end]), None) or _named_by_form(texts[start:end], around)
            if not named:
                continue
            if start - ended >= GAP:
                found[named] = start, texts[start:end]
            ended = end
        return found

    @kept_property
    def _runs(self) -> list[tuple[int, int]]:
        """Where texts that came one after the other begin and end."""
        return _runs(self._new, self._before | self._edited)

    def starts_known_row(self, text: str) -> bool:
        """Whether a text is the first of several that came together, all of which stood elsewhere: cells of a row."""
        return bool(self._known_row) and text == self._known_row[0] and not self._listing

    @kept_property
    def _known_row(self) -> list[str]:
        """All that came, if it came to one place, nothing left, and each of it is a short text known from elsewhere."""
        old, new = self._old, self._new
        more = len(new) - len(old)
        if more < ROW or more > MOST_CELLS:
            return []
        start = next((place for place, pair in enumerate(zip(old, new, strict=False)) if _differ(*pair)), len(old))
        came = new[start : start + more]
        if not all(text in self._before and len(text) < LONG for text in came) or not any(map(names_something, came)):
            return []
        rest = zip(old[start:], new[start + more :], strict=True)
        return [] if any(_differ(before, after) for before, after in rest) else came

    @kept_property
    def boxes_that_came(self) -> dict[str, str]:
        """Texts of boxes beside what the page says, and what these are."""
        runs = [self._new[start:end] for start, end in self._runs]
        return boxes(runs, self._before & self._after, self._language)

    @kept_property
    def boxes_that_left(self) -> dict[str, str]:
        """The same of those that left."""
        return boxes(filter(None, self._left_after.values()), self._before & self._after, self._language)


def order_of(delta: Delta, noise: NoiseState, kind: PageKind, own_texts: tuple[list[str], list[str]]) -> OwnOrder:
    """The order of the page's own texts in one change of it."""
    old, new = own_texts
    shown, lists = delta.shown_before, kind.lists_beside
    edited, news = set(shown.intersection(new).difference(old)), set[str]()  # first what stood beside them
    for change, texts, _ in touched_texts(delta):
        block = change.block
        for before, after in texts if kind.owns(block) else ():
            if before and after and (is_same_text(before, after) or tick_form(before, after)):
                edited |= {before, after}
            elif not after or after in shown or noise.seen_text(after):
                continue
            elif not (block.link_weight and lists(block.path, after)):
                news.add(after)
    return OwnOrder(old, new, edited, news, delta.language, kind.listing > 0)


def _runs(texts: list[str], known: Set[str]) -> list[tuple[int, int]]:
    """Where texts that are not known, one after the other, begin and end."""
    found: list[tuple[int, int]] = []
    start = None
    for place, text in enumerate(texts):
        if text in known:
            if start is not None:
                found.append((start, place))
            start = None
        elif start is None:
            start = place
    return found if start is None else [*found, (start, len(texts))]


def _named_by_form(run: list[str], around: list[str]) -> str:
    """The first of a run of times, or of versions, among others: a row of a timetable, a choice of versions."""
    for form, others in ((_TIME, len(around) - 1), (_VERSION, CHOICES)):
        alike = sum(form.fullmatch(text) is not None for text in around)
        if alike >= others and all(map(form.fullmatch, run)):
            return run[0]
    return ""


def _differ(before: str, after: str) -> bool:
    """Whether two texts differ in more than what ticks."""
    return before != after and settled_text(before) != settled_text(after)


def names_something(text: str) -> bool:
    """Whether a short text can stand for an entry: more than a date, a count, or when the page was made.

    >>> [names_something(text) for text in ("Midwife", "12 May 2026", "38", "9 replies", "Updated 12 May", "5 MB")]
    [True, False, False, False, False, False]
    """
    return _names_something(like_digits(text))


@lru_cache(maxsize=1 << 10)  # what has a number has another one at the next look
def _names_something(text: str) -> bool:
    if len(text) >= LONG or is_count(text):
        return False
    settled = settled_text(text)
    if settled != text and is_stamp(settled) and len(words(settled)) <= STAMPED:
        return False
    return any(len(word) >= NAMES or not word.isascii() for word in words(settled) if not word.isdigit())
