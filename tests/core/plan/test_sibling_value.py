"""What a fetch tells of the other pages of its directory."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.priced_kernels import Pages
from strandline.core.plan.sibling_value import TELLS, SiblingValue
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.rivals.catalogue import StrategyOptions, priced_plan


def pages_of(value, rate, last, price, slow):
    """Tables of pages with two nodes, at one half and one and a half of their rate."""
    count = len(rate)
    return Pages(
        np.ones((count, 1), np.float32), np.ones((count, 1), np.float32), np.tile([0.5, 1.5], (count, 1)),
        np.asarray(value, float)[:, None] / 2.0 * np.ones((1, 2)), np.asarray(rate, float), np.full(count, 0.4),
        np.asarray(last, float), np.full(count, 0.5), np.ones(count), np.full(count, price), np.asarray(slow),
        np.zeros(count, np.int64), np.zeros(1, np.int64), np.zeros(1),
    )  # fmt: skip


def slow_worth(pages, directory, together, row, period):
    """What a look at one page says of the others, one page at a time."""
    hope, looked = 0.0, 0.0
    for other in range(len(directory)):
        if directory[other] != directory[row] or np.isnan(pages.last[other]):
            continue
        looked = max(looked, np.floor(pages.last[other]))
        change = pages.value[other].sum() * pages.mean_importance[other]
        if other != row and pages.slow[other] and change > pages.price[other]:
            part = (1.0 - pages.price[other] / change) ** 2
            hope += together[other] * change * pages.mean_rate[other] * part
    return TELLS * hope * (period - min(looked, period))


@st.composite
def archives(draw):
    count = draw(st.integers(1, 12))
    many = {"min_size": count, "max_size": count}
    number = st.floats(0.0, 1.0)
    last = draw(st.lists(st.floats(0.0, 40.0) | st.just(np.nan), **many))
    pages = pages_of(
        draw(st.lists(number, **many)), draw(st.lists(number, **many)), last, draw(st.floats(0.0, 0.5)),
        draw(st.lists(st.booleans(), **many)),
    )  # fmt: skip
    directory = np.array(draw(st.lists(st.integers(0, 3), **many)))
    return pages, directory, np.array(draw(st.lists(number, **many)))


@given(archives(), st.integers(0, 60), st.randoms(use_true_random=False))
def test_the_worth_of_a_look_is_that_of_an_obvious_sum(archive, period, order):
    pages, directory, together = archive
    sibling_value, rows = SiblingValue(), list(range(len(directory)))
    sibling_value.believe(pages._replace(mean_rate=pages.mean_rate * 7.0), np.array(rows), directory, together)
    order.shuffle(rows)
    for row in rows:  # what was believed before does not linger
        sibling_value.believe(pages, np.array([row]), directory[[row]], together[[row]])
    found = sibling_value.worth(np.arange(len(directory)), period)
    expected = [slow_worth(pages, directory, together, row, period) for row in range(len(directory))]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


@given(archives(), st.integers(0, 60), st.data())
def test_only_the_best_page_of_a_directory_is_raised(archive, period, data):
    pages, directory, together = archive
    sibling_value, rows = SiblingValue(), np.arange(len(directory))
    sibling_value.believe(pages, rows, directory, together)
    advantage = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=len(rows), max_size=len(rows), unique=False)))
    found = sibling_value.raised(rows, advantage.astype(float), period)
    raised = np.flatnonzero(found != advantage)
    assert len(np.unique(directory[raised])) == len(raised)
    for row in raised:
        able = rows[(directory == directory[row]) & (sibling_value._hope[: len(rows)] > 0)]
        assert advantage[row] == advantage[able].max()
        assert found[row] == advantage[row] + sibling_value.worth(np.array([row]), period)[0]


def test_a_look_is_planned_for_when_it_pays():
    """Of each directory the page that pays first, after as many periods as make up for what it lacks."""
    pages = pages_of([1.0] * 4, [0.1, 0.1, 0.1, 0.2], [3.0] * 4, 0.0, [True] * 4)
    sibling_value = SiblingValue()
    sibling_value.believe(pages, np.arange(4), np.array([0, 0, 0, 1]), np.ones(4))
    rows, wait = sibling_value.next_looks(np.arange(4), np.array([-0.3, -0.1, -0.2, -0.1]))
    assert rows.tolist() == [1]  # nothing can be told by the only page of a directory
    assert wait[0] == pytest.approx(0.1 / (TELLS * 2 * 0.1 * 0.4))


def test_a_clock_set_back_does_not_end_looking():
    pages = pages_of([1.0] * 2, [0.1] * 2, [900.0, 900.0], 0.0, [True] * 2)
    sibling_value = SiblingValue()
    sibling_value.believe(pages, np.arange(2), np.zeros(2, np.int64), np.ones(2))
    assert sibling_value.worth(np.arange(2), 100).tolist() == [0.0, 0.0]
    assert sibling_value.worth(np.arange(2), 103) == pytest.approx(3 * TELLS * 0.1 * 0.4)


def batches(seed, days):
    """Eight hundred pages in forty directories; all pages of one change together, about once a month."""
    rng = np.random.default_rng(seed)
    directory = np.repeat(np.arange(40), 20)
    return directory, [np.flatnonzero(rng.random(40) < 0.03) for _ in range(days)]


def crawl(strategy, directory, busy, visits):
    """Share of all versions that a plan catches."""
    changed, caught, total, last = np.full(len(directory), -1.0), 0, 0, np.zeros(len(directory))
    for day, groups in enumerate(busy):
        new = np.isin(directory, groups)
        total += int(new.sum())
        changed[new] = day
        pages = PageTable.of(len(directory), directory=directory, last_visit=last.copy())
        rows = strategy.choose(pages, Budget(visits), float(day)).rows
        found = changed[rows] >= 0
        strategy.observe(pages, Outcomes.of(rows, day + 0.5, found, np.where(found, 1.0, 0.0)))
        caught += int(found.sum())
        changed[rows], last[rows] = -1.0, day + 0.5
    return caught / total


@pytest.mark.parametrize("scan_up_to", [1000, 0], ids=["scan", "wheel"])
def test_directories_that_change_as_one_are_looked_at_page_by_page(monkeypatch, scan_up_to):
    """The same plan catches clearly less when a fetch is worth only what its own page brings."""
    directory, busy = batches(0, 120)

    def run(tells):
        monkeypatch.setattr("strandline.core.plan.sibling_value.TELLS", tells)
        options = StrategyOptions(objective="pool", period_hours=24.0)
        plan = priced_plan(options)
        plan.settings = type(plan.settings)(**{**vars(options.priced), "scan_up_to": scan_up_to})
        return crawl(plan, directory, busy, 40)

    assert run(TELLS) > run(0.0) + 0.05


def test_pages_that_change_each_by_itself_tell_nothing_of_each_other():
    rng = np.random.default_rng(1)
    learner = CensoredLearner(StrategyOptions(period_hours=24.0).learner)
    learner.grow(np.zeros(60, np.int64), np.repeat(np.arange(6), 10))
    learner.start_from(np.zeros(60))
    rows = np.arange(60)
    for day in range(5, 125, 5):
        learner.refresh(float(day))
        assert day > 14 or not learner.together(rows).any()  # too early to say
        learner.observe(rows, (np.full(60, day + 0.5), rng.random(60) < 0.3, np.full(60, 0.5), np.full(60, np.nan)))
    learner.refresh(125.0)
    assert learner.together(rows).max() < 0.2


def test_what_siblings_tell_outlives_a_restart():
    settings = StrategyOptions(period_hours=24.0).learner
    learner, rows = CensoredLearner(settings), np.arange(30)
    learner.grow(np.zeros(30, np.int64), np.repeat(np.arange(3), 10))
    learner.start_from(np.zeros(30))
    for day in range(2, 40, 2):
        changed = np.repeat(np.arange(3), 10) == day // 2 % 6
        learner.observe(rows, (np.full(30, day + 0.5), changed, np.full(30, 0.5), np.full(30, np.nan)))
        learner.refresh(float(day + 1))
    again = CensoredLearner.from_state(*deepcopy(learner.state()), settings)
    assert again.together(rows).tolist() == learner.together(rows).tolist()
    assert learner.together(rows).min() > 0.9


def test_the_reason_says_that_a_look_is_for_the_directory():
    directory, busy = batches(3, 60)
    plan = priced_plan(StrategyOptions(objective="pool", period_hours=24.0))
    assert isinstance(plan.knowledge, LearnedPatterns)
    crawl(plan, directory, busy, 40)
    pages = PageTable.of(800, directory=directory, last_visit=np.full(800, 57.5))
    plan.ready(pages, Budget(40), 62.0)
    told = {plan.reason(row, 62.0).split("; ")[1] for row in range(800)}
    assert any(text.startswith("a look also tells of its directory, last looked at ") for text in told)
