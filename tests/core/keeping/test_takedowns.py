"""What take-downs cover: addresses, beginnings, domains, captures; and when they end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.keeping.takedowns import Act, Hidden, act_of, in_force, merged, target_of, unfinished
from strandline.core.urls import surt_key

NOON = 1793534400.0  # 2026-11-01T12:00:00Z


@pytest.mark.parametrize(
    ("target", "inside", "outside"),
    [
        ("https://example.org/a", ["http://www.example.org/a", "https://example.org/a/"], ["https://example.org/a/b"]),
        (
            "https://example.org/a/*",
            ["https://example.org/a/", "https://example.org/a/b?c=1", "https://example.org/a"],
            ["https://example.org/ab", "https://example.org/", "https://example.org/b"],
        ),
        ("https://example.org/a*", ["https://example.org/ab/c", "https://example.org/a"], ["https://example.org/b"]),
        ("https://example.org/*", ["https://example.org/", "https://example.org/x?y"], ["https://sub.example.org/"]),
        (
            "*.example.org",
            ["https://example.org/", "http://a.b.example.org/x", "http://example.org:8080/x"],
            ["https://example.com/", "https://notexample.org/"],
        ),
    ],
)
def test_what_a_target_covers(target, inside, outside):
    found = target_of(target)
    assert all(found.covers(surt_key(url), None) for url in inside)
    assert not any(found.has_key(surt_key(url)) for url in outside)


def test_a_capture_is_a_second_of_an_address():
    found = target_of("20261101120000/https://example.org/a")
    key = surt_key("http://example.org/a")
    assert not found.whole
    assert found.covers(key, NOON)
    assert found.covers(key, NOON + 0.999)
    assert not found.covers(key, NOON + 1)
    assert not found.covers(key, None)


@pytest.mark.parametrize("nonsense", ["", "no address", "20261301120000/https://example.org/", "https://a*b.org/*"])
def test_nonsense_is_told(nonsense):
    with pytest.raises(ValueError, match=r"address|time|\*"):
        target_of(nonsense)


def _acts():
    return [
        Act(1, 10.0, "block", "https://example.org/a", "one"),
        Act(2, 20.0, "block", "https://example.org/b", "two", until=100.0),
        Act(3, 30.0, "erase", "https://example.org/c/*", "three"),
        Act(4, 40.0, "lift", "https://example.org/a", of=1),
    ]


def test_acts_end_by_being_lifted_or_by_their_date():
    assert [act.number for act in in_force(_acts()[:3], 50.0)] == [1, 2, 3]
    assert [act.number for act in in_force(_acts(), 50.0)] == [2, 3]
    assert [act.number for act in in_force(_acts(), 100.0)] == [3]
    hidden = Hidden(_acts(), 50.0)
    assert hidden.ends == 100.0
    assert hidden.why(surt_key("http://example.org/b")).reason == "two"
    assert hidden.why(surt_key("http://example.org/a")) is None
    assert not Hidden([*_acts()[:2], Act(3, 1.0, "lift", "", of=1)], 100.0)


def test_what_was_begun_and_not_ended_goes_on():
    acts = [*_acts(), Act(5, 50.0, "erased", "https://example.org/c/*", of=3), Act(6, 60.0, "erase", "*.example.net")]
    assert [act.number for act in unfinished(acts, "erase", "erased")] == [6]


def test_an_act_survives_being_written():
    act = Act(7, 1.5, "block", "*.example.org", "why", 9.0, "me", 3, {"captures": 2})
    assert act_of(act.as_json()) == act
    with pytest.raises(ValueError, match="unknown act"):
        act_of({**act.as_json(), "act": "burn"})
    with pytest.raises(ValueError, match="not an act"):
        act_of({"act": "block"})


keys = st.text("abc", max_size=3)
stretches = st.lists(st.tuples(keys, keys).filter(lambda pair: pair[0] < pair[1]), max_size=8)


@given(stretches, keys)
def test_merged_stretches_hold_what_the_single_ones_hold(given_stretches, key):
    found = merged(given_stretches)
    assert any(low <= key < high for low, high in found) == any(low <= key < high for low, high in given_stretches)
    assert all(before[1] < after[0] for before, after in pairwise(found))
