"""Were the parts of a replayed page ever live together? Evidence part by part, and a moment with more of it.

A page is shown with pictures and styles that were captured at other times. For the moment t of the page each part is

    certain    seen before and after t with the same content: it was so at t, unless it changed back and forth
    close      captured within a few minutes of t; with other content on the other side, much nearer than that
    open       captured on one side of t only, or with other content on the other side: nobody knows
    missing    never captured

The classes follow Ainsworth, Nelson and Van de Sompel (2014), who call the first prima facie coherent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from strandline.access.index import CaptureIndex, Holdings
from strandline.access.memento import Memento, key_of
from strandline.access.parts import Parts, parts_of
from strandline.core.capture import Capture
from strandline.core.changes.delta.reverts import content_of
from strandline.core.quality.coherence import Captures, best_among
from strandline.core.quality.coherence import Evidence as CapturedParts

Evidence = Literal["certain", "close", "open", "missing"]
Verdict = Literal["coherent", "mostly", "patchwork", "alone", "hollow"]

CLOSE = 300.0
"""Seconds within which captures count as made together."""
NEAR_ONE = 0.1
"""Part of the time between two captures that differ within which one of them is taken for what was there."""
MOSTLY = 0.8
REACH = 86_400.0
"""Seconds around a moment in which a more coherent one is looked for."""
USUAL, FEW = 0.1 / 86_400.0, 0.6
"""Changes a second of a part nobody knows anything of, and how many changes that belief is worth."""
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
        """In a word; however well its parts fit together, a page without content is hollow."""
        if self.parts.hollow:
            return "hollow"
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
    if earlier and later and content_of(earlier[-1]) == content_of(later[0]):
        return "certain"
    nearest = min(abs(capture.time - time) for capture in captures)
    # A change is known to lie between two that differ: only right beside one of them is its content likely.
    likely = not (earlier and later) or nearest <= NEAR_ONE * (later[0].time - earlier[-1].time)
    return "close" if nearest <= CLOSE and likely else "open"


def most_coherent(holdings: Holdings, memento: Memento, reach: float = REACH) -> Capture:
    """The capture of the page near a memento at whose time most of its parts are expected to have been as they would be
    shown (core's `best_among`, as in `quality`); the nearest of equals.
    """
    index, page = holdings.index, memento.capture
    key = key_of(page.url)
    near = [page, *index.before(key, page.time, _CANDIDATES), *index.after(key, page.time, _CANDIDATES)]
    candidates = [one for one in near if abs(one.time - page.time) <= reach and one.status == page.status]
    candidates.sort(key=lambda one: abs(one.time - page.time))
    urls = [part.url for part in parts_of(holdings, memento, 0.0).parts][:_PARTS]
    known = [_around(index, url, page.time - reach, page.time + reach, _SEEN) for url in urls]
    best, _ = best_among(_seen(known), np.array([one.time for one in candidates]))
    return next(one for one in candidates if one.time == best)


def _seen(parts: Sequence[Sequence[Capture]]) -> CapturedParts:
    """Captures of parts as evidence, each with the rate they suggest."""
    row = np.repeat(np.arange(len(parts)), [len(captures) for captures in parts])
    time = np.array([capture.time for captures in parts for capture in captures], dtype=np.float64)
    names: dict[str, int] = {}
    version = [names.setdefault(content_of(capture), len(names)) for captures in parts for capture in captures]
    changes = np.array([sum(content_of(a) != content_of(b) for a, b in pairwise(captures)) for captures in parts])
    span = np.array([captures[-1].time - captures[0].time if captures else 0.0 for captures in parts])
    rate = (FEW + changes) / (FEW / USUAL + span)
    sure, weight = np.ones((len(parts), 1)), np.ones(len(parts))
    captures = Captures.of(row, time, len(parts))
    return CapturedParts(captures, np.array(version, dtype=np.int64), rate[:, None], sure, weight)
