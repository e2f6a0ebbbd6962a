"""How long texts stand and are away: notices are told from what is shown by chance."""

import random
from itertools import pairwise

import pytest

from strandline.core.changes.noise.stays import Stay, is_steady


def after(states: str) -> Stay:
    """What is known of a text that is there ("b") or not ("a") at each look; it comes first."""
    stay = None
    for look, (before, now) in enumerate(pairwise(states), 1):
        if before != now:
            stay = stay.turn(look) if stay else Stay(look)
    return stay


def test_looks_are_counted():
    stay = after("aabbbbaaab")
    assert (stay.shown, stay.away, stay.turns, stay.there) == (4, 3, 3, True)
    assert not stay.turn(11).there


def test_a_notice_stands_and_is_away_for_a_while():
    assert is_steady(after("aaabbbaaaab"))
    assert is_steady(after("aaabbbaaaabbbbba"))
    assert not is_steady(after("aaab")), "it came for the first time"
    assert not is_steady(after("aaabaaaab")), "it is there at single looks"
    assert not is_steady(after("aaabbbbabbbbbba")), "it is away at single looks"


@pytest.mark.parametrize("chance", [0.1, 0.3, 0.5, 0.8, 0.95])
def test_what_is_shown_by_chance_is_no_notice(chance):
    rng = random.Random(7)
    found = 0
    for _ in range(200):
        states = "a" + "".join(rng.choices("ba", (chance, 1 - chance), k=300))
        found += is_steady(after(states))
    assert found <= 10
