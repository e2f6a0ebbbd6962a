"""What pages share, cut into pieces that are written only when they have changed.

How busy each directory was by day is by far the most of it, and what an hour's captures say is of the last days: tables
of days are cut by them, so that days long past are written once. Other large tables are cut by rows, so that a piece
takes little memory while it is packed; a new directory has nothing to say of the past, so rows of zeros at the end of a
piece are left out, and are there again when it is read. What is small stays together.
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
LARGEST: Final = 1 << 23
"""Bytes of a piece of a table that is cut by rows, at most. Origin: a bound on memory."""
_ROWS: Final = "|"
"""Stands in the name of a piece before the first of its rows, if that is not the first of the table.
Origin: a definition."""


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
            rows = max(1, LARGEST * len(table) // table.nbytes)
            for first in range(0, len(table), rows):
                yield f"{name}{_ROWS}{first}" if first else name, _without_blank_end(table[first : first + rows])


def mark_of(piece: Array) -> str:
    """Changes with the content."""
    content = np.ascontiguousarray(piece)
    return f"{xxhash.xxh3_64_hexdigest(content.reshape(-1).view(np.uint8).data)} {content.shape}"


def shapes(shared: Shared) -> dict[str, list[int]]:
    """Of the tables that pieces are of, for `joined`."""
    return {name: list(table.shape) for name, table in shared.items() if name == BY_DAYS or table.nbytes >= LARGE}


def joined(shape: Mapping[str, list[int]], found: Iterator[tuple[str, Array]]) -> dict[str, Array]:
    """Tables as they were, from their pieces; that of directories has room for more of them."""
    directories, *row = shape[BY_DAYS]
    tables: dict[str, Array] = {BY_DAYS: np.zeros((with_spare(directories), *row))}
    for name, piece in found:
        table, by_days, first = name.partition(" ")
        if by_days:
            days = tables[table][:, int(first) : int(first) + DAYS]
            days[: len(piece)] = piece
            continue
        table, _, first = name.partition(_ROWS)
        if table not in tables:
            tables[table] = np.zeros(shape[table], piece.dtype)
        tables[table][int(first or 0) : int(first or 0) + len(piece)] = piece
    return tables


def _without_blank_end(table: Array) -> Array:
    told = table.reshape(len(table), -1).any(axis=1) if table.size else np.zeros(0, np.bool_)
    return table[: int(np.flatnonzero(told)[-1]) + 1 if told.any() else 0]
