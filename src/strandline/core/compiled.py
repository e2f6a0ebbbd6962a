"""One way to compile a numeric kernel, typed so that callers keep the signature of the Python function."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile with numba at the first call and keep the machine code on disk.

    Import kernels only from modules that a command needs: importing numba costs half a second of CPU.
    """
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(function))
