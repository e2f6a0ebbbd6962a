"""What a picture looks like, in 64 bits: a difference hash and a few bits of colour.

Needs the extra `strandline[images]`. 55 bits say of neighbours in a grid of 11 by 5 fields whether the right one is
clearly brighter, 9 how strong each colour is. A margin keeps flat areas, where any encoding puts its own noise, from
deciding. Without the extra, and of what is no picture, broken, or too large, nothing is known: such a capture is
compared by its digest.
"""

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image

KINDS: Final = frozenset({"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/bmp"})
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
LARGEST: Final = 40_000_000
"""Pixels of a picture that is decoded. Origin: a bound on memory, 160 MB."""
_COLUMNS, _ROWS = 11, 5
_MARGIN: Final = 4
"""Of 256 steps of brightness that make a field clearly brighter. Origin: measured, tests/dom/test_picture_marks.py."""
_STEPS: Final = (64, 128, 192)
"""Of each colour, of 256. Origin: a definition."""


def picture_mark(data: bytes, mime: str) -> int:
    """64 bits of a picture, never 0; 0 when nothing is known of it."""
    if mime not in KINDS:
        return 0
    try:
        from PIL import Image  # noqa: PLC0415 - an optional extra
    except ImportError:
        return 0
    try:
        with warnings.catch_warnings(), Image.open(BytesIO(data), formats=_FORMATS) as picture:
            warnings.simplefilter("ignore")
            if picture.width * picture.height > LARGEST:
                return 0
            picture.draft("RGB", (256, 256))
            return _bits(picture) or 1
    except Exception:  # noqa: BLE001 - decoders end in errors of all kinds over broken files
        return 0


def _bits(picture: "Image.Image") -> int:
    from PIL import Image  # noqa: PLC0415 - an optional extra

    shown = picture.convert("RGBA")
    plain = Image.new("RGBA", shown.size, "white")
    plain.alpha_composite(shown)
    colours = plain.convert("RGB").resize((_COLUMNS + 1, _ROWS), Image.Resampling.BOX)
    grey = colours.convert("L").tobytes()
    bits = 0
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            place = row * (_COLUMNS + 1) + column
            bits = bits << 1 | (grey[place + 1] > grey[place] + _MARGIN)
    mean = colours.resize((1, 1), Image.Resampling.BOX).tobytes()
    for colour in mean:
        for step in _STEPS:
            bits = bits << 1 | (colour >= step)
    return bits
