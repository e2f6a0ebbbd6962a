"""Learning from one capture at a time, compiled.

A capture of the interval (s, t] tells only whether the page changed somewhere in it, and by how much it now
differs. Notation: a_j is the j-th rate of the grid of possible levels, S the exposure (integral of pattern, page
correction and group clock over the interval), so that P(unchanged | a_j) = exp(-a_j S).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.bursts import weigh_habits
from strandline.core.beliefs.clock_kernels import Clock, count_changes, day_factor, weigh
from strandline.core.beliefs.new_life import SURE, asked, doubted, fill_odds, foretold, note_silence, weigh_asked
from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]


class Beliefs(NamedTuple):
    """Per page. `level` and `shape` are log-likelihoods; counts and exposures are per bin. `recent` and `doubt` ask
    whether the page has begun another life, `margin` (log-odds) how far that is believed (new_life.py);
    `burst` the chance of being in a burst after the last capture, by each habit of bursts (bursts.py).
    """

    level: Floats
    recent: Floats
    doubt: Floats
    margin: Floats
    burst: Singles
    shape: Floats
    counted: Singles
    exposure: Singles
    gain: Singles
    gained: Singles
    importance: Floats
    turnover: Floats
    last: Floats
    site: Ints
    directory: Ints
    prior: Ints


class Shared(NamedTuple):
    """What pages share: level grid and its priors (log), shapes and importance profiles with their evidence."""

    grid: Floats
    priors: Floats
    shape: Floats
    profile: Floats
    shape_count: Floats
    shape_exposure: Floats
    profile_sum: Floats
    profile_weight: Floats
    cycle: Ints
    running: Floats
    share: Floats


class Rules(NamedTuple):
    """Fixed settings of the learner."""

    correction: float
    bin_changes: float
    accumulates: bool
    clock_below: float
    clock_after: float


class Finding(NamedTuple):
    """One capture: when, changed or not, difference found, trusted moment of the last change (NaN: unknown)."""

    time: float
    changed: bool
    importance: float
    last_change: float


@compiled
def level_odds(beliefs: Beliefs, shared: Shared, row: int, odds: Floats) -> float:
    """Fill the posterior of the level; return its mean. An old and a new life are believed by their odds."""
    prior = shared.priors[beliefs.prior[row]]
    fill_odds(prior, beliefs.level[row], odds)
    if beliefs.doubt[row] > 0.0:
        anew = np.empty(len(odds))
        fill_odds(prior, beliefs.recent[row], anew)
        part = 1.0 / (1.0 + np.exp(min(-beliefs.margin[row], 700.0)))
        for j in range(len(odds)):
            odds[j] += part * (anew[j] - odds[j])
    mean = 0.0
    for j in range(len(odds)):
        mean += odds[j] * shared.grid[j]
    return mean


@compiled
def shape_odds(beliefs: Beliefs, row: int, odds: Floats) -> None:
    """Fill the posterior of the shape class."""
    top = -np.inf
    for c in range(len(odds)):
        top = max(top, beliefs.shape[row, c])
    total = 0.0
    for c in range(len(odds)):
        odds[c] = np.exp(beliefs.shape[row, c] - top)
        total += odds[c]
    for c in range(len(odds)):
        odds[c] /= total


@compiled
def shape_exposure(shared: Shared, c: int, begin: float, end: float) -> float:
    """Integral of the shape of a class over an interval, by its running sum over the cycle."""
    cycle = len(shared.cycle)
    total = 0.0
    for sign, moment in ((1.0, end), (-1.0, begin)):
        whole = int(np.floor(moment))
        turns, place = whole // cycle, whole % cycle
        inside = shared.shape[c, shared.cycle[place]] * (moment - whole)
        total += sign * (turns * shared.running[c, cycle] + shared.running[c, place] + inside)
    return total


@compiled
def page_pattern(beliefs: Beliefs, shared: Shared, row: int, odds: Floats, correction: float) -> Floats:
    """Relative rate of a page per bin: row 0 with the page's own correction (mean 1), row 1 the shared pattern."""
    bins = len(shared.share)
    found = np.zeros((2, bins))
    shared_mean, own_mean = 0.0, 0.0
    for b in range(bins):
        for c in range(len(odds)):
            found[1, b] += odds[c] * shared.shape[c, b]
        own = (correction + beliefs.counted[row, b]) / (correction + beliefs.exposure[row, b])
        found[0, b] = found[1, b] * own
        shared_mean += shared.share[b] * found[1, b]
        own_mean += shared.share[b] * found[0, b]
    # The level carries the scale; a correction with a scale of its own would drift against it.
    for b in range(bins):
        found[0, b] /= own_mean
        found[1, b] /= shared_mean
    return found


