"""Captures of the pages of a site as two columns: pages as objects take ten times the memory of their captures."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Looked(Protocol):
    """The captures of a page: when, and which of them found a change."""

    @property
    def times(self) -> Floats:
        """In their order."""

    @property
    def changed(self) -> Flags:
        """The first never does."""


class Looks(NamedTuple):
    """Those of one page."""

    times: Floats
    changed: Flags


class PackedLooks(Sequence[Looks]):
    """Those of many pages.

    >>> packed = PackedLooks([Looks(np.arange(2.0), np.array([False, True])), Looks(np.arange(1.0), np.array([False]))])
    >>> len(packed), packed[-1].times.tolist(), [one.changed.any().item() for one in packed]
    (2, [0.0], [True, False])
    """

    def __init__(self, pages: Sequence[Looked]) -> None:
        self._ends = np.cumsum([0, *(one.times.size for one in pages)])
        self._times = np.concatenate([np.empty(0), *(one.times for one in pages)])
        self._changed = np.concatenate([np.empty(0, np.bool_), *(one.changed for one in pages)])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> Looks: ...
    @overload
    def __getitem__(self, place: slice) -> list[Looks]: ...
    def __getitem__(self, place: int | slice) -> Looks | list[Looks]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        own = slice(self._ends[number], self._ends[number + 1])
        return Looks(self._times[own], self._changed[own])

    def __iter__(self) -> Iterator[Looks]:
        begin = 0
        for end in self._ends[1:].tolist():
            yield Looks(self._times[begin:end], self._changed[begin:end])
            begin = end
