"""Pictures of a page before and after a change, with what changed framed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from strandline.access.index import Holdings
from strandline.access.memento import closest
from strandline.access.payload import LostError
from strandline.access.pictures import has_picture, picture_of
from strandline.core.changes.delta.framing import ChangedText, both_frames
from strandline.core.changes.told.shown import RATED
from strandline.core.pictures import Box, boxes_of, size_of
from strandline.web.views.compare import Compared, ComparedBlock

_THUMBNAILS: Final = 8
"""Pictures beside a calendar. Origin: a guess."""
_LOOKED: Final = 60
"""Days that are looked at for them. Origin: a bound on time."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One version of a page, as a browser showed it."""

    time: float
    width: int
    height: int
    mark: Literal["gone", "new"]
    frames: list[Box]
    data: bytes = field(repr=False)


def latest_views(holdings: Holdings, url: str, days: Sequence[float]) -> list[float]:
    """Times of the last captures of days, the newest first, of which there are pictures: some of them."""
    found = []
    for time in sorted(days, reverse=True)[:_LOOKED]:
        memento = closest(holdings.index, url, time)
        if memento is not None and memento.capture.rendering and has_picture(holdings, memento.capture):
            found.append(memento.capture.time)
        if len(found) == _THUMBNAILS:
            break
    return found


def pictures_of(holdings: Holdings, view: Compared) -> list[Picture]:
    """Both versions; nothing when one of them has no picture."""
    changed = [block for block in view.blocks if block.kind in RATED and not block.noise]
    try:
        (early, before), (late, after) = (_taken(holdings, view.url, time) for time in (view.old, view.new))
    except LostError:
        return []
    gone, new = both_frames(boxes_of(before), boxes_of(after), list(map(_texts, changed)))
    return [
        Picture(early, *size_of(before), "gone", gone, before),
        Picture(late, *size_of(after), "new", new, after),
    ]


def _texts(block: ComparedBlock) -> ChangedText:
    before, after = (
        "".join(piece.text for piece in block.pieces if piece.mark != others) for others in ("new", "gone")
    )
    return ChangedText(before, after)


def _taken(holdings: Holdings, url: str, time: float) -> tuple[float, bytes]:
    """The picture of a capture, and when it was taken; LostError when there is none."""
    memento = closest(holdings.index, url, time)
    if memento is None or abs(memento.capture.time - time) > 1.0:
        raise LostError("No picture of this capture was kept.")
    return memento.capture.time, picture_of(holdings, memento.capture)
