from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.mining.site_rates import CrawlSeen, SiteRates
from strandline.core.skip.site_level import Answers, BurstSettings, SiteCrawl, StopRule, run_crawl

PLAIN = BurstSettings(oldest_share=0.0)


def crawl_of(paths, settings=PLAIN, weights=None):
    index = SiteIndex()
    pages = index.pages(paths)
    shape = index.shape()
    rates = SiteRates()
    rates.start(shape, pages, 0.0)
    return index, shape, SiteCrawl(shape, rates.outlook(shape, 1.0), settings, weights)


def answers(changed, found=None):
    changed = np.asarray(changed, dtype=bool)
    return Answers(changed, np.zeros(len(changed), dtype=np.int64) if found is None else np.asarray(found))


def slow_values(paths, pending, new_pages, rounds):
    """Values after some rounds, one directory and one page at a time. rounds: [(place, changed, found)]."""
    directories = {tuple(path.split("/")[:depth]) for path in paths for depth in range(path.count("/") + 1)}

    def inside(place, directory):
        return tuple(paths[place].split("/")[:-1])[: len(directory)] == directory

    m = {}
    for directory in sorted(directories, key=len):
        e = sum(pending[p] + new_pages[p] for p, _, _ in rounds if inside(p, directory))
        c = sum(changed + min(3, found) for p, changed, found in rounds if inside(p, directory))
        m[directory] = (10 + c) / (10 + e) if not directory else (m[directory[:-1]] + c) / (1 + e)

    def name(place):
        parts = paths[place].split("/")
        return tuple(parts[-2:]) if parts[-1] == "index.html" else parts[-1]

    values = []
    for place, path in enumerate(paths):
        own = m[tuple(path.split("/")[:-1])]
        same = [(p, changed) for p, changed, _ in rounds if name(p) == name(place)]
        expected = sum(min(0.98, pending[p] * m[tuple(paths[p].split("/")[:-1])]) for p, _ in same)
        f = (1 + sum(changed for _, changed in same)) / (1 + expected)
        q = pending[place] * own * f
        q = 1 - 0.25 / q if q > 0.5 else q
        u = new_pages[place] * own
        values.append((q + u) / (1 + u))
    return values


paths = st.lists(
    st.lists(st.sampled_from(["a", "b", "x.html", "index.html"]), min_size=1, max_size=4).map("/".join),
    min_size=1,
    max_size=10,
    unique=True,
)


