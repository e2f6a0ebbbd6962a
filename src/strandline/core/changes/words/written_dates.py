"""Where in a text dates are, as people write them in languages that are known: "12 May 2026", "12.5.26", "May 12"."""

import re
from functools import lru_cache
from typing import Final

from strandline.core.changes.words.small_letters import small_letters

_MONTHS: Final = (
    "january february march april may june july august september october november december "
    "januar februar märz april mai juni juli august september oktober november dezember "
    "janvier février mars avril juin juillet août septembre octobre novembre décembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre novembre dicembre "
    "januari februari maart mei augustus "
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro "
    "maj augusti marts desember "
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "
    "ledna února března dubna května června července srpna září října listopadu prosince "
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta"
)
_SHORT_MONTHS: Final = (
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez mär déc fév avr ene abr ago gen mag giu lug set "
    "ott dic mrt"
)
_DAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag "
    "sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes "
    "sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag "
    "vrijdag zaterdag zondag segunda-feira terça-feira quarta-feira quinta-feira sexta-feira måndag tisdag onsdag "
    "torsdag fredag lördag söndag mandag tirsdag lørdag søndag poniedziałek wtorek środa środę czwartek piątek sobota "
    "sobotę niedziela niedzielę pondělí úterý středa středu čtvrtek pátek sobotu neděle neděli maanantaina tiistaina "
    "keskiviikkona torstaina perjantaina lauantaina sunnuntaina"
)
_SHORT_DAYS: Final = "mon tue tues wed thu thur thurs fri sat sun mo di mi do fr sa so"


def _any(names: str) -> str:
    return "|".join(sorted(set(names.split()), key=len, reverse=True))


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
    rf"\b(?:ve?\s)?(?:(?:{_any(_DAYS)})\b|(?:{_any(_SHORT_DAYS)})\b\.?),?\s+(?:the\s|den\s|le\s)?\Z"
)
_MONTH_NAMES: Final = frozenset((*_MONTHS.split(), *_SHORT_MONTHS.split()))
_LONGEST_MONTH: Final = max(map(len, _MONTHS.split()))


@lru_cache(maxsize=1 << 9)
def date_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where in a text dates begin and end, their days of the week with them."""
    folded = small_letters(text)
    found: list[tuple[int, int]] = []
    end = 0  # of the date before
    for number in _NUMBER_BEGINS.finditer(folded):
        start = number.start()
        if start < end:
            continue
        date = None
        blank = start > end and folded[start - 1].isspace()
        if blank and (month := _month_before(folded, end, start - 1)) >= 0:
            date = _DAY_OR_YEAR.match(folded, start)
            start = month if date else start
        date = date or _DATE_ON.match(folded, start)
        if date is None:
            continue
        if start > end and folded[start - 1].isspace() and (day := _WEEKDAY_AT_END.search(folded, end, start)):
            start = day.start()
        end = date.end()
        found.append((start, end))
    return tuple(found)


def _month_before(folded: str, start: int, end: int) -> int:
    """Where the name of a month begins that ends there; -1 for none. Most words show that they are none."""
    first = max(start, end - 1 - _LONGEST_MONTH)
    word = folded[first:end].rpartition(" ")[2]
    if word.isalpha() and word not in _MONTH_NAMES:
        return -1
    month = _MONTH_AT_END.search(folded, first, end)
    return month.start() if month else -1
