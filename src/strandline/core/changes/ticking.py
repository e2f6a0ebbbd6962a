"""What ticks: clocks, ages, counters and identifiers in a text that otherwise stays, told by their form alone.

    age          "5 minutes ago", "yesterday"
    clock        10:45, a day of the week beside a number
    stamp        a date in a text that says when the page was made: "Last updated 12 May 2026", "Today is ..."
    counter      a number of views, comments, points, people online ... or one that left little more than itself behind
    identifier   a number of more than nine digits, a word that is letters and digits mixed
    countdown    time that is "left"; hours and minutes together

None of them is news, however rarely it moves. A *time* may be one or not ("Doors open at 19:30", "Answers within 24
hours"): what became of it earlier has to tell. What has no such form is judged by what it says (`meaning`) and by its
past (`volatility`): a price, a term of notice or the date of an event has none.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import Final, Literal

from strandline.core.blocks.words import masked, word_distance, words
from strandline.core.changes.labels import is_price_label

TickForm = Literal["", "age", "clock", "stamp", "counter", "identifier", "countdown", "time"]

LONGEST: Final = 9
"""Digits of a number; a longer one is an identifier. Origin: a guess."""
LONG: Final = 300
"""Letters of a text; in a longer one nothing ticks that matters to the rest of it. Origin: a guess."""
BRIEF: Final = 40
"""Letters of a text that may be an age without a number. Origin: a guess."""
SLOT: Final = 3
"""Words of a part that changes while the rest stays. Origin: a guess."""
IN_PLACE: Final = 0.5
"""Part of the words that differ at most in a text that is the same text, edited. Origin: a guess."""
RISE: Final = 0.05
"""Share of a number of three digits or more which a counter rises by at most. Origin: a guess."""
BESIDE: Final = 28
"""Letters before and after a number in which a word is about it. Origin: a guess."""
_MONTHS: Final = (
    "january february march april may june july august september october november december "
    "januar februar märz april mai juni juli august september oktober november dezember "
    "janvier février mars avril juin juillet août septembre octobre novembre décembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre "
    "januari februari maart mei augustus"
)
_SHORT_MONTHS: Final = (
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez mär déc fév avr ene abr ago gen mag giu lug set "
    "ott dic mrt"
)
_DAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag "
    "sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes "
    "sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag "
    "vrijdag zaterdag zondag"
)
_SHORT_DAYS: Final = "mon tue tues wed thu thur thurs fri sat sun mo di mi do fr sa so"


def _any(names: str) -> str:
    return "|".join(sorted(set(names.split()), key=len, reverse=True))


_TIME_UNITS: Final = (
    "seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|"
    "sekunden?|minuten?|stunden?|std|tage?n?|wochen?|monate?n?|jahre?n?|"
    "secondes?|heures?|jours?|semaines?|mois|ans?|années?|"
    "segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|"
    "second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|"
    "seconden|minuten|uur|dag(?:en)?|weken|maand(?:en)?|jaar"
)
_COUNT: Final = r"(?:\d+|an?|one|ein(?:e[mnr]?)?|une?|un[ao]?|een)"
_SPAN: Final = rf"(?:{_COUNT}[\s\u00a0]?(?:{_TIME_UNITS}|[smhdwj])\b\.?(?:,?\s(?:and\s|und\s|et\s|y\s|e\s|en\s)?)?)+"
AGE: Final = re.compile(
    rf"(?:\b(?:about|over|almost|ca\.)\s)?\b{_SPAN}\s*(?:ago\b|fa\b|geleden\b|atrás\b)|"
    rf"\b(?:vor|il\sy\sa|hace|seit|depuis|since)\s(?:etwa\s|environ\s)?{_SPAN}|"
    r"\bjust\snow\b|\bright\snow\b|\bmoments?\sago\b|\byesterday\b|\bgestern\b|\bgerade\seben\b|\bhier\sà\b|\bayer\b|\bieri\b|\bgisteren\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    r"(?<![\d:])\d{1,2}[:h]\d\d(?::\d\d)?(?:[.,]\d+)?(?!\d)(?:\s?[ap]\.?m\b\.?|\s?uhr\b|\s?(?:utc|gmt|cet|cest|[ecmp][sd]t)\b)*",
    re.IGNORECASE,
)
_MONTH: Final = rf"(?:{_any(_MONTHS)}|(?:{_any(_SHORT_MONTHS)})\b\.?)"
_YEAR: Final = r"(?:19|20)\d\d(?!\d)"
# A date is looked for from its first number, in small letters: going through every letter costs far more.
_NUMBER_BEGINS: Final = re.compile(r"\d(?<!\d\d)")
_DATE_ON: Final = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?:t(?=\d))?|\d{1,2}([-/.])\s?\d{1,2}\2\s?(?:\d{4}|\d\d)(?!\d)|"
    rf"\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s(?:de\s|of\s)?{_MONTH}(?:,?\s(?:de\s|del\s)?{_YEAR})?"
)
_MONTH_AT_END: Final = re.compile(rf"\b{_MONTH}\Z")
_DAY_OR_YEAR: Final = re.compile(rf"\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,?\s{_YEAR})?|{_YEAR}")
_WEEKDAY_AT_END: Final = re.compile(
    rf"\b(?:(?:{_any(_DAYS)})\b|(?:{_any(_SHORT_DAYS)})\b\.?),?\s+(?:the\s|den\s|le\s)?\Z"
)
_LONGEST_MONTH: Final = max(map(len, _MONTHS.split()))
_OTHER_LETTERS: Final = str.maketrans("İıſ\u212a", "iisk")  # that a search without regard to case takes for these
_STAMP: Final = re.compile(
    r"\b(?:updated?|modified|edited|generated|built|build|rendered|retrieved|accessed|as\sof|today|current(?:ly)?|now|"
    r"time|copyright|last|posted|published|crawled|cached|checked|refreshed|synced|"
    r"aktualisiert|geändert|stand|heute|erstellt|letzte\w*|veröffentlicht|abgerufen|uhrzeit|"
    r"mis\sà\sjour|mise\sà\sjour|modifiée?|aujourd'hui|dernière?|générée?|publié|"
    r"actualizad[oa]|modificad[oa]|hoy|última|publicad[oa]|generad[oa]|"
    r"aggiornat[oa]|modificat[oa]|oggi|ultim[oa]|pubblicat[oa]|generat[oa]|"
    r"bijgewerkt|gewijzigd|vandaag|laatst\w*|gepubliceerd)\b|©",
    re.IGNORECASE,
)
COUNTED: Final = re.compile(
    r"\b(?:views?|viewers?|viewing|visits?|visitors?|watching|watchers?|readers?|reads?|online|guests?|comments?|repl(?:y|ies)|"
    r"responses?|likes?|shares?|shared|votes?|upvotes?|points?|karma|followers?|subscribers?|downloads?|ratings?|reviews?|stars?|"
    r"reactions?|retweets?|reposts?|clicks?|plays?|listeners?|listening|going|interested|attending|sold|bought|served|waiting|"
    r"in\s(?:their\s)?(?:carts?|baskets?)|results?|hits|requests?|queries|memory|load|cpu|uptime|ms|unread|notifications?|"
    r"aufrufe|besucher|besuche|kommentare?|antworten?|leser|bewertungen?|stimmen|punkte|zuschauer|angesehen|verkauft|gäste|"
    r"vues?|visiteurs?|commentaires?|réponses?|lecteurs?|avis|partages?|abonnés?|en\sligne|vendus?|"
    r"visitas?|visitantes?|comentarios?|respuestas?|lectores?|opiniones|valoraciones|seguidores|vendidos?|"
    r"visualizzazioni|visitatori|commenti?|risposte|lettori|recensioni|voti|venduti|"
    r"weergaven|bezoekers?|reacties?|antwoorden|lezers|beoordelingen|stemmen|verkocht)\b",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(
    r"\b(?:left|remaining|remain|to\sgo|ends\sin|starts\sin|begins\sin|noch|verbleibend\w*|restante?s?|"
    r"rest(?:ent|e)|queda[n]?|faltan?|mancano|rimanenti|nog)\b",
    re.IGNORECASE,
)
_BRIEF: Final = re.compile(
    r"(?<![^\W\d_])\s?(?:h|hrs?|hours?|min|mins|minutes?|s|secs?|seconds?|ms|stunden?|minuten?|sekunden?|heures?|horas?|ore|uur)\b",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(rf"\s?(?:{_TIME_UNITS})\b", re.IGNORECASE)
_PAUSE: Final = re.compile(r"[.;|!?](?:\s|$)|[|@\u00b7\n\d]")
_UNIT: Final = re.compile(rf"\s?(?:{_TIME_UNITS}|[^\w\s,.;:!?)\]]|[A-Z]{{3}}|(?:euros?|dollars?|pounds?|francs?)\b)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_FIGURE: Final = re.compile(r"[^\d:]*\d+(?:[^\d:]\d+)?[^\d:]*\Z")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_MIXED: Final = re.compile(r"^(?=.*\d)(?=.*[a-z])[0-9a-z_]{6,}$|^[0-9a-f]{12,}$")
_DIGIT: Final = re.compile(r"\d")
_MAY_AGE: Final = (
    "ago",
    " fa",
    "geleden",
    "atrás",
    "vor ",
    "il y",
    "hace",
    "seit",
    "depuis",
    "since",
    "now",
    "yester",
    "gest",
    "eben",
    "hier",
    "ayer",
    "ieri",
    "gister",
)


@lru_cache(maxsize=1 << 12)
def settled_text(text: str) -> str:
    """A text without what ticks in it: dates, times, ages and numbers are one sign each.

    >>> settled_text("12 points by ann 3 hours ago"), settled_text("Monday, 02 March 2026, 09:10")
    ('# points by ann @', '@, @')
    """
    if len(text) > LONG or _is_figure(text):
        return masked(text)
    aged = _without_age(text)
    if _DIGIT.search(aged) is None:
        return aged
    return masked(_CLOCK.sub("@", _undated(aged)))


def _is_figure(text: str) -> bool:
    """True for a number with no letter beside it, which has neither age nor date nor time."""
    return _FIGURE.match(text) is not None and text.lower() == text.upper()


def _undated(text: str) -> str:
    spans = _dates(text)
    if not spans:
        return text
    starts, ends = zip(*spans, strict=True)
    return "@".join(text[end:start] for end, start in zip((0, *ends), (*starts, len(text)), strict=True))


@lru_cache(maxsize=1 << 9)
def _dates(text: str) -> tuple[tuple[int, int], ...]:
    """Where in a text dates begin and end, their days of the week with them."""
    folded = (text if text.isascii() else text.translate(_OTHER_LETTERS)).lower()
    found: list[tuple[int, int]] = []
    end = 0  # of the date before
    for number in _NUMBER_BEGINS.finditer(folded):
        start = number.start()
        if start < end:
            continue
        date = None
        blank = start > end and folded[start - 1].isspace()
        if blank and (month := _MONTH_AT_END.search(folded, max(end, start - 2 - _LONGEST_MONTH), start - 1)):
            date = _DAY_OR_YEAR.match(folded, start)
            start = month.start() if date else start
        date = date or _DATE_ON.match(folded, start)
        if date is None:
            continue
        if start > end and folded[start - 1].isspace() and (day := _WEEKDAY_AT_END.search(folded, end, start)):
            start = day.start()
        end = date.end()
        found.append((start, end))
    return tuple(found)


def _without_age(text: str) -> str:
    if len(text) > BRIEF and _DIGIT.search(text) is None:
        return text
    folded = text.lower()
    for sign in _MAY_AGE:
        if sign in folded:
            return AGE.sub("@", text)
    return text


@lru_cache(maxsize=1 << 11)
def tick_form(before: str, after: str) -> TickForm:
    """How a text ticked that says the same but for numbers, dates, times or identifiers; empty when it did not.

    >>> tick_form("1,204 readers", "1,951 readers"), tick_form("Notice of 14 days", "Notice of 90 days")
    ('counter', '')
    >>> tick_form("Updated 12 May 2026", "Updated 13 May 2026"), tick_form("Date: 12 May 2026", "Date: 13 May 2026")
    ('stamp', '')
    """
    if len(before) > LONG or len(after) > LONG:
        return ""
    if settled_text(before) != settled_text(after):
        return "identifier" if _other_identifiers(before, after) else ""
    forms: list[TickForm] = []
    old, new = before, after
    if not (_is_figure(before) and _is_figure(after)):
        old, new = _without_age(before), _without_age(after)
        if old == new:
            return "age"
        if _dates_of(old) != _dates_of(new):
            forms.append("stamp" if _is_stamp(new) else "")
        old, new = _undated(old), _undated(new)
        if _all(_CLOCK, old) != _all(_CLOCK, new):
            forms.append("clock" if _is_stamp(new) else "time")
        old, new = _CLOCK.sub("@", old), _CLOCK.sub("@", new)
    numbers = zip(_NUMBER.finditer(old), _NUMBER.finditer(new), strict=False)
    forms += [_number_form(new, one[0], other) for one, other in numbers if one[0] != other[0]]
    if not forms or "" in forms:
        return ""
    return "time" if "time" in forms else forms[-1]


def _dates_of(text: str) -> list[str]:
    return [text[start:end] for start, end in _dates(text)]


def _all(what: re.Pattern[str], text: str) -> list[str]:
    return [found[0] for found in what.finditer(text)]


def _is_stamp(text: str) -> bool:
    """Whether the dates of a text say when the page was made: it says so, or says nothing but the date."""
    return _STAMP.search(text) is not None or not _LETTERS.search(_CLOCK.sub("@", _undated(text)))


def _number_form(text: str, earlier: str, number: re.Match[str]) -> TickForm:
    """What a number, which is no part of a date or time, is by the words beside it."""
    start, end = number.span()
    if end - start > LONGEST and sum(map(str.isdigit, number[0])) > LONGEST:
        return "identifier"
    before, after = _PAUSE.split(text[max(0, start - BESIDE) : start])[-1], _PAUSE.split(text[end : end + BESIDE])[0]
    if is_price_label(before):
        return ""
    beside = before + after
    if beside.lower() == beside.upper():  # no letter, so no word that tells
        return "counter" if _counts_up(earlier, number[0]) and not _UNIT.match(after) else ""
    if _TIMES.match(after) and (_LEFT.search(text) or len(_all(_BRIEF, text)) > 1):
        return "countdown"
    if _BRIEF.match(after):
        return "counter" if _STAMP.search(before) else "time"
    if COUNTED.search(before) or COUNTED.search(after):
        return "counter"
    counts = not _UNIT.match(after) and _counts_up(earlier, number[0])
    return "counter" if counts else ""


def _counts_up(before: str, after: str) -> bool:
    """True for a large whole number that rose a little, as counters do between two looks."""
    old, new = before.replace(",", "").replace(".", ""), after.replace(",", "").replace(".", "")
    if len(old) < 3 or "." in before[-3:] or "," in before[-3:]:
        return False
    return int(old) < int(new) < (1 + RISE) * int(old)


@lru_cache(maxsize=1 << 11)
def is_slot(before: str, after: str) -> bool:
    """True when few words of a short text are others, not more than those that stay; or those of a label.

    >>> is_slot("Your reference: abc", "Your reference: xyz"), is_slot("Storm hits coast", "Council opens school")
    (True, False)
    """
    if len(before) > LONG or len(after) > LONG:
        return False
    if settled_text(before) == settled_text(after):
        return True
    old, new = words(before), words(after)
    longer = max(len(old), len(new))
    if abs(len(old) - len(new)) > SLOT:
        return False
    kept = (Counter(old) & Counter(new)).total()
    return longer - kept <= min(SLOT, kept) or longer < SLOT


@lru_cache(maxsize=1 << 11)
def is_same_text(before: str, after: str) -> bool:
    """True for two states of one text; otherwise one only took the place of the other."""
    return settled_text(before) == settled_text(after) or word_distance(before, after) <= IN_PLACE


def _other_identifiers(before: str, after: str) -> bool:
    """True when all words that differ are letters and digits mixed, as tokens are."""
    old, new = words(before), words(after)
    if len(old) != len(new) or not old:
        return False
    others = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    return bool(others) and all(_is_token(one) and _is_token(other) for one, other in others)


def _is_token(word: str) -> bool:
    return (
        word.isdigit() or _MIXED.match(word) is not None or (word.isalnum() and not word.isalpha() and len(word) >= 3)
    )
