"""Does a page change in bursts? A live report, a meeting, a release: quiet for days, then many changes within hours.

A page is thought to be either quiet or in a burst. In a burst it changes `pace` times a period (or at its usual rate,
if that is higher), and the burst ends after `lasting` periods on average; a part of all changes (`share`) belongs to
bursts. A capture that finds a change makes a burst likely, one that finds nothing makes it less so. Which of a few such
habits a site has is not known beforehand: every capture is a test of them all, and of having none. Only where a habit
foretold better is it used.

    P(unchanged | quiet)  = exp(-quiet rate * length)
    P(unchanged | burst)  = the burst lasts and nothing happens, or it ends before anything happens and quiet follows
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]

HABITS: Floats = np.array(
    [(share, lasting, pace) for share in (0.5, 0.9) for lasting in (4.0, 12.0) for pace in (0.4, 1.2)]
)
"""Share of changes that belong to bursts, periods a burst lasts, changes a period while it does."""
SPEAKS = 6.0
"""Log-odds by which a habit must have foretold better than none to be used."""


@compiled
def still_unchanged(usual: float, length: float, lasting: float, pace: float) -> tuple[float, float]:
    """Chance that a page in a burst is found unchanged after `length` periods, and the part of it in which the burst
    still lasts. usual = changes expected of the time by the quiet rate.
    """
    end = 1.0 / lasting
    lasts = np.exp(-(pace + end) * length)
    excess = (pace + end) * length - usual
    if abs(excess) < 1e-9:
        ended = end * length * np.exp(-usual)
    else:
        ended = end * length * np.exp(-usual) * -np.expm1(-excess) / excess
    return lasts + ended, lasts


@compiled
def weigh_habits(chance: Singles, evidence: Floats, expected: float, length: float, changed: bool) -> None:
    """Take a capture into the chances of a page to be in a burst, one per habit, and into what speaks for each habit of
    its site (`evidence`, that of no habit first). expected = changes expected of the interval without bursts.
    """
    still = np.exp(-expected)
    evidence[0] += np.log(max(1.0 - still if changed else still, 1e-9))
    for c in range(len(HABITS)):
        share, lasting = HABITS[c, 0], HABITS[c, 1]
        pace = max(HABITS[c, 2], expected / length)
        begins = share / (1.0 + pace * lasting)
        usual = expected * (1.0 - share + begins)
        quiet = np.exp(-usual)
        in_burst, lasts = still_unchanged(usual, length, lasting, pace)
        before = float(chance[c])
        unchanged = (1.0 - before) * quiet + before * in_burst
        if not changed:
            evidence[1 + c] += np.log(max(unchanged, 1e-9))
            chance[c] = before * lasts / max(unchanged, 1e-9)
            continue
        found = max(1.0 - unchanged, 1e-9)
        evidence[1 + c] += np.log(found)
        goes_on = before * (np.exp(-length / lasting) - lasts)
        recent = -np.expm1(-length / lasting) * lasting / length
        begun = (1.0 - before) * (1.0 - quiet) * begins / (1.0 - share + begins) * recent
        chance[c] = min((goes_on + begun) / found, 1.0)


def habit_of(evidence: Floats) -> Ints:
    """The habit of each site, -1 for none: what its own captures speak for, together with an average site."""
    told = max(int(np.count_nonzero(evidence.any(axis=1))), 1)
    both = evidence + evidence.sum(axis=0) / told
    best = both[:, 1:].argmax(axis=1)
    ahead = np.take_along_axis(both[:, 1:], best[:, None], axis=1)[:, 0] - both[:, 0]
    found: Ints = np.where(ahead > SPEAKS, best, -1)
    return found


def stirred_ages(chance: Floats, habit: Ints, rate: Floats, age: Floats) -> Floats:
    """Effective age over age of pages that may be in a burst: how much sooner a change is to be expected."""
    lasting, pace = HABITS[habit, 1], np.maximum(HABITS[habit, 2], rate)
    usual, excess = rate * age, (pace + 1.0 / lasting - rate) * age
    lasts = np.exp(-(pace + 1.0 / lasting) * age)
    safe = np.where(np.abs(excess) < 1e-9, 1.0, excess)
    part = np.where(np.abs(excess) < 1e-9, 1.0, -np.expm1(-safe) / safe)
    unchanged = (1.0 - chance) * np.exp(-usual) + chance * (lasts + age / lasting * np.exp(-usual) * part)
    found: Floats = -np.log(np.maximum(unchanged, 1e-12)) / np.maximum(usual, 1e-12)
    return np.maximum(found, 1.0)
