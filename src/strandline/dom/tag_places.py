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


class PageTags:
    """A page of UTF-8 HTML, to be asked for tags more than once."""

    def __init__(self, page: bytes) -> None:
        self.page = page
        self.lower = page.lower()
        """In small letters."""
        source = np.frombuffer(page, np.uint8)
        self._places = np.flatnonzero(source[:-2] == _TAG)
        first, second = (source[self._places + n].astype(np.int64) | _SMALL for n in (1, 2))
        self._letters = first << 8 | second

    def places(self, wanted: Beginnings) -> list[int]:
        """Where tags stand that may be wanted, in order; large letters are as small ones, and few others are among
        them.

        >>> PageTags(b"<p>a <DEL>b</del> <div>c <desk>").places(beginnings([b"del"]))
        [5, 25]
        """
        found: list[int] = self._places[wanted[self._letters]].tolist()
        return found
