"""How good is a live archive, where the truth is not known? Estimates with intervals, and evidence per memento.

Papers 001 and 004 measure on simulated truth. In a live archive the changes between captures are not seen; but the
learned rates say how many to expect. How many changes captures missed is asked in missed.py, the rest here.

Evidence for a memento shown at instant t (after the classes of Ainsworth, Nelson and Van de Sompel):
    proved     the same content was captured before and after t, or a validator says so
    probable   with its chance, given what the captures on both sides show (coherence.coherent_chance)
    violated   a trusted change time lies between the capture and t: what was live at t was something else
"""

from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.quality.coherence import LIKELIEST, Captures, Evidence, coherent_chance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
EvidenceClass = Literal["proved", "probable", "violated"]

_AT_ONCE: Final = 8_192
"""Pages whose rates are looked at together. Origin: a bound on memory, 4 MB."""


class Rated(Protocol):
    """Rates that pages may have, asked for some pages at a time: of many of them they may lie elsewhere."""

    def of(self, rows: Ints) -> tuple[Floats, Floats]:
        """The rates each of some pages may have, a row for each, and how likely each of them is."""


@dataclass(frozen=True)
class Watched:
    """What is known of watched pages. `found` counts captures that found a change, `span` the periods between the
    first capture and now, `rates` those that each page may have.
    """

    weight: Floats
    importance: Floats
    rates: Rated
    found: Floats
    span: Floats
    last: Floats


@dataclass(frozen=True)
class Estimated:
    """An estimate with its 90 % interval."""

    value: float
    low: float
    high: float


def freshness(pages: Watched, now: float, rows: Ints | None = None) -> float:
    """Share of page weight whose last capture still shows the live page, expected."""
    picked = np.arange(len(pages.weight)) if rows is None else rows
    age = np.where(np.isnan(pages.last[picked]), np.inf, np.maximum(now - pages.last[picked], 0.0))
    fresh = np.empty(len(picked))
    for begin in range(0, len(picked), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        rate, odds = pages.rates.of(picked[some])
        with np.errstate(invalid="ignore"):
            fresh[some] = np.where(np.isinf(age[some]), 0.0, (np.exp(-rate * age[some, None]) * odds).sum(axis=1))
    total = float(pages.weight[picked].sum())
    return float(pages.weight[picked] @ np.nan_to_num(fresh)) / total if total > 0 else 1.0


def coverage(pages: Watched, rows: Ints | None = None) -> float:
    """Share of known pages that have at least one capture."""
    picked = np.arange(len(pages.weight)) if rows is None else rows
    return float(np.mean(~np.isnan(pages.last[picked]))) if len(picked) else 1.0


def coherence_estimate(evidence: Evidence, instants: Floats) -> float:
    """Expected weight share of versions that were live at the instant asked for, mean over instants."""
    return mean_share(*coherent_sums(evidence, instants))


def coherent_sums(evidence: Evidence, instants: Floats) -> tuple[Floats, Floats]:
    """At each instant the weight expected to have been live, and that of everything shown: of parts of an archive they
    can be added up.
    """
    live, shown = np.zeros(len(instants)), np.zeros(len(instants))
    for place, instant in enumerate(instants.tolist()):
        chosen, chance = coherent_chance(evidence, instant)
        weight = np.where(chosen >= 0, evidence.weight, 0.0)
        live[place], shown[place] = weight @ chance, weight.sum()
    return live, shown


def mean_share(live: Floats, shown: Floats) -> float:
    """Mean over instants of the share that was live; where nothing is shown nothing is wrong.

    >>> mean_share(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    0.75
    """
    if len(live) == 0:
        return 1.0
    return float(np.mean(np.divide(live, shown, out=np.ones(len(live)), where=shown > 0)))


@dataclass(frozen=True)
class Memento:
    """One shown version: its capture, what is known, and the chance that it was live at the instant."""

    page: int
    captured: float
    evidence: EvidenceClass
    chance: float


def memento_evidence(evidence: Evidence, instant: float, known_changes: Captures) -> list[Memento]:
    """Evidence for every page's closest memento. `known_changes` holds trusted change times per page."""
    chosen, chance = coherent_chance(replace(evidence, told=known_changes), instant)
    found: list[Memento] = []
    for page, capture in enumerate(chosen):
        if capture < 0:
            continue
        captured = float(evidence.captures.time[capture])
        first, last = min(captured, instant), max(captured, instant)
        times = known_changes.time[known_changes.start[page] : known_changes.start[page + 1]]
        if np.any((times > first) & (times <= last)):
            found.append(Memento(page, captured, "violated", 0.0))
        else:
            kind: EvidenceClass = "proved" if chance[page] > LIKELIEST else "probable"
            found.append(Memento(page, captured, kind, float(chance[page])))
    return found


@dataclass(frozen=True)
class Visiting:
    """Intended against achieved visits of a span of time."""

    intended: int
    achieved: int
    failed: int
    watched: bool = False
    """Whether a watch intended them; otherwise the budget says what one would."""

    @property
    def share(self) -> float:
        """Achieved over intended visits."""
        return self.achieved / self.intended if self.intended else 1.0
