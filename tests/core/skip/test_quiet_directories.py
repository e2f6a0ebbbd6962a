from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.changes.directories import SiteIndex
from strandline.core.history.delta_tree import SMALLEST, DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, mine_numbers
from strandline.core.skip.quiet_directories import RuleWatch, SkipAnswer, sample, skip_dormant, skip_listed, warm
from strandline.core.skip.retests import Trust, binomial_tail

paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("/".join)
versions = st.lists(st.dictionaries(paths, st.sampled_from("112"), max_size=9), min_size=2, max_size=8)
thresholds = st.builds(
    Thresholds,
    alpha=st.sampled_from([0.05, 0.2, 0.3, 0.5]),
    beta=st.sampled_from([0.1, 0.25, 0.5]),
    theta=st.sampled_from([0.0, 0.5, 0.8]),
    gamma=st.sampled_from([None, 0.0, 0.3]),
)


def history_of(listed):
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))


def slow_warm(shape, rules, target):
    """The walk of the paper, recursive; returns the skipped directories and checks that it never has to choose."""
    listed = [(rules.chain(rule), int(rules.tails[rule])) for rule in range(len(rules))]
    skipped = set()

    def everything_below(directory):
        skipped.add(directory)
        for child in np.flatnonzero(shape.parents == directory).tolist():
            everything_below(child)

    def walk(directory, chain):
        for y in np.flatnonzero(shape.parents == directory).tolist():
            excluded = any(left == chain and tail == y for left, tail in listed)
            longer = (*chain, y)
            continued = any(left[: len(longer)] == longer for left, _ in listed)
            assert not (excluded and continued), "one rule skips this directory, another one enters it"
            if excluded:
                everything_below(y)
            else:
                walk(y, longer if continued else chain)

    walk(target, (target,))
    return skipped


@settings(max_examples=100, deadline=None)
@given(versions, thresholds)
def test_warm_is_the_papers_walk_and_never_contradicts_itself(listed, limits):
    history = history_of(listed)
    window = DeltaTree.of(history, (limits.alpha,)).window()
    rules = mine_numbers(window, limits)
    for target in range(history.shape.directories):
        answer = warm(history.shape, rules, target)
        assert set(np.flatnonzero(answer.directories).tolist()) == slow_warm(history.shape, rules, target)
        own = mine_numbers(window, limits, start=target)
        listed_tails = np.zeros(history.shape.directories, dtype=bool)
        listed_tails[own.tails] = True
        assert np.array_equal(answer.because_of, skip_listed(history.shape, listed_tails).because_of)


@settings(max_examples=50, deadline=None)
@given(versions)
def test_dormant_pages_lie_where_nothing_changed(listed):
    history = history_of(listed)
    answer = skip_dormant(history.shape, DeltaTree.of(history, (SMALLEST,)).window())
    skipped = answer.pages(history.shape)
    for changes in history.changes[1:]:
        for pages in (changes.inserted, changes.deleted, changes.updated):
            assert not skipped[pages].any()


def test_a_new_directory_follows_the_one_it_lies_in():
    history = history_of([{"busy/x": "1", "quiet/y": "1"}, {"busy/x": "2", "quiet/y": "1"}])
    window = DeltaTree.of(history, (SMALLEST,)).window()
    rules = mine_numbers(window, Thresholds(alpha=SMALLEST))
    history.index.pages(["quiet/new/z", "other/z"])
    shape = history.index.shape()
    for answer in (warm(shape, rules, window.root), skip_dormant(shape, window)):
        skipped = answer.pages(shape)
        assert [history.index.page_path(int(page)) for page in np.flatnonzero(skipped)] == ["quiet/y", "quiet/new/z"]
        assert [history.index.directory_path(int(d)) for d in answer.reasons()] == ["quiet"]


def site_of_two():
    index = SiteIndex()
    pages = index.pages([*(f"a/{n}" for n in range(40)), *(f"b/{n}" for n in range(3)), "c/0"])
    return index.shape(), pages, SkipAnswer(np.array([-1, 1, 2, -1]))


def test_samples_reach_every_skipped_directory():
    shape, pages, answer = site_of_two()
    drawn = RuleWatch(share=0.1).sample(shape, answer, pages, np.random.default_rng(1))
    directories = shape.page_directories[drawn]
    assert (directories == 1).sum() == 4
    assert (directories == 2).sum() == 1
    assert (directories == 3).sum() == 0
    again = RuleWatch(share=0.1).sample(shape, answer, pages, np.random.default_rng(2))
    assert set(drawn.tolist()) != set(again.tolist())


@pytest.mark.parametrize(("size", "within"), [(1, 1), (2, 2), (8, 8), (9, 5), (11, 6), (16, 8), (40, 20), (60, 20)])
def test_each_page_has_its_turn_soon_in_a_small_directory_and_within_twenty_crawls_in_any(size, within):
    index = SiteIndex()
    pages = index.pages([f"a/{n}" for n in range(size)])
    shape, answer, last = index.shape(), SkipAnswer(np.array([-1, 1])), np.full(size, -1.0)
    for crawl in range(within):
        assert last.min() == -1.0, f"{crawl} crawls were enough"
        last[sample(shape, answer, pages, crawl - last)] = crawl
    assert last.min() >= 0.0


def test_a_rule_that_fails_is_retired_and_one_that_holds_is_kept():
    shape, _, answer = site_of_two()
    watch = RuleWatch(confidence=0.95)
    retired = []
    for _ in range(3):
        retired += watch.record(answer, shape, np.array([0, 40]), np.array([True, False]))
    assert retired == [1]
    assert watch.apply(answer).because_of.tolist() == [-1, -1, 2, -1]
    assert watch.trust[2] == Trust(tests=3, failures=0)


def test_a_failure_now_and_then_is_what_the_confidence_allows():
    assert Trust(tests=40, failures=2).still_holds(0.95)
    assert not Trust(tests=40, failures=6).still_holds(0.95)
    assert not Trust(tests=1, failures=1).still_holds(1.0)
    assert Trust().still_holds(1.0)


@given(st.integers(0, 30), st.floats(0, 1))
def test_more_failures_are_never_more_likely(tests, confidence):
    tails = [binomial_tail(tests, failures, 1.0 - confidence) for failures in range(tests + 1)]
    assert tails[0] == pytest.approx(1.0)
    assert all(more <= fewer + 1e-12 for fewer, more in pairwise(tails))
