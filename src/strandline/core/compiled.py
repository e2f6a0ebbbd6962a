"""One way to mark a numeric kernel, typed so that callers keep the signature of the Python function."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from strandline.kernels.kernel import Kernel

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Run as machine code: that which comes with the package, or compiled at the first call where none fits."""
    return cast("Callable[P, R]", Kernel(function, counts_references=True))


def compiled_without_counting(function: Callable[P, R]) -> Callable[P, R]:
    """As `compiled`, for a function that only reads and writes arrays it is given, and allots and keeps none.

    Without counting references to arrays at every call, small functions take a third of the time.
    """
    return cast("Callable[P, R]", Kernel(function, counts_references=False))
