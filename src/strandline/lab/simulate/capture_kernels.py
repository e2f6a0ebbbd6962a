"""What a capture in a world finds, compiled: the last change before it, and the difference to the last capture."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def last_change(times: Floats, low: int, high: int, moment: float) -> int:
    """Index of the last of times[low:high] not after the moment; low - 1 when there is none."""
    while low < high:
        middle = (low + high) // 2
        if times[middle] <= moment:
            low = middle + 1
        else:
            high = middle
    return low - 1


@compiled
def capture_all(
    rows: Ints, moments: Floats, start: Ints, times: Floats, shown: Ints, accumulated: Floats
) -> tuple[NDArray[np.bool_], Floats, Ints, Ints]:
    """Capture pages at moments. `shown` (change each page showed last) is brought up to date.

    `accumulated` is the running sum of -log(1 - importance) over all changes with a leading zero: the difference
    over several changes is 1 - product of (1 - importance).
    """
    count = len(rows)
    changed = np.zeros(count, dtype=np.bool_)
    importance = np.zeros(count)
    old = np.empty(count, dtype=np.int64)
    new = np.empty(count, dtype=np.int64)
    for k in range(count):
        row = rows[k]
        old[k] = shown[row]
        found = last_change(times, start[row], start[row + 1], moments[k])
        new[k] = found
        if found > shown[row]:
            changed[k] = True
            first = max(shown[row] + 1, start[row])
            importance[k] = 1.0 - np.exp(accumulated[first] - accumulated[found + 1])
            shown[row] = found
    return changed, importance, old, new


@compiled
def list_difference(first: Ints, item: Ints, weight: Floats, old: Ints, new: Ints) -> Floats:
    """Share of the position weight of two item lists (sorted by item) that belongs to new or gone items."""
    found = np.zeros(len(old))
    for k in range(len(old)):
        i, i_end = first[old[k]], first[old[k] + 1]
        j, j_end = first[new[k]], first[new[k] + 1]
        different = 0.0
        total = 0.0
        while i < i_end or j < j_end:
            if j >= j_end or (i < i_end and item[i] < item[j]):
                different += weight[i]
                total += weight[i]
                i += 1
            elif i >= i_end or item[j] < item[i]:
                different += weight[j]
                total += weight[j]
                j += 1
            else:
                total += weight[i] + weight[j]
                i += 1
                j += 1
        if total > 0.0:
            found[k] = different / total
    return found


@compiled
def items_seen(first: Ints, item: Ints, version: Ints, count: int) -> NDArray[np.bool_]:
    """Which items are shown by at least one of the versions."""
    seen = np.zeros(count, dtype=np.bool_)
    for k in range(len(version)):
        for i in range(first[version[k]], first[version[k] + 1]):
            seen[item[i]] = True
    return seen
