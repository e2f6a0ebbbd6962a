"""A function that runs as machine code: that which comes with the package, else compiled here by numba."""

import inspect
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from strandline.kernels.fitting import fitted
from strandline.kernels.shipped import Variant, guarded, variants


class Kernel:
    """Called like the function it was made of. Only the first call looks for machine code."""

    def __init__(self, function: Callable[..., Any], counts_references: bool) -> None:
        self.function = function
        self.counts_references = counts_references
        self._run: Callable[..., Any] = self._first_call
        self._shipped: Variant | None = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it with what was compiled for these arguments."""
        if named:
            arguments = self.whole(arguments, named)
        return self._run(*arguments)

    def whole(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments, in order, also those left out."""
        bound = inspect.signature(self.function).bind(*arguments, **named)
        bound.apply_defaults()
        return bound.args

    def _first_call(self, *arguments: Any) -> Any:
        found = variants(self.function.__module__, self.function.__qualname__)
        if found:
            self._shipped, self._run = found[0], self._with_copies
            for one in reversed(found):
                self._run = guarded()(one.run, one.forms, self._run)
        else:
            self._run = self.compiled_here
        return self._run(*arguments)

    def _with_copies(self, *arguments: Any) -> Any:
        """Arrays laid out otherwise, or of smaller numbers, are copied in, and what was written is copied out."""
        assert self._shipped is not None
        copies: list[tuple[Any, Any]] = []
        given = self.whole(arguments, {})
        fit = [fitted(form, value, copies) for form, value in zip(self._shipped.forms, given, strict=True)]
        result = self._shipped.run(*fit)
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
