"""What is worked out of a version for comparing it, kept with the version and carried on to the next one.

A version is compared twice, as the new one and then as the old one, and most blocks of a page stay as they are for many
versions: what depends on their texts alone is worked out once.
"""

from typing import Final

from strandline.core.blocks.tree import BlockTree, PageBlock

LONG: Final = 150
"""Letters of a text that is no headline or teaser. Origin: a guess."""
LINKS: Final = "~"
"""What stands behind the path of a list of links."""
_OF_WHAT_IT_SHOWS: Final = ("texts", "identities", "digest", "masked_digest", "words", "prose")
_OF_ITS_ITEMS: Final = ("items", *_OF_WHAT_IT_SHOWS, "stored_items", "entries", "headed", "parted")
"""What depends on nothing else, by its name in the block."""


def shows_the_same(old: PageBlock, new: PageBlock) -> bool:
    """Whether a block shows what another did; then it has what was worked out of that one."""
    alike = old.items == new.items  # of most blocks
    if not alike and old.digest != new.digest:
        return False
    known, own = old.__dict__, new.__dict__
    for name in _OF_ITS_ITEMS if alike else _OF_WHAT_IT_SHOWS:
        if name in known:
            own[name] = known[name]
    return True


def noise_place(block: PageBlock) -> str:
    """Where the noise of a block is kept: at its path, apart for lists of links. Where names are made anew at every
    look, or there are none, a text and the list beside it have the same path.
    """
    found: str | None = block.__dict__.get("place")
    if found is None:
        found = f"{block.path}{LINKS}" if 2 * block.link_weight > block.weight else block.path
        block.__dict__["place"] = found
    return found


def prose_of(block: PageBlock) -> int:
    """Letters of the long texts of a block."""
    found: int | None = block.__dict__.get("prose")
    if found is None:
        found = block.__dict__["prose"] = sum(filter(LONG.__le__, map(len, block.texts)))
    return found


def shown_by(page: BlockTree) -> frozenset[str]:
    """All texts of a page, and the identities of its links, images and frames."""
    found: frozenset[str] | None = page.__dict__.get("shown")
    if found is None:
        found = page.__dict__["shown"] = frozenset().union(*[block.identities for block in page.blocks])
    return found
