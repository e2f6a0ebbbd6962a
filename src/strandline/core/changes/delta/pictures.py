"""Whether two pictures show the same, by 64 bits that say what each looks like.

The bits are made by `strandline.dom.picture_marks`: most say where a picture grows brighter from left to right, some
how much of each colour it has. The same picture encoded or scaled again differs in few of them, another one in many.
"""

from typing import Final

ALIKE: Final = 5
"""Bits of 64 in which encodings of one picture differ at most. Origin: measured, tests/dom/test_picture_marks.py."""
ANOTHER: Final = "The picture is another one"


def same_picture(one: int, other: int) -> bool:
    """True for two pictures that look alike.

    >>> same_picture(0b1011, 0b1010), same_picture(0, (1 << 30) - 1)
    (True, False)
    """
    return (one ^ other).bit_count() <= ALIKE
