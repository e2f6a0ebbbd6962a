"""Learning how pages change from captures that only say "changed since last time, by so much".

Papers 001 and 004 book what a capture finds on the period of the capture; after a gap that is wrong. Here a
capture is a censored observation of the whole interval since the last one:
    level     posterior over a grid of rates; prior by site (or a first-sight mean given from outside)
    shape     which of a few week shapes, shared by all pages and relearned daily, times a page correction per bin; how
              common each shape is, is learned too (week_shapes.py)
    importance per change, not per capture: a difference x over k expected changed periods counts 1 - (1 - x)^(1/k)
    new life  what was learned before a page was redesigned or given up is forgotten (new_life.py)
    clock     how busy each day was for the site and directory of a page: changes come in batches
A trusted time of the last change (a validator, a feed) is used as such.
All state is numpy arrays: `state` and `from_state` carry it from one run to the next. Times are those of the page's
own place: a caller whose pages live in several time zones adds each page's shift.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.bursts import habit_of, stirred_ages
from strandline.core.beliefs.censored_kernels import (
    Beliefs,
    Rules,
    Shared,
    learn_captures,
)
from strandline.core.beliefs.clock_kernels import NEVER
from strandline.core.beliefs.directory_days import MANY, DirectoryDays, DirectoryPages
from strandline.core.beliefs.estimate import Estimate, rate_intervals
from strandline.core.beliefs.estimate_kernels import estimate_rows
from strandline.core.beliefs.group_clock import (
    DIRECTORIES,
    OwnDirectories,
    choose_inertia,
    effective_ages,
    new_clock,
    turned,
    with_groups,
)
from strandline.core.beliefs.level_prior import gamma_on_grid, likely_priors, some_pages
from strandline.core.beliefs.page_beliefs import AwayColumn, PageBeliefs, Part, Rooms, no_beliefs
from strandline.core.beliefs.week_shapes import first_shares, learned_shares, running_sums, start_shapes
from strandline.core.growing import with_room

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST_SIGHT_ROWS = 40
"""Steps of the ladder that a page's first-sight rate is put on: one prior each. Origin: a bound on memory."""
FIRST_SIGHT_SHAPE = 2.0
"""Shape of the Gamma prior around a first-sight rate (alpha0).
Origin: measured, `strandline experiment classes --data`."""
UNLIKE = 0.02
"""Part of every prior that is spread evenly over all rates, so that no page is ruled out. Origin: a guess."""
TOGETHER = 8192
"""Pages whose beliefs are looked at in one go. Origin: a bound on memory."""
HOURS_OF_WEEK: Ints = np.array([hour % 24 + (24 if hour >= 120 else 0) for hour in range(168)], dtype=np.int64)


@dataclass(frozen=True)
class LearnerSettings:
    """`cycle` maps each period of the cycle to its bin. Rates are per period. `prior_shape` and
    `start_rate` are shape and mean of the Gamma prior before anything was seen (see level_prior.py).
    `accumulates`: a capture shows the difference to the last capture, not the last change alone.
    """

    cycle: Ints = field(default_factory=lambda: HOURS_OF_WEEK.copy())
    slowest: float = 2e-4
    fastest: float = 4.0
    levels: int = 14
    start_rate: float = 0.1 / 24.0
    prior_shape: float = 1.0
    by_site: bool = True
    periods_per_day: int = 24
    clock: bool = True
    accumulates: bool = True

    @staticmethod
    def daily() -> "LearnerSettings":
        """Settings for periods of a day: no pattern inside the day."""
        return LearnerSettings(
            cycle=np.zeros(1, dtype=np.int64), slowest=5e-4, fastest=3.0, start_rate=0.1, periods_per_day=1
        )


