"""Two pictures given as files, compared by what they show, as captures of pictures are (core/changes/delta)."""

from typing import Final

from strandline.core.blocks.tree import PICTURE_WEIGHT, BlockTree, Item, PageBlock
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.pictures import same_picture
from strandline.core.changes.delta.vidiff import compare
from strandline.dom.picture_marks import picture_mark
from strandline.errors import UsageError

_BEGINNINGS: Final = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def picture_kind(data: bytes) -> str:
    """The type of a picture, by how it begins; empty for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), "")


def picture_delta(old: bytes, new: bytes) -> Delta:
    """The difference between two pictures: none where they look alike, else one picture for another.

    Raises UsageError where their bytes differ and nothing is known of how they look: the extra is missing, or one of
    them is broken or too large.
    """
    if old == new:
        return compare(_shown(0), _shown(0))
    one, other = picture_mark(old, picture_kind(old)), picture_mark(new, picture_kind(new))
    if not one or not other:
        raise UsageError(
            "the pictures differ in their bytes; whether they look alike is not known: a picture cannot be read, or "
            "what reads them is missing (pip install 'strandline[images]')"
        )
    return compare(_shown(one), _shown(one if same_picture(one, other) else other))


def _shown(mark: int) -> BlockTree:
    """A page that shows nothing but a picture, named by what it looks like."""
    picture = Item("image", "", f"picture:{mark:016x}")
    return BlockTree((PageBlock("picture", 0, "main", "", (picture,), PICTURE_WEIGHT, 0),))
