"""Learning small networks for the measure they are judged by: agreement with the marked text, page by page.

    loss of a page = LOG_LOSS * log loss + (1 - LOG_LOSS) * (1 - 2 * hits / (words taken + words marked))

with scores in place of decisions, so that it can be improved step by step; the part of the log loss falls to nothing on
the way. A page marked as nobody could foretell costs 1 at most, as it does in the measure: by the log loss alone it
costs without bound, and others are judged worse for its sake. Steps are taken down the slope of some pages at a time,
of which the longer runs are always looked at and the others by lot.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.blocks.content_nets import Nets, Reals, drawn_together
from strandline.lab.experiments.content_examples import Example

SEEDS: Final = (1, 2, 3, 4)
UNITS: Final = 64
ROUNDS: Final = 25  # in each every page is looked at once
AT_ONCE: Final = 8  # pages after which a network is put right
PACE: Final = 2e-3
LOG_LOSS: Final = 0.3
UNTIL: Final = 2 / 3  # of the way, from where on only agreement counts
HELD_BACK: Final = 0.1  # how fast weights that nothing speaks for fall
SAMPLED: Final = 30.0  # a run whose words make a thirtieth of its page's content is always looked at
LEAST_CHANCE: Final = 0.05
LEAST_SPREAD: Final = 1e-3  # of a number that hardly ever differs
FOR_SPREAD: Final = 300  # runs of a page that say how its numbers are spread, about
_FADING: Final = (0.9, 0.999)  # of the mean slope, and of its mean square


class _Page(NamedTuple):
    """The runs of a page: what a network reads of each, its label, words and weight in log loss."""

    read: Reals
    labels: Reals
    words: Reals
    weights: Reals


class _Weights(NamedTuple):
    hidden: Reals
    bias: Reals
    out: Reals
    start: Reals


def networks(examples: Sequence[Example]) -> Nets:
    """Networks that were begun and fed differently, side by side in one layer."""
    examples = [one for one in examples if len(one.rows)]
    some = np.concatenate([drawn_together(one.rows[:: max(1, len(one.rows) // FOR_SPREAD)]) for one in examples])
    none = np.zeros(0, np.float32)
    blank = Nets(some.mean(axis=0), some.std(axis=0) + np.float32(LEAST_SPREAD), none, none, none)
    pages = [_page(one, blank) for one in examples]
    learned = [_learned(pages, seed) for seed in SEEDS]
    hidden = np.concatenate([one.hidden for one in learned], axis=1)
    return replace(
        blank,
        hidden=hidden.astype(np.float16).astype(np.float32),  # as they are shipped
        bias=np.concatenate([one.bias for one in learned]),
        out=(np.concatenate([one.out for one in learned]) / len(learned)).astype(np.float32),
        start=float(np.mean([one.start[0] for one in learned])),
    )


def _page(one: Example, blank: Nets) -> _Page:
    others = (values.astype(np.float32) for values in (one.labels, one.counts, one.weights))
    return _Page(blank.prepared(one.rows), *others)


def _learned(pages: Sequence[_Page], seed: int) -> _Weights:
    """One network: slopes are evened out by their means and mean squares (Adam)."""
    rng = np.random.default_rng(seed)
    now = _begun(pages[0].read.shape[1], rng)
    mean, square = ([np.zeros_like(one) for one in now] for _ in range(2))
    steps = ROUNDS * -(-len(pages) // AT_ONCE)
    for step, some in enumerate(_by_lot(pages, rng)):
        way = step / steps
        slope = _slope(now, some, LOG_LOSS * max(0.0, 1.0 - way / UNTIL))
        pace = PACE * (1.0 - way)
        for weights, one, of_mean, of_square in zip(now, slope, mean, square, strict=True):
            of_mean += (1.0 - _FADING[0]) * (one - of_mean)
            of_square += (1.0 - _FADING[1]) * (one**2 - of_square)
            faded = [1.0 - fading ** (step + 1) for fading in _FADING]
            weights -= pace * (of_mean / faded[0]) / (np.sqrt(of_square / faded[1]) + 1e-8)
        now.hidden[:] *= 1.0 - pace * HELD_BACK
        now.out[:] *= 1.0 - pace * HELD_BACK
    return now


def _begun(numbers: int, rng: np.random.Generator) -> _Weights:
    reach = (6.0 / (numbers + UNITS)) ** 0.5
    hidden, out = rng.uniform(-reach, reach, (numbers, UNITS)), rng.uniform(-0.3, 0.3, UNITS)
    return _Weights(
        hidden.astype(np.float32), np.zeros(UNITS, np.float32), out.astype(np.float32), np.zeros(1, np.float32)
    )


def _by_lot(pages: Sequence[_Page], rng: np.random.Generator) -> Iterator[list[_Page]]:
    """Some pages at a time, all of them in each round, with some of their runs, which count for those left out."""
    for _ in range(ROUNDS):
        order = rng.permutation(len(pages))
        for first in range(0, len(order), AT_ONCE):
            yield [_thinned(pages[k], rng) for k in order[first : first + AT_ONCE]]


def _thinned(page: _Page, rng: np.random.Generator) -> _Page:
    chance = np.minimum(1.0, SAMPLED * page.weights + LEAST_CHANCE)
    kept = np.flatnonzero(rng.random(chance.size) < chance)
    share = chance[kept]
    return _Page(page.read[kept], page.labels[kept], page.words[kept] / share, page.weights[kept] / share)


def _slope(now: _Weights, pages: Sequence[_Page], log_loss: float) -> _Weights:
    """How the loss of these pages rises with each weight of a network."""
    read = np.concatenate([page.read for page in pages])
    reached = read @ now.hidden + now.bias
    units = np.maximum(reached, 0.0)
    scores = 1.0 / (1.0 + np.exp(-(units @ now.out + now.start[0])))
    ends = np.cumsum([len(page.read) for page in pages])[:-1]
    leaning = np.concatenate(
        [_slope_of_leaning(page, part, log_loss) for page, part in zip(pages, np.split(scores, ends), strict=True)]
    ) / np.float32(len(pages))
    through = np.outer(leaning, now.out) * (reached > 0.0)
    return _Weights(read.T @ through, through.sum(axis=0), leaning @ units, leaning.sum(keepdims=True))


def _slope_of_leaning(page: _Page, scores: Reals, log_loss: float) -> Reals:
    """How the loss of a page rises with the log odds of each run."""
    hits = float(page.words @ (scores * page.labels))
    both = float(page.words @ (scores + page.labels)) + 1e-6
    of_agreement = 2.0 * page.words * (hits / both**2 - page.labels / both) * scores * (1.0 - scores)
    of_log_loss = page.weights * (scores - page.labels)
    slope: NDArray[np.float32] = (log_loss * of_log_loss + 2.0 * (1.0 - log_loss) * of_agreement).astype(np.float32)
    return slope
