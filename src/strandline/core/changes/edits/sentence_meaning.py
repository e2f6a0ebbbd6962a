"""What differs between two states of one sentence, each difference with its weight (see `meaning`)."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal

from strandline.core.changes.edits.quantities import IDLE, Fact, Token, read
from strandline.core.changes.edits.word_forms import denies, is_form, names_among
from strandline.core.changes.words.contacts import contacts
from strandline.core.changes.words.language_rules import Concept, LanguageRules, folded_words, heads, language_rules
from strandline.core.kept_property import kept_property
from strandline.core.quick_dataclass import dataclass

EditKind = Literal[
    "none", "typography", "order", "spelling", "numbering", "counter", "stamp", "struck", "wording", "added", "removed",
    "name", "contact", "number", "money", "date", "time", "deadline", "negation", "obligation", "quantity", "contrast",
    "party", "ingredient",
]  # fmt: skip

COUNTER: Final = 0.05
"""Share by which a bare number may move and still count readers or votes. Origin: a guess."""
_FIGURES: Final = {"money": 0.9, "date": 0.75, "time": 0.7, "number": 0.6}
"""Weight of a figure that is another, by its kind. Origin: a guess."""
_DEADLINE: Final = 0.95
"""Weight of another deadline. Origin: a guess."""
_MEASURED: Final = 0.9
"""Of a number with a unit. Origin: a guess."""
_COUNTING: Final = 0.2
"""Of a number that may be a counter. Origin: a guess."""
_ONE_SIDED: Final = 0.85
"""Part of it for a figure that only came or only went. Origin: a guess."""
_NEGATION: Final = 0.95
"""Weight of a negation that came or went. Origin: a guess."""
_MODALS: Final = {("must", "may"): 0.9, ("must", "should"): 0.8, ("may", "should"): 0.7, ("", "must"): 0.35,
                  ("", "should"): 0.3, ("", "may"): 0.45}  # fmt: skip
"""Weight of one obligation for another. Origin: a guess."""
_FLIPPED: Final = {"person": 0.5, "side": 0.7, "life": 0.8, "presence": 0.85}
"""Weight of a contrast that turned round, by its kind. Origin: a guess."""
_OTHERWISE_FLIPPED: Final = 0.88
"""Of any other kind. Origin: a guess."""
_ALONE: Final = {"scope": 0.55, "bound": 0.5, "permission": 0.45, "availability": 0.5, "cost": 0.55, "quantity": 0.4,
                 "inclusion": 0.35, "frequency": 0.4, "liability": 0.35}  # fmt: skip
"""Weight of a word of a contrast that came or went alone, by its kind. Origin: a guess."""
_OTHERWISE_ALONE: Final = 0.2
"""Of any other kind. Origin: a guess."""
_SLIGHT_POLES: Final = frozenset(("with", "also", "you", "we", "up", "down", "most", "yes", "true", "open", "begin",
                           "both", "one", "even"))  # fmt: skip
_QUANTITIES: Final = frozenset(("quantity", "scope", "bound", "frequency"))
_PARTIES: Final = frozenset(("lease", "sale", "work", "loan", "person"))
_SWAPPED: Final = 0.45
"""Weight of both words of a contrast that changed places. Origin: a guess."""
_NAME: Final = 0.7
"""Weight of another name. Origin: a guess."""
_CONTACT: Final = 0.7
"""Weight of another address or number to call. Origin: a guess, that of another name."""
_INGREDIENT: Final = 0.5
"""Weight of something that is made of something else now. Origin: a guess, less than another name."""
_NAME_ALONE: Final = 0.45
"""Of a name that only came or only went. Origin: a guess."""
_WORDING: Final = 0.4
"""What rewording comes to at most. Origin: a guess."""
_WORDS: Final = 6.0
"""Other words that make 1 - 1/e of it. Origin: a guess."""
SLIGHT: Final = {"spelling": 0.05, "order": 0.04, "numbering": 0.03, "counter": 0.02, "stamp": 0.02, "struck": 0.02,
                 "typography": 0.0}  # fmt: skip
"""Weights of what says nothing new. Origin: a guess."""
_ADDED: Final = 0.3
"""Weight of a whole sentence, at most. Origin: a guess."""
_ADDED_BINDING: Final = 0.6
"""The same of one with a figure, an obligation or a negation. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The weightiest difference between two texts."""

    kind: EditKind
    weight: float
    """In [0, 1]: 0 when nothing else is said."""
    before: str = ""
    """The words that went, as the text has them."""
    after: str = ""
    """The words that came in their place."""
    unit: str = ""
    """Of a number, as it is written, or the code of a currency."""
    values: tuple[float, float] | None = None
    """Of a figure, before and after."""
    old: str = ""
    """The sentence the words went from."""
    new: str = ""
    """The sentence the words came to."""


NOTHING: Final = Edit("none", 0.0)
"""Two texts that say the same. Origin: a definition."""


@dataclass(frozen=True)
class Sentence:
    """A sentence read by the rules of its language."""

    text: str
    rules: LanguageRules
    facts: tuple[Fact, ...]
    concepts: tuple[tuple[Concept, str], ...]
    """Small words that matter, in order, each with what is written."""
    content: tuple[Token, ...]
    """All other words but fillers."""
    words: frozenset[str]
    headline: bool
    """Whether Most of Its Words Have a Capital."""

    @property
    def worth(self) -> float:
        """What a whole sentence weighs that came or went."""
        binding = any(fact.kind not in IDLE for fact in self.facts) or any(
            concept.group in ("negation", "modal") for concept, _ in self.concepts
        )
        size = len(self.facts) + len(self.concepts) + len(self.content)
        most = _ADDED_BINDING if binding else _ADDED
        return most * (1.0 - math.exp(-size / 3.0))

    def likeness(self, other: "Sentence") -> float:
        """Share of what both say."""
        common = (self._said & other._said).total()
        union = self._said.total() + other._said.total() - common
        return common / union if union else 0.5

    @kept_property
    def _said(self) -> Counter[object]:
        words: list[object] = [token.word for token in self.content]
        concepts = [concept for concept, _ in self.concepts]
        return Counter(words + concepts + [(fact.kind, fact.key[2:3]) for fact in self.facts])

    def against(self, other: "Sentence") -> Edit:
        """The weightiest difference to a later state of this sentence."""
        found = [*_figures(self, other), *_small_words(self, other), *_words(self, other)]
        found += [
            Edit("contact", _CONTACT, *pair)
            for pair in zip(contacts(self.text), contacts(other.text), strict=False)
            if pair[0] != pair[1]
        ]
        if not found:
            return Edit("order" if self.words == other.words else "wording", SLIGHT["order"])
        return max(found, key=lambda edit: edit.weight)


@lru_cache(maxsize=1 << 9)
def read_sentence(text: str, language: str) -> Sentence:
    """A sentence whose signs are plain, read by the rules of a language. Recent ones are kept."""
    rules = language_rules(language)
    reading = read(text, rules)
    words = [token.word for token in reading.words]
    concepts: list[tuple[Concept, str]] = []
    content: list[Token] = []
    place = 0
    while place < len(words):
        token = reading.words[place]
        found = rules.concepts.at(words, place) if token.kind == "word" else None
        if found:
            concept, length = found
            concepts.append((concept, " ".join(one.text for one in reading.words[place : place + length])))
            place += length
            continue
        if token.kind == "word" and len(token.word) > 1 and token.word not in rules.fillers:
            content.append(token)
        place += 1
    return Sentence(
        text, rules, reading.facts, tuple(concepts), tuple(content), frozenset(words), _is_headline(reading.words)
    )


def _is_headline(words: Sequence[Token]) -> bool:
    inside = [token.text[:1].isupper() for token in words if len(token.text) > 3 and not token.first]
    return len(inside) >= 3 and sum(inside) > 0.75 * len(inside)


# Figures


def _figures(older: Sentence, newer: Sentence) -> Iterator[Edit]:
    """Figures that are others now, and those that came or went."""
    old, new = older.facts, newer.facts
    if _same_but_figures(older, newer):  # each stands for what the one in its place did, whatever others say
        yield from (_figure(*pair) for pair in zip(old, new, strict=True) if not _says_same(*pair))
        return
    gone, come = _differing_facts(old, new)
    gone, come = _unnumbered(gone, new), _unnumbered(come, old)
    for alike in (_same_unit, _same_number):
        for fact in list(gone):
            partner = next((one for one in come if alike(fact, one)), None)
            if partner is not None:
                gone.remove(fact)
                come.remove(partner)
                yield _figure(fact, partner)
    yield from (_figure(fact, None) for fact in gone)
    yield from (_figure(None, fact) for fact in come)
    for kind in IDLE:
        before, after = ([fact.phrase for fact in facts if fact.kind == kind] for facts in (old, new))
        for one, other in zip(before, after, strict=False):
            if one != other:
                yield Edit(kind, SLIGHT[kind], one, other)


def _same_but_figures(old: Sentence, new: Sentence) -> bool:
    """Whether two sentences say the same of figures of the same kinds, in the same order."""
    kinds, others = ([fact.kind for fact in one.facts] for one in (old, new))
    before, after = ([*(token.word for token in one.content), *one.concepts] for one in (old, new))
    return kinds == others and len(kinds) > 1 and not set(IDLE) & set(kinds) and before == after and bool(before)


def _differing_facts(old: Sequence[Fact], new: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    gone = [fact for fact in old if fact.kind not in IDLE]
    come: list[Fact] = []
    for fact in new:
        if fact.kind in IDLE:
            continue
        same = next((one for one in gone if _says_same(one, fact)), None)
        if same is None:
            come.append(fact)
        else:
            gone.remove(same)
    return gone, come


def _unnumbered(facts: list[Fact], others: Sequence[Fact]) -> list[Fact]:
    """Without numbers that number a section in the other state: "Chapter 3: Oil" for "3 Oil"."""
    numbers = {fact.phrase for fact in others if fact.kind == "numbering"}
    return [fact for fact in facts if fact.unit or fact.phrase not in numbers] if facts and numbers else facts


def _says_same(one: Fact, other: Fact) -> bool:
    return one.key == other.key or (bool(one.other) and one.other == other.key) or (
        bool(other.other) and other.other == one.key)  # fmt: skip


def _same_unit(one: Fact, other: Fact) -> bool:
    return one.kind == other.kind and (one.kind != "number" or one.key[2] == other.key[2])


def _same_number(one: Fact, other: Fact) -> bool:
    return one.kind == other.kind and one.value == other.value


def _figure(old: Fact | None, new: Fact | None) -> Edit:
    fact = new or old
    if fact is None:
        raise ValueError("a figure is on one of the sides")
    deadline = any(one is not None and one.deadline for one in (old, new))
    unit = next((one.unit for one in (new, old) if one is not None and one.unit), "")
    weight = _DEADLINE if deadline else _MEASURED if fact.kind == "number" and unit else _FIGURES[fact.kind]
    values = (old.value, new.value) if old and new and old.value is not None and new.value is not None else None
    if old is None or new is None:
        weight *= _ONE_SIDED
    elif fact.kind == "number" and not unit and values and abs(values[1] - values[0]) < COUNTER * max(map(abs, values)):
        weight = _COUNTING
    kind: EditKind = "deadline" if deadline else fact.kind
    return Edit(kind, weight, old.phrase if old else "", new.phrase if new else "", unit, values)


# Small words


def _small_words(old: Sentence, new: Sentence) -> Iterator[Edit]:
    """Negations, obligations and contrasts that are others now."""
    if [concept for concept, _ in old.concepts] == [concept for concept, _ in new.concepts]:
        return
    gone, come = _counted(old.concepts), _counted(new.concepts)
    groups = {concept.group for concept in (gone - come) | (come - gone)}
    negated = _negations(old) != _negations(new)
    flips = list(_contrasts(gone - come, come - gone, (old, new), groups - {"negation", "modal", "synonym"}))
    if negated and any(flipped for flipped, _ in flips):
        negated = False  # "not allowed" for "forbidden" says the same
        flips = [(flipped, replace(edit, weight=min(edit.weight, _COUNTING))) for flipped, edit in flips]
    yield from (edit for _, edit in flips)
    if negated:
        yield Edit("negation", _NEGATION, _written(old, "negation"), _written(new, "negation"))
    if "modal" in groups:
        yield _obligation(gone - come, come - gone, old, new)
    yield from _swapped(old, new)


def _counted(concepts: Iterable[tuple[Concept, str]]) -> Counter[Concept]:
    return Counter(concept for concept, _ in concepts)


def _negations(sentence: Sentence) -> int:
    """How often a sentence negates: any number of negations is one where the language repeats them."""
    count = sum(concept.group == "negation" for concept, _ in sentence.concepts)
    return min(count, 1) if sentence.rules.concord else count


def _written(sentence: Sentence, group: str, pole: str = "") -> str:
    found = (
        said for concept, said in sentence.concepts if concept.group == group and (not pole or concept.pole == pole)
    )
    return next(found, "")


def _contrasts(
    gone: Counter[Concept], come: Counter[Concept], states: tuple[Sentence, Sentence], groups: set[str]
) -> Iterator[tuple[bool, Edit]]:
    """Each contrast with another side now, and whether it was turned round or is only there or only was."""
    old, new = states
    for group in sorted(groups):
        left = [concept.pole for concept in gone if concept.group == group]
        right = [concept.pole for concept in come if concept.group == group]
        before = _written(old, group, left[0]) if left else ""
        after = _written(new, group, right[0]) if right else ""
        kind: EditKind = "quantity" if group in _QUANTITIES else "party" if group in _PARTIES else "contrast"
        if left and right:
            yield True, Edit(kind, _FLIPPED.get(group, _OTHERWISE_FLIPPED), before, after)
        else:
            slight = (left or right)[0] in _SLIGHT_POLES or (group == "bound" and not (old.facts or new.facts))
            weight = SLIGHT["spelling"] if slight else _ALONE.get(group, _OTHERWISE_ALONE)
            yield False, Edit(kind, weight, before, after)


def _obligation(gone: Counter[Concept], come: Counter[Concept], old: Sentence, new: Sentence) -> Edit:
    left = next((concept.pole for concept in gone if concept.group == "modal"), "")
    right = next((concept.pole for concept in come if concept.group == "modal"), "")
    strengths = sorted((left, right), key=("", "must", "may", "should").index)
    before = _written(old, "modal", left) if left else ""
    after = _written(new, "modal", right) if right else ""
    return Edit("obligation", _MODALS.get((strengths[0], strengths[1]), _ALONE["quantity"]), before, after)


def _swapped(old: Sentence, new: Sentence) -> Iterator[Edit]:
    """Both sides of a contrast in the other order: the tenant pays the landlord, the landlord pays the tenant."""
    if _counted(old.concepts) != _counted(new.concepts):
        return
    for group in {concept.group for concept, _ in old.concepts} - {"modal", "negation", "synonym", "person"}:
        before = [concept.pole for concept, _ in old.concepts if concept.group == group]
        after = [concept.pole for concept, _ in new.concepts if concept.group == group]
        if before != after:
            yield Edit("contrast", _SWAPPED, _written(old, group, before[0]), _written(new, group, after[0]))


# All other words


def _words(old: Sentence, new: Sentence) -> Iterator[Edit]:
    """Names and other words that differ; other spellings and forms of a word do not."""
    if old.content == new.content:
        return
    gone, come = _surplus(old.content, new.content), _surplus(new.content, old.content)
    named = any(old.rules.marked("sections", [token.word]) for token in (*gone, *come))
    if named and all(any(fact.kind == "numbering" for fact in one.facts) for one in (old, new)):
        gone, come = _unsectioned(gone, old.rules), _unsectioned(come, old.rules)
        yield Edit("numbering", SLIGHT["numbering"])
    if "".join(token.word for token in gone) == "".join(token.word for token in come):
        yield from [Edit("spelling", SLIGHT["spelling"], _joined(gone), _joined(come))] if gone or come else []
        return
    spelled: list[tuple[str, str]] = []
    for token in list(gone):
        partner = next((one for one in come if is_form(token.word, one.word)), None)
        if partner is not None:
            gone.remove(token)
            come.remove(partner)
            spelled.append((token.text, partner.text))
        elif (denied := next((one for one in come if denies(token.word, one.word, old.rules)), None)) is not None:
            yield Edit("negation", _NEGATION, token.text, denied.text)
    if spelled:
        yield Edit("spelling", SLIGHT["spelling"], *spelled[0])
    if not gone and not come:
        return
    if _tells("ingredients", old) and _tells("ingredients", new):
        yield Edit("ingredient", _INGREDIENT, _joined(gone), _joined(come))
    names_gone, names_come = _names(gone, old), _names(come, new)
    if names_gone and names_come:
        yield Edit("name", _NAME, _joined(names_gone), _joined(names_come))
    elif names_gone or names_come:
        yield Edit("name", _NAME_ALONE, _joined(names_gone), _joined(names_come))
    weight = _WORDING * (1.0 - math.exp(-(len(gone) + len(come)) / _WORDS))
    yield Edit("wording", weight, _joined(gone), _joined(come))


def _unsectioned(words: Sequence[Token], rules: LanguageRules) -> list[Token]:
    """Without what a section is called, which its number says as well: "§ 4" for "Section 4"."""
    return [token for token in words if not rules.marked("sections", [token.word])]


def _tells(mark: str, sentence: Sentence) -> bool:
    """Whether a sentence says what something is made of, or which law holds; lists of names show no language."""
    return heads(mark, folded_words(sentence.text))


def _names(words: Sequence[Token], sentence: Sentence) -> list[Token]:
    if sentence.rules.language == "de" and any(token.text[:1].isupper() for token in words) and _tells("law", sentence):
        return [token for token in words if token.text[:1].isupper()]  # "Es gilt das Recht der Schweiz"
    return names_among(words, sentence.content, sentence.text, sentence.rules, sentence.headline)


def _joined(words: Iterable[Token]) -> str:
    return " ".join(token.text for token in words)


def _surplus(words: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    counts = Counter(token.word for token in others)
    surplus = []
    for token in words:
        if counts[token.word]:
            counts[token.word] -= 1
        else:
            surplus.append(token)
    return surplus
