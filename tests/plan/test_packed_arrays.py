"""Arrays as bytes, against numpy's own files."""

import io
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.plan.packed_arrays import packed, unpacked

names = st.text("abcdef._", min_size=1, max_size=9).map(lambda name: f"x{name}")
kinds = st.sampled_from(["f8", "f4", "i8", "?", "u1"])
shapes = st.lists(st.integers(0, 5), min_size=0, max_size=3)


def as_before(arrays):
    """What earlier releases wrote."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return zlib.compress(stream.getbuffer(), 1)


def equal(found, arrays):
    assert list(found) == list(arrays)
    for name, values in arrays.items():
        np.testing.assert_array_equal(found[name], values)
        assert (found[name].dtype, found[name].shape) == (values.dtype, values.shape)
        assert found[name].flags.writeable and found[name].flags.c_contiguous and found[name].flags.aligned


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(names, st.tuples(kinds, shapes), max_size=5), st.integers(0, 99))
def test_arrays_come_back_whoever_wrote_them(asked, seed):
    rng = np.random.default_rng(seed)
    arrays = {name: (9 * rng.random(shape)).astype(kind) for name, (kind, shape) in asked.items()}
    assert len(unpacked(packed({**arrays, "more": np.zeros(1)}))) == len(arrays) + 1
    if not arrays:
        return
    equal(unpacked(packed(arrays)), arrays)
    equal(unpacked(as_before(arrays)), arrays)
    with np.load(io.BytesIO(zlib.decompress(packed(arrays)))) as stored:  # and earlier releases read them
        equal({name: stored[name] for name in stored.files}, arrays)


@pytest.mark.parametrize("cut", [0, 1, 40, 200, 900])
def test_what_is_cut_short_or_no_arrays_is_refused(cut):
    data = packed({"a": np.random.default_rng(1).random(500), "b": np.arange(9)})
    with pytest.raises((ValueError, zlib.error, EOFError)):
        unpacked(data[:cut])
    with pytest.raises((ValueError, zlib.error)):
        unpacked(b"something else")
    with pytest.raises((ValueError, zlib.error)):
        unpacked(zlib.compress(b"PK" + bytes(500)))


def test_large_arrays_are_held_once():
    arrays = {"a": np.tile(np.arange(1000.0), 4000), "b": np.arange(10)}  # 32 MB

    def most(action):
        tracemalloc.start()
        found = action()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most, found

    held, data = most(lambda: packed(arrays))
    assert held < 0.7 * arrays["a"].nbytes < most(lambda: as_before(arrays))[0]
    held, found = most(lambda: unpacked(data))
    assert held < 1.3 * arrays["a"].nbytes
    assert most(lambda: dict(np.load(io.BytesIO(zlib.decompress(data)))))[0] > 1.9 * arrays["a"].nbytes, "as it was"
    equal(found, arrays)
