"""What pages share, cut into pieces that are written only when they have changed.

How busy each directory was by day is by far the most of it, and what an hour's captures say is of the last days: tables
of days are cut by them, so that days long past are written once. Other large tables are a piece each; a new directory
has nothing to say of the past, so rows of zeros at the end of a piece are left out, and are there again when it is
read. What is small stays together.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from strandline.core.beliefs.group_clock import with_spare

Array = NDArray[Any]
Shared = Mapping[str, Array]

BY_DAYS: Final = "clock.directory"
"""The table that is cut: directories, days, two numbers. Origin: a definition."""
DAYS: Final = 32
"""Days of a piece of it. Origin: a guess; fewer make more notes, more are written again for one day."""
LARGE: Final = 1 << 16
"""Bytes from which on a table is a piece of its own. Origin: a guess."""


class Piece(NamedTuple):
    """A piece that was kept: number of its note, and a mark of its content."""

    number: int
    mark: str


class Rewriting(NamedTuple):
    """What becomes of pieces: where all of them are now, those to be written, numbers of notes no longer needed."""

    kept: dict[str, Piece]
    anew: list[tuple[int, Array]]
    gone: list[int]


def rewritten(before: Mapping[str, Piece], shared: Shared, new_number: Callable[[], int]) -> Rewriting:
    """Pieces that are others than before get notes of other numbers."""
    kept: dict[str, Piece] = {}
    anew: list[tuple[int, Array]] = []
    for name, piece in pieces(shared):
        there, mark = before.get(name), mark_of(piece)
        if there is None or there.mark != mark:
            there = Piece(new_number(), mark)
            anew.append((there.number, piece))
        kept[name] = there
    return Rewriting(kept, anew, [one.number for name, one in before.items() if kept.get(name) != one])


def small_ones(shared: Shared) -> dict[str, Array]:
    """What is no piece of its own."""
    return {name: table for name, table in shared.items() if name != BY_DAYS and table.nbytes < LARGE}


def pieces(shared: Shared) -> Iterator[tuple[str, Array]]:
    """All pieces by their names."""
    for name, table in shared.items():
        if name == BY_DAYS:
            for first in range(0, table.shape[1], DAYS):
                yield f"{name} {first}", _without_blank_end(table[:, first : first + DAYS])
        elif table.nbytes >= LARGE:
            yield name, _without_blank_end(table)


def mark_of(piece: Array) -> str:
    """Changes with the content."""
    content = np.ascontiguousarray(piece)
    return f"{xxhash.xxh3_64_hexdigest(content.tobytes())} {content.shape}"


def shapes(shared: Shared) -> dict[str, list[int]]:
    """Of the tables that pieces are of, for `joined`."""
    return {name: list(table.shape) for name, table in shared.items() if name == BY_DAYS or table.nbytes >= LARGE}


def joined(shape: Mapping[str, list[int]], found: Iterator[tuple[str, Array]]) -> dict[str, Array]:
    """Tables as they were, from their pieces; that of directories has room for more of them."""
    directories, *row = shape[BY_DAYS]
    tables: dict[str, Array] = {BY_DAYS: np.zeros((with_spare(directories), *row))}
    for name, piece in found:
        table, _, first = name.partition(" ")
        if first:
            days = tables[table][:, int(first) : int(first) + DAYS]
            days[: len(piece)] = piece
        else:
            tables[table] = np.zeros(shape[table], piece.dtype)
            tables[table][: len(piece)] = piece
    return tables


def _without_blank_end(table: Array) -> Array:
    told = table.reshape(len(table), -1).any(axis=1) if table.size else np.zeros(0, np.bool_)
    return table[: int(np.flatnonzero(told)[-1]) + 1 if told.any() else 0]
