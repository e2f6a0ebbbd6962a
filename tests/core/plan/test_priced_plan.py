"""The priced plan against slow, obvious references."""

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.core.plan.knowledge import KnownPatterns, LearnedPatterns
from strandline.core.plan.objective import Worth
from strandline.core.plan.priced_kernels import Pages, best_spacing, evaluate
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.shadow_price import worth_of_more
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.rivals.catalogue import StrategyOptions, priced_plan
from strandline.core.rivals.freshness import freshness_optimal, lambda_crawl


def tables(rate, importance, value, last, price, slow=False, phase=0.5, fading=0.0):
    count = len(rate)
    cycle = np.arange(rate.shape[1], dtype=np.int64)
    return Pages(
        rate.astype(np.float32), importance.astype(np.float32), np.ones((count, 1)), np.asarray(value)[:, None],
        rate.mean(axis=1), (rate * importance).sum(axis=1) / rate.sum(axis=1), np.asarray(last, float),
        np.full(count, phase), np.ones(count), np.full(count, price), np.full(count, slow),
        np.zeros(count, np.int64), cycle, np.array([fading]),
    )  # fmt: skip


def pending(rate, importance, begin, end):
    """Expected importance of the pending version, by small steps."""
    total, step = 0.0, 1e-3
    for moment in np.arange(begin + step / 2, end, step):
        b = int(moment) % len(rate)
        total = importance[b] - (importance[b] - total) * np.exp(-rate[b] * step)
    return total


def slow_advantage(rate, importance, value, last, price, period, horizon, rho):
    """Advantage of a capture now by trying every schedule of the horizon (recursion over the next capture)."""
    moment = [period + k + 0.5 for k in range(horizon + 1)]

    def future(k):
        best = rho * (horizon - k)
        for u in range(k + 1, horizon + 1):
            after = future(u) if u < horizon else 0.0
            best = max(best, value * pending(rate, importance, moment[k], moment[u]) - price + after)
        return best

    now = value * pending(rate, importance, last, moment[0]) - price + future(0)
    wait = rho * horizon
    for u in range(1, horizon + 1):
        after = future(u) if u < horizon else 0.0
        wait = max(wait, value * pending(rate, importance, last, moment[u]) - price + after)
    return now - wait


@pytest.mark.parametrize("seed", range(4))
def test_the_advantage_is_the_best_now_less_the_best_later(seed):
    rng = np.random.default_rng(seed)
    rate, importance = rng.uniform(0.05, 1.0, (1, 6)), rng.uniform(0.1, 0.9, (1, 6))
    pages = tables(rate, importance, [1.0], [7.3], price=0.2)
    _, rho = best_spacing(pages, 0, 0.2)
    advantage, value, _ = evaluate(pages, np.array([0]), 9, 5)
    expected = slow_advantage(rate[0], importance[0], 1.0, 7.3, 0.2, 9, 5, rho)
    assert advantage[0] == pytest.approx(expected, abs=2e-3)
    assert value[0] == pytest.approx(pending(rate[0], importance[0], 7.3, 9.5), abs=1e-3)


def test_the_best_spacing_is_the_best_of_a_fine_ladder():
    pages = tables(np.full((1, 2), 0.05), np.full((1, 2), 0.6), [2.0], [0.0], price=0.3)
    tau, rho = best_spacing(pages, 0, 0.3)
    ladder = np.arange(1.0, 400.0, 0.05)
    value = (2.0 * 0.6 * -np.expm1(-0.05 * ladder) - 0.3) / ladder
    assert rho == pytest.approx(value.max(), rel=1e-4)
    assert tau == pytest.approx(ladder[value.argmax()], rel=0.02)


@pytest.mark.parametrize("rate", [0.0005, 0.004, 0.02])
def test_what_is_pending_on_a_slow_page_fades_while_it_waits(rate):
    """Against captures of drawn changes: a version caught u periods late is missing from u of those it is judged by."""
    lasting, age = 2000.0, 300.0
    pages = tables(np.full((1, 2), rate), np.full((1, 2), 0.6), [2.0], [0.0], 0.1, slow=True, fading=1 / lasting)
    _, value, _ = evaluate(pages, np.array([0]), int(age) - 1, 24)
    since = np.random.default_rng(0).exponential(
        1.0 / rate, 400_000
    )  # the last change, seen backwards from the capture
    kept = np.where(since < age - 0.5, np.exp(-since / lasting), 0.0)
    assert value[0] == pytest.approx(2.0 * 0.6 * kept.mean(), rel=0.02)


