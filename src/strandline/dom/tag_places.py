"""Where the few tags of a page are that say more than text: all others are passed over in one compiled pass."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strandline.dom.markup_kernels import eight_by_eight
from strandline.dom.tag_kernels import (
    A_TAG,
    DEFINED,
    DISPLAY_SIGN,
    FIRST,
    HIDDEN_SIGN,
    LINED,
    SEEN,
    SIGNS,
    STRUCK,
    UNREAD,
    find_tags,
)
from strandline.dom.tags import packed, table_of

Wanted = tuple[NDArray[np.uint64], NDArray[np.int32]]
"""Names of tags that are looked for."""
SHORTEST: Final = 4
"""Bytes of what is found at least: `<ol>`. Origin: a definition."""


def wanted(seen: Iterable[bytes], unread: Iterable[bytes]) -> Wanted:
    """For `PageTags`: tags of which readers see more than text, and tags in which nothing is read."""
    flags = {packed(name.decode()): SEEN for name in seen}
    return table_of(flags | {packed(name.decode()): UNREAD for name in unread})


class PageTags:
    """The tags of a page of UTF-8 HTML that are looked for."""

    def __init__(self, page: bytes, wanted: Wanted) -> None:
        """Read the page once.

        >>> tags = PageTags(b"<p>a <DEL>b</del> <OL><p hidden>c <script><ol></script>", wanted([b"ol"], [b"script"]))
        >>> tags.seen, tags.hidden, tags.unread, tags.struck
        ([18], [24], [(34, 46)], True)
        """
        found = np.empty(FIRST + 2 + 2 * (len(page) // SHORTEST), np.int64)
        source = np.frombuffer(page, np.uint8)
        last = find_tags(source, eight_by_eight(page), *wanted, found)
        places: list[int] = found[:last].tolist()
        rows = list(zip(places[FIRST::2], places[FIRST + 1 :: 2], strict=True))
        self.page = page
        self.signs = places[SIGNS]
        """How many `<` there are."""
        self.struck = places[STRUCK] != 0
        """Whether there are tags that may strike through."""
        self.lined = places[LINED] != 0
        """Whether the style of a tag may."""
        self.defined = places[DEFINED] != 0
        """Whether there may be tags that scripts define (`<app-post>`)."""
        self.seen = [place for place, kind in rows if kind == A_TAG]
        """Where tags stand of which readers may see more than text, in order."""
        self.unread = [(place, end) for place, end in rows if end > 0]
        """Comments, scripts and the like, from where to where; the end of the page where they have none."""
        self.hidden = [place for place, sign in rows if sign == HIDDEN_SIGN]
        """Where tags may be told to be hidden."""
        self.displayed = [place for place, sign in rows if sign == DISPLAY_SIGN]
        """Where tags say how they are displayed."""
