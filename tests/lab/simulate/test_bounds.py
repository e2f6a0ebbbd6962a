from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.simulate.made_traces import TraceRecipe, made_trace
from strandline.core.plan.budget import Budget
from strandline.lab.simulate.bounds import clairvoyant_bound, known_pattern_bound, version_values
from strandline.lab.simulate.grid import Request, contender, simulate
from strandline.lab.simulate.run import measure, run
from strandline.lab.simulate.world import Patterns, Recipe, World, synthetic_world

optimize = pytest.importorskip("scipy.optimize")


def small_world(times, periods):
    start = np.concatenate([[0], np.cumsum([len(page) for page in times])]).astype(np.int64)
    flat = np.array([t for page in times for t in page], dtype=float)
    rng = np.random.default_rng(len(flat))
    count = len(times)
    patterns = Patterns(np.full((count, 1), 0.1), np.full((count, 1), 0.5), np.zeros(1, dtype=np.int64))
    zeros = np.zeros(count, dtype=np.int64)
    return World(
        "small", periods, zeros, zeros, rng.uniform(0.2, 1.0, count), start, flat,
        rng.uniform(0.1, 0.9, len(flat)), patterns,
    )  # fmt: skip


def exact_best(world, visits, objective):
    """The best choice of versions and periods as an integer programme."""
    value = version_values(world, objective)
    columns = []
    for page in range(len(world)):
        first, last = world.start[page], world.start[page + 1]
        for v in range(first, last):
            end = world.periods - 1 if v == last - 1 else int(world.time[v + 1])
            columns += [(v, page, h) for h in range(int(world.time[v]), end + 1)]
    if not columns:
        return 0.0
    limits = {}
    for k, (v, page, h) in enumerate(columns):
        for name, bound in ((("version", v), 1), (("page", page, h), 1), (("period", h), visits)):
            limits.setdefault(name, (bound, []))[1].append(k)
    matrix = np.zeros((len(limits), len(columns)))
    for row, (_, members) in enumerate(limits.values()):
        matrix[row, members] = 1.0
    found = optimize.linprog(
        [-value[v] for v, _, _ in columns], A_ub=matrix, b_ub=[bound for bound, _ in limits.values()], bounds=(0, 1)
    )
    return -found.fun


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 47), max_size=6, unique=True), min_size=1, max_size=4),
    st.integers(1, 2),
    st.sampled_from(["pool", "page", "count"]),
)
def test_clairvoyant_bound_is_the_exact_optimum(quarters, visits, objective):
    world = small_world([[q / 4 + 0.05 for q in sorted(page)] for page in quarters], periods=12)
    if len(world.time) == 0:
        return
    exact = exact_best(world, visits, objective)
    bound = clairvoyant_bound(world, visits, objective, rounds=800).completeness
    assert bound >= exact - 1e-9
    assert bound <= exact * 1.02 + 0.01


def test_no_strategy_beats_the_clairvoyant():
    world = synthetic_world(Recipe(pages=60, days=5, seed=5))
    request = Request()
    for objective in ("pool", "page"):
        bound = clairvoyant_bound(world, 6, objective).completeness
        for name in ("round-robin", "importance-pattern", "priced-plan-known", "freshness", "nutch", "pattern"):
            found = measure(world, run(world, contender(name, world, objective, request), Budget(6)), queries=0)
            assert getattr(found, objective) <= bound


def test_bounds_are_ordered_and_refuse_unknown_objectives():
    world = synthetic_world(Recipe(pages=60, days=5, seed=5))
    assert known_pattern_bound(world, 6, "pool").completeness < clairvoyant_bound(world, 6, "pool").completeness
    with pytest.raises(ValueError, match="content"):
        clairvoyant_bound(world, 6, "content")
    with pytest.raises(ValueError, match="content"):
        known_pattern_bound(world, 6, "content")


def test_known_patterns_are_nearly_as_good_as_their_bound():
    """The priced plan with known patterns on a small world; one seed is noisy, so three are averaged."""
    ratios = []
    for seed in (1, 2, 3):
        world = synthetic_world(Recipe(pages=200, days=14, seed=seed))
        found = measure(world, run(world, contender("priced-plan-known", world, "pool", Request()), Budget(20)), 0)
        ratios.append(found.pool / known_pattern_bound(world, 20, "pool", rounds=40).completeness)
    assert np.mean(ratios) > 0.95


def test_a_trace_has_no_bound_for_known_patterns():
    """Pages that change once an hour at a drawn minute: read as Poisson changes, all of them could hardly be caught."""
    world = made_trace(TraceRecipe("bursty", pages=20, days=7))
    with pytest.raises(ValueError, match="not drawn from its patterns"):
        known_pattern_bound(world, 2, "pool")
    request = Request(strategies=("priced-plan", "round-robin"), budgets=(10.0,), objectives=("pool",), queries=0)
    rows = simulate(world, request, processes=1)
    assert {row.bound_known for row in rows} == {None}
    assert all(row.pool <= row.bound_clairvoyant for row in rows)


def test_a_bound_that_was_beaten_is_not_told():
    request = Request(strategies=("round-robin", "importance", "importance-learned"), budgets=(10.0,),
                      objectives=("pool",), queries=0)  # fmt: skip
    world = synthetic_world(Recipe(pages=20, days=7))
    bound = {row.bound_known for row in simulate(world, request, processes=1)}
    assert len(bound) == 1 and None not in bound
    lucky = replace(world, importance=np.ones_like(world.importance), time=np.floor(world.time) + 0.02)
    rows = simulate(replace(lucky, name="lucky"), request, processes=1)
    assert [row.knows for row in rows] == ["nothing", "truth", "captures"]
    assert all(row.requests_per_day == 48.0 for row in rows)
    assert all(row.bound_known is None or row.bound_known >= row.pool for row in rows)
