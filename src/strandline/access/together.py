"""Were the parts of a replayed page ever live together? Evidence part by part, and a moment with more of it.

A page is shown with pictures and styles that were captured at other times. For the moment t of the page each part is

    certain    seen before and after t with the same content: it was so at t, unless it changed back and forth
    close      captured within a few minutes of t
    open       captured on one side of t only, or with other content on the other side: nobody knows
    missing    never captured

The classes follow Ainsworth, Nelson and Van de Sompel (2014), who call the first prima facie coherent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from strandline.access.index import CaptureIndex, Holdings
from strandline.access.memento import Memento, key_of
from strandline.access.parts import Parts, parts_of
from strandline.core.capture import Capture

Evidence = Literal["certain", "close", "open", "missing"]
Verdict = Literal["coherent", "mostly", "patchwork", "alone"]

CLOSE = 300.0
"""Seconds within which captures count as made together."""
MOSTLY = 0.8
REACH = 86_400.0
"""Seconds around a moment in which a more coherent one is looked for."""
_CANDIDATES = 20
_PARTS = 100
_SEEN = 60


@dataclass(frozen=True, slots=True)
class Together:
    """The parts of a page, what is known of each at the moment of the page, and what follows."""

    parts: Parts
    evidence: tuple[Evidence, ...]
    first: float
    """Earliest and latest capture of what is shown, the page included."""
    last: float

    @property
    def known(self) -> int:
        """Parts that were certainly, or very probably, live with the page."""
        return sum(one in ("certain", "close") for one in self.evidence)

    @property
    def verdict(self) -> Verdict:
        """In a word."""
        if not self.evidence:
            return "alone"
        share = self.known / len(self.evidence)
        return "coherent" if share == 1.0 else "mostly" if share >= MOSTLY else "patchwork"


def together(holdings: Holdings, memento: Memento, span: float) -> Together:
    """What is known of the parts of a page; LostError when the page cannot be read."""
    found = parts_of(holdings, memento, span)
    time = memento.capture.time
    evidence = tuple(_evidence(_around(holdings.index, part.url, time, time), time) for part in found.parts)
    times = [time, *(part.time for part in found.parts if part.time is not None)]
    return Together(found, evidence, min(times), max(times))


def _around(index: CaptureIndex, url: str, start: float, end: float, limit: int = 1) -> list[Capture]:
    """Captures of a part in a stretch of time and one on each side of it, oldest first."""
    try:
        key = key_of(url)
    except ValueError:
        return []
    before = list(index.before(key, end, limit + 1 if limit > 1 else 1))
    kept = [capture for capture in before if capture.time >= start]
    outside = next((capture for capture in before if capture.time < start), None)
    ordered = [*([outside] if outside else []), *reversed(kept)]
    return [*ordered, *index.after(key, end, 1)]


def _evidence(captures: Sequence[Capture], time: float) -> Evidence:
    if not captures:
        return "missing"
    earlier = [capture for capture in captures if capture.time <= time]
    later = [capture for capture in captures if capture.time >= time]
    if earlier and later and _content(earlier[-1]) == _content(later[0]):
        return "certain"
    return "close" if min(abs(capture.time - time) for capture in captures) <= CLOSE else "open"


def _content(capture: Capture) -> str:
    return capture.original.digest if capture.original is not None and capture.original.digest else capture.digest


def most_coherent(holdings: Holdings, memento: Memento, reach: float = REACH) -> Capture:
    """The capture of the page near a memento at whose time most of its parts are known; the nearest of equals."""
    index, page = holdings.index, memento.capture
    key = key_of(page.url)
    near = [*index.before(key, page.time, _CANDIDATES), *index.after(key, page.time, _CANDIDATES)]
    candidates = [one for one in near if abs(one.time - page.time) <= reach and one.status == page.status]
    urls = [part.url for part in parts_of(holdings, memento, 0.0).parts][:_PARTS]
    known = [_around(index, url, page.time - reach, page.time + reach, _SEEN) for url in urls]

    def score(candidate: Capture) -> tuple[int, float]:
        sure = sum(_evidence(captures, candidate.time) in ("certain", "close") for captures in known)
        return sure, -abs(candidate.time - page.time)

    return max(candidates, key=score, default=page)
