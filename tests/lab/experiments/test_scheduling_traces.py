"""Targets on traces: each says what it compares, and one that is missed is seen."""

import numpy as np

from strandline.lab.experiments.scheduling_traces import (
    COLD,
    FRESH,
    KNOWN,
    KNOWN_IP,
    ONLINE,
    PAPERS,
    ROBIN,
    Study,
    targets,
    told,
)
from strandline.lab.simulate.grid import CLOCKLESS, SIGNALLED
from strandline.lab.simulate.signals import SignalQuality
from strandline.lab.simulate.world import Patterns, Recipe, World, synthetic_world


def world(name, pages):
    group, nothing = np.zeros(pages, dtype=np.int64), np.zeros((pages, 1))
    patterns = Patterns(nothing, nothing, np.zeros(1, dtype=np.int64))
    start = np.zeros(pages + 1, dtype=np.int64)
    return World(name, 24, group, group, np.ones(pages), start, np.empty(0), np.empty(0), patterns)


STUDIES = (
    Study(world("news", 25), (ROBIN, *PAPERS, COLD, KNOWN), (1, 5, 10), ("pool", "page", "content")),
    Study(world("slow", 1000), (ROBIN, ONLINE, CLOCKLESS, COLD), (10, 50), ("pool", "page")),
    Study(world("slow, drawn order 1", 1000), (CLOCKLESS, COLD), (10, 50), ("pool", "page")),
    Study(world("mix", 1025), (ROBIN, FRESH, ONLINE, COLD), (2, 51), ("pool", "page")),
)


def values(**plan):
    """A plan with some figures, all rivals at one half."""
    return lambda _, cell, what: plan.get(what, 0.8) if cell[0] in (COLD, KNOWN) else 0.5


def test_a_plan_far_above_all_rivals_meets_every_target():
    found = list(targets(STUDIES, values()))
    assert all(target.ok for target in found)
    assert len(found) == len({target.name for target in found}) == 3 + 2 + 2 * 9 + 8 + 1 + 2 * 2


def test_every_rival_counts():
    missed = {target.name for target in targets(STUDIES, values(page=0.4)) if not target.ok}
    assert missed == {
        *(f"slow, {visits} a period: page over {ROBIN}" for visits in (10, 50)),
        *(f"slow, {visits} a period: page over {CLOCKLESS}, mean" for visits in (10, 50)),
        *(f"mix, {visits} a period: page over {rival}" for visits in (2, 51) for rival in (ROBIN, FRESH)),
    }  # fmt: skip
    news = [target.name for target in targets(STUDIES[:1], values(pool=0.53)) if not target.ok]
    assert news == [f"news, {visits} a period: pool over {KNOWN_IP}" for visits in (1, 5)]
    items = [target.name for target in targets(STUDIES[:1], values(items=0.6)) if not target.ok]
    assert items == ["news, 1 an hour: items over round-robin", "news, 5 an hour: items over round-robin"]


def test_signals_must_cost_nothing_and_nobody_may_make_more_of_them():
    study = told(world("news", 25), SignalQuality(0.9, 0.5), (5,))

    def missed(plan, own, other):
        figures = {COLD: plan, f"{COLD}-heeding": own}
        found = list(targets([study], lambda _, cell, what: figures.get(cell[0], other)))
        assert len(found) == 2 and all(target.name.startswith("signals, 90 % of the changes, 50 %") for target in found)
        return [not target.ok for target in found]

    assert missed(0.5, 0.51, 0.5) == [False, False]
    assert missed(0.53, 0.51, 0.5) == [True, False]
    assert missed(0.5, 0.51, 0.52) == [False, True]


def test_a_world_that_tells_of_its_changes_is_run():
    made = synthetic_world(Recipe(pages=20, days=3, sites=2))
    rows = told(made, SignalQuality(1.0, 1.0), (2,)).rows()
    assert [row.strategy for row in rows] == [COLD, *SIGNALLED] and all(row.pool > 0 for row in rows)