def test_the_best_spacing_of_what_fades_is_the_best_of_a_fine_ladder():
    pages = tables(np.full((1, 2), 0.002), np.full((1, 2), 0.6), [2.0], [0.0], price=0.1, fading=0.004)
    tau, rho = best_spacing(pages, 0, 0.1)
    ladder = np.arange(1.0, 2000.0, 0.1)
    value = (2.0 * 0.6 * 0.002 / 0.006 * -np.expm1(-0.006 * ladder) - 0.1) / ladder
    assert rho == pytest.approx(value.max(), rel=1e-4)
    assert tau == pytest.approx(ladder[value.argmax()], rel=0.02)
    steady = tables(np.full((1, 2), 0.002), np.full((1, 2), 0.6), [2.0], [0.0], price=0.1)
    assert tau < best_spacing(steady, 0, 0.1)[0]


def test_a_page_worth_less_than_the_price_is_never_wanted():
    pages = tables(np.full((1, 2), 0.05), np.full((1, 2), 0.6), [0.4], [0.0], price=0.3, slow=True)
    assert best_spacing(pages, 0, 0.3) == (np.inf, 0.0)
    advantage, _, wait = evaluate(pages, np.array([0]), 500, 24)
    assert advantage[0] < 0
    assert np.isinf(wait[0])


def world_of(count, seed=0):
    rng = np.random.default_rng(seed)
    rate = np.exp(rng.uniform(np.log(0.005), np.log(1.0), (count, 1))) * np.ones((count, 48))
    return KnownPatterns(rate, np.full((count, 48), 0.4), np.arange(48, dtype=np.int64))


def test_wheel_and_scan_agree_nearly_always():
    """Page values caught by the two modes on the same pages differ by little."""
    caught = []
    for limit in (1000, 0):
        patterns = world_of(200)
        settings = PricedPlanSettings(worth=Worth("pool"), scan_up_to=limit)
        strategy, last = PricedPlan(patterns, settings), np.zeros(200)
        total = 0.0
        for period in range(120):
            pages = PageTable.of(200, last_visit=last.copy())
            choice = strategy.choose(pages, Budget(10), float(period))
            assert len(choice.rows) == 10
            times = period + (np.full(10, 0.5) if choice.moment is None else choice.moment)
            age = times - last[choice.rows]
            total += float((0.4 * -np.expm1(-patterns.rate[choice.rows, 0] * age)).sum())
            last[choice.rows] = times
        caught.append(total)
    assert caught[1] == pytest.approx(caught[0], rel=0.03)


def test_the_price_rises_with_scarcity():
    prices = []
    for visits in (2, 20):
        strategy = PricedPlan(world_of(100), PricedPlanSettings(worth=Worth("pool")))
        strategy.choose(PageTable.of(100, last_visit=0.0), Budget(visits), 24.0)
        prices.append(strategy.price)
    assert prices[0] > prices[1] > 0


def test_a_price_far_off_is_found_anew_when_beliefs_move():
    """Pages are believed to change rarely at first. All turn out to change at every look: with a price that only
    creeps up, a timing wheel would have far more pages due than it can look at.
    """
    plan = PricedPlan(LearnedPatterns(), PricedPlanSettings(worth=Worth("pool"), scan_up_to=0))
    pages, budget = PageTable.of(120, last_visit=0.0), Budget(6)
    first = None
    for period in range(49):
        rows = plan.choose(pages, budget, float(period)).rows
        first = first or plan.price
        plan.observe(pages, Outcomes.of(rows, period + 0.5, True, 0.4))
        pages = pages.with_columns(last_visit=np.where(np.isin(pages.page, rows), period + 0.5, pages.last_visit))
    creeping = first * np.exp(0.03 * 49)
    assert plan.price > 1.5 * creeping


