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
def put_rows(lists: Lists, due: Floats, now: Ints, rows: Ints, when: Floats) -> None:
    """Move rows to the slots of their new due times."""
    head, following, back = lists
    for k in range(len(rows)):
        row = rows[k]
        unlink(lists, due, row)
        moment = max(np.floor(when[k]), float(now[0]))
        due[row] = moment
        slot = int(moment) % len(head)
        following[row] = head[slot]
        back[row] = HEAD
        if head[slot] >= 0:
            back[head[slot]] = row
        head[slot] = row


@compiled
def take_due(lists: Lists, due: Floats, now: Ints, period: int, at_least: int) -> Ints:
    """Take out the rows due by this period, then those of the coming slots until there are enough of them."""
    head, following, back = lists
    slots = len(head)
    found = np.empty(len(following), dtype=np.int64)
    count = 0
    first = min(now[0], period)
    if period - first >= slots:
        first = period - slots + 1
    now[0] = max(now[0], period)
    for h in range(first, period + slots):
        if h > period and count >= at_least:
            break
        row = head[h % slots]
        while row >= 0:
            after = following[row]
            if due[row] <= h:
                found[count] = row
                count += 1
            row = after
        for k in range(count):
            if back[found[k]] != OUT:
                unlink(lists, due, found[k])
    return found[:count].copy()
