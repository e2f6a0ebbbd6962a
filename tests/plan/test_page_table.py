"""The table of many pages is that of each of them."""

import random

import numpy as np
import pytest

from learn.sighting import Sighting
from learn.test_page_columns import some_page
from strandline.core.keeping.collections import Members
from strandline.core.plan.budget import Allowance
from strandline.core.plan.strategy import PageTable
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import Groups, Hours
from strandline.learn.page_columns import KnownPages
from strandline.plan.next_visits import Planner
from strandline.plan.page_table import table_since, weights_since
from strandline.plan.wishes import Aim, Boost, Wishes


def one_by_one(pages, groups, learned, wishes, weight, since):
    """The former way, an object at a time."""
    numbers, hours = groups.since(since), learned.hours
    rows = np.arange(since, len(pages))
    visited = np.array([hours.at(page.visited) if page.visited else np.nan for page in pages[since:]])
    return PageTable.of(
        len(rows),
        page=[page.page for page in pages[since:]],
        site=numbers[:, 0],
        directory=numbers[:, 1],
        host=numbers[:, 2],
        shift=[page.shift for page in pages[since:]],
        weight=[weight(page) for page in pages[since:]],
        last_visit=np.fmax(learned.last[since:], visited),
        rate=learned.learner.mean_rates(rows),
        size=[page.size for page in pages[since:]],
        aim=[wishes.aim_of(page) for page in pages[since:]],
    )


@pytest.mark.parametrize("seed", range(12))
def test_columns_are_those_of_each_page(seed):
    chance = random.Random(seed)
    pages = [some_page(chance, number) for number in range(chance.randrange(1, 80))]
    hours = Hours.since(1e9)
    seen = [Sighting(page.page, 1e9 + 7200.0 * n, n == 1, 0.3) for page in pages[::2] for n in range(3)]
    learned = learn(pages, history(pages, seen, hours), hours)
    aims = (Aim("one", "pool", Members(("h1.example",))), Aim("two", "pool", Members(("h2.example",))))
    boost = Boost("fair", "h3.example", 0.0, 2e9, 3.0)
    wishes = Wishes(Allowance(100, 24), aims=chance.choice([(), aims]), boosts=chance.choice([(), (boost,)]))
    planner = Planner(pages, learned, wishes, lambda: history(pages, (), hours))
    planner._running = frozenset(range(len(wishes.boosts)))
    groups, since = Groups.of(pages), chance.randrange(len(pages))
    weight = weights_since(since, KnownPages(pages), planner._weight, bool(wishes.boosts))
    found = table_since(since, KnownPages(pages), groups, learned, weight, wishes)
    true = one_by_one(pages, groups, learned, wishes, planner._weight, since)
    for name in ("page", "site", "directory", "host", "shift", "weight", "last_visit", "rate", "size", "aim"):
        assert np.array_equal(getattr(found, name), getattr(true, name), equal_nan=name == "last_visit"), name


def test_hosts_and_waits_are_noted_as_one_page_at_a_time():
    chance = random.Random(5)
    pages = [some_page(chance, number) for number in range(60)]
    hours = Hours.since(1e9)
    learned = learn(pages, history(pages, (), hours), hours)
    wishes = Wishes(Allowance(100, 24), pauses={f"h{n}.example": 1.0 + n for n in range(5)})
    planner = Planner(pages, learned, wishes, lambda: history(pages, (), hours))
    numbers = {host: number for number, host in enumerate(dict.fromkeys(page.host for page in pages))}
    assert planner._polite == sorted((wishes.per_hour(host), number) for host, number in numbers.items())
    open_pages = dict.fromkeys(numbers.values(), 0)
    for page in pages:
        open_pages[numbers[page.host]] += not page.barred
    assert planner._open == open_pages and planner.open_hosts == sum(count > 0 for count in open_pages.values())
    waiting = sorted((page.not_before, row) for row, page in enumerate(pages) if page.not_before and not page.barred)
    assert sorted(planner._waiting) == waiting
    parked = [bool(page.barred or page.not_before) for page in pages]
    assert (planner.table.host == -1).tolist() == parked
