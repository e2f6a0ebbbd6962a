"""Labels and values that stand next to each other without a blank, as scripts put them: "BackupsDaily"."""

import re
from itertools import takewhile
from operator import eq
from typing import Final

_SEAM: Final = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z\d])")


_UNIT_SEAM: Final = re.compile(r"(\d\s?(?:°[CF]?|km/h|m/s|mph|hPa|mbar|[cmk]m|kWh|kW|µg/m³|[%€£$]))(?=[^\W\d_]{3})")


def unglued(text: str) -> str:
    """A text with a blank behind each measure that the next label stands next to.

    >>> unglued("21.5 °CWind 11 km/hPressure 1011 hPa"), unglued("12 km")
    ('21.5 °C Wind 11 km/h Pressure 1011 hPa', '12 km')
    """
    if _UNIT_SEAM.search(text) is None:  # of most texts; what is put in place of one takes longer to read
        return text
    return _UNIT_SEAM.sub(r"\1 ", text)


def parted(before: str, after: str) -> tuple[str, str]:
    """Two states of a text with a blank at the seam of its label and its value, where both begin with the same label.

    >>> parted("BackupsDaily", "BackupsWeekly"), parted("iPhone 12", "iPhone 13")
    (('Backups Daily', 'Backups Weekly'), ('iPhone 12', 'iPhone 13'))
    """
    if _SEAM.search(before) is None or before == after:  # hardly any text has one
        return before, after
    shared = sum(1 for _ in takewhile(bool, map(eq, before, after)))
    begin = before.rfind(" ", 0, shared) + 1
    for seam in _SEAM.finditer(before, begin, shared + 1):
        place = seam.start()
        if begin < place <= shared and _SEAM.match(after, place):
            return f"{before[:place]} {before[place:]}", f"{after[:place]} {after[place:]}"
    return before, after
