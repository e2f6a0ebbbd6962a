import os
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.warc import sorting
from strandline.warc.sorting import LineSorter, sorted_lines

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"") + b"\n"), max_size=300)


@settings(max_examples=100, deadline=None)
@given(lines=LINES, run=st.integers(1, 400))
def test_same_as_sorting_in_memory(lines, run):
    sorter = LineSorter(run=run)
    for line in lines:
        sorter.add(line)
    assert list(sorter.lines()) == sorted(set(lines))
    sorter.close()
    assert list(sorter.lines()) == []


def test_many_runs_are_merged_on_the_way(monkeypatch, tmp_path):
    monkeypatch.setattr(sorting, "_FAN", 4)
    lines = [b"%d\n" % (number * 7919 % 5000) for number in range(6000)]
    sorter = LineSorter(tmp_path, run=500)
    for line in lines:
        sorter.add(line)
    assert list(sorter.lines()) == sorted(set(lines))
    assert not list(tmp_path.iterdir()), "the temporary file has no name"
    sorter.close()


def test_memory_is_bounded():
    made = (
        b"org,example)/%08d 20260101000000 " % (number * 7919 % 40_000) + b"x" * 300 + b"\n" for number in range(40_000)
    )
    tracemalloc.start()
    count = sum(1 for _ in sorted_lines(made))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 40_000
    assert peak < 6 << 20, "13 MB of lines"


def test_no_room_for_a_run(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    sorter = LineSorter(run=10)
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space"):
        sorter.add(b"0123456789\n")
    sorter.close()
