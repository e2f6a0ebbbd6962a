"""Signals of a world: as many, as right and as soon as they are said to be; and what they are worth."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from strandline.cli.main import app
from strandline.core.quality.completeness import Changes
from strandline.errors import UsageError
from strandline.lab.simulate.grid import Request, simulate
from strandline.lab.simulate.signals import SignalQuality, signals_of
from strandline.lab.simulate.world import Recipe, synthetic_world

WORLD = synthetic_world(Recipe(pages=200, days=21, sites=5, seed=1))


def test_signals_are_as_good_as_they_are_said_to_be():
    signals = signals_of(WORLD, SignalQuality(0.8, 0.5))
    changes = Changes(WORLD.start, WORLD.time, WORLD.importance)
    true = set(zip(changes.page.tolist(), WORLD.time.tolist(), strict=True))
    right = sum(one in true for one in zip(signals.page.tolist(), signals.time.tolist(), strict=True))
    assert right / len(true) == pytest.approx(0.8, abs=0.03)
    assert right / len(signals.page) == pytest.approx(0.5, abs=0.03)
    assert (np.diff(signals.time) >= 0).all()
    pages, times = signals.between(24.0, 48.0)
    assert len(pages) and (times >= 24.0).all() and (times < 48.0).all()


@pytest.mark.parametrize("quality", [(1.2, 0.5), (0.5, 0.0), (-0.1, 0.5), (0.5, 1.1)])
def test_impossible_signals_are_refused(quality):
    with pytest.raises(ValueError, match=r"between 0 and 1|above 0"):
        SignalQuality(*quality)


def pool(strategy, recall, precision):
    request = Request(
        (strategy,), (5.0,), ("pool",), known=False, bounds=False, queries=0,
        signals=SignalQuality(recall, precision),
    )  # fmt: skip
    return simulate(WORLD, request, processes=1)[0].pool


def test_good_signals_help_and_bad_ones_are_soon_ignored():
    plain = pool("importance-learned", 0.9, 0.9)
    assert pool("importance-learned-heeding", 0.9, 0.9) > plain + 0.03
    assert pool("importance-learned-heeding", 0.3, 0.02) > plain - 0.03
    assert pool("greedy-ncis-learned", 0.9, 0.9) > pool("greedy-ncis-learned", 0.0, 1.0)


def test_the_plan_gains_by_signals_loses_nothing_by_bad_ones_and_is_ahead_of_others_that_hear_them():
    plan, heeding = pool("priced-plan", 0.9, 0.9), pool("priced-plan-heeding", 0.9, 0.9)
    assert heeding > plan + 0.01
    assert pool("priced-plan-heeding", 0.3, 0.02) > plan - 0.01
    for other in ("importance-learned-heeding", "greedy-ncis-learned", "greedy-ncis"):
        assert heeding > pool(other, 0.9, 0.9)


def test_the_command():
    def run(*words):
        return CliRunner().invoke(
            app, ["simulate", "--pages", "40", "--days", "7", "--no-bounds", "--budgets", "10", *words]
        )

    done = run("--strategies", "priced-plan,priced-plan-heeding,greedy-ncis", "--signals", "1,1", "--json")
    rows = json.loads(done.stdout)
    assert {row["strategy"]: row["knows"] for row in rows} == {
        "priced-plan": "captures", "priced-plan-heeding": "captures", "greedy-ncis": "truth",
    }  # fmt: skip
    for words in (("--signals", "much"), ("--strategies", "greedy-ncis")):
        assert isinstance(run(*words).exception, UsageError)
