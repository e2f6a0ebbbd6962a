"""Numbers of versions: "The stable release is 2.4.0". Small steps, and yet what pages of software are there for."""

import re
from typing import Final

RELEASE: Final = 0.3
"""Weight of another version. Origin: a guess, about that of a new entry of a list."""
LONGEST: Final = 200
"""Letters of a text that names a version. Origin: a guess."""
BRIEF: Final = 40
"""Letters of a text that is little but a version. Origin: a guess."""
_OF_THREE: Final = re.compile(r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,2}(?![\w.])")
_DOTTED: Final = re.compile(
    r"(?<![\w.])v?\d{1,4}(?:\.\d{1,5}){1,3}(?:[-.]?(?:rc|beta|alpha|a|b|dev|post)\.?\d*)?(?![\w])"
)
_NAMED: Final = re.compile(
    r"\b(?:versions?|releases?|stable|latest|firmware|build|update|patch|fassung|ausgabe|versión|versione|versioni|"
    r"mise\sà\sjour|versie)\b|\bv(?=\d)",
    re.IGNORECASE,
)


def other_release(before: str, after: str) -> bool:
    """Whether a text names another version now, and says the same otherwise.

    >>> other_release("The stable release is 2.3.1.", "The stable release is 2.4.0."), other_release("2.3 km", "2.4 km")
    (True, False)
    """
    if max(len(before), len(after)) > LONGEST or not (_NAMED.search(after) or _is_brief(after)):
        return False
    return _DOTTED.sub("#", before) == _DOTTED.sub("#", after) and _DOTTED.findall(before) != _DOTTED.findall(after)


def _is_brief(text: str) -> bool:
    """Whether a few words hold a number of three parts, as nothing but versions has, and dates: "quickparse 1.8.0"."""
    return len(text) <= BRIEF and _OF_THREE.search(text) is not None
