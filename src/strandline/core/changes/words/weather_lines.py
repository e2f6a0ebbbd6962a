"""Lines that tell the weather: a temperature beside a word or two, "12 °C, cloudy", as headers and boxes show it."""

import re
from typing import Final

LONGEST: Final = 48
"""Letters of such a line, with the day. Origin: a guess."""
HOTTEST: Final = 55
"""Degrees of air, in either sense of zero; what is hotter is cooked or washed. Origin: a guess."""
_DEGREES: Final = re.compile(r"(?<![\d.,])[-−–+]?(\d{1,2})(?:[.,]\d)?\s?[°º]\s?[CF]?(?![^\W\d_])")
_ENDS: Final = (".", "!", "?", ";")


def is_weather_line(before: str, after: str) -> bool:
    """True for two lines with one temperature of the air each, of which other words than that are others, too.

    >>> is_weather_line("12°C, cloudy", "9°C, fog"), is_weather_line("Bake at 180 °C, fan", "Bake at 200 °C, grill")
    (True, False)
    >>> is_weather_line("Keep below 8 °C", "Keep below 5 °C"), is_weather_line("9 °C in May.", "8 °C in June.")
    (False, False)
    """
    if before == after or "°" not in after.replace("º", "°"):
        return False
    return _told(before) != _told(after) and all(map(tells_weather, (before, after)))


def tells_weather(text: str) -> bool:
    """True for a line with one temperature of the air."""
    if ("°" not in text and "º" not in text) or len(text) > LONGEST or text.rstrip().endswith(_ENDS):
        return False
    found = _DEGREES.findall(text)
    return len(found) == 1 and int(found[0]) <= HOTTEST


def _told(text: str) -> str:
    """What a line says besides its temperature."""
    return _DEGREES.sub("", text).casefold()
