"""Rates as columns are the rates that were put in."""

import random

import numpy as np
import pytest

from strandline.core.mining.learned import PageRate
from strandline.learn.rate_columns import RateColumns, SiteColumns


@pytest.mark.parametrize("seed", range(10))
def test_columns_are_the_rates_of_each_page(seed):
    chance = random.Random(seed)
    columns, true = RateColumns(), dict[int, PageRate]()
    numbers = chance.sample(range(1000), 90)
    for site in range(5):
        pages = numbers[site * 18 : site * 18 + chance.randrange(19)]
        rates = [PageRate(chance.randrange(9), chance.randrange(5), chance.random(), chance.random()) for _ in pages]
        prior = [chance.random() for _ in pages]
        columns.add(pages, SiteColumns.of(rates), np.array(prior))
        for page, rate, mean in zip(pages, rates, prior, strict=True):
            rate.prior = mean
            true[page] = rate
    assert list(columns) == list(true) and len(columns) == len(true)
    assert list(columns.items()) == list(true.items())
    assert all(columns[page] == rate and type(columns[page].visits) is int for page, rate in true.items())
    assert columns.get(5000) is None
    table = np.array([(one.visits, one.changes, one.watched) for one in true.values()]).reshape(-1, 3).T
    assert all(np.array_equal(mine, other) for mine, other in zip(columns.seen(), table, strict=True))


def test_no_pages_have_no_rates():
    assert [len(column) for column in RateColumns().seen()] == [0, 0, 0]
