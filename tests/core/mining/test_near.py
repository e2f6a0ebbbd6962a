import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.mining.near_reference import Reference
from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import (
    Thresholds,
    dormant_directories,
    dormant_paths,
    mine,
    mine_history,
    mine_numbers,
)

names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=5).map("/".join)
# Few digests and long-lived pages, so that quiet directories and directories that change together both occur.
versions = st.lists(st.dictionaries(paths, st.sampled_from("112"), max_size=9), min_size=1, max_size=8)
tops = st.sampled_from(["", "host/"])
thresholds = st.builds(
    Thresholds,
    alpha=st.sampled_from([0.0, 0.05, 0.2, 0.3, 0.5, 1.0]),
    beta=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6]),
    theta=st.sampled_from([0.0, 0.5, 0.6, 0.8, 1.0]),
    gamma=st.sampled_from([None, None, 0.0, 0.3, 0.5]),
    degenerate=st.sampled_from(["never-together", "none"]),
)


def history_of(listed):
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))


def as_parts(window, rules):
    def parts(directory):
        path = window.directory_path(directory)
        return () if directory == 0 else tuple(path.split("/"))

    return {
        (tuple(parts(member) for member in rules.chain(rule)), parts(int(rules.tails[rule])))
        for rule in range(len(rules))
    }


@settings(max_examples=100, deadline=None)
@given(versions, tops, thresholds)
def test_rules_are_those_of_the_definitions(listed, top, limits):
    listed = [{top + path: digest for path, digest in version.items()} for version in listed]
    history = history_of(listed)
    window = DeltaTree.of(history, (limits.alpha,)).window()
    mined = mine_numbers(window, limits)
    if len(listed) < 2 or not any(listed):
        assert len(mined) == 0
        return
    reference = Reference(listed, limits.alpha)
    expected = reference.mine(limits)
    assert as_parts(window, mined) == set(expected)
    assert len(mined) == len(expected)
    for rule in range(len(mined)):
        chain = [() if d == 0 else tuple(window.directory_path(d).split("/")) for d in mined.chain(rule)]
        tail = tuple(window.directory_path(int(mined.tails[rule])).split("/"))
        assert mined.foc[rule] == reference.foc(chain)
        assert mined.coc[rule] == pytest.approx(reference.coc(chain, tail, limits.degenerate))
        assert mined.confidence[rule] == reference.confidence(chain, tail)


@settings(max_examples=100, deadline=None)
@given(versions, thresholds)
def test_every_rule_keeps_its_promises_and_none_is_subsumed(listed, limits):
    window = DeltaTree.of(history_of(listed), (limits.alpha,)).window()
    rules = as_parts(window, mine_numbers(window, limits))
    if not rules:
        return
    reference = Reference(listed, limits.alpha)
    for chain, tail in rules:
        assert reference.is_rule(list(chain), tail, limits)
        for depth in range(len(chain[-1]) + 1, len(tail)):
            assert (chain, tail[:depth]) not in rules, "an ancestor of the tail is excluded by the same chain"
        for depth in range(len(chain[0]), len(tail)):
            between = tail[:depth]
            if between not in chain:
                above = [member for member in chain if len(member) < depth]
                assert reference.foc([*above, between]) < limits.beta, "this directory belongs into the chain"


@settings(max_examples=50, deadline=None)
@given(versions, st.data())
def test_a_window_is_the_history_cut_there(listed, data):
    limits = Thresholds(alpha=0.2, beta=0.25, theta=0.5)
    first = data.draw(st.integers(0, len(listed) - 1))
    last = data.draw(st.integers(first, len(listed) - 1))
    tree = DeltaTree.of(history_of(listed), (0.2,))
    cut = tree.window(0.2, first, last)
    alone = DeltaTree.of(history_of(listed[first : last + 1]), (0.2,)).window()
    assert as_parts(cut, mine_numbers(cut, limits)) == as_parts(alone, mine_numbers(alone, limits))


@settings(max_examples=50, deadline=None)
@given(versions)
def test_with_the_smallest_alpha_only_dormant_directories_are_excluded(listed):
    limits = Thresholds(alpha=1e-9, beta=0.1, theta=0.95)
    window = DeltaTree.of(history_of(listed), (1e-9,)).window()
    dormant = dormant_directories(window)
    assert dormant[mine_numbers(window, limits).tails].all()


