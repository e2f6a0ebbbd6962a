"""What each HTML tag means to a page cut into blocks, packed for the compiled scanner.

A name is packed six bits a letter into one integer (`packed`), so that the scanner compares numbers, and a tag's
meaning is a set of flags found in a small open-addressing table (`TABLE_KEYS`, `TABLE_FLAGS`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

VOID: Final = 1  # has no end tag
RAW: Final = 2  # its content is text up to its own end tag
SKIP: Final = 4  # never seen by a reader
BLOCK: Final = 8  # begins a new line: a node of the reduced tree
HEADING: Final = 16
LINK: Final = 32
IMAGE: Final = 64
FRAME: Final = 128
STRONG: Final = 256  # stands out by weight
BREAK: Final = 512  # <br>: two in a row end a paragraph
VERBATIM: Final = 1024  # <pre>: a blank line ends a paragraph
CONTAINER: Final = 2048  # holds a part of the page rather than a paragraph
OPTIONAL_END: Final = 4096  # <p>, <li>, ...: its end tag may be left out, so it does not nest in itself
DIALOG: Final = 8192  # shown only when asked for
IN_HEAD: Final = 16384  # does not end a <head> whose end tag was left out

_TAGS: Final[dict[int, str]] = {
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    RAW: "script style textarea title xmp iframe noembed noframes plaintext",
    SKIP: "script style noscript template head title svg canvas object embed audio math textarea noembed noframes "
    "datalist",
    BLOCK: "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre "
    "search section select summary table tbody td tfoot th thead tr ul frameset",
    HEADING: "h1 h2 h3 h4 h5 h6",
    LINK: "a area",
    IMAGE: "img",
    FRAME: "iframe frame",
    STRONG: "b strong th",
    BREAK: "br",
    VERBATIM: "pre",
    CONTAINER: "article aside body center dialog div dl fieldset footer form header html main nav ol section table "
    "tbody td ul details search",
    OPTIONAL_END: "p li dd dt tr td th option optgroup tbody thead tfoot colgroup",
    DIALOG: "dialog",
    IN_HEAD: "base basefont bgsound head link meta noframes noscript script style template title",
}
_ALPHABET: Final = "\0abcdefghijklmnopqrstuvwxyz0123456789-"
TABLE_SIZE: Final = 1024
LONGEST: Final = 10  # letters that fit into one integer


def packed(name: str) -> int:
    """A tag or attribute name as an integer; 0 for a name the scanner does not know.

    >>> packed("a"), packed("b"), unpacked(packed("h1"))
    (1, 2, 'h1')
    """
    number = 0
    for letter in name if len(name) <= LONGEST else "":
        number = number << 6 | max(_ALPHABET.find(letter), 0)
    return number


@cache
def unpacked(number: int) -> str:
    """The name a packed number stands for (`x` for a name that was too long to pack)."""
    letters = []
    while number:
        letters.append(_ALPHABET[min(number & 63, len(_ALPHABET) - 1)])
        number >>= 6
    return "".join(reversed(letters)) or "x"


def slot(number: int) -> int:
    """Where a packed name is looked for first in the table; the scanner computes the same."""
    return (number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 54


def table_of(flags: Mapping[int, int]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """What packed names mean, as the compiled passes look it up (`markup_kernels.flags_of`)."""
    keys = np.zeros(TABLE_SIZE, np.uint64)
    values = np.zeros(TABLE_SIZE, np.int32)
    for key, value in flags.items():
        place = slot(key)
        while keys[place]:
            place = (place + 1) % TABLE_SIZE
        keys[place], values[place] = key, value
    return keys, values


def _flags() -> dict[int, int]:
    flags: dict[int, int] = {}
    for flag, names in _TAGS.items():
        for name in names.split():
            flags[packed(name)] = flags.get(packed(name), 0) | flag
    return flags


TABLE_KEYS, TABLE_FLAGS = table_of(_flags())
