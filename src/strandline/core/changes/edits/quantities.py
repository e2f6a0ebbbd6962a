"""What a sentence says in figures: numbers with their units, money, dates and times, whatever way they are written.

"30 days" and "thirty days", "two weeks" and "14 days", "14,95 €" and "EUR 14.95", "3 May 2025" and "2025-05-03", "7 pm"
and "19:00" are the same. Numbers of sections, counters of readers, "3 hours ago" and the date after "last updated" say
nothing a reader relies on: they are found and told apart.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from strandline.core.changes.words.labels import names_price
from strandline.core.changes.words.language_rules import LanguageRules, folded
from strandline.core.quick_dataclass import dataclass

TokenKind = Literal["word", "number", "date", "time", "sign", "end"]
IdleKind = Literal["counter", "stamp", "numbering"]
FactKind = Literal["money", "date", "time", "number", "counter", "stamp", "numbering"]
IDLE: Final[tuple[IdleKind, ...]] = ("counter", "stamp", "numbering")  # what changes without anything being said
BEFORE: Final = 6
"""Words before a figure that tell what it is for. Origin: a guess."""
AFTER: Final = 3
"""The same after it. Origin: a guess."""
_DATE: Final = (
    r"\d{4}-\d\d?-\d\d?|\d{1,2}(?P<between>[./-])\s?\d{1,2}(?P=between)\s?(?:\d{4}|\d\d)(?!\d)|\d{4}/\d\d?/\d\d?"
)
_TIME: Final = (
    r"\d{1,2}:\d\d(?::\d\d)?(?!\d)(?:\s?(?:uhr|uur|h)\b)?|\d{1,2}\s?h(?:\s?\d\d)?(?![\w])"
    r"|\d{1,2}(?:\.\d\d)?\s?(?:uhr|uur)\b|\d{1,2}\.\d\d\s?h\b|\d{1,2}(?:[:.]\d\d)?\s?[ap](?:m\b|\.m\b\.?)"
    r"|(?:(?<=alle\s)|(?<=\bore\s)|(?<=\bom\s)|(?<=\blas\s))(?:[01]?\d|2[0-4])\.[0-5]\d(?![\d%]|[.,]\d|\s?[€%])"
)
_NUMBER: Final = r"(?:(?<![\w)])-)?(?:\d{1,3}(?:[ '.,]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:\.\d+){2,}|\d+(?:[.,]\d+)?)"
_TOKEN: Final = re.compile(
    rf"(?=\d)(?:(?P<date>(?<![\d.,]){_DATE})|(?P<time>(?i:(?<![\d.,:]){_TIME})))|(?=[\d-])(?P<number>{_NUMBER})"
    r"|(?P<short>[^\W\d_]{1,3}(?:\.[^\W\d_]{1,3})+\b\.?)|(?P<word>[^\W\d_]+[²2]?(?:-[^\W\d_]+)*)"
    r"|(?P<sign>[€$£¥₹%§°©])|(?P<end>[.!?;:](?=\s|$))"
)
_DIGITS: Final = re.compile(r"\d+")
_ORDINALS: Final = frozenset(("st", "nd", "rd", "th", "er", "re", "e", "de", "of", "del", "ste", "den", "the", "º"))
_SHORTENED: Final = frozenset(("st", "ste", "dr", "mr", "mrs", "ms", "prof", "no", "nr", "sr", "sra", "sig"))
_CONTRACTED: Final = {"ca": "can", "wo": "will", "sha": "shall"}
SHORTENED: Final = 4
"""Letters of a word for a section that is cut short: art., chap. Origin: a guess."""
_YEARS: Final = range(1800, 2200)
"""Numbers that may be years. Origin: a guess."""


class Token(NamedTuple):
    """A word, number or sign of a text."""

    kind: TokenKind
    text: str
    word: str  # folded
    first: bool  # of its sentence


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure of a text: the same key, the same said."""

    kind: FactKind
    key: tuple[object, ...]
    phrase: str
    unit: str = ""
    """As it is written."""
    value: float | None = None
    deadline: bool = False
    other: tuple[object, ...] = ()
    """Of a date written in figures that may be read day first or month first: the other reading."""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text whose signs are plain. "don't" is two words, and so is "l'accord"."""
    first, word = True, ""
    for match in _TOKEN.finditer(text):
        kind, said = match.lastgroup, match[0]
        if kind == "end":
            first = first or (said in ".!?;" and not (said == "." and word.lower() in _SHORTENED))
            yield Token("end", said, said, first=False)
            continue
        if kind == "short":
            said, kind = said.replace(".", ""), "word"
        elif kind == "word" and said[-1] in "nN" and text[match.end() : match.end() + 2].lower() == "'t":
            verb = folded(said[:-1])
            yield Token("word", said[:-1], _CONTRACTED.get(verb, verb), first)
            yield Token("word", "not", "not", first=False)
            first = False
            continue
        if kind == "word" and said == "t" and text[max(0, match.start() - 2) : match.start()].lower() == "n'":
            continue
        yield Token(kind, said, folded(said), first)  # type: ignore[arg-type]
        first, word = False, said


@dataclass(frozen=True, slots=True)
class Reading:
    """A text read: its figures, and the tokens that are none."""

    facts: tuple[Fact, ...]
    words: tuple[Token, ...]


def read(text: str, rules: LanguageRules) -> Reading:
    """Figures and words of a text whose signs are plain."""
    reader = _Reader(list(tokens(text)), rules)
    return Reading(tuple(reader.facts()), tuple(reader.words))


class _Reader:
    def __init__(self, found: Sequence[Token], rules: LanguageRules) -> None:
        self._tokens = found
        self._rules = rules
        self._words = [token.word for token in found]
        self.words: list[Token] = []

    def facts(self) -> Iterator[Fact]:
        place, figures = 0, self._rules.figures
        while place < len(self._tokens):
            token = self._tokens[place]
            kind = token[0]
            plain = kind == "end" or (kind == "word" and token[2] not in figures)  # most are, and begin no figure
            found = None if plain else self._at(place)
            if found is None:
                self.words.append(token)
                place += 1
                continue
            fact, place = found
            yield fact

    def _at(self, place: int) -> tuple[Fact, int] | None:
        token = self._tokens[place]
        if token.kind == "date":
            return self._told(_written_date(token), place, place + 1)
        if token.kind == "time":
            return self._told(Fact("time", ("time", _minutes(token.word)), token.text), place, place + 1)
        if token.word in self._rules.weekdays and token.kind == "word":
            return Fact("date", ("weekday", self._rules.weekdays[token.word]), token.text), place + 1
        named = self._named_date(place)
        if named:
            return self._told(named[0], place, named[1])
        if token.kind == "sign" and token.text in "€$£¥₹" and self._is_number(place + 1):
            number = self._tokens[place + 1]
            code = self._rules.currencies[token.text]
            return Fact("money", ("money", _value(number.text), code), number.text, code,
                        _value(number.text)), place + 2  # fmt: skip
        if token.word in self._rules.currencies and token.text.isupper() and self._is_number(place + 1):
            return self._money(place + 1, place, place + 2)
        return self._quantity(place)

    def _is_number(self, place: int) -> bool:
        return place < len(self._tokens) and self._tokens[place].kind == "number"

    def _told(self, fact: Fact, start: int, end: int) -> tuple[Fact, int]:
        """A date or time, unless it only stamps the page; a deadline where words beside it say so."""
        before = self._before(start)
        if self._rules.marked("stamps", before):
            return Fact("stamp", ("stamp",), fact.phrase), end
        deadline = fact.kind == "date" and self._rules.marked("deadlines", before + self._after(end))
        return Fact(fact.kind, fact.key, fact.phrase, fact.unit, fact.value, deadline, fact.other), end

    def _before(self, place: int) -> list[str]:
        return [token.word for token in self._tokens[max(0, place - BEFORE) : place] if token.kind == "word"]

    def _after(self, place: int) -> list[str]:
        return [token.word for token in self._tokens[place : place + AFTER] if token.kind == "word"]

    def _named_date(self, place: int) -> tuple[Fact, int] | None:
        """A date with the name of its month: 3 May 2025, May 3rd, 2025, 3. Mai, 3 de mayo de 2025, May 2025."""
        months, at = self._rules.months, place
        day = self._small(at, 31)
        if day:
            at = self._skip(at + 1)
            if at >= len(self._words) or self._words[at] not in months:
                return None
            month, at = months[self._words[at]], at + 1
        elif self._words[at] in months and self._tokens[at].kind == "word":
            month, at = months[self._words[at]], at + 1
            day = self._small(at, 31)
            if day:
                at = self._skip(at + 1) if self._small(self._skip(at + 1), _YEARS.stop) else at + 1
        else:
            return None
        year_at = self._skip(at)
        year = self._small(year_at, _YEARS.stop)
        if year in _YEARS:
            at = year_at + 1
        else:
            year = 0
        if not day and not year:
            return None
        phrase = " ".join(token.text for token in self._tokens[place:at] if token.kind != "end")
        return Fact("date", ("date", year, month, day), phrase), at

    def _skip(self, place: int) -> int:
        """Past what may stand between the parts of a date."""
        for _ in range(2):
            if place < len(self._tokens) and (self._words[place] in _ORDINALS or self._words[place] == "."):
                place += 1
        return place

    def _small(self, place: int, most: int) -> int:
        if not self._is_number(place) or not self._words[place].isdigit():
            return 0
        value = int(self._words[place][:5])
        return value if value <= most else 0

    # Numbers

    def _number(self, place: int) -> tuple[float, int] | None:
        """A number in figures or words, and where it ends. "One" and "a" are numbers only before a unit."""
        if self._is_number(place):
            value, end = _value(self._tokens[place].text), place + 1
            more = self._rules.numbers.get((self._words[end],)) if end < len(self._words) else None
            return (value * more, end + 1) if more and more >= 1000 else (value, end)
        for length in (3, 2, 1):
            value_of = self._rules.numbers.get(tuple(self._words[place : place + length]))
            if value_of is not None and value_of != 1.0 and place + length <= len(self._words):
                return value_of, place + length
        one = self._words[place] in self._rules.articles or self._rules.numbers.get((self._words[place],)) == 1.0
        return (1.0, place + 1) if one and self._unit(place + 1) else None

    def _unit(self, place: int) -> tuple[str, int] | None:
        for length in (2, 1):
            unit = self._rules.units.get(tuple(self._words[place : place + length]))
            if unit and place + length <= len(self._words):
                return unit, place + length
        return None

    def _quantity(self, place: int) -> tuple[Fact, int] | None:
        found = self._number(place)
        if found is None:
            return None
        value, end = found
        phrase = " ".join(token.text for token in self._tokens[place:end])
        idle = self._idle(place, end)
        if idle:
            return Fact(idle, (idle,), phrase), end
        if end < len(self._words) and self._words[end] in self._rules.currencies:
            return self._money(place, place, end + 1)
        unit = self._unit(end)
        if unit is None:
            return self._labelled(place, value, phrase), end
        name, after = unit
        written = " ".join(token.text for token in self._tokens[end:after])
        behind = self._rules.concepts.at(self._words, after) if after < len(self._words) else None
        passed = [] if behind and behind[0].group == "order" else self._after(after)[:1]  # "zwei Wochen vor Beginn"
        if self._rules.marked("ago", passed + self._before(place)[-3:]):
            return Fact("stamp", ("stamp",), f"{phrase} {written}"), after
        many, smaller = self._rules.whole.get(name, (1.0, name))
        return Fact("number", ("number", round(value * many, 6), smaller), phrase, written, value), after

    def _labelled(self, place: int, value: float, phrase: str) -> Fact:
        """A number without a unit of its own: the label before it may name one, or a price."""
        label = self._before(place) if self._words[place - 1 : place] == [":"] else []
        if label and names_price([token.text.casefold() for token in self._tokens[max(0, place - 3) : place - 1]]):
            return Fact("money", ("money", value, ""), phrase, "", value)
        name = self._rules.units.get((label[-1],)) if label else None
        if name is None:
            return Fact("number", ("number", value, ""), phrase, "", value)
        many, smaller = self._rules.whole.get(name, (1.0, name))
        return Fact("number", ("number", round(value * many, 6), smaller), phrase, label[-1], value)

    def _money(self, number: int, start: int, end: int) -> tuple[Fact, int]:
        value, after = self._number(number) or (0.0, number + 1)
        sign = self._words[start] if start < number else self._words[after]
        code = self._rules.currencies[sign]
        phrase = " ".join(token.text for token in self._tokens[number:after])
        return Fact("money", ("money", value, code), phrase, code, value), max(end, after)

    def _idle(self, place: int, end: int) -> FactKind | None:
        """What a number is for that says nothing."""
        before = self._before(place)[-1:] if place and self._tokens[place - 1].kind == "word" else []
        if not before and place > 1 and self._words[place - 1] == "." and len(self._words[place - 2]) <= SHORTENED:
            before = [self._words[place - 2]]  # "Art. 3"
        if self._words[place - 1 : place] == ["§"] or (before and self._rules.marked("sections", before)):
            return "numbering"
        written = self._tokens[place].text
        if "©" in self._words[max(0, place - BEFORE) : place] and written.isdigit() and int(written) in _YEARS:
            return "stamp"
        following = self._tokens[end] if end < len(self._tokens) else None
        if self._tokens[place].first and place == 0 and following is not None:
            dotted = following.kind == "end" and following.text == "." and end + 1 < len(self._tokens)
            titled = following.text[:1].isupper() and not following.text.isupper() and self._unit(end) is None
            if dotted or ("." in written and titled and following.word not in self._rules.currencies):
                return "numbering"
        near = self._after(end)[:2]
        if near and self._rules.marked("counters", near):
            return None if self._is_bounded(place) else "counter"
        labelled = self._words[place - 1 : place] == [":"] and self._before(place)[-3:]
        return "counter" if labelled and self._rules.marked("counters", labelled) else None

    def _is_bounded(self, place: int) -> bool:
        """Whether the words in front of a number make it a limit: at most, up to."""
        found = (self._rules.concepts.at(self._words, start) for start in range(max(0, place - 3), place))
        return any(one is not None and one[0].group == "bound" for one in found)


def _value(number: str) -> float:
    """What a number says; a separator before three last digits parts thousands.

    >>> _value("1,204"), _value("14,95"), _value("10 000"), _value("-4.5"), _value("0,397")
    (1204.0, 14.95, 10000.0, -4.5, 0.397)
    """
    sign = -1.0 if number.startswith("-") else 1.0
    *parts, last = re.split("[.,' ]", number.lstrip("-"))
    if parts and (len(last) != 3 or parts == ["0"]):
        return sign * float(f"{''.join(parts)}.{last}")
    return sign * float("".join(parts) + last)


def _minutes(time: str) -> int:
    """Minutes since midnight.

    >>> _minutes("7 pm"), _minutes("19:00"), _minutes("9h30"), _minutes("9.30 uur")
    (1140, 1140, 570, 570)
    """
    hours, *rest = map(int, _DIGITS.findall(time))
    half = re.search(r"([ap])\.?m", time)
    if half:
        hours = hours % 12 + (12 if half[1] == "p" else 0)
    return 60 * hours + (rest[0] if rest else 0)


def _written_date(token: Token) -> Fact:
    one, two, three = map(int, _DIGITS.findall(token.text))
    if one > 31:
        return Fact("date", ("date", one, two, three), token.text)
    year = three if three > 99 else 2000 + three
    first, second = ("date", year, two, one), ("date", year, one, two)
    if two > 12:
        first, second = second, first
    return Fact("date", first, token.text, other=second if one <= 12 and two <= 12 and one != two else ())
