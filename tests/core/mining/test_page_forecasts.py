import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.mining.page_forecasts import (
    FORECASTERS,
    LEAST_CHANCE,
    LONG,
    Forecaster,
    ForecastScores,
    Memory,
    PageCounts,
    in_every_memory,
)
from strandline.core.mining.site_rates import CrawlSeen, RateSettings, SiteRates

PAGES = 5
CRAWLS = st.lists(
    st.tuples(
        st.integers(1, 3),  # weeks since the crawl before
        st.lists(st.booleans(), min_size=PAGES, max_size=PAGES),  # fetched
        st.lists(st.booleans(), min_size=PAGES, max_size=PAGES),  # had changed
    ),
    max_size=8,
)
KINDS = (
    Forecaster(6.0, 50.0),
    Forecaster(0.5, 5.0, Memory.LONG),
)
SETTINGS = RateSettings(page_prior=2.0, directory_prior=10.0, forecasters=KINDS)


def slow_forecast(crawls, by, forgetting):
    """Chance a week of each page of a site without directories, from all crawls so far and one page at a time."""
    changes, weeks, last, now = [0.0] * PAGES, [0.0] * PAGES, [0] * PAGES, 0
    for gap, fetched, changed in crawls:
        now += gap
        share = sum(f and c for f, c in zip(fetched, changed, strict=True)) / PAGES
        weight = min(1.0, 0.05 / share) if share and by.memory is Memory.CALM else 1.0
        keep = (LONG if by.memory is Memory.LONG else forgetting) ** gap
        for page in range(PAGES):
            changes[page] *= keep
            weeks[page] *= keep
            if fetched[page]:
                changes[page] += weight * changed[page]
                weeks[page] += weight * (now - last[page])
                last[page] = now
    rate = (sum(changes) + 0.5) / (sum(weeks) + 10.0)
    for _ in range(2):  # the subtree, then the directory's own pages, which here are the same
        rate = (by.directory_prior * rate + sum(changes)) / (by.directory_prior + sum(weeks))
    return [min(0.98, (by.page_prior * rate + x) / (by.page_prior + n)) for x, n in zip(changes, weeks, strict=True)]


def slow_mix(crawls):
    """Every forecaster judged crawl by crawl, knowing only the crawls before; then their weighted mean."""
    everyone = [Forecaster(SETTINGS.page_prior, SETTINGS.directory_prior, Memory.CALM), *KINDS]
    scores, last, now = [0.0] * len(everyone), [0] * PAGES, 0
    for number, (gap, fetched, changed) in enumerate(crawls):
        now += gap
        share = sum(f and c for f, c in zip(fetched, changed, strict=True)) / PAGES
        weight = min(1.0, 0.05 / share) if share else 1.0
        for place, by in enumerate(everyone):
            scores[place] *= SETTINGS.forgetting**gap
            for page, chance in enumerate(slow_forecast(crawls[:number], by, SETTINGS.forgetting)):
                if fetched[page]:
                    given_chance = 1.0 - (1.0 - chance) ** (now - last[page])
                    given_chance = min(1.0 - LEAST_CHANCE, max(LEAST_CHANCE, given_chance))
                    scores[place] += weight * math.log(given_chance if changed[page] else 1.0 - given_chance)
        last = [now if one else before for one, before in zip(fetched, last, strict=True)]
    odds = [math.exp(score - max(scores)) for score in scores]
    forecasts = [slow_forecast(crawls, by, SETTINGS.forgetting) for by in everyone]
    return [
        sum(o * one[page] for o, one in zip(odds, forecasts, strict=True)) / sum(odds) for page in range(PAGES)
    ], scores


@settings(max_examples=150, deadline=None)
@given(CRAWLS)
def test_the_mix_is_that_of_forecasters_judged_one_page_at_a_time(crawls):
    index = SiteIndex()
    pages = index.pages([f"p{n}" for n in range(PAGES)])
    shape = index.shape()
    rates, now = SiteRates(SETTINGS), 0
    rates.start(shape, pages, 0.0)
    for gap, fetched, changed in crawls:
        now += gap
        asked = np.flatnonzero(fetched)
        seen = CrawlSeen(
            asked, np.array(changed)[asked], np.zeros(len(asked), dtype=np.bool_), np.empty(0, dtype=np.int64)
        )
        # The outlook is what one week brings, however long the pause: the judge works out the rest.
        rates.observe(shape, rates.outlook(shape, float(now)), seen, float(now))
    expected, scores = slow_mix(crawls)
    assert rates.outlook(shape, now + 1.0).rates == pytest.approx(expected)
    assert rates.scores.sums == pytest.approx(scores)


@given(st.lists(st.floats(-900.0, 0.0), min_size=2, max_size=6))
def test_weights_are_shares_and_the_best_has_the_largest(sums):
    weights = ForecastScores(np.array(sums)).weights()
    assert weights.sum() == pytest.approx(1.0)
    assert weights[int(np.argmax(sums))] == weights.max()


def test_one_sure_mistake_ruins_nobody():
    scores = ForecastScores(np.zeros(2))
    scores.learn(np.array([[0.0], [0.5]]), np.array([True]), 1.0)
    assert np.isfinite(scores.sums).all()


def test_scores_come_back_and_scores_of_other_forecasters_do_not():
    sums = np.linspace(-5.0, 0.0, 1 + len(FORECASTERS))
    assert ForecastScores.from_data(ForecastScores(sums).as_data()).sums == pytest.approx(sums)
    for data in ([], [1.0]):
        assert ForecastScores.from_data(data).weights().tolist() == [1.0] + [0.0] * len(FORECASTERS)


def test_counts_are_moved_between_the_numbers_of_two_trees():
    counts = PageCounts(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    moved = counts.at(np.array([2, 0])).spread(np.array([1, 3]), 5)
    assert moved.changes.tolist() == [0.0, 3.0, 0.0, 1.0, 0.0]
    assert moved.weeks.tolist() == [0.0, 6.0, 0.0, 4.0, 0.0]
    alike = in_every_memory(np.ones(2), np.ones(2))
    alike[Memory.CALM].forget(0.5)
    assert alike[Memory.LONG].weeks.tolist() == [1.0, 1.0]