class CensoredLearner:
    """Beliefs about all pages of an archive; rows are page rows and keep their place."""

    def __init__(self, settings: LearnerSettings | None = None, rooms: Rooms | None = None) -> None:
        """`rooms`: where what is believed of single pages lies, if not in memory."""
        self.settings = settings or LearnerSettings()
        cycle = np.asarray(self.settings.cycle, dtype=np.int64)
        self._bins = int(cycle.max()) + 1
        self._first_shapes = start_shapes(self._bins)
        shape = self._first_shapes.copy()
        self._shares = first_shares(len(shape))
        grid = np.geomspace(self.settings.slowest, self.settings.fastest, self.settings.levels)
        zeros = np.zeros_like(shape)
        share = np.bincount(cycle, minlength=self._bins) / len(cycle)
        self._shared = Shared(
            grid=grid,
            priors=np.zeros((1, len(grid))),
            shape=shape,
            profile=np.ones_like(shape),
            shape_count=zeros.copy(),
            shape_exposure=zeros.copy(),
            profile_sum=zeros.copy(),
            profile_weight=zeros.copy(),
            cycle=cycle,
            running=running_sums(shape, cycle),
            share=share,
        )
        self._rules = Rules(
            4.0, 4.0, self.settings.accumulates, 1.0 / self.settings.periods_per_day,
            14.0 * self.settings.periods_per_day if self.settings.clock else np.inf,
        )  # fmt: skip
        self._total = np.zeros(4)
        self._sights = np.empty(0)
        self._pages = PageBeliefs(self._nothing(0), rooms)
        self._clock = new_clock(self.settings.periods_per_day)
        self._days: DirectoryDays | None = None
        self._members: DirectoryPages | None = None
        self._now = -np.inf
        self._habit = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def _beliefs(self) -> Beliefs:
        return self._pages.near  # what of it lies in memory

    def _nothing(self, count: int) -> Beliefs:
        return no_beliefs(count, self._first_shapes.shape[0], len(self.grid), self._bins)

    @property
    def first_sight(self) -> Floats:
        """Mean rate of each page that was known beforehand; NaN for none."""
        return self._sights[: len(self)]

    @property
    def cycle(self) -> Ints:
        """Bin of each period of the cycle."""
        return self._shared.cycle

    @property
    def groups(self) -> tuple[Ints, Ints]:
        """Numbers of site and directory of each page."""
        return self._beliefs.site, self._beliefs.directory

    def grow(self, site: Ints, directory: Ints, first_sight: Floats | None = None) -> None:
        """Make room for all pages of the table. `first_sight` is a mean rate per page known beforehand (NaN:
        none), for instance from what the page looks like and where it lies.
        """
        count, old = len(site), len(self)
        if count > old:
            self.add(site[old:], directory[old:])
        if first_sight is not None:
            self.first_sight[:count] = first_sight
        if (count > old and old == 0) or first_sight is not None:
            self._set_priors(anew=True)

    def add(self, site: Ints, directory: Ints, first_sight: Floats | None = None) -> None:
        """Append pages; the cost does not depend on how many there are already. Until the next `refresh` a site seen
        for the first time is believed to be like the others.
        """
        old, extra = len(self), len(site)
        if extra == 0:
            return
        fresh = self._nothing(extra)
        fresh.site[:], fresh.directory[:] = site, directory
        priors = self._shared.priors
        missing = FIRST_SIGHT_ROWS + int(site.max()) + 2 - len(priors)
        if len(priors) > 1 and missing > 0:
            priors = np.concatenate([priors, np.tile(priors[-1:], (missing, 1))])
            self._shared = self._shared._replace(priors=priors)
        sight = np.full(extra, np.nan) if first_sight is None else first_sight
        fresh.prior[:] = self._prior_of(site, sight) if len(priors) > 1 else 0
        self._pages.append(fresh)
        self._sights = with_room(self._sights, old, old + extra)
        self._sights[old : old + extra] = sight
        self._make_room(int(site.max()) + 1, int(directory.max()) + 1)
        unheard = np.full(len(self._clock.habits) - len(self._habit), -1)
        self._habit = np.concatenate([self._habit, unheard])

    def _make_room(self, sites: int, directories: int) -> None:
        """For so many groups. Where there are very many directories, their days get places of their own."""
        if self._days is None and directories > MANY:
            table = self._clock.directory
            self._days = DirectoryDays.of_table(table, directories, int(self._clock.origin[0]), self._asked)
            self._clock = self._clock._replace(directory=table[:0].copy())
        elif self._days is not None:
            self._days.grow(directories)
        self._clock = with_groups(self._clock, sites, directories, self._days)

    def _asked(self, names: Ints) -> tuple[Ints, Ints]:
        if self._members is None or len(self._members) != len(self):
            self._members = DirectoryPages(self._beliefs.directory)
        return self._members.asked(names, self._beliefs.last, self._clock.daylength)

    def start_from(self, last_visit: Floats, since: int = 0) -> None:
        """Pages without any capture yet: their first interval begins at the last visit known of them. Rows before
        `since` are left alone.
        """
        last = self._beliefs.last[since:]
        unseen = np.isnan(last)
        last[unseen] = last_visit[since:][unseen]

    def observe(self, rows: Ints, findings: tuple[Floats, NDArray[np.bool_], Floats, Floats]) -> None:
        """Take in captures in time order: time, changed, difference found, trusted last change (NaN: unknown)."""
        time, rows = findings[0], np.asarray(rows, dtype=np.int64)
        if len(time):
            self._now = max(self._now, float(np.max(time)))
            self._clock = turned(self._clock, float(np.max(time)))
        step = len(time) if self._days is None else DIRECTORIES
        for begin in range(0, len(time), max(step, 1)):
            part = slice(begin, begin + step)
            self._observe(rows[part], tuple(column[part] for column in findings))  # type: ignore[arg-type]

    def _observe(self, rows: Ints, findings: tuple[Floats, NDArray[np.bool_], Floats, Floats]) -> None:
        own = None if self._days is None else OwnDirectories(self._clock, self._days, self._beliefs.directory[rows])

        def learn(beliefs: Beliefs, places: Ints) -> None:
            beliefs, clock = (beliefs, self._clock) if own is None else own.of(beliefs, places)
            learn_captures((beliefs, self._shared, clock, self._rules), places, findings, self._total)

        self._pages.change(rows, learn)
        if own is not None:
            own.put(self._asked)

    def estimate(self, rows: Ints) -> Estimate:
        """Current beliefs about some pages."""
        count = len(rows)
        rate = np.empty((count, self._bins), dtype=np.float32)
        importance = np.empty((count, self._bins), dtype=np.float32)
        node = np.empty((count, 4))
        usual = np.log(self._shares)
        for begin in range(0, count, TOGETHER):
            part = slice(begin, begin + TOGETHER)
            some = self._pages.take(rows[part])
            some = some._replace(shape=some.shape + usual)
            state, every = (some, self._shared, self._clock, self._rules), np.arange(len(some.last))
            estimate_rows(state, every, self._total, rate[part], importance[part], node[part])
        share = self._shared.share
        odds = np.full((count, 3), 1.0 / 3.0)
        return Estimate(rate, importance, node[:, :3].copy(), odds, share, node[:, 3].copy())

    def mean_rates(self, rows: Ints) -> Floats:
        """Mean changes a period of some pages: of many of them an estimate would take much memory."""
        parts = np.split(rows, range(TOGETHER, len(rows), TOGETHER))
        return np.concatenate([self.estimate(part).mean_rate for part in parts])

    def levels(self, rows: Ints) -> Floats:
        """Posterior over the grid of rates, one row per page."""
        beliefs = self._pages.take(rows)
        prior = self._shared.priors[beliefs.prior]
        part = np.where(beliefs.doubt > 0.0, 1.0 / (1.0 + np.exp(np.minimum(-beliefs.margin, 700.0))), 0.0)[:, None]
        old, anew = (_posterior(prior + told) for told in (beliefs.level, beliefs.recent))
        found: Floats = old + part * (anew - old)
        return found

    def intervals(self, rows: Ints, share: float = 0.9) -> tuple[Floats, Floats]:
        """Rates between which each page's rate lies with a chance of `share` (see rate_intervals)."""
        return rate_intervals(self.grid, self.levels(rows), self._pages.take(rows).level, share)

    @property
    def grid(self) -> Floats:
        """The possible rates."""
        return self._shared.grid

    def refresh(self, now: float) -> None:
        """Relearn what pages share: shapes and how common they are, importance profiles, clocks, site priors."""
        shared = self._shared
        shape = (30.0 * self._first_shapes + shared.shape_count) / (30.0 + shared.shape_exposure)
        shared.shape[:] = shape / (shape @ shared.share)[:, None]
        shared.running[:] = running_sums(shared.shape, self.cycle)
        shared.profile[:] = (20.0 + shared.profile_sum) / (20.0 + shared.profile_weight)
        self._clock = turned(self._clock, now)
        choose_inertia(self._clock)
        self._habit = habit_of(self._clock.habits)
        self._now = max(self._now, now)
        if len(self):
            self._shares = learned_shares(self._pages.take(some_pages(len(self))).shape)
            self._set_priors()

    def stretch(self, rows: Ints, last_visit: Floats, now: Floats | float) -> Floats:
        """Effective age over age of some pages: how fast their group's clock ran since their last fetch."""
        found, now = np.ones(len(rows)), np.broadcast_to(now, len(rows))
        order = np.argsort(self._beliefs.directory[rows], kind="stable")  # a directory's clock is laid out once
        for part in np.split(order, range(TOGETHER, len(rows), TOGETHER)) if len(rows) else ():
            found[part] = self._stretch(rows[part], last_visit[part], now[part])
        return found

    def _stretch(self, rows: Ints, last_visit: Floats, now: Floats) -> Floats:
        found = np.ones(len(rows))
        rate, aged = self.levels(rows) @ self.grid, now - last_visit > 1e-9
        old = aged & (rate < self._rules.clock_below) & (now >= self._rules.clock_after)
        stirred = aged & ~old & (self.stirred(rows) > 0.0)
        if stirred.any():
            some, habit = rows[stirred], self._habit[self._beliefs.site[rows[stirred]]]
            chance = self._beliefs.burst[some, habit].astype(np.float64)
            found[stirred] = stirred_ages(chance, habit, rate[stirred], (now - last_visit)[stirred])
        if not old.any():
            return found
        groups = self._beliefs.site[rows[old]], self._beliefs.directory[rows[old]]
        effective = effective_ages(self._clock, groups, last_visit[old], now[old], self._days)
        found[old] = np.clip(effective / (now[old] - last_visit[old]), 0.02, 50.0)
        return found

    def stirred(self, rows: Ints) -> Floats:
        """Chance of some pages to have been in a burst when they were last captured; 0 where pages know no bursts."""
        habit = self._habit[self._beliefs.site[rows]]
        found: Floats = np.where(habit < 0, 0.0, self._beliefs.burst[rows, habit])
        return found

    def together(self, rows: Ints) -> Floats:
        """How much a change of some pages tells of their siblings, from 0 for pages that change each by itself to 1. It
        is the smaller, the more changes it takes to move the clock of a directory.
        """
        if self._now < self._rules.clock_after:
            return np.zeros(len(rows))
        inertia = self._clock.inertia[self._beliefs.site[rows], 1]
        found: Floats = np.where(inertia < NEVER, 1.0 / (1.0 + inertia), 0.0)
        return found

    def _set_priors(self, anew: bool = False) -> None:
        """Prior of a ladder of first-sight means, for pages that have one; of each site; of a site not seen yet."""
        begun = len(self._shared.priors) > 1
        if not begun or np.isnan(self.first_sight).any():  # else nobody asks what the pages of a site do
            self._set_laws(begun)
        if not begun or anew:
            self._beliefs.prior[:] = self._prior_of(self._beliefs.site, self.first_sight)

    def _set_laws(self, begun: bool) -> None:
        grid, settings = self.grid, self.settings
        sites = int(self._beliefs.site.max()) + 1
        rows = some_pages(len(self))
        believed = self.levels(rows) @ grid if begun else np.full(len(rows), settings.start_rate)
        group = self._beliefs.site[rows] if settings.by_site else np.zeros(len(rows), dtype=np.int64)
        start = (settings.start_rate, settings.prior_shape)
        mean, shape = likely_priors(self._pages.take(rows).level, group, grid, start, believed)
        unseen = np.full(sites + 2 - len(mean), len(mean) - 1)
        known = np.concatenate([np.arange(len(mean) - 1), unseen])
        mean, shape = mean[known], shape[known]
        if not settings.by_site:
            mean, shape = np.full(sites + 1, mean[0]), np.full(sites + 1, shape[0])
        ladder = np.full(FIRST_SIGHT_ROWS, FIRST_SIGHT_SHAPE)
        laws = gamma_on_grid(grid, np.concatenate([ladder, shape]), np.concatenate([self._ladder, mean]))
        # A part for levels the law thinks impossible: pages unlike the others of their site. An even spread does
        # better than the mean of all pages here: one change found then lets a page be tried again soon.
        priors = np.log((1.0 - UNLIKE) * laws + UNLIKE / len(grid))
        self._shared = self._shared._replace(priors=priors)

    @property
    def _ladder(self) -> Floats:
        return np.geomspace(self.grid[0], self.grid[-1], FIRST_SIGHT_ROWS)

    def _prior_of(self, site: Ints, first_sight: Floats) -> Ints:
        """Rows of the priors: the ladder of first-sight means, then the sites, last a site not seen yet."""
        step = np.clip(np.searchsorted(self._ladder, first_sight), 0, FIRST_SIGHT_ROWS - 1)
        return np.where(np.isnan(first_sight), FIRST_SIGHT_ROWS + site, step)

    # Keeping ------------------------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, NDArray[Any] | AwayColumn], dict[str, NDArray[Any]]]:
        """Everything learned: columns of pages that only their captures change, and the rest. Views, not copies."""
        columns = {name: value for name, value in self._pages.columns().items() if name != "prior"}
        rest = {"prior": self._beliefs.prior, "first_sight": self.first_sight, "total": self._total}
        rest |= {"shares": self._shares}
        rest |= {f"shared.{name}": value for name, value in self._shared._asdict().items()}
        clock = self._clock
        sites = int(self._beliefs.site.max(initial=-1)) + 1
        directories = int(self._beliefs.directory.max(initial=-1)) + 1
        rest |= {"clock.site": clock.site[:sites], "clock.directory": clock.directory[:directories]}
        rest |= {"clock.origin": clock.origin, "clock.evidence": clock.evidence[:sites]}
        rest |= {"clock.inertia": clock.inertia[:sites], "clock.upheaval": clock.upheaval[:directories]}
        rest |= {"clock.habits": clock.habits[:sites], "clock.lives": clock.lives[:sites]}
        rest |= {"habit": self._habit[:sites]} | ({} if self._days is None else self._days.state())
        return columns, rest

    @staticmethod
    def from_state(
        columns: Mapping[str, Any], rest: Mapping[str, NDArray[Any]], settings: LearnerSettings | None = None
    ) -> "CensoredLearner":
        """A learner that continues where `state` was taken."""
        return CensoredLearner.from_parts([(np.arange(len(rest["prior"])), columns)], rest, settings)

    @staticmethod
    def from_parts(
        parts: Iterable[Part],
        rest: Mapping[str, NDArray[Any]],
        settings: LearnerSettings | None = None,
        rooms: Rooms | None = None,
    ) -> "CensoredLearner":
        """The same of columns that come some rows at a time; it writes to the arrays of the rest."""
        learner = CensoredLearner(settings, rooms)
        if rest["shared.grid"].shape != learner.grid.shape:
            raise ValueError("this state was learned with another grid of rates")
        learner._pages.fill(len(rest["prior"]), parts)
        learner._beliefs.prior[:] = rest["prior"]
        learner._shared = Shared(**{name: rest[f"shared.{name}"] for name in Shared._fields})
        names = ("site", "directory", "origin", "inertia", "evidence", "upheaval", "habits", "lives")
        tables: dict[str, Any] = {name: rest[f"clock.{name}"] for name in names}
        learner._clock, learner._days = learner._clock._replace(**tables), DirectoryDays.from_state(rest)
        learner._make_room(0, len(learner._clock.upheaval))
        # As it was when what pages share was renewed last: captures since then speak for the next time.
        learner._habit = rest["habit"] if "habit" in rest else habit_of(learner._clock.habits)
        learner._total, learner._sights = rest["total"], rest["first_sight"]
        learner._shares = rest["shares"]
        learner._now = float(np.nanmax(learner._beliefs.last, initial=-np.inf))
        return learner


def _posterior(logs: Floats) -> Floats:
    odds = np.exp(logs - logs.max(axis=1, keepdims=True))
    found: Floats = odds / odds.sum(axis=1, keepdims=True)
    return found
