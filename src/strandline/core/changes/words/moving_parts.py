"""What may tick in a text, whatever it says: ages, dates, times, each found by its form and replaced by a sign."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from strandline.core.changes.words.small_letters import like_digits, small_letters, with_signs
from strandline.core.changes.words.written_dates import date_spans

BRIEF: Final = 40
"""Letters of a text, or at its end, that may be an age without a number. Origin: a guess."""
LONG: Final = 300
"""Letters of a text; in a longer one nothing ticks that matters to the rest of it. Origin: a guess."""
TIME_UNITS: Final = (
    "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|"
    "sekunden?|minuten?|stunden?|std|tage?n?|wochen?|monate?n?|jahre?n?|"
    "secondes?|heures?|jours?|semaines?|mois|ans?|années?|"
    "segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|"
    "second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|"
    "seconden|minuten|uur|dag(?:en)?|weken|maand(?:en)?|jaar|"
    "(?:dias?|mês|meses|anos?|"
    "sekund(?:er)?|minut(?:er|ter)?|timm(?:e|ar)|dagar|veck(?:a|or)|månad(?:er)?|år|"
    "timer?|dager?|ug(?:e|er)|uker?|måned(?:er)?|"
    "minut[ya]|godz(?:in[yaę]?)?|dzień|dni|tydzień|tygodni[ae]?|miesiąc[ae]?|miesięcy|lata?|roku?|"
    "sekund(?:y|ami|ou)|minut(?:ami|ou)|hodin(?:y|ami|ou)?|dn(?:y|ů|em|í)|týdn(?:y|em|ů)|měsíc(?:e|i|em|ů)?|"
    "lety?|rok(?:em|y)|"
    "sekuntia|minuuttia|tuntia?|päivää?|viikkoa?|kuukau(?:si|tta)|vuo(?:si|tta))(?![^\\W\\d_])"
)
_COUNT: Final = r"(?:\d+|an?|one|ein(?:e[mnr]?)?|une?|un[ao]?|een|uma?|en|ett?)"
_SPAN: Final = (
    rf"(?:(?:{_COUNT}[\s\u00a0]?|un['’])(?:{TIME_UNITS}|[smhdwj])(?![^\W\d_])\.?"
    r"(?:,?\s(?:and\s|und\s|et\s|y\s|e\s|en\s)?)?)+"
)
# What is marked as small is looked for in small letters.
AGE: Final = re.compile(  # small; where a word begins that may be one, and only then one of many alternatives
    rf"(?=[\dacdefghijlmnoprstuvwyzà])(?:\b|(?<=[^\W\d_])(?=\d|(?:il\sy\sa|hace|vor)\s\d|à\sl['’]instant|"
    r"yesterday\b|just\snow\b|gestern\b|gerade\seben\b|gisteren\b|zojuist\b))"
    rf"(?:(?:(?:about|over|almost|ca\.|för|for)\s)?{_SPAN}\s*(?:ago|fa|geleden|atrás|sedan|siden|temu|sitten)(?![^\W\d_])|"
    rf"(?:vor|il\sy\sa|hace|seit|depuis|since|há|před)\s(?:etwa\s|environ\s|cerca\sde\s)?{_SPAN}|"
    r"just\snow\b|right\snow\b|(?:an?\s)?moments?\sago\b|yesterday\b|gestern\b|gerade\seben\b|soeben\b|hier(?:\sà\b|\Z)|"
    r"à\sl['’]instant\b|ayer\b|ahora\smismo\b|ieri\b|proprio\sora\b|poco\sfa\b|adesso\Z|gisteren\b|zojuist\b|"
    r"ontem\b|agora\smesmo\b|igår\b|i\sgår\b|nyss\b|lige\snu\b|akkurat\snå\b|miesiąc\stemu\b|rok\stemu\b|tydzień\stemu\b|"
    r"godzinę\stemu\b|wczoraj\b|przed\schwilą\b|včera\b|právě\steď\b|eilen\b|juuri\snyt\b)"
)
CLOCK: Final = re.compile(
    r"\d(?<![\d:]\d)\d?[:h]\d\d(?::\d\d)?(?:[.,]\d+)?(?!\d)(?:\s?[ap]\.?m\b\.?|\s?uhr\b|\s?(?:utc|gmt|cet|cest|[ecmp][sd]t)\b)*",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(r"[^\d:]*\d+(?:[^\d:]\d+)?[^\d:]*\Z")
DIGIT: Final = re.compile(r"\d")
_MIXED: Final = re.compile(r"\d[a-z]+\d")
DOTS: Final = 3
"""Dots in the address of a computer. Origin: a standard, RFC 791."""
MAY_AGE: Final = ("ago", " fa", "geleden", "atrás", "vor ", "il y", "hace", "seit", "depuis", "since", "now", "yester",
                   "gest", "eben", "hier", "instant", "ayer", "mismo", "ieri", " ora", "adesso", "gister",
                   "zojuist", "sedan", "siden", "temu", "sitten", "há ", "před", "ontem", "går", "nyss", "lige nu",
                   "akkurat", "wczoraj", "chwil", "včera", "právě", "eilen", "juuri")  # fmt: skip


class Parts(NamedTuple):
    """A text, step by step without what may tick in it, each a sign."""

    figure: bool  # a number with no letter beside it
    numbered: bool  # whether it holds a digit besides its age
    aged: str  # without ages
    dates: tuple[str, ...]
    undated: str  # without ages and dates
    times: list[str]
    rest: str  # without any of them
    places: "Places"


class Places(NamedTuple):
    """Where in a text they begin and end: dates in a text without ages, times in one without ages and dates. It is true
    of all texts that differ from it in their digits only.
    """

    figure: bool
    numbered: bool
    alike: str
    """The text without any of them."""
    mixed: bool = False
    """Whether letters stand between two digits in it."""
    dotted: bool = False
    """Whether it has as many dots as the address of a computer."""
    ages: tuple[tuple[int, int], ...] = ()
    dates: tuple[tuple[int, int], ...] = ()
    times: tuple[tuple[int, int], ...] = ()


@lru_cache(maxsize=1 << 11)  # a text is compared with the one before it, then with the one after it
def parts_of(text: str) -> Parts:
    """The parts of a text, worked out once.

    >>> parts_of("12 points by ann, 2 May 2026, 09:10").rest
    '12 points by ann, @, @'
    """
    places = places_of(like_digits(text))
    figure, numbered, _, _, _, ages, dates, times = places
    if not (ages or dates or times):  # of most texts
        return Parts(figure, numbered, text, (), text, [], text, places)
    aged = with_signs(text, "@", ages)
    if not numbered:
        return Parts(False, False, aged, (), aged, [], aged, places)
    dateless = with_signs(aged, "@", dates)
    return Parts(
        False,
        True,
        aged,
        tuple([aged[start:end] for start, end in dates]),
        dateless,
        [dateless[start:end] for start, end in times],
        with_signs(dateless, "@", times),
        places,
    )


@lru_cache(maxsize=1 << 10)  # what counts or ticks is another number at every look, and the same text
def places_of(text: str) -> Places:
    """Where the parts of a text are; the same for all texts that are `like_digits`."""
    if _is_figure(text):
        return Places(True, True, text)
    ages = _ages(text)
    aged = with_signs(text, "@", ages)
    if DIGIT.search(aged) is None:
        return Places(False, False, aged, ages=ages)
    dates = date_spans(aged)
    dateless = with_signs(aged, "@", dates)
    times = tuple([found.span() for found in CLOCK.finditer(dateless)])
    rest = with_signs(dateless, "@", times)
    return Places(False, True, rest, _MIXED.search(rest) is not None, rest.count(".") >= DOTS, ages, dates, times)


def _is_figure(text: str) -> bool:
    """True for a number with no letter beside it, which has neither age nor date nor time."""
    return _FIGURE.match(text) is not None and text.lower() == text.upper()


def undated(text: str) -> str:
    """A text with a sign for each date."""
    return with_signs(text, "@", date_spans(text))


def _ages(text: str) -> tuple[tuple[int, int], ...]:
    """Where ages begin and end; in a long text without a number only at its end, as below an entry of a list."""
    ends = len(text) > BRIEF and DIGIT.search(text) is None
    folded = text[-BRIEF:].lower() if ends else text.lower()
    for sign in MAY_AGE:
        if sign in folded:
            found = AGE.finditer(small_letters(text))
            spans = [(age.start(), _end_of(text, age.start() + len(age[0].rstrip()))) for age in found]
            return tuple([span for span in spans if span[1] == len(text) or not ends])
    return ()


def _end_of(text: str, end: int) -> int:
    """Where an age ends: with a full stop behind it, as abbreviations of units have."""
    return end + (text[end : end + 1] == ".")


def as_old_as(before: str, after: str) -> str:
    """The later state of a text with the ages of the earlier one.

    >>> as_old_as("12 seats, updated 4 minutes ago", "14 seats, updated just now")
    '14 seats, updated 4 minutes ago'
    """
    if max(len(before), len(after)) > LONG:
        return after
    ages = places_of(like_digits(after)).ages
    earlier = places_of(like_digits(before)).ages if ages else ()
    if not ages or len(ages) != len(earlier):
        return after
    ends = (0, *[end for _, end in ages])
    kept = [after[end:start] for end, (start, _) in zip(ends, ages, strict=False)]
    said = [before[start:end] for start, end in earlier]
    return "".join([part for pair in zip(kept, said, strict=True) for part in pair]) + after[ends[-1] :]
