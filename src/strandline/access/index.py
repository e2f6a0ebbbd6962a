"""What the reading side asks of a catalog, and what an archive holds, as far as readers are concerned.

Captures are found by SURT key, so that http and https, with and without `www`, are one page. All methods are
called from one thread.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from strandline.core.capture import Capture
from strandline.core.keeping.takedowns import NOTHING, Act, Hidden
from strandline.ports import CaptureReader

ALWAYS = (float("-inf"), float("inf"))
"""A span of time without bounds."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the index: `start <= key < end` and `since <= time <= until`, in key and time order."""

    start: str
    end: str
    since: float = ALWAYS[0]
    until: float = ALWAYS[1]
    resume: tuple[str, float] | None = None
    """Go on strictly after this key and time."""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site at a glance."""

    site: str
    pages: int
    captures: int
    first: float
    last: float


class CaptureIndex(Protocol):
    """Captures by key and time."""

    def before(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key at or before a time, newest first."""

    def after(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key later than a time, oldest first."""

    def captures(self, key: str) -> Iterator[Capture]:
        """All captures of a key in time order."""

    def scan(self, span: Span) -> Iterator[tuple[str, Capture]]:
        """Keys and captures of a span, read as they are asked for."""

    def same_payload(self, digest: str) -> Capture | None:
        """A capture that holds the payload with this digest itself, not by reference."""

    def sites(self, limit: int) -> Sequence[SiteRow]:
        """Sites with the most captures."""

    def count(self) -> int:
        """Number of captures in all."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """An archive as readers see it."""

    index: CaptureIndex
    reader: CaptureReader
    name: str
    originals: CaptureIndex | None = None
    """Where the captures that revisits refer to are found, also those that are taken down; None: in `index`."""
    hidden: Callable[[], Hidden] = lambda: NOTHING
    """What is taken down now."""

    def taken_down(self, key: str, time: float | None = None) -> Act | None:
        """Why an address, or its capture of a second, is not shown; None when it is, or was never there."""
        hidden = self.hidden()
        if not hidden:
            return None
        at = None if time is None else float(int(time))
        return hidden.why(key) or (None if at is None else hidden.why(key, at))
