"""Pictures that several captures of a page share: kept with the first that looked so, the others name it.

When that capture goes, the first that stays and looks the same has to have the picture from then on: the ones after it
find it there (access/pictures.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from strandline.access.pictures import SAME_FIELD
from strandline.core.capture import Capture, Place
from strandline.core.shown import WHOLE_VIEW
from strandline.warc.erasing import Head


class Heads(Protocol):
    """WARC files whose headers can be read."""

    def heads(self, file: str) -> Iterator[Head]:
        """The header of every record of a file."""


class Heir(NamedTuple):
    """A capture that stays and has no picture of its own, the one that goes and has it, and where that lies."""

    capture: Capture
    owner: Capture
    picture: Place


def heirs(shelf: Heads, pages: Iterable[tuple[Sequence[Capture], Sequence[bool]]]) -> list[Heir]:
    """Of pages with all their captures, and which of them go: who has to get a picture."""
    looks = [
        (page, [(one, goes) for one, goes in zip(*page, strict=True) if one.rendering is not None]) for page in pages
    ]
    wanted: dict[str, set[int]] = {}
    for _, shown in looks:
        if any(goes for _, goes in shown) and not all(goes for _, goes in shown):
            for one, _ in shown:
                wanted.setdefault(one.place.file, set()).add(_behind(one))
    found = {
        (file, head.offset): head
        for file, offsets in wanted.items()
        for head in shelf.heads(file)
        if head.offset in offsets
    }
    return [heir for _, shown in looks for heir in _heirs_of(shown, found)]


def _behind(capture: Capture) -> int:
    """Where the record after the document lies that a browser made."""
    assert capture.rendering is not None
    return capture.rendering.offset + capture.rendering.length


def _heirs_of(shown: Sequence[tuple[Capture, bool]], heads: dict[tuple[str, int], Head]) -> Iterator[Heir]:
    going: dict[str, tuple[Capture, Place]] = {}
    staying: set[str] = set()
    for capture, goes in sorted(shown, key=lambda look: look[0].time):
        head = heads.get((capture.place.file, _behind(capture)))
        if head is None:
            continue
        fields = head.fields
        if fields.get("warc-target-uri", "").startswith(f"urn:{WHOLE_VIEW}:"):
            digest = fields.get("warc-payload-digest", "")
            if not goes:
                staying.add(digest)
            elif digest not in going:
                going[digest] = (capture, Place(capture.place.file, head.offset, head.length))
        elif (digest := fields.get(SAME_FIELD, "")) in going and not goes and digest not in staying:
            staying.add(digest)
            yield Heir(capture, *going[digest])
