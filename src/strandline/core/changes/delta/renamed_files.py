"""Pictures that a new release of a site gave another name: the same address but for a digest, a version, a time.

Many sites name files by what is in them, or by the release they belong to: when that is another, all pictures of all
pages have other addresses, and nobody sees a difference. A single picture that was exchanged has another name, too, or
cannot be told from them; it says little either way, and what it shows is compared elsewhere (`pictures`).
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from strandline.core.blocks.tree import PageBlock, plain_address

_MADE: Final = re.compile(
    r"(?<![0-9a-z])(?:(?=[a-f]*\d)[0-9a-f]{8,}|\d{6,}|(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{8,})(?![0-9a-z])", re.IGNORECASE
)


@lru_cache(maxsize=1 << 11)
def settled_address(address: str) -> str:
    """An address without what names a state of the file.

    >>> settled_address("/static/hero.8d2f03ab.png?v=3"), settled_address("/i/1731890000/boats_4.jpg")
    ('/static/hero.*.png', '/i/*/boats_4.jpg')
    >>> settled_address("/photos/lighthouse-2024.jpg")
    '/photos/lighthouse-2024.jpg'
    """
    return _MADE.sub("*", plain_address(address))


def renamed_pictures(old: Iterable[PageBlock], new: Iterable[PageBlock]) -> set[str]:
    """Addresses of pictures of blocks as they were and as they are that differ in nothing but made-up parts."""
    before, after = (
        {item[2] for block in blocks for item in block.items if item[0] == "image"} for blocks in (old, new)
    )
    gone, come = before - after, after - before
    both = set(map(settled_address, gone)) & set(map(settled_address, come))
    return {address for address in gone | come if settled_address(address) in both}
