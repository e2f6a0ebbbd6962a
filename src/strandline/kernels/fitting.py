"""Whether the arguments of a call are those a kernel was compiled for. Machine code trusts what it is given."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

Fits = Callable[[Any], bool]
Form = Any
"""Of an argument, as `scripts/kernels` writes it: "int", "float", "bool", ["array", type, dimensions, layout, writable]
or ["tuple", form, form, ...]."""
_CONTIGUOUS: Final = {"C": 0x1, "F": 0x2, "A": 0x0}
_ALIGNED, _WRITABLE = 0x100, 0x400


def fitting(form: Form) -> Fits:
    """A test for an argument of a form.

    >>> fits, whole = fitting(["array", "int64", 1, "C", True]), np.zeros((2, 6), np.int64)
    >>> fits(whole[0]), fits(np.zeros(3)), fits(whole), fits(whole[0, ::2])
    (True, False, False, False)
    >>> fitting("float")(3), fitting("int")(3.0), fitting(["tuple", "int", "bool"])((1, True))
    (True, False, True)
    """
    if form == "int":
        return _is_int
    if form == "float":
        return _is_number
    if form == "bool":
        return _is_bool
    kind, *rest = form
    if kind == "array":
        return _array_test(*rest)
    return _tuple_test([fitting(part) for part in rest])


def _is_int(value: Any) -> bool:
    return type(value) is int or isinstance(value, np.integer)


def _is_number(value: Any) -> bool:
    return type(value) is float or isinstance(value, int | float | np.integer | np.floating)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _array_test(dtype: str, dimensions: int, layout: str, writable: bool) -> Fits:
    kind = np.dtype(dtype)
    flags = _ALIGNED | _CONTIGUOUS[layout] | (_WRITABLE if writable else 0)

    def fits(value: Any) -> bool:
        return (
            type(value) is np.ndarray
            and value.dtype == kind
            and value.ndim == dimensions
            and value.flags.num & flags == flags
        )

    return fits


def _tuple_test(tests: Sequence[Fits]) -> Fits:
    def fits(value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(tests)
            and all(test(part) for test, part in zip(tests, value, strict=True))
        )

    return fits


def fitted(form: Form, value: Any, copies: list[tuple[Any, Any]]) -> Any:
    """The value in a form it does not have: arrays as copies, listed with their originals. Nothing loses its value.

    >>> copies = []
    >>> fitted(["array", "int64", 1, "C", True], np.arange(6, dtype=np.int32)[::2], copies), len(copies)
    (array([0, 2, 4]), 1)
    """
    if fitting(form)(value):
        return value
    if isinstance(form, str) or not isinstance(value, np.ndarray | tuple):
        raise TypeError(f"{value!r} is no {form}")
    kind, *rest = form
    if kind == "tuple" and isinstance(value, tuple) and len(value) == len(rest):
        parts = [fitted(part, one, copies) for part, one in zip(rest, value, strict=True)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if kind != "array" or not isinstance(value, np.ndarray) or value.ndim != rest[1]:
        raise TypeError(f"{value!r} is no {form}")
    copy = value.astype(rest[0], order=rest[2] if rest[2] in "CF" else "C", casting="safe", copy=True)
    copies.append((value, copy))
    return copy
