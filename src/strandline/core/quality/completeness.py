"""How much of the change that happened did the archive catch?

Paper 004 (Ben Saad & Gancarski, DEXA 2011), definitions 5.11-5.14; paper 001, section 9 for the pooled measure.
    completeness(page) = sum of w(versions captured) / sum of w(versions that appeared)
    paper: w(P[tau_k])   here: appeared[k]   importance of the k-th change on the live page
    paper: P[t_k]        here: caught[k]     True when a capture shows that version
A capture shows the last change before it; changes overwritten before a capture are lost; a second capture of the
same version adds nothing.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Changes:
    """All changes of all pages: those of page i are [start[i], start[i + 1]), in time order."""

    start: Ints
    time: Floats
    importance: Floats

    @property
    def page(self) -> Ints:
        """The page of each change."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


@dataclass(frozen=True)
class Completeness:
    """The four readings of completeness; `of_page` is NaN for pages that never changed.

    `by_page` is definition 5.13 (mean over pages, by page weight), `pool` the captured share of all weight,
    `count` the share of versions, `of_site` definition 5.13 per site and `archive` their mean (definition 5.14).
    """

    pool: float
    by_page: float
    count: float
    archive: float
    of_page: Floats
    of_site: Floats


def page_completeness(appeared: Floats, caught: Flags) -> float:
    """Share of the importance of a page's changes that captures show; 1.0 if it never changed.

    Example 5.11, page P1 (the paper prints 0.78, truncated):
        >>> weights, seen = np.array([0.1, 0.6, 0.5, 0.2]), np.array([False, True, True, False])
        >>> round(page_completeness(weights, seen), 4)
        0.7857
    """
    total = float(appeared.sum())
    return 1.0 if total == 0.0 else float(appeared[caught].sum()) / total


def shown_change(changes: Changes, page: Ints, time: Floats) -> Ints:
    """Index of the last change of `page` not after `time`; -1 when the capture shows the initial version."""
    if len(changes.time) == 0:
        return np.full(len(page), -1, dtype=np.int64)
    low = min(float(changes.time.min()), float(time.min(initial=np.inf)))
    span = max(float(changes.time.max()), float(time.max(initial=-np.inf))) - low + 1.0
    # One search for all pages: shift the times of page i to a stretch of their own.
    keys = changes.page * span + (changes.time - low)
    found = np.searchsorted(keys, page * span + (time - low), side="right") - 1
    return np.where(found >= changes.start[page], found, -1)


def caught_versions(changes: Changes, page: Ints, time: Floats) -> Flags:
    """Which changes some capture shows.

    >>> changes = Changes(np.array([0, 3]), np.array([1.0, 2.0, 5.0]), np.ones(3))
    >>> caught_versions(changes, np.array([0, 0]), np.array([3.0, 4.0])).tolist()
    [False, True, False]
    """
    caught = np.zeros(len(changes.time), dtype=np.bool_)
    shown = shown_change(changes, page, time)
    caught[shown[shown >= 0]] = True
    return caught


@dataclass(frozen=True)
class Weights:
    """Page weights, the site of each page, and which changes are scored (all, when None)."""

    page: Floats
    site: Ints | None = None
    scored: Flags | None = None


def completeness(changes: Changes, caught: Flags, weights: Weights) -> Completeness:
    """Completeness of an archive on ground truth. Pages that never changed are left out of the means.

    Example 5.11 (the paper prints 0.49):
        >>> changes = Changes(np.array([0, 4, 6]), np.arange(6.0), np.array([0.1, 0.6, 0.5, 0.2, 0.12, 0.45]))
        >>> caught = np.array([False, True, True, False, True, False])
        >>> round(completeness(changes, caught, Weights(np.ones(2))).by_page, 3)
        0.498
    """
    pages = len(changes.start) - 1
    scored = np.ones(len(changes.time), dtype=np.bool_) if weights.scored is None else weights.scored
    value = np.where(scored, changes.importance, 0.0)
    page = changes.page
    total = np.bincount(page, weights=value, minlength=pages)
    got = np.bincount(page, weights=np.where(caught, value, 0.0), minlength=pages)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_page = np.where(total > 0, got / total, np.nan)
    changed = total > 0
    omega = np.where(changed, weights.page, 0.0)
    site = np.zeros(pages, dtype=np.int64) if weights.site is None else weights.site
    site_weight = np.bincount(site, weights=omega)
    site_sum = np.bincount(site, weights=omega * np.nan_to_num(of_page))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_site = np.where(site_weight > 0, site_sum / site_weight, np.nan)
    versions = int(scored.sum())
    return Completeness(
        pool=_ratio(float(weights.page @ got), float(weights.page @ total)),
        by_page=_ratio(float(omega @ np.nan_to_num(of_page)), float(omega.sum())),
        count=_ratio(float((caught & scored).sum()), float(versions)),
        archive=float(np.nanmean(of_site)) if np.any(site_weight > 0) else 1.0,
        of_page=of_page,
        of_site=of_site,
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 1.0
