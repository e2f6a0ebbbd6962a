"""What is known of a language: its small words that matter, its numbers, months and units, from a data file each.

The files (`languages/*.toml`) are part of the program, read when the first text in a language is weighed. Case and
accents do not count: the words of the files and of the texts are folded alike.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from strandline.core.kept_property import kept_property

LANGUAGES: Final = ("en", "fr", "de", "es", "it", "nl")
_SAME: Final = {"no": "nb", "nn": "nb"}
OTHERWISE: Final = "en"  # of a text that shows no language
ENOUGH: Final = 500
"""Letters that are enough to know a language by. Origin: a guess."""
_MOST_STEMMED: Final = 20_000
"""Words whose stems are remembered. Origin: a bound on memory."""
_ASIDE: Final = str.maketrans(
    "‘’‚‛′´`“”„‟«»″‐‑‒–—−\u00a0\u2007\u202f\u2009\u200a\u2002\u2003\u3000\t\n\r",
    "'''''''\"\"\"\"\"\"\"------" + " " * 11,
    "\u00ad\u200b\u200c\u200d\ufeff\u2060",
)
_SIGNS_ASIDE: Final = re.compile(f"[{''.join(map(chr, _ASIDE))}]+")  # translating whole texts takes ten times as long
_ASCII_ASIDE: Final = re.compile("[`\\t\\n\\r]")  # all of them that are ASCII
_WORDS: Final = re.compile(r"[^\W\d_]+")
_ASCII_WORDS: Final = re.compile("[a-z]+")
_PIECES: Final = re.compile(r"[^\W\d_²°]+(?:-[^\W\d_]+)*|[^\s\w']+|\w+")

_MARKS: Final = (
    "deadlines", "stamps", "sections", "counters", "ago", "equals", "costs", "ended", "alarms", "ingredients", "law",
    "contracts", "courtesy", "passing", "limits", "states", "grades", "titles", "crowds", "identified", "measured",
    "raised", "daily", "remaining", "places", "left", "waiting",
)  # fmt: skip
Phrase = tuple[str, ...]


def plain_signs(text: str) -> str:
    """A text with one kind of quotes, dashes and blanks.

    >>> plain_signs("l’avis – ‘opt‑in’")
    "l'avis - 'opt-in'"
    """
    if text.isascii() and _ASCII_ASIDE.search(text) is None:
        return text
    return _SIGNS_ASIDE.sub(lambda signs: signs[0].translate(_ASIDE), unicodedata.normalize("NFC", text))


@lru_cache(maxsize=1 << 12)
def folded(word: str) -> str:
    """A word without case and accents.

    >>> folded("Größte"), folded("Août")
    ('grosste', 'aout')
    """
    word = word.casefold()
    if word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


def _phrase(text: str) -> Phrase:
    return tuple(folded(piece) for piece in _PIECES.findall(plain_signs(text).replace("'", " ")))


class Concept(NamedTuple):
    """What a phrase stands for: the side `pole` of a contrast, as "most" of "bound"; `synonym` has only itself."""

    group: str
    pole: str


class Phrases:
    """Phrases by their words; one that ends in * stands for all that begin so."""

    def __init__(self, named: Iterable[tuple[Concept, Sequence[str]]]) -> None:
        self._from: dict[str, list[tuple[list[str], Concept]]] = {}  # by their first word, the longest first
        self._stems: dict[str, Concept] = {}
        known: set[Phrase] = set()
        for concept, texts in named:
            for text in texts:
                phrase = _phrase(text.rstrip("*"))
                if text.endswith("*"):
                    self._stems.setdefault(phrase[-1], concept)
                elif phrase not in known:
                    known.add(phrase)
                    self._from.setdefault(phrase[0], []).append((list(phrase), concept))
        for phrases in self._from.values():
            phrases.sort(key=lambda one: -len(one[0]))
        self._shortest = min(map(len, self._stems), default=0)
        self._stemmed: dict[str, Concept | None] = {}  # words met before

    def at(self, words: Sequence[str], place: int) -> tuple[Concept, int] | None:
        """The longest phrase that begins at a place, and of how many words it is."""
        word = words[place]
        for phrase, concept in self._from.get(word, ()):
            if words[place : place + len(phrase)] == phrase:
                return concept, len(phrase)
        if word not in self._stemmed:
            if len(self._stemmed) >= _MOST_STEMMED:
                self._stemmed.clear()
            self._stemmed[word] = self._stem(word)
        found = self._stemmed[word]
        return (found, 1) if found else None

    def _stem(self, word: str) -> Concept | None:
        for end in range(len(word), self._shortest - 1, -1):
            if concept := self._stems.get(word[:end]):
                return concept
        return None


@dataclass(frozen=True)
class LanguageRules:
    """All that is known of one language."""

    language: str
    function_words: frozenset[str]
    fillers: frozenset[str]
    """Words that say nothing of their own: function words, titles, legal forms."""
    concepts: Phrases
    """Negations, modal verbs, contrasts and synonyms."""
    concord: bool
    """Whether two negations in a sentence are one."""
    capitals: bool
    """Whether labels and nouns have capitals, too, not names alone."""
    negative_prefixes: tuple[str, ...]
    articles: frozenset[str]
    numbers: dict[Phrase, float]
    months: dict[str, int]
    weekdays: dict[str, int]
    units: dict[Phrase, str]
    currencies: dict[str, str]
    whole: dict[str, tuple[float, str]]
    legal_forms: frozenset[str]
    figures: frozenset[str]
    """Words that may begin a figure: numbers, months, weekdays, currencies, articles."""
    telling: frozenset[str]
    """Single words that tell the language."""
    marks: dict[str, tuple[Phrase, ...]]
    """What tells a deadline, a stamp, a section number, a counter, a time ago, what something is, what it costs,
    that it ended, that something is dangerous or lost; what it is made of, which law holds, which texts bind, what is
    mere politeness, what just happens, what is a limit, whether something can be had or is open, how grave
    it is, titles of people, counts of people and things of the moment, numbers that name something, that something was
    measured, sums that were given, what is another one every day; boxes beside what a page says, and pages about the
    same."""
    corrections: tuple[str, ...]
    """How notices of a correction begin (those that end in a colon), and what they say."""

    def marked(self, mark: str, words: Sequence[str]) -> bool:
        """Whether one of the phrases of a mark is among words."""
        return self._sought[mark].among(words)

    @kept_property
    def _sought(self) -> dict[str, "_Sought"]:
        return {mark: _sought([" ".join(phrase) for phrase in phrases]) for mark, phrases in self.marks.items()}


class _Sought(NamedTuple):
    """Phrases, so that most words show at once that none of them is among them."""

    single: frozenset[str]  # of one word
    begun: dict[str, list[str]]  # others, with a blank before and after each word, by their first word
    begin: frozenset[str]  # what these begin with
    stems: tuple[str, ...]  # of one word, and whatever begins with it
    least: int  # letters of the shortest of these
    heads: frozenset[str]  # so many letters of each

    def among(self, words: Sequence[str]) -> bool:
        """Whether one of the phrases is among words."""
        if not self.single.isdisjoint(words) or (self.least and self._is_stem_among(words)):
            return True
        firsts = self.begin.intersection(words)
        if not firsts:
            return False
        said = f" {' '.join(words)} "
        return any(phrase in said for first in firsts for phrase in self.begun[first])

    def _is_stem_among(self, words: Sequence[str]) -> bool:
        least = self.least
        if self.heads.isdisjoint([word[:least] for word in words]):
            return False
        return any(word.startswith(self.stems) for word in words)


def _sought(phrases: Sequence[str]) -> _Sought:
    single = frozenset(phrase for phrase in phrases if phrase.isalpha())
    stemmed = {phrase for phrase in phrases if phrase.endswith("*") and " " not in phrase}
    stems = tuple([phrase[:-1] for phrase in stemmed])
    least = min(map(len, stems), default=0)
    begun: dict[str, list[str]] = {}
    for phrase in phrases:
        if phrase not in single and phrase not in stemmed:
            said = f" {phrase[:-1]}" if phrase.endswith("*") else f" {phrase} "
            begun.setdefault(phrase.split(" ")[0], []).append(said)
    heads = frozenset(stem[:least] for stem in stems)
    return _Sought(single, begun, frozenset(begun), stems, least, heads)


def says(mark: str, text: str, words: Sequence[str], language: str = "") -> bool:
    """Whether a text, given with its words, has a phrase of a mark, in its language. That is guessed where the page
    does not tell it, but only of a text with such a phrase in some language: most have none. A few words may show no
    language: then any will do.
    """
    found = may_say(mark, words, language)
    if language or not found:
        return found
    guessed = language_of(text, "")
    return not guessed or language_rules(guessed).marked(mark, words)


def may_say(mark: str, words: Sequence[str], language: str = "") -> bool:
    """Whether one of several texts, given with the words of all, may have a phrase of a mark, in its language."""
    return language_rules(language).marked(mark, words) if language else heads(mark, words)


def heads(mark: str, words: Sequence[str]) -> bool:
    """Whether the words of a heading have a phrase of a mark in any language: they are too few to show theirs."""
    return _sought_anywhere(mark).among(words)


def may_head(mark: str, text: str) -> bool:
    """False for most texts in whose words `heads` finds nothing: none of the words that phrases end with is in them."""
    if not text.isascii():
        return True
    said = text.lower()
    for end in _ends(mark):  # noqa: SIM110 - a generator takes twice as long
        if end in said:
            return True
    return False


@cache
def _ends(mark: str) -> frozenset[str]:
    said = [phrase for code in LANGUAGES for phrase in language_rules(code).marks[mark]]
    return frozenset(phrase[-1].rstrip("*") for phrase in said)


@cache
def _sought_anywhere(mark: str) -> _Sought:
    return _sought([" ".join(phrase) for code in LANGUAGES for phrase in language_rules(code).marks[mark]])


def months_anywhere() -> dict[str, int]:
    """The months of all languages by their names, without case and accents."""
    further = [_numbered(said["months"]) for said in _read("further").values()]
    known = [*further, *[language_rules(code).months for code in LANGUAGES]]
    return {name: number for months in known for name, number in months.items()}


@cache
def language_rules(language: str) -> LanguageRules:
    """The rules of a language, by its code (`de`, `de-AT`); those of English for one without a file, with some words
    of its own where they are known.
    """
    code = language.lower().replace("_", "-").split("-")[0]
    code = _SAME.get(code, code)
    own = {} if code in LANGUAGES else _read("further").get(code)
    if own is None:
        return language_rules(OTHERWISE)
    said, shared = _read(OTHERWISE if own else code), _read("any")
    if own:
        said |= own | {"units": {unit: [*names, *own["units"].get(unit, ())] for unit, names in said["units"].items()}}
    function_words = frozenset(map(folded, said["function_words"].split()))
    forms = frozenset(map(folded, said["legal_forms"]))
    units = {
        _phrase(word): unit for source in (shared, said) for unit, names in source["units"].items() for word in names
    }
    months, weekdays, numbers = _numbered(said["months"]), _numbered(said["weekdays"]), _numbers(said["numbers"])
    articles = frozenset(map(folded, said["articles"]))
    currencies = {folded(name): code for code, names in shared["currencies"].items() for name in names}
    return LanguageRules(
        code,
        function_words,
        function_words | forms | frozenset(map(folded, said["titles"])),
        Phrases(_concepts(said)),
        said["concord"],
        said["capitals"],
        tuple(map(folded, said["negative_prefixes"])),
        articles,
        numbers,
        months,
        weekdays,
        units,
        currencies,
        {unit: (float(many), smaller) for unit, (many, smaller) in shared["whole"].items()},
        forms,
        frozenset((*months, *weekdays, *currencies, *articles, *(phrase[0] for phrase in numbers))),
        function_words | _single_words(said),
        {
            mark: tuple((*_phrase(text.rstrip("*"))[:-1], _phrase(text.rstrip("*"))[-1] + "*" * text.endswith("*"))
                        for text in texts)
            for mark, texts in _marks(said, shared)
        },
        tuple(plain_notice(text) for text in said["corrections"]),
    )  # fmt: skip


def _marks(said: dict[str, Any], shared: dict[str, Any]) -> Iterable[tuple[str, Sequence[str]]]:
    """Phrases by what they tell; those of boxes by what these are about, and all together."""
    for mark in _MARKS:
        yield mark, said[mark]
    boxes = {topic: [*phrases, *shared["boxes"].get(topic, ())] for topic, phrases in said["boxes"].items()}
    yield "boxes", [phrase for phrases in boxes.values() for phrase in phrases]
    for topic, phrases in boxes.items():
        yield f"box {topic}", phrases
        yield f"about {topic}", shared["about"].get(topic, phrases)


def plain_notice(text: str) -> str:
    """A text as notices of a correction are looked for in it."""
    said = plain_signs(text)
    words = said.lower().split() if said.isascii() else map(folded, said.split())
    return " ".join(words).replace(" :", ":")


def folded_words(text: str) -> list[str]:
    """The words of a text without case and accents, and without its numbers.

    >>> folded_words("L’Août, 3 jours")
    ['l', 'aout', 'jours']
    """
    said = plain_signs(text)
    if said.isascii():
        return _ASCII_WORDS.findall(said.lower())
    found = _WORDS.findall(said)
    if (together := " ".join(found)).isascii():  # only signs between them are not: as fast as any
        return together.lower().split()
    return [folded(word) for word in found]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("strandline.core.changes.words") / "languages" / f"{name}.toml").read_text("utf-8"))


def _concepts(said: dict[str, Any]) -> Iterable[tuple[Concept, Sequence[str]]]:
    yield Concept("negation", "not"), said["negations"]
    for strength, phrases in said["modals"].items():
        yield Concept("modal", strength), phrases
    for group, poles in said["opposites"].items():
        for pole, phrases in poles.items():
            yield Concept(group, pole), phrases
    for phrases in said["synonyms"]["words"]:
        yield Concept("synonym", phrases[0]), phrases


def _single_words(said: dict[str, Any]) -> frozenset[str]:
    named = [*said["modals"].values(), *said["units"].values(), said["negations"], said["numbers"]["more"]]
    named += [poles for group in said["opposites"].values() for poles in group.values()]
    listed = [*said["months"], *said["weekdays"], said["numbers"]["words"]]
    words = [text for texts in named for text in texts] + [word for both in listed for word in both.split()]
    return frozenset(folded(word) for word in words if word.isalpha())


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {folded(name): number for number, both in enumerate(names, 1) for name in both.split()}


def _numbers(said: dict[str, Any]) -> dict[Phrase, float]:
    small = said["words"].split()
    found = {_phrase(word): float(value) for value, word in enumerate(small)}
    more = {word: float(value) for word, value in said["more"].items()}
    tens = {word: value for word, value in [*more.items(), (small[20], 20.0)] if value in range(20, 100, 10)}
    for word, value in tens.items():
        for ones, name in enumerate(small[1:10], 1):
            for pattern in said["compounds"]:
                found[_phrase(pattern.format(tens=word, ones=name))] = value + ones
    for pattern in said["hundreds"]:
        found |= {_phrase(pattern.format(ones=name)): 100.0 * ones for ones, name in enumerate(small[2:10], 2)}
    return found | {_phrase(word): value for word, value in more.items()}


@cache
def _telling_words() -> dict[str, tuple[tuple[str, float], ...]]:
    """Words that tell a language, each with the languages that have it; a word of several tells less of each."""
    own = {code: language_rules(code).telling for code in LANGUAGES}
    holders: dict[str, list[str]] = {}
    for code, words in own.items():
        for word in words:
            holders.setdefault(word, []).append(code)
    return {word: tuple((code, 1.0 / len(codes)) for code in codes) for word, codes in holders.items()}


def language_of(text: str, otherwise: str = OTHERWISE) -> str:
    """The language of a text by its small words; `otherwise` when it has none of them.

    >>> language_of("Le préavis est de 30 jours"), language_of("Die Frist beträgt 30 Tage"), language_of("30 %")
    ('fr', 'de', 'en')
    """
    return _language_of(text[:ENOUGH], otherwise)


@lru_cache(maxsize=1 << 8)  # a text that came is asked about for what it says, and for what it corrects
def _language_of(text: str, otherwise: str) -> str:
    telling = _telling_words()
    hits = dict.fromkeys(LANGUAGES, 0.0)
    for word in folded_words(text):
        if word in telling:
            for code, worth in telling[word]:
                hits[code] += worth
    best = max(hits.values())
    return otherwise if not best or hits.get(otherwise) == best else max(hits, key=hits.__getitem__)
