"""Machine code trusts what it is given: nothing of another type, shape or layout may reach it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.kernels.fitting import fitted, fitting
from strandline.kernels.shipped import guarded, standing

TYPES = ("int32", "int64", "uint8", "uint64", "float32", "float64", "bool")


@given(st.sampled_from(TYPES), st.sampled_from(TYPES), st.integers(1, 3), st.integers(1, 3), st.sampled_from("CFA"))
def test_an_array_fits_when_type_dimensions_and_layout_do(wanted, given_type, dimensions, given_dimensions, layout):
    value = np.zeros((3,) * given_dimensions, given_type, order="F")
    laid_out = layout == "A" or value.flags[f"{layout}_CONTIGUOUS"]
    form = ["array", wanted, dimensions, layout, True]
    fits = fitting(form)(value)
    assert is_called(form, value) == fits
    assert fits == (wanted == given_type and dimensions == given_dimensions and laid_out)


def is_called(form, value):
    """What the compiled test of arguments says."""
    if not standing().kernels:
        return fitting(form)(value)
    return guarded()(lambda _value: True, [form], lambda _value: False)(value)


def test_what_is_written_to_must_be_writable():
    value = np.zeros(3)
    value.flags.writeable = False
    for fits in (lambda form: fitting(form)(value), lambda form: is_called(form, value)):
        assert not fits(["array", "float64", 1, "C", True])
        assert fits(["array", "float64", 1, "C", False])


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("int", [1, np.int32(1), np.uint64(2)], [1.0, "1", None, np.zeros(1), True]),
        ("float", [1, 1.5, np.float32(1), np.int64(1)], ["1", None, 1j, np.zeros(1)]),
        ("bool", [True, np.True_], [1, 0.0, None]),
        (["tuple", "int", "float"], [(1, 2.0)], [(1,), (1, 2.0, 3), [1, 2.0], (1.5, 2.0)]),
    ],
)
def test_numbers_and_tuples(form, good, bad):
    for fits in (fitting(form), lambda value: is_called(form, value)):
        assert all(map(fits, good))
        assert not any(map(fits, bad))


def test_other_layouts_and_smaller_numbers_become_copies():
    copies = []
    value = np.arange(8, dtype=np.int32)[::2]
    copy = fitted(["array", "int64", 1, "C", True], value, copies)
    assert copy.tolist() == [0, 2, 4, 6] and copy.dtype == np.int64
    assert copies[0][0] is value and copies[0][1] is copy


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (["array", "int32", 1, "C", True], np.zeros(2, np.int64)),
        (["array", "float32", 1, "C", True], np.zeros(2)),
        (["array", "float64", 2, "C", True], np.zeros(2)),
        (["array", "float64", 1, "C", True], [1.0]),
        ("int", 1.5),
    ],
)
def test_what_would_lose_its_value_is_refused(form, value):
    with pytest.raises(TypeError):
        fitted(form, value, [])
