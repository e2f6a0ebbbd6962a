"""The comparison with the earlier measurements: every measured cell is asked for, one far off is seen."""

import numpy as np

from strandline.lab.experiments.scheduling import KNOWN, SYNTHETIC, Found
from strandline.lab.experiments.scheduling_reference import BUDGETS, REFERENCE, SECOND, compared
from strandline.lab.simulate.grid import Request, simulate
from strandline.lab.simulate.world import Recipe, synthetic_world


def printed(name, budget, what):
    return REFERENCE[name][what][BUDGETS.index(budget)]


def test_the_reference_agrees_with_itself():
    targets = list(compared("itself", printed))
    assert len(targets) == sum(len(measures) for measures in REFERENCE.values())
    assert all(target.ok for target in targets)


def test_the_second_world_is_compared_with_what_was_measured_of_it():
    targets = list(compared("second", lambda name, budget, what: SECOND[name][what][(5.0, 20.0).index(budget)], seed=1))
    assert len(targets) == sum(len(measures) for measures in SECOND.values())
    assert all(target.ok for target in targets)
    first = compared("first", printed, seed=1)
    assert "first: freshness, page" in [target.name for target in first if not target.ok]


def test_one_cell_far_off_is_seen():
    def spoiled(name, budget, what):
        off = 0.03 if (name, budget, what) == ("frequency", 20.0, "pool") else 0.0
        return printed(name, budget, what) + off

    assert [target.name for target in compared("spoiled", spoiled) if not target.ok] == ["spoiled: frequency, pool"]


def test_only_the_priced_plan_may_be_better():
    found = compared("better", lambda name, budget, what: printed(name, budget, what) + 0.03)
    assert [target.name for target in found if target.ok] == [
        f"better: {name}, {what}" for name in ("priced-plan-known", "priced-plan") for what in REFERENCE[name]
    ]


def test_every_strategy_of_the_reference_is_simulated():
    assert {name for name in REFERENCE if not name.startswith("bound_")} == set(SYNTHETIC)


def test_numbers_are_found_in_simulated_rows():
    world = synthetic_world(Recipe(pages=12, days=1))
    rows = simulate(world, Request(strategies=("round-robin", KNOWN), budgets=(20.0,)), processes=1)
    measured = Found({"small": rows}).measured("small")
    assert measured("round-robin", 20.0, "coherence") == rows[0].coherence
    assert measured("bound_clairvoyant", 20.0, "page") == rows[3].bound_clairvoyant
    passed = rows[3].bound_known is None  # a bound that a strategy passed is not told
    assert np.isnan(measured("bound_known", 20.0, "page")) == passed
