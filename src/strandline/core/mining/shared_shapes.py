"""Which pages keep the same hours? Groups of pages by the shape of their changes, however many pages there are.

Paper: Ben Saad & Gancarski, JCDL 2011, 6.3.4 leaves shared patterns to future work; this is our answer to it.

The number of changes of page p in period b is taken as Poisson with mean a_p x s_g(b) x time observed: a level of the
page's own and the shape s_g of its group. All pages start in one group. A group is cut in two when that explains the
counts better than the extra shape costs (Schwarz's criterion; counts of real pages vary about 1.5 times as much as
Poisson counts, so the gain is divided by that). Shapes are drawn towards that of the group that was cut, so a small
group cannot fit noise. Groups are found on coarse periods, eight a day, workdays against all other days: on real news
these hold nearly all there is to know, and a shape costs less. The shapes that are shown have all periods. Nothing is
random: the same history gives the same groups.

Pages are read in pieces, several times, and never held together: what is kept of a page is the number of its group.
Groups are found on the pages that changed often enough to help; of very many of these, on a share spread evenly.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.core.history.pieces import Pieces, evenly

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Form = tuple[int, int]
"""Kinds and periods: how the columns of a page are to be read."""
Rows = Callable[[], Iterable[tuple[Floats, Floats]]]
"""Changes and times of some pages, then of the next ones."""

_OVERDISPERSION = 1.5
"""Times that counts of real pages vary more than Poisson counts do.
Origin: measured, on 25 pages of five news sites."""
_ENOUGH_CHANGES = 10.0
"""Changes below which a page joins a group but helps to make none. Origin: a guess."""
_SHRINKAGE = 30.0
"""Changes that the parent's shape counts for in every period it cuts. Origin: a guess."""
_ROUNDS = 30
"""Rounds at most until a division, and a group, no longer moves. Origin: a bound on time."""
_LEVELS = 5
"""Rounds over shape and levels of pages. Origin: a bound on time."""
_COARSE_OF_A_DAY = 8
"""Periods of a day in which groups are looked for: they hold nearly all there is to know.
Origin: measured, `strandline experiment patterns --data`."""
_COARSE_OF_A_CYCLE = 28
"""The same of a week or month. Origin: a guess."""
_MOST_GROUPS = 24
"""Groups at most. Origin: a guess."""
_MOST_MAKERS = 50_000
"""Pages on which groups are found. Origin: a bound on time."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedShapes:
    """Groups in the order they were found, and the group of every page in the order the pages came."""

    shapes: Floats
    """Groups x columns; mean 1 over the time observed."""
    number: NDArray[np.int8]
    changes: Floats
    """Of all pages of each group."""


def shared_shapes(pages: Pieces, form: Form) -> SharedShapes | None:
    """Groups of pages that all changed; None without pages.

    `pages` gives changes and time observed, each of shape (pages, kinds x periods).
    """

    def rows() -> Iterator[tuple[Floats, Floats]]:
        for counts, times in evenly(pages()):
            # Two captures in the same instant may show a change in a period nobody spent time in.
            yield counts, np.maximum(times, np.where(counts > 0, 1e-3, 0.0))

    count = makers = 0
    for counts, _ in rows():
        count += len(counts)
        makers += int((counts.sum(axis=1) >= _ENOUGH_CHANGES).sum())
    if not count:
        return None
    number = np.zeros(count, dtype=np.int8)
    if makers:
        rough = _makers(rows(), form, makers)
        shapes = _settled(*rough, np.stack(_shapes(*rough)))
        start = 0
        for counts, times in rows():
            likely = _likelihoods(_coarse(counts, form), _coarse(times, form), shapes)
            number[start : start + len(counts)] = likely.argmax(axis=1)
            start += len(counts)
        number = _largest_first(number)
    common = _shapes_of(rows, np.zeros(count, dtype=np.int8), None)[0]
    return SharedShapes(_shapes_of(rows, number, common), number, _sums(rows, number, 0).sum(axis=1))


def _largest_first(number: NDArray[np.int8]) -> NDArray[np.int8]:
    """Groups numbered by their size; of two of the same size, the one whose first page came first."""
    _, first, sizes = np.unique(number, return_index=True, return_counts=True)
    rank = np.empty(sizes.size, dtype=np.int8)
    rank[np.lexsort((first, -sizes))] = np.arange(sizes.size)
    return rank[np.unique(number, return_inverse=True)[1]]


def _makers(rows: Iterator[tuple[Floats, Floats]], form: Form, makers: int) -> tuple[Floats, Floats]:
    """Coarse changes and times of the pages that make groups, or of an even share of them."""
    kept = min(makers, _MOST_MAKERS)
    found: list[tuple[Floats, Floats]] = []
    seen = 0
    for counts, times in rows:
        enough = np.flatnonzero(counts.sum(axis=1) >= _ENOUGH_CHANGES)
        place = np.arange(seen, seen + enough.size)
        chosen = enough[(place + 1) * kept // makers > place * kept // makers]
        found.append((_coarse(counts[chosen], form), _coarse(times[chosen], form)))
        seen += enough.size
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def _coarse(amounts: Floats, form: Form) -> Floats:
    """Sums over a few long periods, workdays apart from other days; shape (pages, kinds x periods)."""
    kinds, count = form
    table = amounts.reshape(-1, kinds, count)
    if kinds > 1:
        table = np.stack([table[:, 0], table[:, 1:].sum(axis=1)], axis=1)
    most = _COARSE_OF_A_DAY if kinds > 1 else _COARSE_OF_A_CYCLE
    edges = np.unique(np.linspace(0, count, min(count, most) + 1).astype(np.int64))[:-1]
    merged: Floats = np.add.reduceat(table, edges, axis=2)
    return merged.reshape(table.shape[0], table.shape[1] * edges.size)


def _settled(counts: Floats, times: Floats, shapes: Floats) -> Floats:
    """Let pages choose between all groups until none moves, and join groups that do not pay for being two."""
    common = _shape(counts, times, None)
    number = _likelihoods(counts, times, shapes).argmax(axis=1)
    for _ in range(_ROUNDS):
        number = np.unique(number, return_inverse=True)[1]
        shapes = np.stack(
            [_shape(counts[number == i], times[number == i], common) for i in range(int(number.max()) + 1)]
        )
        after = _likelihoods(counts, times, shapes).argmax(axis=1)
        if np.array_equal(after, number):
            pair = _needless_pair(counts, times, number, shapes)
            if pair is None:
                break
            after = np.where(number == pair[1], pair[0], number)
        number = after
    return shapes


def _needless_pair(counts: Floats, times: Floats, number: Ints, shapes: Floats) -> tuple[int, int] | None:
    """The two groups whose joining costs least, if that is less than a shape of their own is worth."""
    common = _shape(counts, times, None)
    best: tuple[float, tuple[int, int]] | None = None
    for i in range(shapes.shape[0]):
        for j in range(i + 1, shapes.shape[0]):
            rows = np.flatnonzero((number == i) | (number == j))
            here, there = counts[rows], times[rows]
            own = _likelihoods(here, there, shapes)[np.arange(rows.size), number[rows]].sum()
            joint = _likelihoods(here, there, _shape(here, there, common)[None])[:, 0].sum()
            gain = float(own - joint) / _OVERDISPERSION - _price(here, there)
            if gain <= 0 and (best is None or gain < best[0]):
                best = gain, (i, j)
    return None if best is None else best[1]


def _price(counts: Floats, times: Floats) -> float:
    """What a second shape must gain to be worth having, and the choice of a side for every page."""
    free = int((times.sum(axis=0) > 0).sum()) - 1
    return 0.5 * free * math.log(max(float(counts.sum()), 2.0)) + len(counts) * math.log(2.0)


def _shapes(counts: Floats, times: Floats) -> list[Floats]:
    """Cut groups in two as long as it pays."""
    waiting: list[tuple[Ints, Floats]] = [(np.arange(counts.shape[0]), _shape(counts, times, None))]
    done: list[Floats] = []
    while waiting:
        rows, shape = waiting.pop()
        halves = None
        if rows.size > 1 and len(done) + len(waiting) + 2 <= _MOST_GROUPS:
            halves = _cut(counts[rows], times[rows], shape)
        if halves is None:
            done.append(shape)
        else:
            waiting += [(rows[members], half) for members, half in halves]
    return done


def _cut(counts: Floats, times: Floats, shape: Floats) -> list[tuple[Ints, Floats]] | None:
    """Two groups in place of one, or None when the second shape does not pay for itself."""
    direction = _main_direction(counts, times, shape)
    side = (direction > np.median(direction)).astype(np.int64)
    for _ in range(_ROUNDS):
        if side.min() == side.max():
            return None
        shapes = np.stack([_shape(counts[side == i], times[side == i], shape) for i in (0, 1)])
        scores = _likelihoods(counts, times, shapes)
        before, side = side, scores.argmax(axis=1)
        if np.array_equal(before, side):
            break
    split = float(scores.max(axis=1).sum())
    whole = float(_likelihoods(counts, times, shape[None])[:, 0].sum())
    if (split - whole) / _OVERDISPERSION <= _price(counts, times):
        return None
    return [(np.flatnonzero(side == i), shapes[i]) for i in (0, 1)]


def _main_direction(counts: Floats, times: Floats, shape: Floats) -> Floats:
    """Score of each page along the main way in which pages differ from the group's shape."""
    hoped = _expected(counts, times, shape)
    residual = (counts - hoped) / np.sqrt(np.maximum(hoped, 0.25))
    residual /= np.sqrt(np.maximum(counts.sum(axis=1, keepdims=True), 1.0))
    width = np.linalg.eigh(residual.T @ residual)[1][:, -1]
    score: Floats = residual @ width
    return score


