"""The timing wheel's two moves, compiled."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Lists = tuple[Ints, Ints, Ints]

OUT = -2
HEAD = -1


@compiled
def unlink(lists: Lists, due: Floats, row: int) -> None:
    """Take a row out of its slot. `back` is the row before it, HEAD for the first, OUT for none."""
    head, following, back = lists
    if back[row] == OUT:
        return
    if back[row] == HEAD:
        head[int(due[row]) % len(head)] = following[row]
    else:
        following[back[row]] = following[row]
    if following[row] >= 0:
        back[following[row]] = back[row]
    back[row] = OUT


@compiled
def take_rows(lists: Lists, due: Floats, rows: Ints) -> None:
    """Take rows out of the slots they are in."""
    for k in range(len(rows)):
        unlink(lists, due, rows[k])


@compiled
def link(lists: Lists, due: Floats, row: int) -> None:
    """Put a row that is in no slot into that of its due time."""
    head, following, back = lists
    slot = int(due[row]) % len(head)
    following[row] = head[slot]
    back[row] = HEAD
    if head[slot] >= 0:
        back[head[slot]] = row
    head[slot] = row


@compiled
def put_rows(lists: Lists, due: Floats, now: Ints, rows: Ints, when: Floats) -> None:
    """Move rows to the slots of their new due times."""
    for k in range(len(rows)):
        row = rows[k]
        unlink(lists, due, row)
        due[row] = max(np.floor(when[k]), float(now[0]))
        link(lists, due, row)


@compiled
def move_rows(lists: Lists, due: Floats, now: Ints, count: int, by: int) -> None:
    """Move the due times of all of the first `count` rows that are in a slot, and the present with them."""
    head, _following, back = lists
    head[:] = -1
    for row in range(count):
        if back[row] != OUT:
            due[row] += by
            link(lists, due, row)
    now[0] += by


@compiled
def take_due(lists: Lists, due: Floats, now: Ints, period: int, limits: tuple[int, int]) -> Ints:
    """Take out the rows due by this period, then those of the coming slots until there are enough of them.

    limits = the fewest and the most rows wanted. What is due and not taken stays where it is: `now` stands still
    at the first slot that was not emptied, where the next call begins.
    """
    head, following, _back = lists
    least, most = limits
    slots = len(head)
    found = np.empty(64, dtype=np.int64)
    count = 0
    first = min(now[0], period)
    if period - first >= slots:
        first = period - slots + 1
    reached = max(now[0], period)
    for h in range(first, period + slots):
        if h > period and count >= least:
            break
        row = head[h % slots]
        while row >= 0:
            after = following[row]
            if due[row] <= h:
                if count == most:
                    break
                if count == len(found):
                    wider = np.empty(2 * count, dtype=np.int64)
                    wider[:count] = found
                    found = wider
                unlink(lists, due, row)
                found[count] = row
                count += 1
            row = after
        if count == most:
            reached = min(reached, h)
            break
    now[0] = reached
    return found[:count].copy()


@compiled
def add_members(first: Ints, following: Ints, groups: Ints, row: int) -> None:
    """Put rows from `row` on at the beginning of the chains of their groups."""
    for k in range(len(groups)):
        following[row + k] = first[groups[k]]
        first[groups[k]] = row + k


@compiled
def members(first: Ints, following: Ints, group: int, most: int) -> Ints:
    """Rows of a chain, the last added first, and at most so many."""
    found = np.empty(most, dtype=np.int64)
    count = 0
    row = first[group]
    while row >= 0 and count < most:
        found[count] = row
        count += 1
        row = following[row]
    return found[:count].copy()
