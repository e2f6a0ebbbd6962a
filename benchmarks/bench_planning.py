"""What a decision costs, against numpy on the same machine, from 10^3 to 10^7 pages.

    python benchmarks/bench_planning.py [--pages 1000,100000,1000000] [--plot costs.svg]

Prints, per number of pages N (M = 5 % of them): the cost of choosing M of N in passes of numpy over N (one pass =
a*b + c on float64), of the timing wheel per capture, of a re-plan, and whether the limits hold: at most 10 passes,
0.5 us a capture, 300 us a plan. Up to --live pages (they take 2 kB each) also what a plan at work costs at a budget of
20 visits an hour, whatever N: a decision, taking in a capture, taking in a new page. CPU times; the best of several
rounds, because machines are shared.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from strandline.core.plan.budget import Budget, spend
from strandline.core.plan.knowledge import LearnedPatterns
from strandline.core.plan.live_pages import LivePages
from strandline.core.plan.priced_kernels import Pages, evaluate
from strandline.core.plan.priced_plan import PricedPlan, PricedPlanSettings
from strandline.core.plan.strategy import Outcomes, PageTable
from strandline.core.plan.timing_wheel import TimingWheel


def best_of(rounds, action):
    """Smallest CPU time of several rounds, in seconds."""
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        action()
        found.append(time.process_time() - begin)
    return min(found)


def numpy_pass(count):
    a, b, c = (np.random.default_rng(k).random(count) for k in range(3))
    return best_of(7, lambda: a * b + c)


def choosing(count, visits):
    score = np.random.default_rng(0).random(count)
    pages = PageTable.of(count)
    return best_of(5, lambda: spend(score, Budget(visits), pages))


def wheel(count, visits):
    """One period: take what is due, put it back about twenty periods ahead."""
    rng = np.random.default_rng(0)
    ring = TimingWheel(count)
    ring.put(np.arange(count), rng.uniform(0, 20, count))
    costs = []
    for period in range(12):
        begin = time.process_time()
        rows = ring.due(period)
        ring.put(rows, np.full(len(rows), period + 20.0))
        costs.append((time.process_time() - begin) / max(len(rows), 1))
    return min(costs[2:])


def replan(nodes=3, plans=2000, horizon=96):
    """Seconds per plan of a page with an uncertain rate and a 48-bin pattern."""
    rng = np.random.default_rng(0)
    week = np.array([hour % 24 + (24 if hour >= 120 else 0) for hour in range(168)])
    rate = rng.uniform(0.02, 0.5, (plans, 48)).astype(np.float32)
    importance = rng.uniform(0.1, 0.9, (plans, 48)).astype(np.float32)
    level = np.tile(np.linspace(0.6, 1.4, nodes), (plans, 1))
    pages = Pages(
        rate, importance, level, np.full((plans, nodes), 1.0 / nodes), rate.mean(axis=1).astype(float),
        importance.mean(axis=1).astype(float), np.zeros(plans), np.full(plans, 0.5), np.ones(plans),
        np.full(plans, 0.3), np.zeros(plans, dtype=np.bool_), np.zeros(plans, dtype=np.int64), week,
        np.zeros(1),
    )  # fmt: skip
    rows = np.arange(plans)
    evaluate(pages, rows[:2], 20, horizon)
    return best_of(3, lambda: evaluate(pages, rows, 20, horizon)) / plans


def at_work(count, visits=20, hours=30):
    """Milliseconds per decision, per capture taken in and per page added, of a plan at work on `count` pages."""
    rng = np.random.default_rng(0)
    live = LivePages(PageTable.of(count, directory=np.arange(count) // 20, last_visit=rng.uniform(-500, 0, count)))
    strategy = PricedPlan(LearnedPatterns(), PricedPlanSettings(scan_up_to=500))
    strategy.follow(live)
    budget = Budget(visits)
    strategy.choose(live.table, budget, 0.0)
    costs = {"decision_ms": [], "capture_ms": [], "new_page_ms": []}
    for hour in range(1, hours):
        begin = time.process_time()
        rows = strategy.choose(live.table, budget, float(hour)).rows
        middle = time.process_time()
        for row in rows.tolist():
            strategy.observe(live.table, Outcomes.of(row, hour + 0.5, bool(row % 3 == 0), 0.3))
            live.write(np.array([row]), quietly=True, last_visit=hour + 0.5)
        end = time.process_time()
        live.append(PageTable.of(1, page=[count + hour], directory=[hour]))
        strategy.ready(live.table, budget, float(hour))
        costs["decision_ms"].append(1e3 * (middle - begin))
        costs["capture_ms"].append(1e3 * (end - middle) / max(len(rows), 1))
        costs["new_page_ms"].append(1e3 * (time.process_time() - end))
    return {name: float(np.median(found)) for name, found in costs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", default="1000,10000,100000,1000000")
    parser.add_argument("--live", type=int, default=100_000)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.pages.split(",")]
    plan = replan()
    rows = []
    for count in sizes:
        visits = max(count // 20, 1)
        one, chosen, turned = numpy_pass(count), choosing(count, visits), wheel(count, visits)
        rows.append(
            {
                "pages": count,
                "visits": visits,
                "choose_ms": 1e3 * chosen,
                "choose_passes": chosen / one,
                "wheel_us_per_capture": 1e6 * turned,
                "replan_us": 1e6 * plan,
                "ok": bool((chosen / one <= 10 or count < 1_000_000) and turned <= 0.5e-6 and plan <= 300e-6),
            }
        )
        if count <= arguments.live:
            rows[-1] |= at_work(count)
        print(json.dumps(rows[-1]))
    if arguments.plot:
        from strandline.lab.plots.scheduling import draw_costs

        costs = {
            "choosing M of N": [1e3 * row["choose_ms"] / row["visits"] for row in rows],
            "timing wheel": [row["wheel_us_per_capture"] for row in rows],
        }
        draw_costs(sizes, costs, arguments.plot)


if __name__ == "__main__":
    main()
