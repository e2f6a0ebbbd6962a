"""A process that is going to work for a long time: what a short command does not need to think about.

Python looks through all objects again and again for those that only refer to each other; what start-up made will stay,
so it is not looked at any more, and the rest less often. The C library gives memory back to the system after every page
and asks for it again with the next; it is told to hold on to a few megabytes.
"""

import gc
import sys
from collections.abc import Callable
from functools import cache
from typing import Final

_OBJECTS: Final = 20_000
_AT_START: Final = 100_000
"""More than the objects any command is made of."""
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_HELD: Final = 16 << 20
_LARGE: Final = 4 << 20
"""Larger pieces of memory go back to the system at once."""


def tidy_less_often() -> None:
    """Look for garbage after 100,000 new objects instead of 700: start-up makes many, and all of them stay."""
    gc.set_threshold(_AT_START, 10, 10)


@cache
def settle_in() -> None:
    """Make this process ready for a long run, once: what is garbage at this moment will stay, too."""
    gc.freeze()
    gc.set_threshold(_OBJECTS, 10, 10)
    if sys.platform != "linux":
        return
    if adjust := _of_the_c_library("mallopt"):
        adjust(_TRIM_THRESHOLD, _HELD)
        adjust(_MMAP_THRESHOLD, _LARGE)


def give_back() -> None:
    """Give memory back to the system that a large answer took: what refers to itself is found now, and the C library
    keeps what lies between pieces that are still used. Without it the next answer finds no room in what this one left.
    """
    gc.collect()
    if sys.platform == "linux" and (trim := _of_the_c_library("malloc_trim")):
        trim(0)


def _of_the_c_library(name: str) -> Callable[..., object] | None:
    """A function of glibc; None in others, which do as they do."""
    from ctypes import CDLL  # noqa: PLC0415

    return getattr(CDLL(None), name, None)