@compiled
def walk(
    state: tuple[Beliefs, Shared, Clock, Rules], row: int, span: tuple[float, float], odds: Floats, parts: Floats
) -> tuple[int, float, float]:
    """Exposure of each period of the interval into parts[:, 0] (with clock), [:, 1] (without, no correction) and
    [:, 2] (without, corrected); its length into [:, 3].

    Returns the number of parts, the exposure, and the length in periods that the clock turned it into.
    """
    beliefs, shared, clock, rules = state
    clocked = parts[0, 2] > 0.0
    pattern = page_pattern(beliefs, shared, row, odds, rules.correction)
    now, end = span
    count = 0
    exposure = 0.0
    stretched = 0.0
    day = -(10**9)
    factor = 1.0
    while now < end - 1e-9 and count < parts.shape[0]:
        period = int(np.floor(now + 1e-9))
        following = min(period + 1.0, end)
        if clocked and period // clock.daylength != day:
            day = period // clock.daylength
            factor = day_factor(clock, (beliefs.site[row], beliefs.directory[row]), day)
        b = shared.cycle[period % len(shared.cycle)]
        length = following - now
        parts[count, 0] = pattern[0, b] * factor * length
        parts[count, 1] = pattern[1, b] * length
        parts[count, 2] = pattern[0, b] * length
        parts[count, 3] = length
        exposure += parts[count, 0]
        stretched += factor * length
        count += 1
        now = following
    return count, exposure, stretched


@compiled
def learn_level(state: tuple[Beliefs, Shared, Clock, Rules], row: int, finding: tuple[float, float, int]) -> None:
    """Level likelihood of a finding: its time, exposure, and what was seen (0 unchanged, 1 changed somewhere, 2 changed
    at the start of the exposure). Evidence from before a new life is forgotten.
    """
    beliefs, shared, clock, _ = state
    time, exposure, seen = finding
    chance = np.empty(len(shared.grid))
    for j in range(len(shared.grid)):
        x = shared.grid[j] * exposure
        if seen == 0:
            chance[j] = -x
        elif seen == 1:
            chance[j] = np.log(max(-np.expm1(-x), 1e-300))
        else:
            chance[j] = np.log(shared.grid[j]) - x
    level, recent = beliefs.level[row], beliefs.recent[row]
    prior = shared.priors[beliefs.prior[row]]
    old, anew = foretold(prior, level, chance), foretold(prior, recent, chance)
    evidence = clock.lives[beliefs.site[row]]
    weigh_asked(evidence, beliefs.doubt[row], old, anew)
    beliefs.doubt[row] = doubted(recent, chance, beliefs.doubt[row], anew - old)
    for j in range(len(level)):
        level[j] += chance[j]
    upheaval, day, silent = clock.upheaval[beliefs.directory[row]], time / clock.daylength, seen == 0
    before = beliefs.margin[row]
    beliefs.margin[row] = beliefs.doubt[row] - asked(evidence, upheaval, day, silent)
    note_silence(upheaval, (before, beliefs.margin[row]), day, silent)
    if beliefs.doubt[row] > SURE and beliefs.margin[row] > 0.0:
        level[:] = recent
        recent[:] = 0.0
        beliefs.doubt[row] = 0.0


