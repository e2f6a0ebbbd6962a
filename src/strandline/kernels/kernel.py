"""A function that runs as machine code: that which comes with the package, else compiled here by numba."""

import inspect
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from strandline.kernels.fitting import fitted
from strandline.kernels.shipped import Variant, variants


class Kernel:
    """Called like the function it was made of. Only the first call looks for machine code."""

    def __init__(self, function: Callable[..., Any], counts_references: bool) -> None:
        self.function = function
        self.counts_references = counts_references
        self._shipped: Variant | None = None
        self._more: list[Variant] = []
        self._looked = False
        self._count = function.__code__.co_argcount
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it with what was compiled for these arguments."""
        if named or len(arguments) != self._count:
            arguments = self.whole(arguments, named)
        shipped = self._shipped
        if shipped is not None:
            for test, value in zip(shipped.fits, arguments, strict=True):
                if not test(value):
                    break
            else:
                return shipped.run(*arguments)
        return self._otherwise(arguments)

    def whole(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments, in order, also those left out."""
        bound = inspect.signature(self.function).bind(*arguments, **named)
        bound.apply_defaults()
        return bound.args

    def _otherwise(self, arguments: tuple[Any, ...]) -> Any:
        if not self._looked:
            self._looked = True
            found = variants(self.function.__module__, self.function.__qualname__)
            if found:
                self._shipped, *self._more = found
                return self(*arguments)
        for one in self._more:
            if all(test(value) for test, value in zip(one.fits, arguments, strict=True)):
                return one.run(*arguments)
        if self._shipped is not None:
            return self._with_copies(self._shipped, arguments)
        return self.compiled_here(*arguments)

    def _with_copies(self, shipped: Variant, arguments: tuple[Any, ...]) -> Any:
        """Arrays laid out otherwise, or of smaller numbers, are copied in, and what was written is copied out."""
        copies: list[tuple[Any, Any]] = []
        fit = [fitted(form, value, copies) for form, value in zip(shipped.forms, arguments, strict=True)]
        result = shipped.run(*fit)
        for original, copy in copies:
            if original.flags.writeable:
                original[...] = copy
        return result

    @cached_property
    def compiled_here(self) -> Callable[..., Any]:
        """By numba, at the first call. As Python it would not only be slow: its numbers do not wrap around."""
        try:
            import numba  # noqa: PLC0415  -- half a second of CPU that only those without machine code pay
        except ImportError:
            raise ModuleNotFoundError(
                f"no machine code for {self.function.__name__} fits this Python and architecture: "
                "pip install 'strandline[compile]'",
                name="numba",
            ) from None
        options: dict[str, Any] = {} if self.counts_references else {"_nrt": False}
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True, **options)(self.function)
        return compiled

    @property
    def _numba_type_(self) -> Any:
        """What numba sees where one kernel calls another."""
        return self.compiled_here._numba_type_  # type: ignore[attr-defined]
