"""Paper 000 (NEAR-Miner and WARM): its running example, completed so that every printed figure comes out."""

from fractions import Fraction

import pytest

from core.mining.near_reference import degree_of_change
from strandline.core.history.delta_tree import DeltaTree
from strandline.core.history.site_versions import SiteHistory
from strandline.core.mining.near import Thresholds, mine, mine_history

VERSIONS = [
    {"a/c": "1", "a/p": "1", "a/r": "1", "a/b/e": "1", "a/b/f/i": "1", "a/b/g/j": "1", "a/b/g/k": "1"},
    {"a/c": "2", "a/p": "1", "a/b/e": "2", "a/b/f/i": "1", "a/b/g/k": "2", "a/b/g/l": "1"},
    {"a/p": "1", "a/b/n": "1", "a/b/o": "1", "a/b/f/i": "1", "a/b/g/k": "3", "a/b/g/l": "2"},
    {"a/p": "1", "a/b/n": "1", "a/b/o": "1", "a/b/f/i": "2", "a/b/g/k": "4", "a/b/g/q": "1"},
]
DEGREES = {
    "a": [Fraction(1, 2), Fraction(1, 2), Fraction(4, 11)],
    "a/b": [Fraction(1, 2), Fraction(5, 9), Fraction(4, 9)],
    "a/b/f": [Fraction(0), Fraction(0), Fraction(1, 2)],
    "a/b/g": [Fraction(3, 4), Fraction(2, 3), Fraction(3, 4)],
}
EXAMPLE = Thresholds(alpha=0.5, beta=0.6, gamma=0.5, theta=0.6)


def history():
    return SiteHistory.from_versions((str(number), version) for number, version in enumerate(VERSIONS))


def test_degrees_of_change():
    for transition in range(3):
        before, after = VERSIONS[transition], VERSIONS[transition + 1]
        for directory, degrees in DEGREES.items():
            assert degree_of_change(before, after, tuple(directory.split("/"))) == degrees[transition]


def test_the_delta_tree_has_the_same_degrees():
    site = history()
    tree = DeltaTree((0.5,), site.index)
    for version, changes in enumerate(site.changes):
        degrees = tree.add_changes(site.shape, changes)
        if version:
            for directory, expected in DEGREES.items():
                assert degrees[site.index.find_directory(directory)] == float(expected[version - 1])


def test_bitmaps_at_one_half():
    window = DeltaTree.of(history(), (0.5,)).window()
    rows = window.bit_rows()
    index = window.index
    assert {d: rows[index.find_directory(d)].astype(int).tolist() for d in DEGREES} == {
        "a": [1, 1, 0],
        "a/b": [1, 1, 0],
        "a/b/f": [0, 0, 1],
        "a/b/g": [1, 1, 1],
    }
    b_and_g = rows[index.find_directory("a/b")] & rows[index.find_directory("a/b/g")]
    assert b_and_g.mean() == pytest.approx(2 / 3)


def test_exactly_the_two_rules():
    rules = mine_history(history(), EXAMPLE)
    assert [(rule.if_changed, rule.skip) for rule in rules] == [(("a", "a/b"), "a/b/f"), (("a/b",), "a/b/f")]
    for rule in rules:
        assert rule.foc == pytest.approx(2 / 3)
        assert rule.coc == -1.0
        assert rule.confidence == 1.0


def test_a_rule_as_data():
    assert mine_history(history(), EXAMPLE)[0].as_data() == {
        "if": ["a", "a/b"],
        "skip": "a/b/f",
        "foc": 2 / 3,
        "coc": -1.0,
        "confidence": 1.0,
    }


def test_automatic_gamma_finds_the_same():
    automatic = Thresholds(alpha=0.5, beta=0.6, theta=0.6)
    assert mine_history(history(), automatic) == mine_history(history(), EXAMPLE)


def test_a_part_of_the_history():
    tree = DeltaTree.of(history(), (0.5,))
    assert mine(tree.window(0.5, 0, 2), EXAMPLE)[0].foc == 1.0
    assert mine(tree.window(0.5, 2, 3), EXAMPLE) == []
