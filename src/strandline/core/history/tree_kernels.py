"""Compiled loops over directory trees. Directories are numbered so that parents come before their children."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Bits = NDArray[np.uint64]


@compiled
def compare_listings(
    before: NDArray[np.uint64], after: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Inserted, deleted and updated page numbers; digest 0 means that the page does not exist."""
    counts = np.zeros(3, dtype=np.int64)
    for page in range(len(after)):
        if before[page] != after[page]:
            counts[0 if before[page] == 0 else 1 if after[page] == 0 else 2] += 1
    inserted = np.empty(counts[0], dtype=np.int64)
    deleted = np.empty(counts[1], dtype=np.int64)
    updated = np.empty(counts[2], dtype=np.int64)
    counts[:] = 0
    for page in range(len(after)):
        if before[page] == after[page]:
            continue
        if before[page] == 0:
            inserted[counts[0]] = page
            counts[0] += 1
        elif after[page] == 0:
            deleted[counts[1]] = page
            counts[1] += 1
        else:
            updated[counts[2]] = page
            counts[2] += 1
    return inserted, deleted, updated


@compiled
def book_pages(
    directories: NDArray[np.int32], pages: NDArray[np.int64], weight: float, totals: NDArray[np.float64]
) -> None:
    """Add the same weight to the directory of each page."""
    for page in pages:
        totals[directories[page]] += weight


@compiled
def book_weighted(
    directories: NDArray[np.int32],
    pages: NDArray[np.int64],
    weights: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> None:
    """Add each page's weight to its directory."""
    for place in range(len(pages)):
        totals[directories[pages[place]]] += weights[place]


@compiled
def subtree_sums(parents: NDArray[np.int32], own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over each directory's subtree of a value held by directories."""
    sums = own.copy()
    for directory in range(len(parents) - 1, 0, -1):
        sums[parents[directory]] += sums[directory]
    return sums


@compiled
def degrees(
    parents: NDArray[np.int32],
    live_before: NDArray[np.float64],
    live_after: NDArray[np.float64],
    nodes: NDArray[np.float64],
    changed: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Degree of change of every directory; 0 for those which exist in neither version.

    All inputs hold each directory's own pages: live before, live after, in the union, changed. They are consumed:
    on return `live_after` holds the live pages of each subtree.
    """
    result = np.zeros(len(parents), dtype=np.float64)
    for directory in range(len(parents) - 1, -1, -1):
        existed = live_before[directory] > 0
        exists = live_after[directory] > 0
        if not existed and not exists:
            continue
        nodes[directory] += 1.0
        if existed != exists:
            changed[directory] += 1.0
        result[directory] = changed[directory] / nodes[directory]
        above = parents[directory]
        if above >= 0:
            live_before[above] += live_before[directory]
            live_after[above] += live_after[directory]
            nodes[above] += nodes[directory]
            changed[above] += changed[directory]
    return result


@compiled
def set_bits(values: NDArray[np.float64], least: float, bits: Bits, place: int) -> None:
    """Set bit `place` of every row whose value is at least `least`."""
    word = place >> 6
    mask = np.uint64(1) << np.uint64(place & 63)
    for row in range(len(values)):
        if values[row] >= least:
            bits[row, word] |= mask


@compiled
def cut_bits(bits: Bits, first: int, count: int) -> Bits:
    """The bits first .. first+count-1 of every row, moved to the front; what lies behind them is zero."""
    words = max(1, (count + 63) >> 6)
    result = np.zeros((bits.shape[0], words), dtype=np.uint64)
    shift = np.uint64(first & 63)
    back = np.uint64(64 - (first & 63))
    for word in range((count + 63) >> 6):
        source = (first >> 6) + word
        kept = min(64, count - 64 * word)
        mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - kept)
        spill = (first & 63) != 0 and source + 1 < bits.shape[1]
        for row in range(bits.shape[0]):
            value = bits[row, source] >> shift
            if spill:
                value |= bits[row, source + 1] << back
            result[row, word] = value & mask
    return result


@compiled
def count_bits(bits: Bits) -> NDArray[np.int64]:
    """Number of set bits of every row."""
    result = np.zeros(bits.shape[0], dtype=np.int64)
    for row in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            result[row] += popcount(bits[row, word])
    return result


@compiled
def popcount(value: np.uint64) -> int:
    """Number of set bits of one word."""
    value = value - ((value >> np.uint64(1)) & np.uint64(0x5555555555555555))
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    value = value + (value >> np.uint64(8))
    value = value + (value >> np.uint64(16))
    value = value + (value >> np.uint64(32))
    return np.int64(value & np.uint64(0x7F))  # type: ignore[return-value]


@compiled
def preorder(
    parents: NDArray[np.int32], present: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Directories that are present, every one before its subtree; the place behind each subtree; depths.

    A present directory's ancestors must be present too.
    """
    size = np.zeros(len(parents), dtype=np.int64)
    for directory in range(len(parents) - 1, -1, -1):
        if present[directory]:
            size[directory] += 1
            if parents[directory] >= 0:
                size[parents[directory]] += size[directory]
    total = size[0] if len(parents) else 0
    order = np.empty(total, dtype=np.int64)
    ends = np.empty(total, dtype=np.int64)
    depths = np.zeros(total, dtype=np.int64)
    places = np.zeros(len(parents), dtype=np.int64)
    following = np.zeros(len(parents), dtype=np.int64)  # where the next child of a directory goes
    for directory in range(len(parents)):
        if not present[directory]:
            continue
        place = 0
        above = parents[directory]
        if above >= 0:
            place = following[above]
            following[above] += size[directory]
            depths[place] = depths[places[above]] + 1
        order[place] = directory
        ends[place] = place + size[directory]
        places[directory] = place
        following[directory] = place + 1
    return order, ends, depths


@compiled
def shrink_down(
    parents: NDArray[np.int32], events: NDArray[np.float64], trials: NDArray[np.float64], top: float, prior: float
) -> NDArray[np.float64]:
    """(prior * value of the parent + events) / (prior + trials), from the root down; `top` stands above the root."""
    result = np.empty(len(parents), dtype=np.float64)
    for directory in range(len(parents)):
        above = top if parents[directory] < 0 else result[parents[directory]]
        result[directory] = (prior * above + events[directory]) / (prior + trials[directory])
    return result


@compiled
def nearest_holder(parents: NDArray[np.int32], holds: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each directory itself or its nearest ancestor that holds something; the root when there is none."""
    result = np.zeros(len(parents), dtype=np.int64)
    for directory in range(1, len(parents)):
        result[directory] = directory if holds[directory] else result[parents[directory]]
    return result


@compiled
def best_pages(
    directories: NDArray[np.int32], pages: NDArray[np.int64], scores: NDArray[np.float64], count: int
) -> NDArray[np.int64]:
    """The place in `pages` of the best-scored page of each directory, the first of equals; -1 without pages."""
    best = np.full(count, -1, dtype=np.int64)
    for place in range(len(pages)):
        directory = directories[pages[place]]
        if best[directory] < 0 or scores[place] > scores[best[directory]]:
            best[directory] = place
    return best


@compiled
def topmost_listed(parents: NDArray[np.int32], listed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each directory the topmost listed directory it is or lies in; -1 when there is none."""
    result = np.full(len(parents), -1, dtype=np.int64)
    for directory in range(len(parents)):
        if parents[directory] >= 0 and result[parents[directory]] >= 0:
            result[directory] = result[parents[directory]]
        elif listed[directory]:
            result[directory] = directory
    return result
