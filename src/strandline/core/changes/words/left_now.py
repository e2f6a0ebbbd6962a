"""How many places, tickets or goods are left at the moment, and how long one has to wait: figures in a sentence
that are others at the next look, and units of what is none.
"""

import re
from typing import Final

from strandline.core.changes.words.counters import is_among, is_limited, is_signed
from strandline.core.changes.words.moving_parts import TIME_UNITS
from strandline.core.changes.words.small_letters import small_letters

FEW: Final = 5
"""Words behind a number that tell what is left. Origin: a guess."""
BRIEF: Final = re.compile(  # small
    r"(?<![^\W\d_])\s?(?:h|hrs?|hours?|min|mins|minutes?|s|secs?|seconds?|ms|stunden?|minuten?|sekunden?|secondes?|heures?|"
    r"horas?|minutos?|segundos?|ore|minuti|secondi|uur|seconden)\b"
)
UNITS: Final = (
    "euros?|dollars?|pounds?|francs?|[kmc]?m|kg|met(?:re|er)s?|miles?|feet|hectares?|lit(?:re|er)s?|tons?|tonnes?"
)
UNIT: Final = re.compile(rf"\s?(?:{TIME_UNITS}|[^\w\s,.;:!?)\]]|[A-Z]{{3}}|(?:{UNITS})\b)")


def is_left_or_waited(before: str, after: str) -> bool:
    """Whether a number says how many places, tickets or goods are left now, or how many minutes one has to wait, and
    promises nothing.

    >>> is_left_or_waited("Only ", " left at this price"), is_left_or_waited("The hall has ", " seats")
    (True, False)
    """
    if is_limited(before, "") or is_signed(before):
        return False
    if BRIEF.match(small_letters(after)):
        return is_among("waiting", small_letters(before))
    if UNIT.match(after) or is_limited("", after):
        return False
    behind, ahead = small_letters(" ".join(after.split()[:FEW])), small_letters(" ".join(before.split()[-2:]))
    told = is_among("places", behind), is_among("left", behind), is_among("remaining", ahead)
    return sum(told) > 1
