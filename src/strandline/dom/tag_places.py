"""Where the few tags of a page are that somebody looks for: all others are passed over at the speed of memory."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

Beginnings = NDArray[np.bool_]
"""For every two letters whether a tag that begins with them is looked for."""
_TAG: Final = ord("<")
_LARGE: Final = (0x00, 0x20, 0x2000, 0x2020)  # bits in which large and small letters differ


def beginnings(tags: Iterable[bytes]) -> Beginnings:
    """For `PageTags`: the first two letters of tags, as they stand after `<`."""
    table = np.zeros(1 << 16, np.bool_)
    for tag in tags:
        first_two = int.from_bytes(tag[:2], "little") | _LARGE[-1]
        table[[first_two ^ bits for bits in _LARGE]] = True
    return table


class PageTags:
    """The tags of a page of UTF-8 HTML that are looked for."""

    def __init__(self, page: bytes, wanted: Beginnings) -> None:
        """Where tags stand that may be wanted.

        >>> PageTags(b"<p>a <DEL>b</del> <div>c <desk>", beginnings([b"del"])).places
        [5, 25]
        """
        self.page = page
        self.lower = page.lower()
        """In small letters."""
        found = (np.frombuffer(page, np.uint8) == _TAG).nonzero()[0]
        self.signs = len(found)
        """How many `<` there are."""
        self.places: list[int] = []
        """Where those that may be wanted stand, in order; few others are among them."""
        if len(page) > 2:
            found = found[: self.signs - page.count(b"<", -2)]  # after the others stand two letters
            two_letters = np.ndarray(len(page) - 2, "<u2", page, 1, 1)  # any two side by side
            self.places = found[wanted.take(two_letters[found])].tolist()
