"""From when to when something is open: two times with a dash or a word between them. No clock says that, so another one
is news at its first change.
"""

import re
from typing import Final

_TIME: Final = r"\d{1,2}(?:[:.h]\d\d)?(?:\s?[ap]\.?m\b\.?|\s?uhr\b|\s?h\b)?"
_HOURS: Final = re.compile(
    rf"(?<![\d:.]){_TIME}\s?(?:[-\u2013\u2014]|\b(?:to|till|until|bis|à|a|alle|tot)\b)\s?{_TIME}(?![\d:]|\.\d)",
    re.IGNORECASE,
)
_CERTAIN: Final = re.compile(
    r"\d\.[0-5][05]\s?[-\u2013\u2014]\s?\d{1,2}\.[0-5][05]|\d[:h]\d\d|\d\s?(?:[ap]\.?m\b|uhr\b|h\b)", re.IGNORECASE
)
"""What makes numbers times: "9-18" may be pages or scores."""


def hours_of(text: str) -> list[str]:
    """Every span of hours a text tells.

    >>> hours_of("Monday 9:00\u201318:00, Saturday 10 am to 2 pm"), hours_of("09:05"), hours_of("pages 9-18")
    (['9:00\u201318:00', '10 am to 2 pm'], [], [])
    """
    return [found[0] for found in _HOURS.finditer(text) if _CERTAIN.search(found[0])]


def other_hours(before: str, after: str) -> bool:
    """Whether both texts tell hours, and not the same ones."""
    old = hours_of(before)
    return bool(old) and bool(new := hours_of(after)) and old != new