def test_what_changed_before_the_first_decision_wakes_its_directory():
    """A watch that was killed takes in what was studied since, before it plans: nothing is in the timing wheel yet."""
    known = KnownPatterns(np.full((200, 48), 1e-4), np.full((200, 48), 0.4), np.arange(48, dtype=np.int64))
    plan = PricedPlan(known, PricedPlanSettings(worth=Worth("pool"), scan_up_to=10))
    pages = PageTable.of(200, directory=np.arange(200) // 20, last_visit=0.0)
    plan.observe(pages, Outcomes.of(np.arange(0, 200, 20), 5.5, True, 0.4))
    assert len(plan.choose(pages, Budget(20), 6.0).rows) == 20


def test_more_requests_catch_more_and_ever_less_more():
    strategy = PricedPlan(world_of(100), PricedPlanSettings(worth=Worth("pool")))
    pages = strategy.ready(PageTable.of(100, last_visit=0.0), Budget(5), 0.0)
    gains = [worth_of_more(pages, visits, 2.0).gain for visits in (2.0, 6.0, 12.0)]
    assert gains[0] > gains[1] > gains[2] >= 0
    with pytest.raises(ValueError, match="above zero"):
        worth_of_more(pages, 0.0, 1.0)


def test_coherence_dial_keeps_the_pages_of_a_site_together():
    def sites_visited(beta):
        site = np.arange(100) // 10
        strategy = PricedPlan(world_of(100), PricedPlanSettings(worth=Worth("pool"), coherence=beta))
        pages = PageTable.of(100, site=site, last_visit=0.0)
        return len(np.unique(site[strategy.choose(pages, Budget(10), 48.0).rows]))

    assert sites_visited(10.0) < sites_visited(0.0)


def test_a_learning_plan_comes_to_prefer_pages_that_change():
    strategy, last = priced_plan(StrategyOptions(objective="pool")), np.zeros(40)
    counts = np.zeros(40)
    for period in range(300):
        pages = PageTable.of(40, last_visit=last.copy())
        choice = strategy.choose(pages, Budget(4), float(period))
        times = period + choice.moment
        changed = choice.rows < 10
        strategy.observe(pages, Outcomes.of(choice.rows, times, changed, np.where(changed, 0.5, 0.0)))
        last[choice.rows] = times
        if period >= 150:
            counts[choice.rows] += 1
    assert counts[:10].mean() > 5 * counts[10:].mean()
    assert "price" in strategy.reason(0, 300.0)


def test_a_batch_found_wakes_its_siblings_at_once():
    """Some pages of a directory are found changed: the others of it are worth more than those of a quiet one."""
    strategy = priced_plan(StrategyOptions(objective="pool"))
    directory, last = np.repeat([0, 1], 20), np.zeros(40)
    for period in range(0, 24 * 20, 12):
        pages = PageTable.of(40, directory=directory, last_visit=last.copy())
        rows = strategy.choose(pages, Budget(4), float(period)).rows
        strategy.observe(pages, Outcomes.of(rows, period + 0.5, False))
        last[rows] = period + 0.5
    last[:] = 24 * 20 - 30.0
    pages = PageTable.of(40, directory=directory, last_visit=last)
    strategy.choose(pages, Budget(4), 24.0 * 20)
    strategy.observe(pages, Outcomes.of(np.arange(8), 24 * 20 + 0.5, True, 0.5))
    stretch = strategy._tables.rows.stretch
    assert stretch[8:20].mean() > 2 * stretch[20:].mean()


def test_freshness_allocation_is_optimal():
    rng = np.random.default_rng(1)
    rate, weight = rng.uniform(0.01, 1.0, 30), rng.uniform(0.1, 1.0, 30)

    def fresh(f):
        return float((weight * np.where(f > 0, f / rate * -np.expm1(-rate / np.maximum(f, 1e-12)), 0.0)).sum())

    best = freshness_optimal(rate, weight, 4.0)
    assert best.sum() == pytest.approx(4.0, rel=1e-3)
    for _ in range(200):
        i, j = rng.integers(0, 30, 2)
        other = best.copy()
        moved = min(0.02, other[i])
        other[i] -= moved
        other[j] = min(other[j] + moved, 1.0)
        assert fresh(other) <= fresh(best) + 1e-4
    assert lambda_crawl(rate, weight, 4.0).sum() == pytest.approx(4.0, rel=1e-3)
