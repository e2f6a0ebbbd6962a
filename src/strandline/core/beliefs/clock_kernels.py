"""The clock of groups, compiled: how busy each day was for a site and for a directory against expectation.

Pages of a directory often change on the same day, so what was found on some of them tells of the others. A day's factor
is (inertia + changes found) / (inertia + changes expected), that of the site times that of the directory. With a large
inertia it stays at 1: the pages change each by itself. Which inertia holds for a site is not known beforehand; every
capture is a test of them all (`weigh`): the chance of what it found, with the factors each of them gives.

    n, E     changes found and expected, of a group and day
    kappa    inertia, in expected changes
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.compiled import compiled

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEVER = 1e9
INERTIAS: Floats = np.array(
    [(site, directory) for site in (1.0, 10.0, NEVER) for directory in (0.05, 0.2, 1.0, 5.0, NEVER)]
)
"""Of site and directory, to choose from; the first holds while nothing is known, and wins on nearly all real sites."""


class Clock(NamedTuple):
    """Counts and expectations per day, [group, day, 0 or 1]; day 0 of the tables is `origin`. Per site the inertia that
    is used, and the log-likelihood of what captures found under each of INERTIAS. `upheaval` is per directory, for
    pages that begin another life (new_life.py), `habits` per site what speaks for each habit of bursts (bursts.py),
    `lives` what speaks for asking more or less of a new life.
    """

    site: Floats
    directory: Floats
    origin: Ints
    daylength: int
    inertia: Floats
    evidence: Floats
    upheaval: Floats
    habits: Floats
    lives: Floats


@compiled
def factor_with(clock: Clock, group: tuple[int, int], place: int, inertia: Floats) -> float:
    """The factor of a day (by its place in the tables) with a given inertia; group = site, directory."""
    if place < 0 or place >= clock.site.shape[1]:
        return 1.0
    site, directory = clock.site[group[0], place], clock.directory[group[1], place]
    of_site = (inertia[0] + site[0]) / (inertia[0] + site[1])
    return float(of_site * (inertia[1] + directory[0]) / (inertia[1] + directory[1]))


@compiled
def day_factor(clock: Clock, group: tuple[int, int], day: int) -> float:
    """How busy a day was for a directory against expectation."""
    return factor_with(clock, group, day - clock.origin[0], clock.inertia[group[0]])


@compiled
def count_changes(
    clock: Clock, group: tuple[int, int], found: tuple[int, int], parts: Floats, counts: tuple[float, float]
) -> None:
    """Add to each day of an interval the changes it probably held and those expected of it.

    found = first period, what was seen (as in `weigh`). parts = exposure of each period from the first on: with the
    clock in column 0, without it in column 1. counts = expected changes given what was seen (0 if unchanged), mean
    level.

    A period is booked one change at most. The busier a day is thought to be, the more changes are expected of it; where
    all pages of a site change together, nothing else would keep that belief from confirming itself without end.
    """
    first, seen = found
    exposure = 0.0
    for k in range(len(parts)):
        exposure += parts[k, 0]
    inertia = clock.inertia[group[0], 0]
    for k in range(len(parts)):
        day = (first + k) // clock.daylength - clock.origin[0]
        if day < 0 or day >= clock.site.shape[1]:
            continue
        site, directory = clock.site[group[0], day], clock.directory[group[1], day]
        of_site = (inertia + site[0]) / (inertia + site[1])
        happened = min(counts[0] * parts[k, 0] / max(exposure, 1e-300), 1.0)
        if seen == 2:  # the change is known to have come at the start
            happened = counts[0] if k == 0 else 0.0
        expected = counts[1] * parts[k, 1]
        site[0] += happened
        site[1] += expected
        directory[0] += happened
        directory[1] += expected * of_site


@compiled
def weigh(
    clock: Clock, group: tuple[int, int], first: int, exposure: Floats, found: tuple[int, Floats, Floats]
) -> None:
    """Book how likely a finding was under each of INERTIAS.

    exposure = of each period from `first` on, without the clock. found = 0 unchanged, 1 changed somewhere, 2 changed at
    the start (which tells nothing of the time before it); grid of rates; their odds.
    """
    seen, grid, odds = found
    if seen > 1:
        return
    begin = first // clock.daylength
    days = (first + len(exposure) - 1) // clock.daylength - begin + 1
    daily = np.zeros(days)
    for k in range(len(exposure)):
        daily[(first + k) // clock.daylength - begin] += exposure[k]
    for c in range(len(INERTIAS)):
        turned = 0.0
        for day in range(days):
            turned += daily[day] * factor_with(clock, group, begin + day - clock.origin[0], INERTIAS[c])
        still = 0.0
        for j in range(len(grid)):
            still += odds[j] * np.exp(-grid[j] * turned)
        clock.evidence[group[0], c] += np.log(max(still if seen == 0 else 1.0 - still, 1e-9))
