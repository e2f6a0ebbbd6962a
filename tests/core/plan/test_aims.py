"""Groups of pages with an objective of their own: what they are worth beside the others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.estimate import Estimate
from strandline.core.plan.aims import Aims, factors, valued
from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import KnownPatterns
from strandline.core.plan.objective import OBJECTIVES, Worth
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.strategy import PageTable

BUSY, QUIET = 0.4, 0.01
RATES = np.array([BUSY, QUIET, QUIET, QUIET] * 2)
"""Changes an hour of two groups of pages that are alike."""


def believed(rate, importance=0.4):
    count = len(rate)
    return Estimate(
        np.asarray(rate, dtype=np.float32)[:, None], np.full((count, 1), importance, dtype=np.float32),
        np.ones((count, 1)), np.ones((count, 1)), np.ones(1), np.full(count, 0.5),
    )  # fmt: skip


def visits(aims, aim, objective="pool", hours=24 * 21):
    """Visits of each page in three weeks, one an hour, by a plan that knows the rates."""
    importance = np.full((len(RATES), 1), 0.4)
    knowledge = KnownPatterns(RATES[:, None], importance, np.zeros(1, dtype=np.int64))
    plan = PricedPlan(knowledge, PricedPlanSettings(worth=Worth(objective), aims=aims))
    last, made = np.zeros(len(RATES)), np.zeros(len(RATES))
    for hour in range(1, hours):
        table = PageTable.of(len(RATES), last_visit=last, site=[0] * 4 + [1] * 4, aim=aim)
        chosen = plan.choose(table, Budget(1), float(hour)).rows
        last[chosen] = hour + 0.5
        made[chosen] += 1
    return made


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(OBJECTIVES), st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3), st.data())
def test_a_group_is_worth_what_it_would_be_by_the_objective_of_the_archive(objective, own, data):
    count = data.draw(st.integers(2, 12))
    rate = data.draw(st.lists(st.floats(0.001, 0.9), min_size=count, max_size=count))
    weight = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=count, max_size=count))
    aim = data.draw(st.lists(st.integers(-1, len(own) - 1), min_size=count, max_size=count))
    estimate, every = believed(rate), np.arange(count)
    table = PageTable.of(count, weight=weight, aim=aim, items=3.0)
    plain = Aims(Worth(objective)).value(table, every, estimate)
    found = Aims(Worth(objective), own).value(table, every, estimate)
    for number in range(-1, len(own)):
        group = table.aim == number
        assert found.expected[group].sum() == pytest.approx(plain.expected[group].sum())
    outside = table.aim < 0
    assert all(np.array_equal(a[outside], b[outside]) for a, b in zip(found, plain, strict=True))
    assert not found.value[table.weight == 0.0].any(), "what must not be fetched is worth nothing, whatever counts"
    assert estimate.importance.max() < 0.5, "what is believed is left as it was"


def test_the_objective_of_the_archive_said_once_more_changes_nothing():
    estimate, table = believed(RATES), PageTable.of(8, aim=[0] * 4 + [-1] * 4)
    plain, found = (Aims(Worth("middle"), own).value(table, np.arange(8), estimate) for own in ((), ("middle",)))
    assert all(np.array_equal(a, b) for a, b in zip(found, plain, strict=True))


def test_two_groups_that_are_alike_are_visited_as_the_objective_of_each_says():
    """With `pool` the busy page of a group has most visits, with `page` the quiet ones have their part."""
    made = visits(("page",), [-1] * 4 + [0] * 4)
    pool, page = made[:4], made[4:]
    assert pool[0] > 0.8 * pool.sum()
    assert page[1:].sum() > 0.4 * page.sum() and page[1:].sum() > 2 * pool[1:].sum()
    swapped = visits(("pool",), [-1] * 4 + [0] * 4, "page")
    assert swapped[1:4].sum() > 2 * swapped[5:].sum(), "whichever of the two is the archive's"


def test_what_a_group_gets_stays_about_what_it_was():
    plain, own = visits((), -1), visits(("middle",), [-1] * 4 + [0] * 4)
    assert own[4:].sum() / own.sum() == pytest.approx(plain[4:].sum() / plain.sum(), abs=0.15)


def test_factors_follow_what_is_believed_and_those_that_were_agreed_upon_stay():
    table, every = PageTable.of(8, aim=0), np.arange(8)
    aims = Aims(Worth("pool"), ("page",))
    first = aims.value(table, every, believed(RATES)).value
    later = aims.value(table, every, believed(RATES / 4)).value
    assert aims.settle() and not aims.settle()
    assert not np.allclose(aims.value(table, every, believed(RATES / 4)).value, later)
    assert not np.allclose(first, later)
    aims.agree(np.array([2.0]))
    own = valued(Worth("page"), believed(RATES), np.ones(8), np.ones(8)).value
    assert np.allclose(aims.value(table, every, believed(RATES)).value, 2.0 * own)
    assert not aims.settle()
    aims.forget()
    assert np.allclose(aims.value(table, every, believed(RATES)).value, 2.0 * own)


def test_parts_of_a_group_that_are_planned_apart_agree_by_their_sums():
    table, estimate = PageTable.of(8, aim=0), believed(RATES * np.linspace(0.2, 2.0, 8))
    whole = Aims(Worth("pool"), ("page",))
    whole.value(table, np.arange(8), estimate)
    parts = []
    for rows in (np.arange(8) < 4, np.arange(8) >= 4):
        part = Aims(Worth("pool"), ("page",))
        part.value(PageTable.of(4, aim=0), np.arange(4), estimate.of(rows))
        parts.append(part.expected)
    assert factors(sum(parts)) == pytest.approx(factors(whole.expected))
