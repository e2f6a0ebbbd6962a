"""What ticks: clocks, ages, counters and identifiers in a text that otherwise stays, told by their form alone.

    age          "5 minutes ago", "yesterday"
    clock        10:45, a day of the week beside a number
    stamp        a date in a text that says when the page was made: "Last updated 12 May 2026", "Today is ..."
    counter      a number of views, comments, points, people online ... or one that left little more than itself behind
    identifier   a number of more than nine digits, a word that is letters and digits mixed
    countdown    time that is "left"; hours and minutes together
    reading      what an instrument shows "now": a temperature, a wind
    converted    a price in another currency behind one that stays: "24.50 € (about $26.12)"

None of them is news, however rarely it moves. A *time* may be one or not ("Doors open at 19:30", "Answers within 24
hours"): what became of it earlier has to tell. What has no such form is judged by what it says (`meaning`) and by its
past (`volatility`): a price, a term of notice or the date of an event has none.
"""

import re
from functools import lru_cache
from typing import Final, Literal

from strandline.core.blocks.words import masked, words
from strandline.core.changes.words.contacts import contacts
from strandline.core.changes.words.counters import (
    counts_up,
    is_among,
    is_counted,
    is_limited,
    is_mark,
    is_sentence,
    is_signed,
)
from strandline.core.changes.words.currencies import is_converted
from strandline.core.changes.words.figures import is_money
from strandline.core.changes.words.labels import is_price_label
from strandline.core.changes.words.left_now import BRIEF, UNIT, UNITS, is_left_or_waited
from strandline.core.changes.words.moving_parts import CLOCK, LONG, TIME_UNITS, parts_of, places_of, undated
from strandline.core.changes.words.opening_hours import other_hours
from strandline.core.changes.words.small_letters import like_digits, small_letters, with_signs
from strandline.core.changes.words.written_dates import date_spans

TickForm = Literal["", "age", "clock", "stamp", "counter", "identifier", "countdown", "reading", "converted", "time"]

