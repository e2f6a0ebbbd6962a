"""Lists for people: the captures of a page a stretch at a time, the pages of a site. No list reads everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.access.index import CaptureIndex
from strandline.access.memento import key_of
from strandline.core.capture import Capture


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some captures of a page, newest first, and where the list goes on."""

    captures: Sequence[Capture]
    first: Capture | None
    last: Capture | None
    older: float | None
    """Time to ask for to see the ones before; None at the end."""


def stretch(index: CaptureIndex, url: str, before: float = 1e15, limit: int = 200) -> Stretch:
    """Captures of a page at or before a time."""
    key = key_of(url)
    found = list(index.before(key, before, limit + 1))
    first = index.after(key, -1e15, 1)
    last = index.before(key, 1e15, 1)
    older = found[limit].time if len(found) > limit else None
    return Stretch(found[:limit], first[0] if first else None, last[0] if last else None, older)
