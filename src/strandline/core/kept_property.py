"""`cached_property` as in the standard library, without its lock.

Before Python 3.12 the first reading of a cached property takes a lock. What the core works out is the same whoever does
it, so two threads at once only do it twice, and comparing two versions of a page reads thousands of them.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class _Kept:
    """Works a value out when it is first read, and keeps it in the instance, where it is found from then on."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:  # noqa: ANN401 - any value
        if instance is None:
            return self
        found = instance.__dict__[self.name] = self.function(instance)
        return found


if TYPE_CHECKING:
    from functools import cached_property

    kept_property = cached_property
else:
    kept_property = _Kept
