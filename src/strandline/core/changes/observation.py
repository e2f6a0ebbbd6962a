"""What studying the captures of a page brings: the changes that were observed, the versions, and what was learned.

Sighted      a capture with its number and what kind of page it is of
PageState    what has to be known to go on with the next capture
Observed     one difference between two captures, with its scores
Sight        a version, cut into blocks, ready to be stored
PageStudy    all of it together: what one round of study leaves to be recorded, at once or not at all
"""

import math
from dataclasses import field
from typing import Any, Final

from strandline.core.capture import Capture, Kind
from strandline.core.changes.versions import Sight
from strandline.core.quick_dataclass import dataclass

_HOUR: Final = 3600.0
"""Seconds. Origin: a unit."""


@dataclass(frozen=True, slots=True)
class Sighted:
    """A capture to study; captures are numbered in the order they were recorded."""

    seq: int
    page: int
    kind: Kind
    capture: Capture

    @property
    def order(self) -> tuple[float, int]:
        """Captures of a page are studied in the order of time."""
        return self.capture.time, self.seq


@dataclass(frozen=True, slots=True)
class PageState:
    """What is known of a page when its next capture is studied."""

    level: int = 2
    scale: int = 0
    noise: bytes = b""
    """`NoiseState.as_bytes`; empty while nothing was learned."""
    base: int = 0
    """The capture the next one is compared with; 0 for none."""
    digest: str = ""
    """Of that capture."""
    visible: int = 0
    """Hash of what a reader sees in it."""
    seen: float = 0.0
    """When the page was last seen as in that capture."""
    absent: int = 0
    """Answers 404 or 410 in a row. The second is believed."""
    doubling: float = 0.0
    """When a second fetch was asked for, to find what differs at every fetch; 0 for not."""
    importance: float = 0.0
    changes: int = 0
    passed_over: float = 0.0
    """Importance that waits to enter the search index."""
    time: float = -math.inf
    seq: int = 0
    begun: float = field(default=math.inf, compare=False)
    """When the page was first captured; told by its captures, not kept with the state."""

    @property
    def threshold(self) -> float:
        """Importance from which a version enters the search index, delta(P) of paper 001: the mean of the pattern of
        the page over its hours, those without a change included. Never more than the mean of its changes: a
        demonstration's hours are shorter than those of the clock.
        """
        hours = (max(self.time, self.seen) - self.begun) / _HOUR
        return self.importance / max(self.changes, hours) if self.changes else 0.0


@dataclass(frozen=True, slots=True)
class Observed:
    """A difference between two captures: it happened after one and by the other."""

    after_seq: int
    by_seq: int
    after: float
    by: float
    importance: float = 0.0
    impch: float = 0.0
    visible: bool = False
    """False when bytes differ and a reader sees no difference."""
    held: bool = False
    """True when it is not yet believed: the page is asked again."""
    operations: int = 0
    blocks: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class PageStudy:
    """What one round of study found out about a page."""

    page: int
    state: PageState
    changes: tuple[Observed, ...] = ()
    versions: tuple[Sight, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()
    """Captures that could not be studied, and why."""
    again: float = 0.0
    """When the page is wanted again to believe or drop what is held; 0 for not at all."""
    anew: bool = False
    """True when the page was studied from its first capture on: what was recorded before is replaced."""