def test_histories_without_rules():
    limits = Thresholds(alpha=0.5, beta=0.1, theta=0.5)
    page = {"a/b/c": "1", "a/d": "1"}
    assert mine_history(history_of([]), limits) == []
    assert mine_history(history_of([{}]), limits) == []
    assert mine_history(history_of([page]), limits) == []
    assert mine_history(history_of([page] * 30), limits) == []  # never changes: no chain
    everything_new = [{f"{week}/b/c": "1", f"{week}/d": "1"} for week in range(6)]
    assert all(rule.if_changed[0] == "" for rule in mine_history(history_of(everything_new), limits))


def test_a_site_that_never_changes_is_dormant_throughout():
    window = DeltaTree.of(history_of([{"a/b/c": "1", "x": "1"}] * 3), (0.01,)).window()
    assert dormant_directories(window).all()
    assert not dormant_directories(DeltaTree.of(history_of([{"a/b": "1"}]), (0.01,)).window()).any()


def test_one_top_directory_is_the_root():
    moving = [{"www.bnf.fr/a/x": str(n), "www.bnf.fr/b/y": "1"} for n in range(4)]
    rules = mine_history(history_of(moving), Thresholds(alpha=0.1, beta=0.5, theta=0.9))
    assert [(rule.if_changed, rule.skip) for rule in rules] == [(("www.bnf.fr",), "www.bnf.fr/b")]
    bare = [{path.removeprefix("www.bnf.fr/"): digest for path, digest in one.items()} for one in moving]
    rules = mine_history(history_of(bare), Thresholds(alpha=0.1, beta=0.5, theta=0.9))
    assert [(rule.if_changed, rule.skip) for rule in rules] == [(("",), "b")]


def test_literal_correlation_has_no_rule_for_a_root_that_always_changes():
    moving = [{"a/x": str(n), "b/y": "1"} for n in range(4)]
    assert mine_history(history_of(moving), Thresholds(0.1, 0.5, 0.9, degenerate="none")) == []


def test_more_rules_than_the_first_room_holds():
    # A chain of busy directories, each of which excludes the same 600 quiet ones below the last.
    deep = "/".join(["d"] * 6)
    listed = [{f"{deep}/busy": str(n)} | {f"{deep}/q{one}/page": "1" for one in range(600)} for n in range(4)]
    rules = mine_history(history_of(listed), Thresholds(alpha=1e-6, beta=0.5, theta=0.9))
    assert len(rules) == 6 * 600
    assert {len(rule.if_changed) for rule in rules} == {1, 2, 3, 4, 5, 6}
    assert len({(rule.if_changed, rule.skip) for rule in rules}) == 6 * 600


def test_subsumed_rules_of_the_papers_comparison():
    listed = [{"busy/x": str(n), "quiet/deep/y": "1", "quiet/z": "1"} for n in range(5)]
    window = DeltaTree.of(history_of(listed), (0.1,)).window()
    limits = Thresholds(alpha=0.1, beta=0.5, theta=0.9)
    exact = mine_numbers(window, limits, start=0)
    below = mine_numbers(window, limits, start=0, variant="below-excluded")
    assert [window.directory_path(int(tail)) for tail in exact.tails] == ["quiet"]
    assert [window.directory_path(int(tail)) for tail in below.tails] == ["quiet/deep"]


def test_thresholds_and_alpha_are_checked():
    with pytest.raises(ValueError, match="beta must lie between 0 and 1"):
        Thresholds(beta=1.5)
    with pytest.raises(ValueError, match="degenerate"):
        Thresholds(degenerate="zero")
    window = DeltaTree.of(history_of([{"a/b": "1"}]), (0.5,)).window()
    with pytest.raises(ValueError, match=r"made with alpha 0\.5"):
        mine(window, Thresholds(alpha=0.1))
    with pytest.raises(ValueError, match="alpha must lie"):
        DeltaTree((2.0,))


def test_many_transitions_cross_word_borders():
    rng = np.random.default_rng(5)
    listed = [{f"{d}/{e}/{p}": str(rng.integers(0, 2)) for d in "ab" for e in "cd" for p in "xy"} for _ in range(150)]
    limits = Thresholds(alpha=0.3, beta=0.1, theta=0.3, gamma=0.0)
    tree = DeltaTree.of(history_of(listed), (0.3,))
    for first, last in ((0, 149), (3, 140), (64, 128), (63, 65)):
        window = tree.window(0.3, first, last)
        assert as_parts(window, mine_numbers(window, limits)) == set(
            Reference(listed[first : last + 1], 0.3).mine(limits)
        )


def test_dormant_directories_are_listed_once():
    listed = [{"busy/x": str(n), "busy/rest/y": "1", "quiet/z": "1", "quiet/deep/w": "1"} for n in range(3)]
    window = DeltaTree.of(history_of(listed), (0.01,)).window()
    assert dormant_paths(window) == ["busy/rest", "quiet"]