@compiled
def learn_shape(
    beliefs: Beliefs, shared: Shared, row: int, span: tuple[float, float, float], seen: int, odds: Floats
) -> None:
    """Shape class likelihood, the level averaged out. span = begin, end, stretch of the clock."""
    if beliefs.shape.shape[1] == 1:
        return
    b = shared.cycle[int(np.floor(span[0])) % len(shared.cycle)]
    for c in range(beliefs.shape.shape[1]):
        x = shape_exposure(shared, c, span[0], span[1]) * span[2]
        chance = 0.0
        for j in range(len(odds)):
            if seen == 2:
                chance += odds[j] * shared.grid[j] * shared.shape[c, b] * np.exp(-shared.grid[j] * x)
            else:
                chance += odds[j] * np.exp(-shared.grid[j] * x)
        if seen == 1:
            chance = 1.0 - chance
        beliefs.shape[row, c] += np.log(max(chance, 1e-12))


@compiled
def changes_given(grid: Floats, odds: Floats, exposure: float, periods: float) -> tuple[float, float]:
    """Expected changes, and expected changed periods, given that at least one change happened."""
    counted, changed = 0.0, 0.0
    for j in range(len(grid)):
        x = grid[j] * exposure
        some = max(-np.expm1(-x), 1e-12)
        counted += odds[j] * x / some
        changed += odds[j] * periods * -np.expm1(-x / periods) / some
    return max(counted, 1.0), max(changed, 1.0)


@compiled
def learn_importance(
    state: tuple[Beliefs, Shared, Clock, Rules], row: int, change: tuple[float, float, int, float], shares: Floats,
    odds: Floats, total: Floats,
) -> None:  # fmt: skip
    """Book the importance per change on the page, and on the bins where the change probably happened.

    change = importance per change, overall mean importance, first period of the interval, how much it tells.
    """
    beliefs, shared, _, _rules = state
    per_change, overall, first, says = change
    beliefs.importance[row, 0] += says * per_change
    beliefs.importance[row, 1] += says
    total[0] += says * per_change
    total[1] += says
    page = (2.0 * overall + beliefs.importance[row, 0]) / (2.0 + beliefs.importance[row, 1])
    for k in range(len(shares)):
        if shares[k] < 1e-6:
            continue
        b = shared.cycle[(first + k) % len(shared.cycle)]
        profile = 0.0
        for c in range(len(odds)):
            profile += odds[c] * shared.profile[c, b]
            shared.profile_sum[c, b] += says * odds[c] * shares[k] * per_change
            shared.profile_weight[c, b] += says * odds[c] * shares[k] * page
        beliefs.gain[row, b] += says * shares[k] * per_change / max(page * profile, 1e-6)
        beliefs.gained[row, b] += says * shares[k]


@compiled
def learn_hours(
    state: tuple[Beliefs, Shared, Clock, Rules], row: int, found: tuple[int, int], parts: Floats,
    counts: tuple[float, float, float], odds: Floats,
) -> None:  # fmt: skip
    """Book on each bin, of the page and of its shape, the changes it probably held and those expected of it.

    found = first period, what was seen; counts = expected changes given that, exposure, mean level.
    """
    beliefs, shared, _, _rules = state
    first, seen = found
    counted, exposure, mean = counts
    for k in range(len(parts)):
        b = shared.cycle[(first + k) % len(shared.cycle)]
        happened = counted * parts[k, 0] / max(exposure, 1e-300)
        if seen == 2:
            happened = 1.0 if k == 0 else 0.0
        beliefs.counted[row, b] += happened
        beliefs.exposure[row, b] += mean * parts[k, 1]
        for c in range(len(odds)):
            shared.shape_count[c, b] += odds[c] * happened
            shared.shape_exposure[c, b] += odds[c] * mean * parts[k, 3]


