"""Per-page best answers to given prices, compiled: the inner problems of the two bounds."""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def live_periods(times: Floats, periods: int) -> tuple[Ints, Ints]:
    """First and last period in which each version of a page is live."""
    first = np.minimum(times.astype(np.int64), periods - 1)
    last = np.full(len(times), periods - 1)
    last[:-1] = first[1:]
    return first, last


@compiled
def best_choice(value: float, span: tuple[int, int], used: int, price: Floats, after: Floats) -> tuple[float, int]:
    """Best answer for one version: not captured (-1), or the period of its capture.

    `used` says that its first period already holds a capture of the version before; `after` is the worth of the later
    versions when their first period is free, and when it is used.
    """
    first, last = span
    best, choice = after[used if last == first else 0], -1
    for h in range(first + used, last + 1):
        gain = value - price[h] + after[1 if h == last else 0]
        if gain > best:
            best, choice = gain, h
    return best, choice


@compiled
def best_captures(start: Ints, time: Floats, value: Floats, price: Floats) -> tuple[float, Ints]:
    """Knowing all changes: best total of value minus prices, and the captures per period that reach it.

    One capture per page and period: a dynamic programme over the versions of a page, last to first.
    """
    load = np.zeros(len(price), dtype=np.int64)
    total = 0.0
    for page in range(len(start) - 1):
        begin, count = start[page], start[page + 1] - start[page]
        if count == 0:
            continue
        first, last = live_periods(time[begin : begin + count], len(price))
        worth = np.zeros((count + 1, 2))
        pick = np.full((count, 2), -1, dtype=np.int64)
        for v in range(count - 1, -1, -1):
            for used in range(2):
                found = best_choice(value[begin + v], (first[v], last[v]), used, price, worth[v + 1])
                worth[v, used], pick[v, used] = found
        total += worth[0, 0]
        used = 0
        for v in range(count):
            h = pick[v, used]
            if h >= 0:
                load[h] += 1
                used = 1 if h == last[v] else 0
            elif last[v] != first[v]:
                used = 0
    return total, load


@compiled
def best_schedules(rate: Floats, mean: Floats, weight: Floats, cycle: Ints, price: Floats) -> tuple[float, Ints]:
    """Knowing patterns only: best expected total over fixed schedules (captures at mid-period), and their load."""
    periods = len(price)
    load = np.zeros(periods, dtype=np.int64)
    total = 0.0
    gain = np.empty(periods)
    keep = np.empty(periods)
    worth = np.empty(periods + 1)
    pick = np.empty(periods + 1, dtype=np.int64)
    dearest = np.empty(periods + 1)
    for page in range(len(weight)):
        top = 0.0
        for h in range(periods):
            b = cycle[h % len(cycle)]
            a = cycle[(h - 1) % len(cycle)]
            r1 = rate[page, a] * 0.5 if h > 0 else 0.0
            e1, e2 = np.exp(-r1), np.exp(-0.5 * rate[page, b])
            keep[h] = e1 * e2
            gain[h] = mean[page, b] * (1.0 - e2) + e2 * mean[page, a] * (1.0 - e1)
            top = max(top, mean[page, b])
        top *= weight[page]
        worth[periods] = 0.0
        # Cheapest price from here on: with it the scan for the next capture can stop early.
        cheapest = np.inf
        for h in range(periods - 1, -1, -1):
            cheapest = min(cheapest, price[h])
            dearest[h] = cheapest
        for k in range(periods - 1, -2, -1):
            best, choice = 0.0, -1
            pending = 0.0
            for u in range(k + 1, periods):
                pending = gain[u] + keep[u] * pending
                found = weight[page] * pending - price[u] + worth[u]
                if found > best:
                    best, choice = found, u
                if top - dearest[u] + worth[u] <= best:
                    break
            if k >= 0:
                worth[k], pick[k] = best, choice
            else:
                total += best
                h = choice
                while h >= 0:
                    load[h] += 1
                    h = pick[h]
    return total, load
