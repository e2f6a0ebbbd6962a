"""Rows in a file that has no name."""

import os
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.learn import file_rows
from strandline.learn.file_rows import FileRows, rooms_for

KIND = np.dtype([("a", "f8", (3,)), ("b", "f4")])


def some(rows, value):
    found = np.zeros(len(rows), dtype=KIND)
    found["a"], found["b"] = np.array(rows, float)[:, None] + value, value
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 40), unique=True, max_size=9), st.integers(1, 30)), max_size=9))
def test_rows_are_as_they_were_put(steps):
    rows, expected = FileRows(KIND), np.zeros(0, dtype=KIND)
    for number, (asked, more) in enumerate(steps, 1):
        rows.grow(len(expected) + more)
        expected = np.concatenate([expected, np.zeros(more, dtype=KIND)])
        own = np.array([row for row in asked if row < len(expected)], dtype=np.int64)
        rows.put(own, some(own, number))
        expected[own] = some(own, number)
        np.testing.assert_array_equal(rows.take(own), expected[own])
    every = np.arange(len(expected))
    np.testing.assert_array_equal(rows.take(every), expected)
    other = deepcopy(rows)
    if len(every):
        rows.put(every, some(every, 99))
    np.testing.assert_array_equal(other.take(every), expected)


def test_a_disk_that_is_full_is_no_harm(monkeypatch):
    rows = FileRows(KIND)
    rows.grow(5)
    rows.put(np.array([1, 4]), some([1, 4], 2))

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(file_rows, "_reserve_bytes", full)
    rows.grow(50)
    assert rows._held is not None
    rows.put(np.array([30]), some([30], 7))
    assert rows.take(np.array([0, 1, 4, 30]))["b"].tolist() == [0.0, 2.0, 2.0, 7.0]
    assert FileRows(KIND).take(np.empty(0, np.int64)).tolist() == []
    monkeypatch.setattr(file_rows.tempfile, "TemporaryFile", full)
    held = FileRows(KIND)
    held.grow(3)
    assert held.take(np.array([2]))["b"].tolist() == [0.0]


def test_files_have_no_name_and_are_for_many_pages_only(tmp_path, monkeypatch):
    monkeypatch.setattr(file_rows.tempfile, "tempdir", str(tmp_path))
    rows = rooms_for(file_rows.MANY)(KIND)
    rows.grow(10)
    assert os.fstat(rows._file).st_size == 10 * KIND.itemsize
    assert list(tmp_path.iterdir()) == []
    assert rooms_for(file_rows.MANY - 1) is None


@pytest.mark.parametrize("asked", [[2, 3, 4], [4, 2], [0]])
def test_runs_of_rows_are_read_together(asked):
    rows = FileRows(KIND)
    rows.grow(5)
    rows.put(np.arange(5), some(np.arange(5), 1))
    assert rows.take(np.array(asked))["a"][:, 0].tolist() == [1.0 + row for row in asked]
