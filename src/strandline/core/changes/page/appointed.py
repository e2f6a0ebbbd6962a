"""Times that are appointed, of a timetable, a meeting, a delivery: no clock, so another one is news at once.

Nothing but the page itself tells at the first comparison of two looks:

    timetable    there are several times near each other, at the same places as before, and most of them stay. Of world
                 clocks all move; in a log, where entries push down others, so do all places, and the latest is first
    sentence     a time in words that say nothing of now ("next", "measured", "session"), as people appoint them: a
                 multiple of five minutes, before and after
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from strandline.core.changes.edits.said import is_label
from strandline.core.changes.words.language_rules import folded_words, says
from strandline.core.changes.words.ticking import is_moment, is_stamp, is_unnamed

LONGEST: Final = 300
"""Letters of a text in which a time is appointed. Origin: a guess, that of a text in which something ticks."""
CELL: Final = 60
"""Letters of a cell of a timetable, or of a line of it. Origin: a guess."""
FEWEST: Final = 3
"""Times of a timetable. Origin: a guess."""
NEAR: Final = 3
"""Texts from a time of a timetable to the next: a row may have a stop and a platform. Origin: a guess."""
WORDS: Final = 3
"""Words that say what a time is that of. Origin: a guess."""
STEP: Final = 5
"""Minutes: people appoint times in multiples of them, clocks show one in five by chance. Origin: a guess."""
QUARTER: Final = 15
"""Minutes: what takes place begins at multiples of them, clocks show two such times in one of 225 looks.
Origin: a guess."""
_TIME: Final = re.compile(r"(?<![\d:.])(\d{1,2})[:h](\d\d)(?![\d:])")


def minutes_of(text: str) -> list[int]:
    """Times of a text, in minutes since midnight; those with seconds are clocks.

    >>> minutes_of("8:15 to 13h05"), minutes_of("08:15:03")
    ([495, 785], [])
    """
    return [60 * int(hour) + int(minute) for hour, minute in _TIME.findall(text)]


def is_appointment(before: str, after: str, language: str = "") -> bool:
    """Whether a sentence appoints another time now.

    >>> is_appointment("The council meets at 19:30.", "The council meets at 18:00.")
    True
    >>> is_appointment("The council meets at 19:31.", "The council meets at 19:32.")
    False
    """
    if len(after) > LONGEST or not _are_round([*minutes_of(before), *minutes_of(after)]):
        return False
    words = folded_words(after)
    return len(words) >= WORDS and not says("passing", after, words, language)


def is_round_moment(before: str, after: str) -> bool:
    """Whether two dates that stand by themselves, with their times, are such as people appoint: at quarters of an hour.

    >>> is_round_moment("Saturday, 21 November 2026, 19:30", "Saturday, 28 November 2026, 19:30")
    True
    >>> is_round_moment("21 November 2026, 10:31", "21 November 2026, 11:02"), is_round_moment("3 May", "4 May")
    (False, False)
    """
    times = [minutes_of(before), minutes_of(after)]
    return (
        all(times)
        and not any(minute % QUARTER for one in times for minute in one)
        and is_moment(before)
        and is_moment(after)
    )


def is_round_time(before: str, after: str) -> bool:
    """Whether two times that stand by themselves are such as people appoint: at quarters of an hour.

    >>> is_round_time("20:00 Uhr", "19:30 Uhr"), is_round_time("19:31", "19:45"), is_round_time("At 20:00", "At 21:00")
    (True, False, False)
    """
    times = [minutes_of(before), minutes_of(after)]
    if not all(times) or any(minute % QUARTER for one in times for minute in one):
        return False
    return is_unnamed(before) and is_unnamed(after)


def is_of_timetable(old: Sequence[str], new: Sequence[str], before: str, after: str, round_only: bool) -> bool:
    """Whether a text is that of a timetable with another time, given all texts before and after; where `round_only`,
    only if all times are multiples of five minutes: what stands in a list of links says when they were posted.

    >>> stops = ["Mill", "8:15", "Quay", "8:22", "Fort", "8:31"]
    >>> is_of_timetable(stops, [*stops[:5], "8:41"], "8:31", "8:41", False)
    True
    >>> is_of_timetable(["8:15", "9:15", "17:15"], ["8:22", "9:22", "17:22"], "8:15", "8:22", False)
    False
    """
    if len(old) != len(new) or len(after) > CELL:
        return False
    places = [place for place, text in enumerate(new) if len(text) <= CELL and minutes_of(text)]
    changed = [place for place in places if old[place] != new[place]]
    if len(places) < FEWEST or 2 * len(changed) > len(places):
        return False
    here = next((place for place in changed if old[place] == before and new[place] == after), -1)
    if here < 0 or not _is_in_step(places, here):
        return False
    times = [minutes_of(new[place])[0] for place in places]
    if places[0] == here and times == sorted(times, reverse=True):
        return False  # the latest is first, and another one: a log
    return not round_only or _are_round([*times, *minutes_of(before)])


def _is_in_step(places: Sequence[int], here: int) -> bool:
    """Whether the next time stands as far from a place as two others do from one another; from a clock above a
    timetable, or below it, it mostly does not.
    """
    steps = Counter(two - one for one, two in pairwise(places))
    return any(abs(place - here) <= NEAR and steps[abs(place - here)] > 1 for place in places if place != here)


def _are_round(minutes: Sequence[int]) -> bool:
    return bool(minutes) and all(minute % STEP == 0 for minute in minutes)


def is_tabled(texts: Sequence[str], date: str) -> bool:
    """Whether a date without a word beside it is one of a table: there are others, or a label stands before it.

    >>> is_tabled(["Seats", "4", "From", "12 May 2026"], "12 May 2026"), is_tabled(["12 May 2026"], "12 May 2026")
    (True, False)
    """
    if sum(map(is_moment, texts)) > 1:
        return True
    place = texts.index(date) if date in texts else 0
    return place > 1 and is_label(texts[place - 1]) and not is_stamp(texts[place - 1])
