"""Neighbours speak for pages that were hardly watched."""

import numpy as np
import pytest

from strandline.learn.neighbours import Watched, neighbour_rates


def watched(rows):
    return Watched(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))


def test_a_page_never_seen_twice_is_expected_to_do_what_its_directory_does():
    busy, quiet = [(6, 6, 24)] * 5, [(6, 0, 24)] * 5
    rates = neighbour_rates(
        np.zeros(12, dtype=int), np.array([0] * 6 + [1] * 6), watched([*busy, (0, 0, 0), *quiet, (0, 0, 0)]), 0.004
    )
    assert rates[5] > 0.5, "more than once in two hours"
    assert rates[11] < 0.02


def test_a_page_does_not_speak_for_itself():
    alone = neighbour_rates(np.zeros(2, dtype=int), np.array([0, 1]), watched([(8, 8, 24), (8, 0, 24)]), 0.004)
    assert alone[0] == pytest.approx(alone[1]), "both lean on the site alone"


def test_without_any_visit_everything_is_as_at_the_start():
    rates = neighbour_rates(np.array([0, 1]), np.array([0, 1]), watched([(0, 0, 0), (0, 0, 0)]), 0.004)
    assert rates == pytest.approx(0.004)
