"""Dates and times that move with the clock, told by when the two versions were captured.

A date that is today's in both versions, or a time that moved as far as the clock did, says when the page was made,
whatever its words are and however it is written. Pages are made in other zones, and are kept for a while: a date may
be the day before or after, a time some minutes late. Times that both are multiples of five minutes may be appointed
ones (`appointed`), so they tell nothing.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final

from strandline.core.changes.words.language_rules import folded_words, months_anywhere
from strandline.core.changes.words.moving_parts import CLOCK, DIGIT, LONG
from strandline.core.changes.words.written_dates import date_spans

Moments = tuple[float, float]
"""When the old and the new version were captured, in seconds."""
LATE: Final = 12
"""Minutes by which a page may be older than its capture. Origin: a guess."""
STEP: Final = 5
"""Minutes: people appoint times in multiples of them. Origin: a guess, as in `appointed`."""
AHEAD: Final = 86_400.0
"""Seconds after which a date is to come, wherever the page is made. Origin: a definition, a day."""
DAY: Final = 24 * 60
"""Minutes of a day. Origin: a definition."""
SHORT_YEAR: Final = 100
"""What is left out of a year of two digits. Origin: a definition."""
Span = tuple[int, int]
_DIGITS: Final = re.compile(r"\d+")


def set_back(before: str, after: str, moments: Moments) -> str:
    """The later state of a text with the dates and times that moved with the clock as they were before.

    >>> day = 86_400.0  # seconds after the first of January 1970
    >>> set_back("North 2 January 1970, 12 boats", "North 3 January 1970, 15 boats", (day, 2 * day))
    'North 2 January 1970, 15 boats'
    >>> set_back("Opens 2 January 1970", "Opens 9 January 1970", (day, 2 * day))
    'Opens 9 January 1970'
    """
    if max(len(before), len(after)) > LONG or DIGIT.search(before) is None or DIGIT.search(after) is None:
        return after
    old, new = _spans(before), _spans(after)
    if not old or [dated for dated, _ in old] != [dated for dated, _ in new]:
        return after
    pieces, end = [], 0
    for (dated, (one, one_end)), (_, (other, other_end)) in zip(old, new, strict=True):
        was, now = before[one:one_end], after[other:other_end]
        creeps = was != now and (_is_today(was, now, moments) if dated else _moves_with_clock(was, now, moments))
        pieces += [after[end:other], was if creeps else now]
        end = other_end
    return "".join([*pieces, after[end:]])


def _spans(text: str) -> list[tuple[bool, Span]]:
    """Where dates and times are, in their order, and which of them are dates."""
    dates = date_spans(text)
    times = [clock.span() for clock in CLOCK.finditer(text)]
    free = [time for time in times if not any(start < time[1] and time[0] < end for start, end in dates)]
    found = [(True, span) for span in dates] + [(False, span) for span in free]
    found.sort(key=lambda one: one[1])
    return found


def _is_today(was: str, now: str, moments: Moments) -> bool:
    return all(_is_about(date, int(moment // 60)) for date, moment in zip((was, now), moments, strict=True))


@lru_cache(maxsize=1 << 9)
def _is_about(date: str, minute: int) -> bool:
    """Whether a date is that of a moment, or of the day before or after."""
    moment = datetime.fromtimestamp(60 * minute, UTC)
    found = [int(number) for number in _DIGITS.findall(date)]
    numbers = set(found)
    named = {month for word in folded_words(date) if (month := _months().get(word))}
    for near in (moment - timedelta(days=1), moment, moment + timedelta(days=1)):
        allowed = {near.day, near.month, near.year, near.year % SHORT_YEAR}
        if not numbers <= allowed or near.day not in numbers:
            continue
        if near.month in named or (not named and near.month in numbers and len(found) > 1):
            return True
    return False


def is_to_come(text: str, moment: float) -> bool:
    """Whether the first date of a text is more than a day after a moment; one without a year is of the same year.

    >>> [is_to_come(text, 0.0) for text in ("12 May 1970", "1970-05-12", "12.5.70", "1 January 1970", "May")]
    [True, True, True, False, False]
    """
    spans = date_spans(text)
    day = _day_of(text[slice(*spans[0])], datetime.fromtimestamp(moment, UTC).year) if spans else None
    return day is not None and datetime.combine(day, time.min, UTC).timestamp() > moment + AHEAD


def _day_of(text: str, year: int) -> date | None:
    """The day that a date names."""
    numbers = [int(number) for number in _DIGITS.findall(text)]
    month = next((month for word in folded_words(text) if (month := _months().get(word))), 0)
    if not month and len(numbers) > 1:
        parts = numbers[::-1] if numbers[0] > SHORT_YEAR else numbers
        month, numbers = parts[1], [parts[0], *parts[2:]]
    if not month or not numbers:
        return None
    if len(numbers) > 1:
        year = numbers[1] if numbers[1] > SHORT_YEAR else 100 * (year // 100) + numbers[1]
    try:
        return date(year, month, numbers[0])
    except ValueError:
        return None


def _moves_with_clock(was: str, now: str, moments: Moments) -> bool:
    old, new = _minutes(was), _minutes(now)
    if old % STEP == 0 and new % STEP == 0 and was.count(":") < 2:
        return False
    passed = round((moments[1] - moments[0]) / 60)
    return _apart(new - old, passed) <= LATE


def _apart(one: int, other: int) -> int:
    """Minutes between two moments of a day.

    >>> _apart(5, 1435), _apart(60, 10)
    (10, 50)
    """
    apart = (one - other) % DAY
    return min(apart, DAY - apart)


def _minutes(clock: str) -> int:
    hour, minute = map(int, _DIGITS.findall(clock)[:2])
    later = 12 if "p" in clock.lower() and hour < 12 else 0
    return 60 * (hour + later) + minute


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    return months_anywhere()
