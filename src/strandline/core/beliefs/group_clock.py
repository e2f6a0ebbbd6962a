"""The clock of groups: its tables, which inertia each site's captures speak for, and effective ages.

See clock_kernels.py for the idea. A page's effective age is the time since its last capture with each day counted by
the factor of its directory: a directory found busy has aged, one found quiet has not.
"""

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.bursts import HABITS
from strandline.core.beliefs.censored_kernels import Beliefs
from strandline.core.beliefs.clock_kernels import INERTIAS, Clock
from strandline.core.beliefs.directory_days import Asked, DirectoryDays
from strandline.core.beliefs.new_life import ASKED
from strandline.core.growing import with_room

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DAYS = 512
"""Days the tables hold at most: they are the largest thing a learner keeps of a directory.
Origin: a bound on memory."""
FIRST_DAYS = 32
"""Days they hold at first. Origin: a bound on memory."""
DIRECTORIES = 512
"""Directories whose days are laid out in one go. Origin: a bound on memory, 20 MB."""


def new_clock(day_length: int) -> Clock:
    """A clock of no groups; `day_length` in periods."""
    return Clock(
        site=np.zeros((0, FIRST_DAYS, 2)),
        directory=np.zeros((0, FIRST_DAYS, 2)),
        origin=np.zeros(1, dtype=np.int64),
        daylength=day_length,
        inertia=np.zeros((0, 2)),
        evidence=np.zeros((0, len(INERTIAS))),
        upheaval=np.zeros((0, 2)),
        habits=np.zeros((0, 1 + len(HABITS))),
        lives=np.zeros((0, len(ASKED))),
    )


def with_spare(directories: int) -> int:
    """Rows to make for so many directories: empty ones take no memory, and without them the next new directory would
    have the whole table copied.
    """
    return directories + directories // 4


def with_groups(clock: Clock, sites: int, directories: int, days: DirectoryDays | None = None) -> Clock:
    """Room for so many groups; where the days of directories have places of their own there, not in the table."""
    old, rows = len(clock.site), directories if days is None else 0
    if sites <= old and rows <= len(clock.directory) and directories <= len(clock.upheaval):
        return clock
    site = with_room(clock.site, old, sites)
    inertia = with_room(clock.inertia, old, len(site))
    inertia[old:] = INERTIAS[0]
    wanted = rows if rows <= len(clock.directory) else with_spare(rows)
    return clock._replace(
        site=site,
        directory=with_room(clock.directory, len(clock.directory), wanted),
        inertia=inertia,
        evidence=with_room(clock.evidence, old, len(site)),
        upheaval=with_room(clock.upheaval, len(clock.upheaval), directories),
        habits=with_room(clock.habits, old, len(site)),
        lives=with_room(clock.lives, old, len(site)),
    )


def turned(clock: Clock, now: float) -> Clock:
    """With room for today: the tables grow, and when they are as large as they get, the oldest half of the days is
    forgotten.
    """
    day = int(now // clock.daylength) - int(clock.origin[0])
    held = clock.site.shape[1]
    if day >= held and held < DAYS:
        more = (0, min(max(2 * held, day + 1), DAYS) - held)
        clock = clock._replace(
            site=np.pad(clock.site, ((0, 0), more, (0, 0))), directory=np.pad(clock.directory, ((0, 0), more, (0, 0)))
        )
    if day >= DAYS:
        shift = max(day - DAYS // 2, 1)
        for table in (clock.site, clock.directory):
            kept = table[:, shift:].copy()
            table[:] = 0.0
            table[:, : kept.shape[1]] = kept
        clock.origin[0] += shift
    return clock


def choose_inertia(clock: Clock) -> None:
    """Each site uses what its own captures speak for, together with an average site."""
    told = np.count_nonzero(clock.evidence.any(axis=1))
    usual = clock.evidence.sum(axis=0) / max(int(told), 1)
    clock.inertia[:] = INERTIAS[(clock.evidence + usual).argmax(axis=1)]


def effective_ages(
    clock: Clock, groups: tuple[Ints, Ints], last: Floats, now: Floats, days: DirectoryDays | None = None
) -> Floats:
    """Time between two moments by the clock of each page's group (site, directory), in periods."""
    names, member = np.unique(groups[1], return_inverse=True)
    if len(names) <= DIRECTORIES:
        return _ages(clock, (groups[0], names, member), last, now, days)
    found = np.empty(len(last))
    order = np.argsort(member, kind="stable")
    for part in np.split(order, np.searchsorted(member[order], range(DIRECTORIES, len(names), DIRECTORIES))):
        names, member = np.unique(groups[1][part], return_inverse=True)
        found[part] = _ages(clock, (groups[0][part], names, member), last[part], now[part], days)
    return found


def _ages(
    clock: Clock, groups: tuple[Ints, Ints, Ints], last: Floats, now: Floats, days: DirectoryDays | None
) -> Floats:
    site, names, member = groups
    site_of = np.zeros(len(names), dtype=np.int64)
    site_of[member] = site
    of_site, of_directory = clock.inertia[site_of, 0, None], clock.inertia[site_of, 1, None]
    factor = (of_site + clock.site[site_of, :, 0]) / (of_site + clock.site[site_of, :, 1])
    directory = clock.directory[names] if days is None else days.take(names, int(clock.origin[0]), clock.site.shape[1])
    factor *= (of_directory + directory[..., 0]) / (of_directory + directory[..., 1])
    running = np.concatenate([np.zeros((len(factor), 1)), np.cumsum(factor, axis=1)], axis=1)

    def at(moment: Floats) -> Floats:
        place = moment / clock.daylength - clock.origin[0]
        inside = np.clip(place, 0.0, factor.shape[1])
        whole = np.minimum(np.floor(inside).astype(np.int64), factor.shape[1] - 1)
        low, high = running[member, whole], running[member, whole + 1]
        found: Floats = low + (inside - whole) * (high - low) + (place - inside)  # days outside count once
        return found

    found: Floats = (at(now) - at(last)) * clock.daylength
    return found


class OwnDirectories:
    """The clock of the directories of some captures alone, numbered anew, for kernels that want a table of all days."""

    def __init__(self, clock: Clock, days: DirectoryDays, directories: Ints) -> None:
        """`directories`: of each capture."""
        self._clock, self._days = clock, days
        self._names, self._numbers = np.unique(directories, return_inverse=True)
        table = days.take(self._names, int(clock.origin[0]), clock.site.shape[1])
        self._own = clock._replace(directory=table, upheaval=clock.upheaval[self._names])

    def of(self, beliefs: Beliefs, places: Ints) -> tuple[Beliefs, Clock]:
        """Beliefs, in which the pages of the captures have these places, by the numbers used here; and the clock."""
        directory = np.zeros_like(beliefs.directory)
        directory[places] = self._numbers
        return beliefs._replace(directory=directory), self._own

    def put(self, asked: Asked) -> None:
        """Note what was learned."""
        self._clock.upheaval[self._names] = self._own.upheaval
        self._days.put(self._names, self._own.directory, int(self._clock.origin[0]), asked)
