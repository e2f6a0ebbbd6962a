import json

import numpy as np
import pytest

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Visit
from strandline.core.quality.completeness import Changes
from strandline.core.rivals.baselines import ROUND_ROBIN
from strandline.lab.simulate.grid import KNOWN, Request, simulate, to_json, visits_of
from strandline.lab.simulate.run import Web, measure, run
from strandline.lab.simulate.world import Recipe, synthetic_world

SMALL = Recipe(pages=60, days=4, seed=3)


def test_worlds_have_the_rates_they_promise():
    world = synthetic_world(Recipe(pages=300, days=21, seed=1))
    per_day = len(world.time) / 300 / 21
    expected = float((world.patterns.rate @ world.patterns.share).mean() * 24)
    assert per_day == pytest.approx(expected, rel=0.03)
    assert np.all(np.diff(world.time)[np.diff(world.page_of_change) == 0] >= 0)
    assert np.all((world.importance >= 0) & (world.importance <= 1))


def test_multi_site_and_similar_worlds():
    world = synthetic_world(Recipe(pages=60, days=2, sites=6))
    assert np.bincount(world.site).tolist() == [10] * 6
    similar = synthetic_world(Recipe(pages=60, days=2, similar=True))
    shape = similar.patterns.rate / similar.patterns.rate.mean(axis=1, keepdims=True)
    assert shape[:, 10:18].mean() > 3 * shape[:, 0:5].mean()
    with pytest.raises(ValueError, match="sites"):
        Recipe(pages=3, sites=4)


def test_captures_find_what_happened_since_the_last_one():
    """Against a direct reading of the changes; differences accumulate as 1 - product of (1 - importance)."""
    world = synthetic_world(SMALL)
    rng, last = np.random.default_rng(0), np.zeros(60)
    for accumulates in (False, True):
        web = Web(type(world)(**{**world.__dict__, "accumulates": accumulates}))
        last[:] = 0.0
        web.capture(np.arange(60), np.zeros(60))
        for moment in range(5, 95, 10):
            rows = np.sort(rng.choice(60, 20, replace=False))
            outcomes = web.capture(rows, np.full(20, float(moment)))
            for row, changed, importance in zip(rows, outcomes.changed, outcomes.importance, strict=True):
                times = world.time[world.start[row] : world.start[row + 1]]
                values = world.importance[world.start[row] : world.start[row + 1]]
                inside = values[(times > last[row]) & (times <= moment)]
                assert changed == (len(inside) > 0)
                if len(inside):
                    expected = 1 - np.prod(1 - inside) if accumulates else inside[-1]
                    assert importance == pytest.approx(expected)
            last[rows] = moment


def test_a_run_is_deterministic_and_keeps_its_budget():
    world = synthetic_world(SMALL)
    first, second = (run(world, ROUND_ROBIN, Budget(5)) for _ in range(2))
    assert np.array_equal(first.time, second.time)
    assert len(first.page) == 60 + 5 * world.periods
    per_period = np.bincount(first.time[60:].astype(int), minlength=world.periods)
    assert per_period.max() == 5
    pairs = set(zip(first.page[60:].tolist(), first.time[60:].astype(int).tolist(), strict=True))
    assert len(pairs) == 5 * world.periods


def test_wasted_is_the_share_of_captures_that_found_nothing():
    world = synthetic_world(SMALL)
    archive = run(world, ROUND_ROBIN, Budget(20))
    found = measure(world, archive, queries=4)
    changes = Changes(world.start, world.time, world.importance)
    assert found.wasted == pytest.approx(1 - archive.changed[60:].mean())
    assert archive.changed.sum() == round(found.count * len(changes.time))
    assert 0 < found.coherence <= 1


class PlanOnly:
    """A third party's strategy: visits, no arrays."""

    name = "first-pages"

    def plan(self, pages, budget, now):
        return [Visit(int(page), 1.0, "it is among the first", now) for page in pages.page[: budget.visits]]


def test_strategies_that_only_plan_can_be_simulated():
    archive = run(synthetic_world(SMALL), PlanOnly(), Budget(3))
    assert set(archive.page[60:].tolist()) == {0, 1, 2}


def test_strategies_of_other_packages_are_simulated_beside_ours():
    world = synthetic_world(SMALL)
    asked = {"strategies": ("round-robin", "plan-only"), "budgets": (10.0,), "objectives": ("pool",), "queries": 2}
    rows = simulate(world, Request(**asked, others=(("plan-only", PlanOnly),)), processes=2)
    assert [row.strategy for row in rows] == ["round-robin", "plan-only"] and rows[1].pool < rows[0].pool
    with pytest.raises(ValueError, match="no strategy 'plan-only'"):
        Request(**asked)


def test_grid_rows_resume_and_shape(tmp_path):
    world = synthetic_world(SMALL)
    request = Request(strategies=("round-robin", "priced-plan", KNOWN), budgets=(10.0,), queries=2)
    results, steps = tmp_path / "cells.jsonl", []
    rows = simulate(world, request, results, processes=1, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] == len(results.read_text().splitlines())
    lines = results.read_text().splitlines()
    # Cut short by a kill: the last cell is run again, the others are not.
    results.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    steps.clear()
    again = simulate(world, request, results, processes=1, progress=lambda done, total: steps.append((done, total)))
    assert again == rows
    assert len(steps) == 1
    found = json.loads(to_json(rows))
    wanted = {"strategy", "budget", "objective", "pool", "page", "count", "coherence", "wasted", "bound_known"}
    assert all(wanted | {"bound_clairvoyant"} <= set(row) for row in found)
    assert [row["objective"] for row in found] == ["pool"] * 3 + ["page"] * 3
    assert all(row[row["objective"]] <= row["bound_clairvoyant"] for row in found)


@pytest.mark.parametrize("wrong", [{"budgets": (0.0,)}, {"budgets": (-5.0,)}, {"strategies": ("magic",)}])
def test_impossible_requests_are_refused(wrong):
    with pytest.raises(ValueError, match=r"budget|strategy"):
        Request(**wrong)


def test_percent_budgets_allow_at_least_one_visit():
    assert visits_of(synthetic_world(SMALL), 0.1) == 1
