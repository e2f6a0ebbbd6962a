"""Copies of tables that grow."""

from copy import deepcopy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.growing import GrowingTable


class Two(NamedTuple):
    a: NDArray[np.float64]
    cycle: NDArray[np.int64]


def test_what_is_written_to_a_copy_stays_when_it_grows():
    table = GrowingTable(Two(np.zeros(3), np.arange(4)), fixed=("cycle",))
    table.append(Two(np.ones(2), np.arange(4)))
    other = deepcopy(table)
    other.rows.a[0] = 7.0
    other.append(Two(np.full(1, 5.0), np.arange(4)))
    other.append(Two(np.full(40, 6.0), np.arange(4)))
    assert other.rows.a.tolist() == [7.0, 0.0, 0.0, 1.0, 1.0, 5.0] + [6.0] * 40
    assert table.rows.a.tolist() == [0.0, 0.0, 0.0, 1.0, 1.0] and other.rows.cycle.tolist() == [0, 1, 2, 3]


def test_a_copy_holds_its_rows_once():
    table = GrowingTable(Two(np.zeros(3), np.arange(4)), fixed=("cycle",))
    table.append(Two(np.ones(2), np.arange(4)))
    other = deepcopy(table)
    assert all(np.shares_memory(other._room[name], getattr(other.rows, name)) for name in Two._fields)
    assert not any(np.shares_memory(mine, other_one) for mine, other_one in zip(table.rows, other.rows, strict=True))