FORMS: Final[dict[TickForm, str]] = {
    "age": "says how long ago",
    "clock": "a clock",
    "stamp": "the date of the page itself",
    "counter": "a counter",
    "identifier": "an identifier",
    "countdown": "a countdown",
    "reading": "what an instrument shows now",
    "converted": "the same price in another currency",
    "time": "a time, not known to stand still",
}
"""What each is, in words. Origin: a definition."""
LONGEST: Final = 9
"""Digits of a number; a longer one is an identifier. Origin: a guess."""
BYLINE: Final = 80
"""Letters of a line that says who and how long ago. Origin: a guess."""
DIGITS: Final = 3
"""Digits of a number that may be any. Origin: a guess: terms are of fewer, or have a unit."""
SLOT: Final = 3
"""Words beside it in its part of a line. Origin: a guess."""
BESIDE: Final = 34
"""Letters before and after a number in which a word is about it. Origin: a guess."""
BEHIND: Final = 48
"""The same behind a number that a text begins with: "12 people have this in their basket". Origin: a guess."""
_STAMP: Final = re.compile(  # small
    r"\b(?:updated?|modified|edited|generated|built|build|rendered|retrieved|accessed|as\sof|today|current(?:ly)?|now|"
    r"time|copyright|last|posted|published|crawled|cached|checked|refreshed|synced|"
    r"aktualisiert|geändert|stand|heute|erstellt|letzte\w*|veröffentlicht|abgerufen|uhrzeit|"
    r"mis\sà\sjour|mise\sà\sjour|modifiée?|aujourd'hui|dernière?|générée?|publié|"
    r"actualizad[oa]|modificad[oa]|hoy|última|publicad[oa]|generad[oa]|"
    r"aggiornat[oa]|modificat[oa]|oggi|ultim[oa]|pubblicat[oa]|generat[oa]|"
    r"bijgewerkt|gewijzigd|vandaag|laatst\w*|gepubliceerd|"
    r"atualizad[oa]|atualização|gerad[oa]|uppdaterad|ändrad|publicerad|opdateret|ændret|oppdatert|endret|publisert|"
    r"zaktualizowan[oya]|aktualizacj[ai]|zmodyfikowan[oya]|opublikowan[oya]|aktualizováno|změněno|zveřejněno|päivitetty|muokattu|julkaistu)\b|©"
)
_IDENTIFIES: Final = re.compile(  # "etag: 3f1a", "request id: 17"
    r"[^:\n]{0,40}\b(?:etag|nonce|token|csrf|hash|checksum|digest|uuid|guid|cursor|"
    r"(?:request|session|trace|correlation|build) id|timestamp|ts|epoch|expires in|ttl)(?: \w{1,3})?: \S+\s*\Z",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(  # small
    r"\b(?:left|remaining|remain|to\sgo|ends\sin|starts\sin|begins\sin|noch|verbleibend\w*|restante?s?|"
    r"rest(?:ent|e|a|ano)|plus\sque|queda[n]?|faltan?|mancano|rimanenti|nog)\b"
)
_TIMES: Final = re.compile(rf"\s?(?:{TIME_UNITS})\b")  # small
_DAYS_AND_HOURS: Final = re.compile(  # small; nobody states a term so
    rf"\d\s?(?:{TIME_UNITS}|d)\b[,.]?\s(?:\w{{1,3}}\s)?\d{{1,2}}\s?(?:h|hrs?|hours?|std|stunden?|heures?|horas?|or[ae]|uur|"
    r"tim|timm(?:e|ar)|timer?|godz(?:in\w?)?|hodin\w?|tuntia?)\b(?!\s(?:a|am|per|pro|par|al|por|om)\s)"
)
_NOW: Final = re.compile(
    r"\b(?:now|current(?:ly)?|presently|jetzt|aktuell|zurzeit|derzeit|momentan|gegenwärtig|actuellement|ahora|actualmente|"
    r"adesso|ora|attualmente|nu|momenteel|at\spresent|al\smomento|en\sce\smoment|im\smoment|en\seste\smomento|agora|atualmente|neste\smomento|just\snu|lige\snu|akkurat\snå|teraz|obecnie|aktualnie|nyní|aktuálně|juuri\snyt|in\squesto\smomento|op\sdit\smoment|at\sthe\smoment)\b"
)  # small
_WEATHER: Final = re.compile(  # small
    r"\b(?:feels\slike|wind|humidity|air\spressure|dew\spoint|visibility|gefühlt|luftfeuchtigkeit|luftfeuchte|luftdruck|"
    r"taupunkt|sichtweite|ressentie?|vent|humidité|pression|viento|humedad|sensación|vento|umidità|percepita|"
    r"gevoelstemperatuur|luchtvochtigheid|luchtdruk)\b"
)  # what a weather station shows, without a word that says "now"
_ADDRESS: Final = re.compile(r"\d(?<![\d.]\d)\d{0,2}(?:\.\d{1,3}){3}(?![\d.])")  # of a computer
_OF_ALL: Final = re.compile(r"\s?(?:(?:out\s)?of|von|sur|de|di|van|/)\s?\d[\d.,]*(?=\s)")  # "812 of 1,000 have signed"
_READING: Final = re.compile(r"\s?(?:°|º|hPa\b|mbar\b|km/h|m/s|mph\b|mm\b|µg)")
_MEASURE: Final = re.compile(r"\s?(?:°|º|%|hPa\b|mbar\b|km/h|m/s|mph\b|[cmk]?m\b|µg|m³|l/s|kWh?\b|W\b)")
_DEGREE: Final = re.compile(r"\s?(?:[°º]|(?:degrees|grad|grados|gradi|graden|degrés)\b)", re.IGNORECASE)
_SHOWN: Final = re.compile(rf"\d{_READING.pattern}")
_STARS: Final = re.compile("[★☆⭐✩✭✰⯪]")
_OF_MANY: Final = re.compile(r"\s?[(★☆⭐]")  # "4.5 (120)"
_PAUSE: Final = re.compile(r"[.;|!?](?:\s|$)|[|@\u00b7\n\d]")
_PARTED: Final = re.compile(r"[.;!?]\s|\s?[|\u00b7•]\s?")
_WAY: Final = re.compile(r"[-+−▲▼△▽↑↓]\s?(?=#)")  # "+1.2 %" was "-0.4 %": how much something rose or fell
_STATED: Final = re.compile(rf"\d\s?(?:[%°]|(?:{TIME_UNITS}|{UNITS})\b)")
NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_MIXED: Final = re.compile(r"^(?=.*\d)(?=.*[a-z])[0-9a-z_]{6,}$|^[0-9a-f]{12,}$")
_TOKEN: Final = re.compile(r"\b(?=[a-z]*\d+[a-z]+\d)(?=\d*[a-z]+\d)[0-9a-z]{8,}\b")  # letters and digits in turn


@lru_cache(maxsize=1 << 12)
def settled_text(text: str) -> str:
    """A text without what ticks in it: dates, times, ages and numbers are one sign each.

    >>> settled_text("12 points by ann 3 hours ago"), settled_text("Monday, 02 March 2026, 09:10")
    ('# points by ann @', '@, @')
    """
    return masked(text) if len(text) > LONG else _settled(like_digits(text))


@lru_cache(maxsize=1 << 10)  # the numbers of a text that ticks are others at every look
def _settled(text: str) -> str:
    _, numbered, _, _, _, ages, dates, times = places_of(text)
    rest = with_signs(with_signs(with_signs(text, "@", ages), "@", dates), "@", times)
    return masked(rest) if numbered else rest


@lru_cache(maxsize=1 << 11)
def tick_form(before: str, after: str) -> TickForm:
    """How a text ticked that says the same but for numbers, dates, times or identifiers; empty when it did not.

    >>> tick_form("1,204 readers", "1,951 readers"), tick_form("Notice of 14 days", "Notice of 90 days")
    ('counter', '')
    >>> tick_form("Updated 12 May 2026", "Updated 13 May 2026"), tick_form("Date: 12 May 2026", "Date: 13 May 2026")
    ('stamp', '')
    >>> tick_form("ann · 2h ago · 14", "ann · 3h ago · 31"), tick_form("4 € · 2h ago", "9 € · 3h ago")
    ('counter', '')
    >>> tick_form("812 messages", "907 messages"), tick_form("100 messages a day", "50 messages a day")
    ('counter', '')
    """
    if max(len(before), len(after)) > LONG:
        return ""
    form = _form(before, after)
    return form if form and contacts(before) == contacts(after) else ""


def _form(before: str, after: str) -> TickForm:
    """The same of texts that name nobody else than before."""
    if ": " in after and _IDENTIFIES.match(after) and _IDENTIFIES.match(before):
        return "identifier"
    if is_converted(before, after):
        return "converted"
    if (settled := settled_text(before)) != (other := settled_text(after)):
        if _WAY.match(settled) and _WAY.match(other) and _WAY.sub("", settled) == _WAY.sub("", other):
            return "reading"
        return "identifier" if _other_identifiers(before, after) else ""
    form: TickForm = ""
    old, new = parts_of(before), parts_of(after)
    if not (old.figure and new.figure):
        if old.aged == new.aged:
            return "age"
        if old.dates != new.dates:
            if not is_stamp(new.aged):
                return ""
            form = "stamp"
        if old.times != new.times:
            if other_hours(old.undated, new.undated):
                return ""
            form = "clock" if is_stamp(new.undated) else "time"
    places = new.places
    if (places.dotted and _only_others(_ADDRESS, old.rest, new.rest)) or (
        places.mixed and _only_others(_TOKEN, old.rest, new.rest)
    ):
        return "identifier"
    found = _numbers_form(old.rest, new.rest, places.alike, form)
    return "counter" if not found and not form and _counts_beside(before, after) else found


def _counts_beside(before: str, after: str) -> bool:
    """Whether numbers count that stand beside an age or a date: in a byline, or as counters go where it is an age,
    which only what is of the moment says.
    """
    old, new = parts_of(before), parts_of(after)
    if old.rest == before or new.rest == after:
        return False
    aged = old.aged != before and new.aged != after
    return _is_byline(after, new.rest) or (aged and _all_count_up(old.rest, new.rest))


def _is_byline(text: str, ageless: str) -> bool:
    """Whether numbers beside an age count, whatever: "via u13 12h ago | 47 comments", "12h ago 162"."""
    if len(text) > BYLINE or text.rstrip().endswith((".", "!", "?")):
        return False
    return _STATED.search(ageless) is None and not is_money(ageless)


def _all_count_up(before: str, after: str) -> bool:
    """Whether all numbers of a text that are others now, at least one, rose a little and have no unit."""
    pairs = zip(NUMBER.finditer(before), NUMBER.finditer(after), strict=False)
    others = [(one[0], other) for one, other in pairs if one[0] != other[0]]
    return bool(others) and all(
        counts_up(one, other[0]) and not has_unit(after[other.end() :]) and not is_signed(after[: other.start()])
        for one, other in others
    )


def has_unit(behind: str) -> bool:
    """Whether what stands behind a number begins with a unit, of time too, or with a sign.

    >>> has_unit(" days"), has_unit("%"), has_unit(" visits")
    (True, True, False)
    """
    return UNIT.match(behind) is not None


def _only_others(what: re.Pattern[str], before: str, after: str) -> bool:
    """Whether a text differs in its addresses of computers, or its tokens, only; most texts hold none."""
    if what.search(after) is None:
        return False
    found = _all(what, before) != _all(what, after)
    return found and what.sub("@", before) == what.sub("@", after) and (what is _TOKEN or not is_sentence(after))


def _numbers_form(before: str, after: str, alike: str, form: TickForm) -> TickForm:
    """How all numbers of a text ticked that are others now, dates and times being known; empty if one did not. A number
    that nothing is said of goes with a counter in the same line: no two terms of an offer change with its visitors.
    """
    named, unnamed = form, False
    for one, other in zip(NUMBER.finditer(before), NUMBER.finditer(after), strict=False):
        if one[0] != other[0]:
            found = _number_form(alike, one[0], other)
            if found:
                form = "time" if "time" in (form, found) else found
                named = found if found == "counter" else named
            elif not _is_any(alike, one[0], other.span()):
                return ""
            else:
                unnamed = True
    return "" if unnamed and named != "counter" else form


def _is_any(text: str, earlier: str, place: tuple[int, int]) -> bool:
    """Whether a number of a line is a whole one of some digits without a unit, and what stands about it no sentence."""
    start, end = place
    if min(len(earlier), end - start) < DIGITS or not (earlier.isdigit() and text[start:end].isdigit()):
        return False
    before, after = _PARTED.split(text[:start])[-1], _PARTED.split(text[end:])[0]
    if len(f"{before} {after}".split()) > SLOT or is_signed(before) or UNIT.match(after) or is_price_label(before):
        return False
    return not is_limited(before, after) and not is_among("identified", small_letters(before))


def _all(what: re.Pattern[str], text: str) -> list[str]:
    return [found[0] for found in what.finditer(text)]


def is_stamp(text: str) -> bool:
    """Whether the dates of a text say when the page was made: it says so, or says nothing but the date."""
    return _STAMP.search(small_letters(text)) is not None or not _LETTERS.search(CLOCK.sub("@", undated(text)))


def is_moment(text: str) -> bool:
    """True for a date that stands by itself, with or without a time.

    >>> is_moment("14 June 2026"), is_moment("14 June 2026, 10:15"), is_moment("Until 14 June 2026"), is_moment("14")
    (True, True, False, False)
    """
    return bool(date_spans(text)) and _LETTERS.search(CLOCK.sub("@", undated(text))) is None


def holds_date(text: str) -> bool:
    """True for a text with a date in it, whatever else it says.

    >>> holds_date("14 May A night at the mill"), holds_date("14 mills")
    (True, False)
    """
    return bool(date_spans(text))


def is_dated(text: str) -> bool:
    """True for what has a date of its own, an event or an entry: more than the date, and not when the page was made.

    >>> is_dated("12.03.2026 Meeting of the council"), is_dated("Updated 12 March 2026"), is_dated("12 March 2026")
    (True, False, False)
    """
    return bool(date_spans(text)) and not is_stamp(text)


def is_unnamed(text: str) -> bool:
    """True for a time without a word, which does not say what it is that of.

    >>> is_unnamed("08:31"), is_unnamed("8h31"), is_unnamed("Updated 08:31")
    (True, True, False)
    """
    return _LETTERS.search(text) is None or _LETTERS.search(CLOCK.sub("", text)) is None


def _number_form(text: str, earlier: str, number: re.Match[str]) -> TickForm:
    """What a number, which is no part of a date or time, is by the words beside it, in a text that is `like_digits`."""
    start, end = number.span()
    said = number[0]
    if end - start > LONGEST and sum(map(str.isdigit, said)) > LONGEST:
        return "identifier"
    return _form_at(text, (start, end), counts_up(earlier, said), said.startswith("0."))


@lru_cache(maxsize=1 << 10)  # what stands around a number that ticks is the same at the next look
def _form_at(text: str, place: tuple[int, int], rises: bool, small: bool) -> TickForm:
    """The same of the number at a place, whatever its digits; `small` for one that begins with 0."""
    start, end = place
    number = text[start:end]
    before = _PAUSE.split(text[max(0, start - BESIDE) : start])[-1]
    if whole := _OF_ALL.match(text, end):
        end = whole.end()
    after = _PAUSE.split(text[end : end + (BESIDE if start else BEHIND)])[0]
    if ":" in before and is_price_label(before):
        return ""
    rises = rises and not UNIT.match(after) and not is_signed(before)
    beside = small_letters(before + after)
    lone = before.endswith("(") and text[end : end + 1] == ")" and number.isdigit()  # "Comments (12)"
    measured = UNIT.match(after) or _MEASURE.match(after)
    if is_mark(number, text) and (_OF_MANY.match(after) or not measured) and not is_signed(before):
        return "counter"
    if beside == beside.upper():  # no letter, so no word that tells
        return "counter" if rises or lone or _STARS.search(before) else ""
    said_before, said_after = beside[: len(before)], beside[len(before) :]
    if _TIMES.match(said_after) and _runs_out(small_letters(text)):
        return "countdown"
    if is_left_or_waited(before, after):
        return "counter"
    if BRIEF.match(said_after):  # "0.18 s" is how long an answer took
        if small or (_STAMP.search(said_before) and not is_limited(before, "")):
            return "counter"
        return "" if is_sentence(text) and not _NOW.search(small_letters(text)) else "time"
    if _READING.match(after) and _NOW.search(said_before):
        return "reading"
    if _is_fine_degree(number, after) and (not is_sentence(text) or _is_of_a_moment(text)):
        return "reading"
    if _MEASURE.match(after) and _shows_now(small_letters(text)):
        return "reading"
    return _form_by_words(text, before, after, rises or lone)


def _is_fine_degree(number: str, behind: str) -> bool:
    """Whether a number is one of degrees with tenths: what is prescribed has none ("wash at 30 °C")."""
    return _DEGREE.match(behind) is not None and not number.isdigit()


def _is_of_a_moment(text: str) -> bool:
    """Whether a text says of what moment it is: now, today, or by a clock or date, a sign here."""
    folded = small_letters(text)
    return "@" in text or _NOW.search(folded) is not None or _STAMP.search(folded) is not None


def _shows_now(text: str) -> bool:
    """Whether a text says what instruments show at the moment: "Sky now: clouds 11 %, 21.5 °C"."""
    return not is_sentence(text) and _NOW.search(text) is not None and _SHOWN.search(text) is not None


def _form_by_words(text: str, before: str, after: str, counts: bool) -> TickForm:
    """The same by the words that are about it; `counts` where it goes or is written as counters are."""
    beside = small_letters(before + after)
    said_before = beside[: len(before)]
    sentence = is_sentence(text)
    if _is_weather(beside) and not sentence:
        return "reading"
    label = _TIMES.sub("", said_before, count=1) if before[:1].isspace() else said_before  # "35 min 12 plays"
    if is_counted(label, after, text.rstrip().endswith(".")):
        return "counter"
    if sentence:
        return ""
    if _MEASURE.match(after) and is_among("measured", beside):
        return "reading"
    if is_among("raised", beside):
        return "counter"
    free = not is_signed(before) and not UNIT.match(after)
    if free and (_NOW.search(beside) or is_among("crowds", beside)):
        return "counter"
    return "counter" if counts and not is_among("identified", beside) else ""


def _runs_out(text: str) -> bool:
    return _LEFT.search(text) is not None or len(_all(BRIEF, text)) > 1 or _DAYS_AND_HOURS.search(text) is not None


@lru_cache(maxsize=1 << 11)  # the number is another one at every look, what stands beside it is not
def _is_weather(beside: str) -> bool:
    return _WEATHER.search(beside) is not None


def _other_identifiers(before: str, after: str) -> bool:
    """True when all words that differ are letters and digits mixed, as tokens are; numbers without a word are none:
    "21.00" was when a match begins, and "0 – 0" is how it ended.
    """
    old, new = words(before), words(after)
    others = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
    if len(old) != len(new) or not others or all(map(str.isdigit, new)):
        return False
    return all(_is_token(one) and _is_token(other) for one, other in others)


def _is_token(word: str) -> bool:
    return (word.isalnum() and not word.isalpha() and len(word) >= 3) or word.isdigit() or bool(_MIXED.match(word))
