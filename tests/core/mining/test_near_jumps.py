"""Chains that jump over a directory which they exclude; test_near.py compares all rules with the definitions."""

from itertools import pairwise

import numpy as np
import pytest

from core.mining.near_reference import Reference
from core.mining.test_near import as_parts
from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, mine_history, mine_numbers


def history_of(listed):
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(listed))


def test_a_chain_jumps_over_an_excluded_directory():
    """`a` excludes `a/q`, of which little ever changes. Deep inside, `a/q/x` changes with `a`, and `a/q/x/y` never."""
    still = {f"a/q/p{number}": "1" for number in range(40)}
    listed = [{**still, "a/top": str(week), "a/q/x/z": str(week), "a/q/x/y/p": "1"} for week in range(6)]
    limits = Thresholds(alpha=0.02, beta=0.5, theta=0.8, gamma=0.3)
    quiet = Thresholds(alpha=0.03, beta=0.5, theta=0.8, gamma=0.3)
    rules = {(rule.if_changed, rule.skip) for rule in mine_history(history_of(listed), limits)}
    assert (("a", "a/q", "a/q/x"), "a/q/x/y") in rules, "everything on the way changes"
    rules = {(rule.if_changed, rule.skip) for rule in mine_history(history_of(listed), quiet)}
    assert {(("a",), "a/q"), (("a", "a/q/x"), "a/q/x/y"), (("a/q/x",), "a/q/x/y")} == rules


def deep_site(rng):
    """A few weeks of a deep site. Where many pages stand still beside what changes deeper down, a directory changes too
    little to count, and chains jump over it.
    """
    weeks = int(rng.integers(4, 9))
    listed = [{"top": "1"} for _ in range(weeks)]
    path = ""
    for name in "abcd"[: rng.integers(3, 5)]:
        path += f"{name}/"
        still = int(rng.choice([0, 1, 6, 30]))
        turns = np.cumsum(rng.random(weeks) < rng.choice([0.0, 0.5, 1.0]))
        beside = np.cumsum(rng.random(weeks) < rng.choice([0.0, 0.3]))
        for week, version in enumerate(listed):
            version |= {f"{path}still{number}": "1" for number in range(still)}
            version[f"{path}moves"] = str(turns[week])
            version[f"{path}side/page"] = str(beside[week])
    return listed


def jumps(rule):
    """Whether a directory lies between two members of a chain that is not one of them."""
    chain, _ = rule
    return any(len(lower) > len(upper) + 1 for upper, lower in pairwise(chain))


@pytest.mark.long
def test_chains_of_random_deep_histories_are_those_of_the_definitions():
    """450 histories; in 2 of as many a chain that jumps was not mined."""
    rng, jumping = np.random.default_rng(13), 0
    for _ in range(450):
        listed = deep_site(rng)
        choices = (rng.choice(some) for some in ((0.02, 0.05, 0.1, 0.3), (0.1, 0.25, 0.5), (0.5, 0.8, 1.0), (0.3, 0.5)))
        limits = Thresholds(*(float(one) for one in choices))
        window = DeltaTree.of(history_of(listed), (limits.alpha,)).window()
        expected = set(Reference(listed, limits.alpha).mine(limits))
        assert as_parts(window, mine_numbers(window, limits)) == expected
        jumping += any(map(jumps, expected))
    assert jumping >= 10, "there is something to find"
