"""Pictures of a page before and after a change, with what changed framed, where a browser took both.

The frames are those of the comparison (web/views/pictures.py): texts of blocks that came, left or were edited, but for
noise. Whatever is taken down has no picture here, as it has none anywhere.
"""

from dataclasses import dataclass
from typing import Literal

from strandline.access.payload import LostError
from strandline.access.pictures import picture_of
from strandline.archive.folder import Archive
from strandline.archive.holdings import holdings
from strandline.core.changes.delta.framing import ChangedText, both_frames
from strandline.core.changes.told.shown import RATED
from strandline.core.pictures import Box, boxes_of
from strandline.dom.framed_picture import Mark, framed_part, with_frames
from strandline.study.comparing import compare_versions

Form = Literal["whole", "part"]


@dataclass(frozen=True, slots=True)
class FramedPictures:
    """Before and after: PNG when whole, JPEG when parts."""

    before: bytes
    after: bytes


def framed_pictures(
    archive: Archive, url: str, start: float, end: float, form: Form = "whole"
) -> FramedPictures | None:
    """Both versions that a page showed at two times; None when one of them has no picture, when they are one, or when
    the extra `strandline[images]` is not there.
    """
    comparison, old, new = compare_versions(archive, url, start, end)
    if old == new:
        return None
    held = holdings(archive)
    try:
        pictures = picture_of(held, old), picture_of(held, new)
    except LostError:
        return None
    changed = [block for block in comparison.blocks() if block.kind in RATED and not block.noise]
    early, late = map(boxes_of, pictures)
    gone, come = both_frames(early, late, [ChangedText(one.before, one.after) for one in changed])
    before, after = painted(pictures[0], gone, "gone", form), painted(pictures[1], come, "new", form)
    return None if before is None or after is None else FramedPictures(before, after)


def painted(picture: bytes, framed: list[Box], mark: Mark, form: Form = "whole") -> bytes | None:
    """A picture with its frames; None when it cannot be made."""
    return (with_frames if form == "whole" else framed_part)(picture, framed, mark)
