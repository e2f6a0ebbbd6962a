"""The clock of groups against its definition, and whether it finds out how much changes come together."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.beliefs.censored import CensoredLearner, LearnerSettings
from strandline.core.beliefs.clock_kernels import INERTIAS, factor_with
from strandline.core.beliefs.group_clock import DAYS, choose_inertia, effective_ages, new_clock, turned, with_groups

amount = st.floats(0.0, 20.0)


def clock_with(site, directory, inertia=INERTIAS[0], day=5):
    clock = turned(with_groups(new_clock(24), 1, 1), 24.0 * day)
    clock.site[0, day], clock.directory[0, day], clock.inertia[0] = site, directory, inertia
    return clock


@given(st.tuples(amount, amount), st.tuples(amount, amount), st.integers(0, len(INERTIAS) - 1))
def test_a_day_counts_by_what_was_found_against_what_was_expected(site, directory, which):
    inertia = INERTIAS[which]
    clock = clock_with(site, directory, inertia)
    factor = (inertia[0] + site[0]) / (inertia[0] + site[1])
    factor *= (inertia[1] + directory[0]) / (inertia[1] + directory[1])
    assert factor_with(clock, (0, 0), 5, inertia) == pytest.approx(factor)
    ages = effective_ages(
        clock, (np.zeros(2, int), np.zeros(2, int)), np.array([96.0, 126.0]), np.array([168.0, 132.0])
    )
    assert ages == pytest.approx([48.0 + 24.0 * factor, 6.0 * factor])


def test_days_outside_the_tables_count_once():
    clock = clock_with((3.0, 1.0), (3.0, 1.0))
    assert factor_with(clock, (0, 0), -1, INERTIAS[0]) == factor_with(clock, (0, 0), DAYS, INERTIAS[0]) == 1.0
    held, group = clock.site.shape[1], (np.zeros(1, int), np.zeros(1, int))
    around = effective_ages(clock, group, np.array([-48.0]), np.array([24.0 * (held + 2)]))
    within = effective_ages(clock, group, np.zeros(1), np.array([24.0 * held]))
    assert around == pytest.approx(within + 96.0)


def test_the_oldest_days_are_forgotten_when_the_tables_are_full():
    clock = clock_with((3.0, 1.0), (3.0, 1.0), day=DAYS - 1)
    clock = turned(clock, 24.0 * DAYS)
    assert clock.origin[0] == DAYS // 2
    assert clock.site[0, DAYS // 2 - 1].tolist() == [3.0, 1.0]
    assert clock.site.sum() == 4.0


@given(st.lists(st.integers(0, 3 * DAYS), min_size=1, max_size=6).map(sorted))
def test_the_tables_grow_with_the_days(days):
    clock = with_groups(new_clock(24), 1, 1)
    for day in days:
        clock = turned(clock, 24.0 * day)
        place = day - int(clock.origin[0])
        assert 0 <= place < clock.site.shape[1] <= DAYS
        clock.site[0, place, 0] += 1.0
    kept = [day for day in days if day >= clock.origin[0]]
    assert clock.site[0, :, 0].sum() == len(kept)
    assert {int(place) + int(clock.origin[0]) for place in np.flatnonzero(clock.site[0, :, 0])} == set(kept)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(0, 20))
def test_every_table_of_directories_has_room_for_all_of_them(grown, spare):
    clock, directories = new_clock(24), 0
    for more in grown:
        directories += more
        clock = with_groups(clock, 1, directories)
        assert min(len(clock.directory), len(clock.upheaval)) >= directories
        # As it is when it is read again: one table has spare rows, the other has none.
        kept = np.zeros((directories + spare, *clock.directory.shape[1:]))
        clock = clock._replace(directory=kept, upheaval=clock.upheaval[:directories].copy())


def test_a_directory_more_does_not_move_the_table():
    clock = with_groups(new_clock(24), 1, 100)
    assert with_groups(clock, 1, 110).directory is clock.directory
    assert with_groups(clock, 1, 130).directory is not clock.directory


def test_new_sites_begin_with_what_holds_for_most():
    clock = with_groups(new_clock(24), 2, 2)
    assert clock.inertia.tolist()[:2] == [INERTIAS[0].tolist()] * 2
    clock.evidence[1, 4] = 3.0
    choose_inertia(clock)
    assert clock.inertia.tolist()[:2] == [INERTIAS[4].tolist()] * 2


def learned(together, seed=0):
    """Sixty days, a look at a third of the pages of ten directories each day; together: on one day in ten."""
    rng = np.random.default_rng(seed)
    pages, directory = 200, np.repeat(np.arange(10), 20)
    learner = CensoredLearner(LearnerSettings.daily())
    learner.grow(np.zeros(pages, dtype=np.int64), directory)
    learner.start_from(np.zeros(pages))
    changed = np.zeros(pages, dtype=bool)
    for day in range(60):
        busy = rng.random(10) < 0.1 if together else np.full(10, True)
        changed |= busy[directory] & (rng.random(pages) < (0.6 if together else 0.06))
        rows = np.sort(rng.permutation(pages)[:60])
        told = (np.full(60, day + 0.5), changed[rows], np.full(60, 0.3), np.full(60, np.nan))
        learner.observe(rows, told)
        changed[rows] = False
        learner.refresh(day + 1.0)
    return learner


def test_directories_whose_pages_change_together_keep_a_light_clock():
    found = learned(together=True)._clock.inertia[0]
    assert found[1] <= 0.2


def test_pages_that_change_each_by_itself_stop_the_clock_of_their_directory():
    learner = learned(together=False)
    assert learner._clock.inertia[0, 1] >= 5.0
    rows = np.arange(200)
    ages = learner.stretch(rows, np.full(200, 40.0), 60.0)
    assert ages == pytest.approx(1.0, abs=0.5)


def test_what_was_found_out_is_kept():
    learner = learned(together=False)
    again = CensoredLearner.from_state(*deepcopy(learner.state()), LearnerSettings.daily())
    rows, last = np.arange(200), np.full(200, 30.0)
    assert again.stretch(rows, last, 60.0).tolist() == learner.stretch(rows, last, 60.0).tolist()
    again.refresh(60.0)
    assert again._clock.inertia[0].tolist() == learner._clock.inertia[0].tolist()


@pytest.mark.parametrize("directories", [1, 5])
def test_a_site_that_changes_all_at_once_does_not_run_its_clock_away(directories):
    rng = np.random.default_rng(0)
    pages, days, every = 120, 130, 5
    directory = np.arange(pages) // (pages // directories)
    learner = CensoredLearner(LearnerSettings.daily())
    learner.grow(np.zeros(pages, dtype=np.int64), directory)
    learner.start_from(np.zeros(pages))
    changed, last = np.zeros(pages, dtype=bool), np.zeros(pages)
    looked = np.zeros(days + 1)
    for day in range(1, days):
        changed |= (day % 10 == 0) | (rng.random(pages) < 0.001)
        rows = np.flatnonzero(np.arange(pages) % every == day % every)
        learner.observe(rows, (np.full(len(rows), float(day)), changed[rows], np.full(len(rows), 0.3), rows * np.nan))
        for row in rows:
            looked[int(last[row]) : day] += 1
        changed[rows], last[rows] = False, day
        learner.refresh(day + 1.0)
    booked = learner._clock.site[0, : days + 1, 0]
    assert np.all(booked <= looked + 1e-9)  # a capture tells of one change a day at most
    assert np.all(np.isfinite(learner.levels(np.arange(pages))))
    batch, quiet = (learner.stretch(np.arange(pages), np.full(pages, end - 4.0), end) for end in (122.0, 119.0))
    assert batch.min() > 3.0 * quiet.max()  # the day it happened on is still told from the others
