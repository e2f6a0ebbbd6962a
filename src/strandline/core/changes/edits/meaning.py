"""How much an edit changes what a text says: small words that matter against many words that do not.

"must" -> "may", a "not" that is gone, 30 days -> 90 days: one word, another contract. A reordered list, other quotes,
"in case of" for "if": many signs, the same said. An edit is weighed by what differs once both sides are read:

    figures          money, numbers with units, dates, deadlines, times (`quantities`), however they are written
    negation         more or fewer negations in a sentence, or a negative prefix ("possible", "impossible")
    obligation       must, should, may
    contrasts        at least / at most, before / after, with / without, tenant / landlord ... (`languages/*.toml`)
    names            words with a capital inside a sentence
    wording          what is left, by how many words; spelling, order and typography weigh next to nothing

Sentences are compared one by one: those in both texts say nothing, the others are paired by their words, and what has
no partner was added or removed. The weight of an edit is that of the weightiest difference. Weights are guesses by
kind, in the order a careful reader would give them; `tests/core/changes/edits/test_meaning.py` tests the order.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from strandline.core.changes.edits.sentence_meaning import NOTHING, SLIGHT, Edit, Sentence, read_sentence
from strandline.core.changes.words.language_rules import (
    LanguageRules,
    folded_words,
    language_of,
    language_rules,
    plain_signs,
    says,
)
from strandline.core.struck import standing

MOST_LETTERS: Final = 6_000
"""Letters of the part that differs which are looked at. Origin: a bound on time."""
MOST_SENTENCES: Final = 24
"""Sentences on either side, of those that differ. Origin: a bound on time."""
CONTEXT: Final = 240
"""Letters before and after what differs in which a sentence may begin and end. Origin: a guess."""
KEPT: Final = 12_000
"""Letters of an edit that is remembered. Origin: a bound on memory."""
ALIKE: Final = 0.4
"""Share of words that makes two sentences states of one. Origin: a guess."""
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[^\Wa-z])|\n+")
_SHORT_END: Final = re.compile(  # "3.", "J." and "incl." hardly end a sentence
    r"(?:(?<![\d:.,])\d{1,2}|\b(?:[^\W\d_]|incl|excl|inkl|exkl|zzgl|einschl|art|abs|nr|dr|mr|mrs|ms|st|ca|vs|bzw"
    r"|sr|sra|sig|prof|tel|approx))\.$",
    re.IGNORECASE,
)
_LONGEST_END: Final = len("approx.")
_ASCII_SIGNS: Final = {code: None for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_SIGNS: Final = re.compile(
    r"[^\w.,:$€£¥₹-]+|(?<!\d)[.,:]+|[.,:](?!\d)|-(?!\d)|(?<=[^\W\d])-"
)  # that are no part of a number or sum
_NOTE: Final = re.compile(r"\[(?:\d{1,3}|[a-z]{1,2})\]")  # the number of a footnote


def edit_weight(before: str, after: str, language: str = "") -> Edit:
    """What an edit changes in what is said; `language` as the page gives it, otherwise guessed.

    >>> edit_weight("You must pay within 30 days.", "You may pay within 30 days.").kind
    'obligation'
    >>> found = edit_weight("Notice of 30 days", "Notice of 90 days")
    >>> found.kind, found.before, found.after, found.unit, found.weight
    ('number', '30', '90', 'days', 0.9)
    >>> edit_weight("Notice of 30 days", "Notice of thirty days").weight < 0.1
    True
    """
    old, new = standing(before), standing(after)
    if old == new and before != after:
        return Edit("struck", SLIGHT["struck"])
    before, after = old, new
    if len(before) + len(after) <= KEPT:
        return _recent_edit(before, after, language)
    return _edit(before, after, language)


@lru_cache(maxsize=1 << 11)
def tells_end(text: str, language: str = "") -> bool:
    """Whether a short text says that something ended, is lost or cannot be had: "sold out", "deprecated".

    >>> tells_end("This event is sold out."), tells_end("Tickets at the door")
    (True, False)
    """
    if len(text) > CONTEXT:
        return False
    return says("ended", text, folded_words(text), language)


def _edit(before: str, after: str, language: str) -> Edit:
    if before == after:
        return NOTHING
    found = (_recent_part if len(before) + len(after) <= KEPT else _part)(before, after)
    if isinstance(found, Edit):
        return found
    before, after = found
    return _weighed(before, after, language_rules(language or language_of(f"{before} {after}")).language)


_recent_edit = lru_cache(maxsize=1 << 9)(_edit)


def _part(before: str, after: str) -> Edit | tuple[str, str]:
    """The part of two texts in which they differ, or what the edit is if that needs no language."""
    before, after = _differing(plain_lines(before), plain_lines(after))
    if not _other_words(before, after) and _shown(before) == _shown(after):
        return Edit("typography", SLIGHT["typography"])
    if "[" in before and "[" in after:
        before, after = _NOTE.sub("", before), _NOTE.sub("", after)
        if before == after:
            return Edit("numbering", SLIGHT["numbering"])
    return before, after


_recent_part = lru_cache(maxsize=1 << 9)(_part)  # what is scored is soon told, then in the language of the page


@lru_cache(maxsize=1 << 8)  # what is scored is soon told, then in the language of the page
def _weighed(before: str, after: str, language: str) -> Edit:
    old, new = sentences(before), sentences(after)
    if len(old) != 1 or len(new) != 1:
        old, new = _left_over(old, new)
        if not old and not new:
            return Edit("order", SLIGHT["order"])
    edits = _edits(old, new, language_rules(language))
    return max(edits, key=lambda edit: edit.weight, default=Edit("order", SLIGHT["order"]))


def plain_lines(text: str) -> str:
    """`plain_signs` that keeps line breaks."""
    return "\n".join(map(plain_signs, text.split("\n"))) if "\n" in text else plain_signs(text)


def _differing(before: str, after: str) -> tuple[str, str]:
    """Both texts without the sentences they begin and end with alike, and no longer than what is looked at."""
    limit = min(len(before), len(after))
    start = _same_beginning(before, after, limit)
    end = _same_beginning(before[::-1], after[::-1], limit - start)
    first = max(0, start - CONTEXT)
    if first and (breaks := list(_SENTENCE.finditer(before, first, start))):
        first = breaks[-1].end()
    last = max(0, end - CONTEXT)
    old, new = before[first : len(before) - last], after[first : len(after) - last]
    return old[:MOST_LETTERS], new[:MOST_LETTERS]


def _same_beginning(before: str, after: str, limit: int) -> int:
    """How many letters both begin with, by halving."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _other_words(before: str, after: str) -> bool:
    """True for texts that differ in their letters and digits, as plain letters show at once."""
    plain = before.isascii() and after.isascii()
    return plain and before.translate(_ASCII_SIGNS).lower() != after.translate(_ASCII_SIGNS).lower()


