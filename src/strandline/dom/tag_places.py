"""Where the few tags of a page are that somebody looks for: all others are passed over at the speed of memory."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Beginnings = NDArray[np.bool_]
"""For every two letters whether a tag that begins with them is looked for."""
_TAG: Final = ord("<")
_SMALL: Final = 0x20


def beginnings(tags: Iterable[bytes]) -> Beginnings:
    """For `tag_places`: the first two letters of tags, as they stand after `<`."""
    table = np.zeros(1 << 16, np.bool_)
    for tag in tags:
        table[(tag[0] | _SMALL) << 8 | tag[1] | _SMALL] = True
    return table


def tag_places(page: bytes, wanted: Beginnings) -> list[int]:
    """Where tags stand that may be wanted, in order; large letters are as small ones, and few others are among them.

    >>> tag_places(b"<p>a <DEL>b</del> <div>c <desk>", beginnings([b"del"]))
    [5, 25]
    """
    source = np.frombuffer(page, np.uint8)
    places = np.flatnonzero(source[:-2] == _TAG)
    first, second = (source[places + n].astype(np.int64) | _SMALL for n in (1, 2))
    found: list[int] = places[wanted[first << 8 | second]].tolist()
    return found
