"""Conformance kit: does a strategy keep the promises every strategy makes?

For authors of strategies. Register one under the entry point group `strandline.strategies` and run, in a test:

    from strandline.checks import check_strategy
    check_strategy(MyStrategy)

The argument makes a fresh strategy, because some of them remember. A broken promise raises `AssertionError` with
a sentence that says which one.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points

import numpy as np

from strandline.core.plan.budget import Budget
from strandline.core.plan.strategy import Learner, Outcomes, PageTable, Strategy, Visit

GROUP = "strandline.strategies"
MakeStrategy = Callable[[], Strategy]


def registered_strategies() -> dict[str, MakeStrategy]:
    """Strategies that other packages registered, by name."""
    return {entry.name: entry.load() for entry in entry_points(group=GROUP)}


def check_strategy(make: MakeStrategy) -> None:
    """Run all checks on strategies made by `make`."""
    for check in CHECKS:
        check(make)


def example_pages(count: int = 60, seed: int = 0) -> PageTable:
    """A small archive: three sites, unequal weights and rates, some pages never fetched."""
    rng = np.random.default_rng(seed)
    last = rng.uniform(0.0, 90.0, count)
    last[:: max(count // 6, 1)] = np.nan
    return PageTable.of(
        count,
        page=1000 + np.arange(count),
        site=np.arange(count) % 3,
        weight=rng.uniform(0.1, 1.0, count),
        rate=rng.uniform(0.001, 0.5, count),
        last_visit=last,
        size=rng.uniform(1e3, 1e5, count),
    )


def _say(promise: bool, sentence: str) -> None:
    if not promise:
        raise AssertionError(sentence)


def check_name(make: MakeStrategy) -> None:
    """It has a name that can be typed."""
    name = make().name
    _say(name != "" and " " not in str(name), f"a name must be one word, not {name!r}")


def check_budget_is_kept(make: MakeStrategy) -> None:
    """It never plans more than the budget, and uses it while there are pages."""
    pages = example_pages()
    for visits in (1, 7, 60, 500):
        planned = make().plan(pages, Budget(visits), 100.0)
        _say(len(planned) <= visits, f"{len(planned)} visits planned on a budget of {visits}")
        _say(len(planned) == min(visits, len(pages)), f"{visits} visits allowed, only {len(planned)} planned")


def check_visits_make_sense(make: MakeStrategy) -> None:
    """Visits name known pages once, in this period, with a reason and a number for urgency."""
    pages = example_pages()
    planned = make().plan(pages, Budget(20), 100.0)
    named = [visit.page for visit in planned]
    _say(all(isinstance(visit, Visit) for visit in planned), "plan must return Visit objects")
    _say(len(set(named)) == len(named), "a page is planned twice in one period")
    _say(set(named) <= set(pages.page.tolist()), "a planned page is not in the table")
    _say(all(len(visit.reason) > 3 for visit in planned), "each visit needs a reason a person can read")
    _say(all(not np.isnan(visit.urgency) for visit in planned), "urgency must be a number")
    _say(all(100.0 <= visit.due <= 101.0 for visit in planned), "visits must be due within the period")


def check_caps_are_kept(make: MakeStrategy) -> None:
    """Caps per site and per host, and byte budgets, are kept."""
    pages = example_pages()
    site_of = dict(zip(pages.page.tolist(), pages.site.tolist(), strict=True))
    planned = make().plan(pages, Budget(30, site_cap=4, site_caps={1: 0}), 100.0)
    counts = np.bincount([site_of[visit.page] for visit in planned], minlength=3)
    _say(counts.max() <= 4 and counts[1] == 0, f"site caps broken: {counts.tolist()} visits per site")
    size_of = dict(zip(pages.page.tolist(), pages.size.tolist(), strict=True))
    planned = make().plan(pages, Budget(30, max_bytes=2e5), 100.0)
    _say(sum(size_of[visit.page] for visit in planned) <= 2e5, "more bytes planned than allowed")


def check_odd_tables(make: MakeStrategy) -> None:
    """Empty tables, one page, nothing ever fetched, weights of zero."""
    _say(len(make().plan(PageTable.of(0), Budget(5), 0.0)) == 0, "an empty table must give an empty plan")
    _say(len(make().plan(PageTable.of(1), Budget(5), 0.0)) == 1, "one page, never fetched, must be planned")
    _say(len(make().plan(PageTable.of(9), Budget(4), 0.0)) == 4, "pages never fetched must be planned")
    weightless = PageTable.of(9, weight=0.0, last_visit=1.0)
    _say(len(make().plan(weightless, Budget(4), 9.0)) <= 4, "pages of no weight must not break the budget")


def check_unseen_pages_are_reached(make: MakeStrategy) -> None:
    """Within a few periods a page never fetched gets its turn (unless the strategy ranks by weight alone)."""
    strategy, pages = make(), example_pages()
    if strategy.name == "relevance-top":
        return
    last = pages.last_visit.copy()
    for period in range(100, 112):
        current = pages.with_columns(last_visit=last.copy())
        for visit in strategy.plan(current, Budget(10), float(period)):
            last[int(np.flatnonzero(pages.page == visit.page)[0])] = visit.due
    _say(not np.isnan(last).any(), "a page never fetched was passed over for twelve periods")


def check_jumping_clock(make: MakeStrategy) -> None:
    """A clock set back, or far ahead, gives sane plans."""
    strategy, pages = make(), example_pages()
    for now in (100.0, 40.0, 41.0, 9000.0, 100.5):
        planned = strategy.plan(pages, Budget(10), now)
        _say(len(planned) == 10, f"the clock jumped to {now:g}: {len(planned)} of 10 visits planned")


def check_learning(make: MakeStrategy) -> None:
    """Strategies that learn accept outcomes: none, one, many, with and without change; and stay deterministic."""
    plans = []
    for _ in range(2):
        strategy, pages = make(), example_pages().with_columns(last_visit=np.full(60, 90.0))
        for period in range(91, 99):
            planned = strategy.plan(pages, Budget(10), float(period))
            rows = np.array([int(np.flatnonzero(pages.page == visit.page)[0]) for visit in planned])
            if isinstance(strategy, Learner):
                strategy.observe(pages, Outcomes.of(np.empty(0), 0.0, False))
                strategy.observe(pages, Outcomes.of(rows, period + 0.5, rows % 2 == 0, 0.3 * (rows % 2 == 0)))
            last = pages.last_visit.copy()
            last[rows] = period + 0.5
            pages = pages.with_columns(last_visit=last)
        plans.append([visit.page for visit in strategy.plan(pages, Budget(10), 99.0)])
    _say(plans[0] == plans[1], "the same history gave two different plans")


def check_growing_table(make: MakeStrategy) -> None:
    """Pages may be added between two plans."""
    strategy = make()
    strategy.plan(example_pages(20), Budget(5), 100.0)
    _say(len(strategy.plan(example_pages(60), Budget(5), 101.0)) == 5, "new pages broke the plan")


CHECKS: tuple[Callable[[MakeStrategy], None], ...] = (
    check_name,
    check_budget_is_kept,
    check_visits_make_sense,
    check_caps_are_kept,
    check_odd_tables,
    check_unseen_pages_are_reached,
    check_jumping_clock,
    check_learning,
    check_growing_table,
)


def failures(make: MakeStrategy) -> Iterator[str]:
    """The promises a strategy breaks, one sentence each."""
    for check in CHECKS:
        try:
            check(make)
        except AssertionError as broken:
            yield f"{check.__name__}: {broken}"