@settings(max_examples=100, deadline=None)
@given(paths, st.data())
def test_values_are_those_of_the_formulas(listed, data):
    _, _, crawl = crawl_of(listed)
    places = data.draw(st.lists(st.sampled_from(range(len(listed))), unique=True))
    outcome = [(place, data.draw(st.booleans()), data.draw(st.integers(0, 5))) for place in places]
    for cut in (outcome[: len(outcome) // 2], outcome[len(outcome) // 2 :]):
        if cut:
            where, changed, found = zip(*cut, strict=True)
            crawl.record(np.array(where), answers(changed, found))
    expected = slow_values(listed, crawl.outlook.pending, crawl.outlook.new_pages, outcome)
    assert crawl.values() == pytest.approx(expected)


@settings(max_examples=50, deadline=None)
@given(paths, st.integers(0, 12), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_every_page_is_fetched_at_most_once_and_the_budget_holds(listed, budget, oldest):
    _, shape, crawl = crawl_of(listed, BurstSettings(oldest_share=oldest, rounds=3))
    rng = np.random.default_rng(len(listed))
    order = run_crawl(crawl, StopRule(budget=budget), lambda pages: answers(rng.random(len(pages)) < 0.5))
    assert len(order) == len(set(order.tolist())) == min(budget, len(listed)) == crawl.requests
    missed, hazard = crawl.left_over()
    assert set(missed.tolist()) | set(order.tolist()) == set(range(shape.pages))
    assert (hazard > 0).all()


@pytest.mark.parametrize(("share", "least", "most"), [(1.0, 0.8, 4.0), (0.6, 0.4, 0.9), (0.1, 0.0, 0.2)])
def test_when_pages_of_every_kind_changed_those_not_reached_are_taken_to_have_changed_too(share, least, most):
    """Each page has a directory and a name to itself, and pages change by themselves: nothing else tells of others."""
    settings = BurstSettings(oldest_share=0.0, directory_prior=1000.0, name_prior=1000.0)
    _, _, crawl = crawl_of([f"d{n}/p{n}.html" for n in range(80)], settings)
    asked = np.arange(40)
    crawl.record(asked, answers(asked < share * 40))
    pages, hazard = crawl.left_over()
    assert pages.tolist() == list(range(40, 80))
    assert (hazard >= least).all() and (hazard <= most).all()


def test_a_changed_page_draws_requests_to_its_directory():
    index, _, crawl = crawl_of([*(f"busy/{n}" for n in range(5)), *(f"quiet/{n}" for n in range(5))])
    crawl.record(np.array([0, 5]), answers([True, False]))
    multipliers = crawl.directory_multipliers()
    assert multipliers[index.find_directory("busy")] > multipliers[0] > multipliers[index.find_directory("quiet")]
    assert crawl.next_round(StopRule(budget=10)).tolist() == [1]


def test_translations_point_to_one_another():
    _, _, crawl = crawl_of(["en/news.html", "de/news.html", "fr/news.html", "de/other.html", "fr/other.html"])
    crawl.record(np.array([0]), answers([True]))
    values = crawl.values()
    assert values[1] > values[3]
    assert values[2] > values[4]


def test_without_learning_the_order_is_that_of_the_rates():
    _, _, crawl = crawl_of([f"a/{n}" for n in range(6)], BurstSettings(oldest_share=0.0, learn_in_crawl=False))
    before = crawl.values()
    crawl.record(np.array([0, 1]), answers([True, True]))
    assert np.array_equal(crawl.values(), before)


def test_stop_at_a_price():
    _, _, crawl = crawl_of([f"a/{n}" for n in range(50)])
    order = run_crawl(crawl, StopRule(price=0.02), lambda pages: answers(np.zeros(len(pages))))
    assert 0 < len(order) < 50
    assert crawl.values()[np.setdiff1d(np.arange(50), crawl.fetched_places())].max() < 0.02
    _, _, dear = crawl_of(["a/b"])
    assert len(run_crawl(dear, StopRule(price=2.0), lambda pages: answers([False]))) == 0


def test_stop_at_a_target_takes_more_requests_for_a_higher_one():
    taken = []
    for target in (0.0, 0.5, 0.9, 1.0):
        _, _, crawl = crawl_of([f"d{n % 7}/{n}" for n in range(200)])
        order = run_crawl(crawl, StopRule(target=target), lambda pages: answers(pages % 10 == 0))
        taken.append(len(order))
    assert taken[0] == 0
    assert taken[-1] == 200
    assert all(fewer <= more for fewer, more in pairwise(taken))


def test_the_estimate_of_what_is_caught_ends_at_all():
    _, _, crawl = crawl_of([f"a/{n}" for n in range(10)])
    before = crawl.share_caught()
    assert before == pytest.approx(0.5 / (0.5 + crawl.chances().sum()))
    run_crawl(crawl, StopRule(), lambda pages: answers(pages == 3))
    assert crawl.share_caught() == 1.0


def test_new_pages_count_as_requests():
    _, _, crawl = crawl_of([f"a/{n}" for n in range(10)])
    order = run_crawl(crawl, StopRule(budget=6), lambda pages: answers([False] * len(pages), [2] * len(pages)))
    assert len(order) == 2
    assert crawl.requests == 6
    assert crawl.caught == 4


def test_weights_multiply_and_zero_forbids():
    weights = np.array([0.0, 1.0, 0.5])
    _, _, crawl = crawl_of(["a/x", "a/y", "a/z"], PLAIN, weights)
    order = run_crawl(crawl, StopRule(), lambda pages: answers(np.zeros(len(pages))))
    assert order.tolist() == [1, 2]


def test_oldest_pages_get_their_share():
    index = SiteIndex()
    pages = index.pages([f"a/{n}" for n in range(20)])
    shape = index.shape()
    rates = SiteRates()
    rates.start(shape, pages[:1], 0.0)
    rates.now = 9.0
    rates._meet(pages[1:])
    crawl = SiteCrawl(shape, rates.outlook(shape, 10.0), BurstSettings(rounds=10))
    rates.carry_over(pages[1:], np.full(19, 2.0))
    assert 0 in crawl.next_round(StopRule()).tolist()


def test_an_empty_site_needs_no_requests():
    _, _, crawl = crawl_of([])
    assert len(run_crawl(crawl, StopRule(), lambda pages: answers([]))) == 0


def test_limits_are_checked():
    with pytest.raises(ValueError, match="budget must not be negative"):
        StopRule(budget=-1)
    with pytest.raises(ValueError, match="target must lie"):
        StopRule(target=1.5)


def test_every_page_has_a_reason():
    _, _, crawl = crawl_of([*(f"a/{n}" for n in range(4)), "b/0"])
    assert crawl.reason(1) == "change expected: 5.0% a visit by its history"
    crawl.record(np.array([0, 4]), answers([True, False]))
    assert "x2 by what this crawl found in its directory" in crawl.reason(1)
    assert "pages of its name" in crawl.reason(0)


def test_the_reason_names_waiting_and_new_pages():
    index = SiteIndex()
    pages = index.pages(["a/index.html", "a/x", "a/y"])
    shape = index.shape()
    rates = SiteRates()
    rates.start(shape, pages[:2], 0.0)
    first = rates.outlook(shape, 1.0)
    unchanged = np.zeros(2, dtype=bool)
    rates.observe(shape, first, CrawlSeen(pages[:2], unchanged, unchanged, pages[2:]), 1.0)
    rates.carry_over(pages[1:2], np.array([0.5]))
    crawl = SiteCrawl(shape, rates.outlook(shape, 2.0))
    assert "shows about 1 new pages" in crawl.reason(0)
    assert "with the crawls that left it out" in crawl.reason(1)