def _expected(counts: Floats, times: Floats, shape: Floats) -> Floats:
    mass = times * shape
    total = np.maximum(mass.sum(axis=1, keepdims=True), 1e-12)
    hoped: Floats = counts.sum(axis=1, keepdims=True) * mass / total
    return hoped


def _shape(counts: Floats, times: Floats, parent: Floats | None) -> Floats:
    """Shape of one group whose pages are held together."""
    shape: Floats = _shapes_of(lambda: [(counts, times)], np.zeros(len(counts), dtype=np.int8), parent)[0]
    return shape


def _shapes_of(rows: Rows, number: NDArray[np.int8], parent: Floats | None) -> Floats:
    """Shapes of groups (mean 1 over their time), drawn towards their parent's; a few rounds over levels of pages."""
    changes, times = (_sums(rows, number, column) for column in (0, 1))
    start = np.ones(changes.shape[1]) if parent is None else parent
    shapes = np.tile(start, (len(changes), 1))
    pull = _SHRINKAGE * times / np.maximum(times.sum(axis=1, keepdims=True), 1e-12)
    for _ in range(_LEVELS):
        hoped = np.zeros_like(shapes)
        for group, here, there in _by_group(rows(), number):
            level = here.sum(axis=1) / np.maximum((there * shapes[group]).sum(axis=1), 1e-12)
            hoped[group] += level @ there
        shapes = (pull * start + changes) / np.maximum(pull + hoped, 1e-12)
        shapes = np.where(pull + hoped > 0, np.maximum(shapes, 1e-6), 1.0)
        weights = times + 1e-12
        mean = (shapes * weights).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
        shapes = shapes / np.maximum(mean, 1e-12)
    return shapes


def _sums(rows: Rows, number: NDArray[np.int8], column: int) -> Floats:
    """Changes (0) or time (1) of each group in each period."""
    found: dict[int, Floats] = {}
    for group, *columns in _by_group(rows(), number):
        found[group] = found.get(group, 0.0) + columns[column].sum(axis=0)
    return np.stack([found[group] for group in range(len(found))])


def _by_group(rows: Iterable[tuple[Floats, Floats]], number: NDArray[np.int8]) -> Iterator[tuple[int, Floats, Floats]]:
    """Changes and times of some pages of a group, then of others."""
    start = 0
    for counts, times in rows:
        own = number[start : start + len(counts)]
        start += len(counts)
        for group in np.unique(own).tolist():
            chosen = own == group
            yield (group, counts, times) if chosen.all() else (group, counts[chosen], times[chosen])


def _likelihoods(counts: Floats, times: Floats, shapes: Floats) -> Floats:
    """Log likelihood of each page under each shape, its level fitted, up to a constant of the page."""
    reach = np.maximum(times @ shapes.T, 1e-12)
    score: Floats = counts @ np.log(shapes).T - counts.sum(axis=1, keepdims=True) * np.log(reach)
    return score
