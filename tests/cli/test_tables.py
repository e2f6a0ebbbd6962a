"""Tables of simulations: what is said once, and what for every objective."""

from strandline.cli.tables import simulation_table
from strandline.lab.simulate.grid import Row


def row(strategy, objective, pool, coherence):
    return Row("w", strategy, 5.0, objective, pool, 0.5, 0.25, coherence, 0.125, None, 0.75, None, "visits", 10.0)


def test_a_plan_has_a_line_for_each_objective_it_aims_at():
    rows = [
        row("round-robin", "pool", 0.1, 0.7),
        row("priced-plan", "pool", 0.3, 0.5),
        row("round-robin", "page", 0.1, 0.7),
        row("priced-plan", "page", 0.2, 0.6),
    ]
    pool, page, coherence, wasted = (block.splitlines() for block in simulation_table(rows).split("\n\n"))
    assert [line.split() for line in pool[3:]] == [
        ["round-robin", "0.100"],
        ["priced-plan", "0.300"],
        ["bound:", "known", "0.750"],
    ]
    assert page[4].split() == ["priced-plan", "0.500"]
    assert [line.rsplit(None, 1) for line in coherence[2:]] == [
        ["round-robin", "0.700"],
        ["priced-plan (pool)", "0.500"],
        ["priced-plan (page)", "0.600"],
    ]
    assert len(wasted) == 5


def test_what_was_not_measured_is_a_dash():
    assert simulation_table([row("round-robin", "pool", None, None)]).count(" -") == 2