def _shown(text: str) -> str:
    return _SIGNS.sub("", text).casefold()


def sentences(text: str) -> list[str]:
    """The sentences of a text; a line ends one.

    >>> sentences("Pay by 3. May, incl. VAT. No refunds! See below")
    ['Pay by 3. May, incl. VAT.', 'No refunds!', 'See below']
    """
    found: list[str] = []
    for line in text.split("\n"):
        open_ended = False
        for part in filter(None, map(str.strip, _SENTENCE.split(line))):
            if open_ended:
                found[-1] += f" {part}"
            else:
                found.append(part)
            open_ended = part[-1] == "." and _SHORT_END.search(part, max(0, len(part) - _LONGEST_END)) is not None
    return found


def _left_over(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sentences that are not, or not as often, among the others."""
    before, after = [*map(_shown, old)], [*map(_shown, new)]
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    return list(_taken(old, before, gone))[:MOST_SENTENCES], list(_taken(new, after, come))[:MOST_SENTENCES]


def _taken(texts: Sequence[str], shown: Sequence[str], wanted: Counter[str]) -> Iterator[str]:
    for text, seen in zip(texts, shown, strict=True):
        if wanted[seen] > 0:
            wanted[seen] -= 1
            yield text


def _edits(old: Sequence[str], new: Sequence[str], rules: LanguageRules) -> Iterator[Edit]:
    """What was done to each sentence that differs."""
    left = [read_sentence(text, rules.language) for text in old]
    right = [read_sentence(text, rules.language) for text in new]
    for one, other in _paired(left, right):
        if one and other:
            edit = one.against(other)
            yield Edit(edit.kind, edit.weight, edit.before, edit.after, edit.unit, edit.values, one.text, other.text)
        elif other:
            yield Edit("added", other.worth, after=other.text, new=other.text)
        elif one:
            yield Edit("removed", one.worth, before=one.text, old=one.text)


def _paired(old: Sequence[Sentence], new: Sequence[Sentence]) -> Iterator[tuple[Sentence | None, Sentence | None]]:
    """Sentences that are states of one another, the likeliest first; then those without a partner."""
    if len(old) == len(new) == 1:
        one, other = old[0], new[0]
        alike = max(len(one.content), len(other.content)) <= 2 or one.likeness(other) > 0
        yield from [(one, other)] if alike else [(one, None), (None, other)]
        return
    near = sorted(
        ((one.likeness(other), -i, -j) for i, one in enumerate(old) for j, other in enumerate(new)), reverse=True
    )
    used_old: set[int] = set()
    used_new: set[int] = set()
    for likeness, i, j in near:
        if likeness >= ALIKE and -i not in used_old and -j not in used_new:
            used_old.add(-i)
            used_new.add(-j)
            yield old[-i], new[-j]
    yield from ((one, None) for i, one in enumerate(old) if i not in used_old)
    yield from ((None, other) for j, other in enumerate(new) if j not in used_new)