@compiled
def last_change_shares(parts: Floats, level: float, shares: Floats) -> None:
    """Chance of each period to hold the last change of an interval in which something changed."""
    survival = 1.0
    total = 0.0
    for k in range(len(parts) - 1, -1, -1):
        x = level * parts[k, 0]
        shares[k] = survival * -np.expm1(-x)
        survival *= np.exp(-x)
        total += shares[k]
    for k in range(len(parts)):
        shares[k] /= max(total, 1e-300)


@compiled
def learn_capture(state: tuple[Beliefs, Shared, Clock, Rules], row: int, finding: Finding, total: Floats) -> None:
    """Take in one capture. total = sums over all pages: importance, changes, turnover, exposure."""
    beliefs, shared, clock, rules = state
    group = (beliefs.site[row], beliefs.directory[row])
    begin = beliefs.last[row]
    beliefs.last[row] = finding.time
    if np.isnan(begin) or finding.time <= begin:
        return
    seen = 1 if finding.changed else 0
    if finding.changed and begin < finding.last_change <= finding.time:
        begin, seen = finding.last_change, 2
    grid = shared.grid
    odds = np.empty(len(grid))
    shapes = np.empty(beliefs.shape.shape[1])
    mean = level_odds(beliefs, shared, row, odds)
    shape_odds(beliefs, row, shapes)
    limit = int(finding.time - begin) + 3
    parts = np.zeros((limit, 4))
    slow = mean < rules.clock_below
    clocked = slow and finding.time > rules.clock_after
    parts[0, 2] = 1.0 if clocked else 0.0
    count, exposure, stretched = walk(state, row, (begin, finding.time), shapes, parts)
    length = max(finding.time - begin, 1e-6)
    parts = parts[:count]
    first = int(np.floor(begin + 1e-9))
    if slow:
        weigh(clock, group, first, parts[:, 2], (seen, grid, odds))
    if not clocked:
        weigh_habits(beliefs.burst[row], clock.habits[group[0]], mean * exposure, length, finding.changed)
    learn_shape(beliefs, shared, row, (begin, finding.time, stretched / length), seen, odds)
    learn_level(state, row, (finding.time, exposure, seen))
    after = level_odds(beliefs, shared, row, odds)
    shape_odds(beliefs, row, shapes)
    periods = max(length, 1.0)
    counted, changed_periods = changes_given(grid, odds, exposure, periods)
    if seen == 0:
        counted = 0.0
    elif seen == 2:
        counted, changed_periods = 1.0, 1.0
    learn_hours(state, row, (first, seen), parts, (counted, exposure, after), shapes)
    if slow:
        count_changes(clock, group, (first, seen), parts, (counted, after))
    beliefs.turnover[row, 1] += exposure
    total[3] += exposure
    if not finding.changed:
        return
    difference = min(max(finding.importance, 0.0), 0.999)
    beliefs.turnover[row, 0] += -np.log1p(-difference)
    total[2] += -np.log1p(-difference)
    per_change = 1.0 - (1.0 - difference) ** (1.0 / changed_periods) if rules.accumulates else difference
    shares = np.empty(count)
    if rules.accumulates:
        for k in range(count):
            shares[k] = parts[k, 0] / max(exposure, 1e-300)
    else:
        last_change_shares(parts, after, shares)
    overall = (0.6 + total[0]) / (2.0 + total[1])
    # A difference gathered over many changes hardly tells what one of them is worth: real pages change in the same
    # places again, so it comes out too small, and a page left alone for long would never be looked at again.
    says = changed_periods**-0.5 if rules.accumulates else 1.0
    learn_importance(state, row, (per_change, overall, first, says), shares, shapes, total)


@compiled
def learn_captures(
    state: tuple[Beliefs, Shared, Clock, Rules],
    rows: Ints,
    findings: tuple[Floats, NDArray[np.bool_], Floats, Floats],
    total: Floats,
) -> None:
    """Take in captures in time order."""
    time, changed, importance, last_change = findings
    for k in range(len(rows)):
        finding = Finding(time[k], changed[k], importance[k], last_change[k])
        learn_capture(state, rows[k], finding, total)
