"""The priced plan, compiled: what a page's pending version is worth now, and what waiting would bring.

Notation: G(s, t) is the expected importance of the version pending at t after a capture at s. In a stretch dt of
constant rate r and mean importance m it grows by G <- m - (m - G) exp(-r dt); a capture resets it to 0. Over one
period this is a straight line, G <- gain + keep * G, so that a plan over H periods needs H exponentials per node
and H^2/2 multiplications. An uncertain rate is carried as Q nodes (columns of `level` and `value`).
A version that is caught late is in the archive for less of the time it is judged by: a slow page's pending version
fades by `fading` a period, so that dG/dt = r m - (r + fading) G. Fast pages are caught long before that matters.
B(t) is what the future is worth after a capture at t; rho the value per period of the best even spacing, used as
the worth of what lies beyond the horizon; tau the best spacing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Lines = tuple[Floats, Floats] | tuple[Singles, Singles]

LONGEST_WALK = 336
NEVER = 1e30


class Pages(NamedTuple):
    """Per page: pattern (rate and importance per bin), rate nodes and their value, place in time. `shift` are the
    periods to add for the time of the page's own place; `cycle` and `fading` are not per page.
    """

    rate: Singles
    importance: Singles
    level: Floats
    value: Floats
    mean_rate: Floats
    mean_importance: Floats
    last: Floats
    phase: Floats
    stretch: Floats
    price: Floats
    slow: Flags
    shift: Ints
    cycle: Ints
    fading: Floats


class Plans(NamedTuple):
    """Stored plans: B per step, growth lines per step and node, and period, price and rho of their making.

    A plan and the advantage taken from it must be at one price, or the difference adds up over the horizon.
    """

    worth: Singles
    gain: NDArray[np.float32]
    keep: NDArray[np.float32]
    made: Floats


@compiled
def grown(rate: float, fading: float, age: float) -> float:
    """G of a steady page of importance 1: r / (r + fading) (1 - exp(-(r + fading) age))."""
    return float(rate / max(rate + fading, 1e-300) * -np.expm1(-(rate + fading) * age))


@compiled
def best_spacing(pages: Pages, row: int, price: float) -> tuple[float, float]:
    """Best even spacing tau and its value per period rho; (inf, 0) when no spacing pays.

    tau solves sum_q value_q m r_q / s_q [1 - (1 + x_q) exp(-x_q)] = price with s_q = r_q + fading, x_q = s_q tau.
    """
    worth = 0.0
    for q in range(pages.level.shape[1]):
        worth += pages.value[row, q]
    mean = pages.mean_importance[row]
    if worth * mean <= price:
        return np.inf, 0.0
    fading = pages.fading[0]
    unit = 1.0 / max(pages.mean_rate[row], 1e-12)
    low, high = 1e-3 * unit, 1e3 * unit
    for _ in range(26):
        tau = np.sqrt(low * high)
        gained = 0.0
        for q in range(pages.level.shape[1]):
            rate = pages.mean_rate[row] * pages.level[row, q]
            x = (rate + fading) * tau
            kept = rate / max(rate + fading, 1e-300)
            gained += pages.value[row, q] * mean * kept * (1.0 - (1.0 + x) * np.exp(-x))
        if gained > price:
            high = tau
        else:
            low = tau
    tau = max(np.sqrt(low * high), 1.0)
    gained = -price
    for q in range(pages.level.shape[1]):
        gained += pages.value[row, q] * mean * grown(pages.mean_rate[row] * pages.level[row, q], fading, tau)
    if gained <= 0.0:
        return np.inf, 0.0
    return tau, gained / tau


@compiled
def step_lines(pages: Pages, row: int, first: int, gain: Floats, keep: Floats) -> None:
    """Growth of G from the capture moment of period first + k - 1 to that of first + k, for each k and node."""
    cycle = len(pages.cycle)
    phase = pages.phase[row]
    first += pages.shift[row]
    for k in range(gain.shape[0]):
        before = pages.cycle[(first + k - 1) % cycle]
        during = pages.cycle[(first + k) % cycle]
        m1, m2 = pages.importance[row, before], pages.importance[row, during]
        r1 = pages.rate[row, before] * (1.0 - phase)
        r2 = pages.rate[row, during] * phase
        for q in range(pages.level.shape[1]):
            e1 = np.exp(-r1 * pages.level[row, q])
            e2 = np.exp(-r2 * pages.level[row, q])
            keep[k, q] = e1 * e2
            gain[k, q] = m2 * (1.0 - e2) + e2 * m1 * (1.0 - e1)


@compiled
def future_worth(value: Floats, rho: float, price: float, lines: Lines, worth: Floats) -> None:
    """B for every period of the horizon, backward. worth has one place more than the horizon has steps."""
    gain, keep = lines
    horizon, nodes = len(worth) - 1, len(value)
    pending = np.empty(nodes)
    top = np.zeros(nodes)
    for u in range(horizon + 1):
        for q in range(nodes):
            top[q] = max(top[q], gain[u, q] / max(1.0 - keep[u, q], 1e-12))
    most = 0.0
    for q in range(nodes):
        most += value[q] * top[q]
    worth[horizon] = 0.0
    for k in range(horizon - 1, -1, -1):
        best = rho * (horizon - k)
        for q in range(nodes):
            pending[q] = 0.0
        for u in range(k + 1, horizon + 1):
            # B falls with time, so once even a full pending version cannot win, no later step can.
            if most - price + worth[u] <= best:
                break
            total = worth[u] - price
            for q in range(nodes):
                pending[q] = gain[u, q] + keep[u, q] * pending[q]
                total += value[q] * pending[q]
            if total > best:
                best = total
        worth[k] = best


@compiled
def pending_now(pages: Pages, row: int, period: int, pending: Floats) -> float:
    """Fill G per node at the capture moment of this period; return the age in periods."""
    moment = period + pages.phase[row]
    age = max(moment - pages.last[row], 0.0)
    nodes = pages.level.shape[1]
    for q in range(nodes):
        pending[q] = 0.0
    if pages.slow[row] or age > LONGEST_WALK:
        for q in range(nodes):
            rate = pages.mean_rate[row] * pages.level[row, q] * pages.stretch[row]
            pending[q] = pages.mean_importance[row] * grown(rate, pages.fading[0], age)
        return float(age)
    cycle = len(pages.cycle)
    now = pages.last[row]
    while now < moment - 1e-9:
        following = min(np.floor(now + 1e-9) + 1.0, moment)
        b = pages.cycle[(int(np.floor(now + 1e-9)) + pages.shift[row]) % cycle]
        m = pages.importance[row, b]
        r = pages.rate[row, b] * (following - now) * pages.stretch[row]
        for q in range(nodes):
            pending[q] = m - (m - pending[q]) * np.exp(-r * pages.level[row, q])
        now = following
    return float(age)


@compiled
def slow_advantage(pages: Pages, row: int, age: float, pending: Floats, price: float) -> tuple[float, float]:
    """Advantage now of a page that needs no plan, and the periods until it is due."""
    nodes = pages.level.shape[1]
    have = 0.0
    slope = 0.0
    for q in range(nodes):
        rate = pages.mean_rate[row] * pages.level[row, q] * pages.stretch[row]
        have += pages.value[row, q] * pending[q]
        slope += pages.value[row, q] * (rate * pages.mean_importance[row] - (rate + pages.fading[0]) * pending[q])
    tau, rho = best_spacing(pages, row, price)
    if rho <= 0.0:
        return have - price, np.inf
    effective = age * pages.stretch[row]
    if effective < tau:
        return min(have - price - rho * effective, -1e-12), (tau - effective) / max(pages.stretch[row], 0.1)
    at_tau = -price - rho * tau
    for q in range(nodes):
        rate = pages.mean_rate[row] * pages.level[row, q]
        at_tau += pages.value[row, q] * pages.mean_importance[row] * grown(rate, pages.fading[0], tau)
    return max(rho - slope, 0.1 * (have - price - rho * tau), 0.1 * at_tau, 1e-12), 0.0


@compiled
def advantage_from(
    value: Floats, pending: Floats, rho: float, price: float, lines: Lines, worth: Floats | Singles
) -> tuple[float, int]:
    """Advantage of a capture at step 0 over the best later one (with B in `worth`), and the best later step."""
    gain, keep = lines
    horizon, nodes = len(worth) - 1, len(pending)
    capture = worth[0] - price
    for q in range(nodes):
        capture += value[q] * pending[q]
    wait = rho * horizon
    best_step = horizon
    later = pending.copy()
    for u in range(1, horizon + 1):
        total = worth[u] - price
        for q in range(nodes):
            later[q] = gain[u, q] + keep[u, q] * later[q]
            total += value[q] * later[q]
        if total > wait:
            wait = total
            best_step = u
    return capture - wait, best_step


@compiled
def evaluate(pages: Pages, rows: Ints, period: int, horizon: int) -> tuple[Floats, Floats, Floats]:
    """Advantage now, pending value and periods until due of the given pages. Cost does not depend on others."""
    count, nodes = len(rows), pages.level.shape[1]
    advantage = np.empty(count)
    value = np.empty(count)
    wait = np.empty(count)
    pending = np.empty(nodes)
    gain = np.empty((horizon + 1, nodes))
    keep = np.empty((horizon + 1, nodes))
    worth = np.empty(horizon + 1)
    for k in range(count):
        row = rows[k]
        price = pages.price[row]
        if np.isnan(pages.last[row]):
            total = 0.0
            for q in range(nodes):
                total += pages.value[row, q]
            advantage[k], value[k], wait[k] = NEVER * (1.0 + total), total, 0.0
            continue
        age = pending_now(pages, row, period, pending)
        value[k] = 0.0
        for q in range(nodes):
            value[k] += pages.value[row, q] * pending[q]
        if pages.slow[row]:
            advantage[k], wait[k] = slow_advantage(pages, row, age, pending, price)
            continue
        _, rho = best_spacing(pages, row, price)
        step_lines(pages, row, period, gain, keep)
        future_worth(pages.value[row], rho, price, (gain, keep), worth)
        advantage[k], step = advantage_from(pages.value[row], pending, rho, price, (gain, keep), worth)
        wait[k] = 0.0 if advantage[k] > 0.0 else float(step)
    return advantage, value, wait


@compiled
def plan_rows(pages: Pages, rows: Ints, period: int, plans: Plans) -> None:
    """Make and store the plans of some pages from this period on."""
    horizon, nodes = plans.worth.shape[1] - 1, pages.level.shape[1]
    gain = np.empty((horizon + 1, nodes))
    keep = np.empty((horizon + 1, nodes))
    future = np.empty(horizon + 1)
    for k in range(len(rows)):
        row = rows[k]
        price = pages.price[row]
        _, rho = best_spacing(pages, row, price)
        step_lines(pages, row, period, gain, keep)
        future_worth(pages.value[row], rho, price, (gain, keep), future)
        for u in range(horizon + 1):
            plans.worth[row, u] = future[u]
            for q in range(nodes):
                plans.gain[row, u, q] = gain[u, q]
                plans.keep[row, u, q] = keep[u, q]
        plans.made[row, 0] = period
        plans.made[row, 1] = price
        plans.made[row, 2] = rho


@compiled
def scan(pages: Pages, period: int, plans: Plans) -> tuple[Floats, Floats]:
    """Advantage now and pending value of all pages, from stored plans."""
    count, nodes = len(pages.last), pages.level.shape[1]
    advantage = np.empty(count)
    value = np.empty(count)
    pending = np.empty(nodes)
    for row in range(count):
        if np.isnan(pages.last[row]):
            total = 0.0
            for q in range(nodes):
                total += pages.value[row, q]
            advantage[row], value[row] = NEVER * (1.0 + total), total
            continue
        age = pending_now(pages, row, period, pending)
        value[row] = 0.0
        for q in range(nodes):
            value[row] += pages.value[row, q] * pending[q]
        if pages.slow[row]:
            advantage[row], _ = slow_advantage(pages, row, age, pending, pages.price[row])
            continue
        gone = min(max(period - int(plans.made[row, 0]), 0), plans.worth.shape[1] - 1)  # clocks jump
        lines = (plans.gain[row, gone:], plans.keep[row, gone:])
        price, rho = plans.made[row, 1], plans.made[row, 2]
        advantage[row], _ = advantage_from(pages.value[row], pending, rho, price, lines, plans.worth[row, gone:])
    return advantage, value


@compiled
def first_due(pages: Pages, rows: Ints, price: float, now: float) -> Floats:
    """When pages should be looked at for the first time: a little before their best even spacing is over."""
    due = np.empty(len(rows))
    for k in range(len(rows)):
        tau, rho = best_spacing(pages, rows[k], price)
        if rho > 0.0:
            due[k] = max(pages.last[rows[k]] + 0.8 * tau, now)
        else:
            due[k] = now + 1.0 + rows[k] % 96
    return due


@compiled
def wanted_visits(pages: Pages, price: float, step: int = 1) -> float:
    """Visits per period that all pages (or every `step`-th) together want at a price: best even spacing, at most one
    a period.
    """
    total = 0.0
    for row in range(0, len(pages.last), step):
        tau, rho = best_spacing(pages, row, price)
        if rho > 0.0:
            total += 1.0 / max(tau, 1.0)
    return total


@compiled
def captured_value(pages: Pages, price: float) -> float:
    """Value caught per period when every page is fetched at its best even spacing."""
    total = 0.0
    for row in range(len(pages.last)):
        tau, rho = best_spacing(pages, row, price)
        if rho > 0.0:
            total += rho + price / tau
    return total
