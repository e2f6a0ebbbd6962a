"""What plans believe, kept in the catalog part by part: what it takes hangs on what was captured since, not on how many
pages there are.

    head        the last capture it rests on, what sitemaps said, and which parts there are, in the order of writing
    common      what pages share, and what each page expects of its neighbours: small tables together, pieces of large
                ones only when they have changed (kept_pieces.py)
    parts       rows of pages: a *stretch* of so many rows that follow one another, or just the rows that captures have
                taught since the last time

Later parts hold for their rows, whatever earlier ones say. Each time a few stretches are written anew, in turn, so that
rows by themselves are soon written by all stretches after them, and are removed. Everything is written in one
transaction: a watch that is killed finds what it kept before.
"""

import json
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from strandline.core.beliefs.page_beliefs import Part
from strandline.core.plan.strategy import Rows
from strandline.learn.experience import BELIEFS, Learned
from strandline.plan.claims import Claims
from strandline.plan.kept_pieces import Piece, joined, rewritten, shapes, small_ones
from strandline.plan.packed_arrays import packed, unpacked

STRETCH: Final = 8_192
"""Rows of a stretch. Origin: a bound on memory."""
_FORM: Final = 9
"""Of what is kept; another one is learned anew. Origin: a definition."""
_BEFORE: Final = (7, 8)
"""Of releases that took the sitemaps and feeds of a site for one source: understood. Origin: a definition."""
_MANY_DIRECTORIES: Final = 10
"""The same where the days of directories have places of their own, which older releases cannot read.
Origin: a definition."""
_PIECE: Final = "piece"
"""What a piece is called in its note. Origin: a definition."""
_TRIES: Final = 5
"""Times that a reader begins again because a watch has kept something meanwhile. Origin: a guess."""

Notes = Iterable[tuple[str, bytes | None]]


class NoteReading(Protocol):
    """Where notes are read."""

    def note(self, kind: str, key: str) -> bytes | None:
        """Small learned state, as it was kept."""

    def note_keys(self, kind: str) -> list[str]:
        """Keys of all that was kept of a kind."""


class NoteKeeping(Protocol):
    """Where notes are kept."""

    def note(self, kind: str, values: Notes) -> None:
        """Keep all of them, or none; None removes."""

    @property
    def reading(self) -> NoteReading:
        """The reading side."""


class Beliefs(NamedTuple):
    """What is kept: pages in the order of rows, what was learned of them, and the last capture it rests on."""

    pages: Sequence[int]
    learned: Learned
    seq: int
    claims: Claims
    said_until: float
    zones: int


class Written(NamedTuple):
    """A part that is to be written: its number, its stretch (-1: rows by themselves) and its rows."""

    number: int
    stretch: int
    rows: Rows


class Parts:
    """Which parts there are, in the order they were written.

    >>> parts = Parts()
    >>> written, removed = parts.write(3, np.array([1]))
    >>> [(one.number, one.stretch, one.rows.tolist()) for one in written], parts.common, removed
    ([(1, 0, [0, 1, 2])], 0, [])
    """

    def __init__(
        self, order: Iterable[Sequence[int]] = (), following: int = 0, turn: int = 0, common: int = -1
    ) -> None:
        self._order = [(int(number), int(stretch)) for number, stretch in order]
        self._following = following
        self._turn = turn
        self.common = common
        """Number of what pages share. No number is used twice: whoever reads meanwhile notices."""

    @property
    def numbers(self) -> list[int]:
        """Of the parts, in the order they were written."""
        return [number for number, _ in self._order]

    def next_number(self) -> int:
        """For one more note; no part has it."""
        self._following += 1
        return self._following - 1

    def as_data(self) -> list[Any]:
        """For JSON: what the constructor takes."""
        return [self._order, self._following, self._turn, self.common]

    def write(self, count: int, taught: Rows) -> tuple[list[Written], list[int]]:
        """Parts to be written now that there are so many rows and some of them were taught; numbers of those that are
        no longer needed.
        """
        anew = self._stretches(count, len(taught))
        alone = taught[~np.isin(taught // STRETCH, anew)]
        chunks = [(-1, alone[start : start + STRETCH]) for start in range(0, len(alone), STRETCH)]
        chunks += [(one, np.arange(one * STRETCH, min(count, (one + 1) * STRETCH))) for one in anew]
        removed = [number for number, stretch in self._order if stretch in anew]
        removed += [self.common] if self.common >= 0 else []
        self.common = self._following
        written = [Written(self.common + n, *chunk) for n, chunk in enumerate(chunks, 1)]
        self._following += 1 + len(written)
        self._order = [one for one in self._order if one[1] not in anew]
        self._order += [(one.number, one.stretch) for one in written]
        while self._order and self._order[0][1] < 0:  # all stretches were written after it
            removed.append(self._order.pop(0)[0])
        return written, removed

    def _stretches(self, count: int, taught: int) -> list[int]:
        """Those that were never written, and those whose turn it is: all had theirs when half as many rows were taught
        as there are.
        """
        there = sorted({stretch for _, stretch in self._order if stretch >= 0})
        found = [one for one in range(-(-count // STRETCH)) if one not in there]
        for _ in range(min(len(there), -(-2 * taught // STRETCH))):
            found.append(there[self._turn % len(there)])
            self._turn += 1
        return sorted(found)


class KeptBeliefs:
    """What was kept of one plan, and how more is kept."""

    def __init__(self) -> None:
        self._parts: Parts | None = None
        self._pieces: dict[str, Piece] = {}
        self._rows = 0

    @property
    def there(self) -> bool:
        """Whether something was kept, or read."""
        return self._parts is not None

    def read(self, reading: NoteReading) -> Beliefs | None:
        """What was kept; None for nothing, or something of another release."""
        for _ in range(_TRIES):
            head = _head(reading)
            if head is None:
                return None
            parts = Parts(*head["parts"])
            try:
                found = _read(reading, head, parts)
            except LookupError:  # removed by a watch that has just kept more
                continue
            except (ValueError, OSError, zlib.error, zipfile.BadZipFile):
                return None
            self._parts, self._rows = parts, len(found.pages)
            self._pieces = _pieces(head)
            return found
        return None

    def keep(self, catalog: NoteKeeping, beliefs: Beliefs) -> None:
        """Keep what was learned since the last time; everything, if there was none or it failed."""
        known, self._parts = self._parts, None
        left = [] if known else [_number(key) for key in catalog.reading.note_keys(BELIEFS[0]) if key != BELIEFS[1]]
        parts = known or Parts(following=1 + max(left, default=-1))
        count, taught = len(beliefs.pages), beliefs.learned.take_taught()
        new = np.arange(self._rows if known else 0, count)
        written, removed = parts.write(count, np.union1d(taught, new))
        columns, shared = beliefs.learned.state()
        pieces = rewritten(self._pieces if known else {}, shared, parts.next_number)
        narrow = {"form": _MANY_DIRECTORIES} if "days.shelf" in shared else {}
        head = _described(beliefs, parts) | narrow | {"pieces": pieces.kept, "shapes": shapes(shared)}
        gone = [*left, *removed, *pieces.gone]

        def notes() -> Iterator[tuple[str, bytes | None]]:
            yield from ((_key(number), None) for number in gone)
            yield BELIEFS[1], json.dumps(head).encode()
            yield _key(parts.common), packed(small_ones(shared))
            yield from ((_key(number), packed({_PIECE: piece})) for number, piece in pieces.anew)
            pages = np.array(beliefs.pages, dtype=np.int64)
            for one in written:
                values = {name: column[one.rows] for name, column in columns.items()}
                yield _key(one.number), packed({**values, "page": pages[one.rows], "row": one.rows})

        catalog.note(BELIEFS[0], notes())
        self._parts, self._pieces, self._rows = parts, pieces.kept, count


def _described(beliefs: Beliefs, parts: Parts) -> dict[str, Any]:
    return {
        "form": _FORM,
        "seq": beliefs.seq,
        "claims": beliefs.claims.as_data(),
        "said_until": beliefs.said_until,
        "zones": beliefs.zones,
        "count": len(beliefs.pages),
        "parts": parts.as_data(),
    }


def _key(number: int) -> str:
    return f"{BELIEFS[1]} {number}"


def _number(key: str) -> int:
    return int(key.rpartition(" ")[2])


def _pieces(head: Mapping[str, Any]) -> dict[str, Piece]:
    return {name: Piece(*piece) for name, piece in head["pieces"].items()}


def _head(reading: NoteReading) -> dict[str, Any] | None:
    data = reading.note(*BELIEFS)
    try:
        head: Any = json.loads(data or b"null")
    except ValueError:
        return None
    return head if isinstance(head, dict) and head.get("form") in (_FORM, _MANY_DIRECTORIES, *_BEFORE) else None


def _read(reading: NoteReading, head: Mapping[str, Any], parts: Parts) -> Beliefs:
    """What a head tells of; LookupError for a part that is no longer there."""

    def part(number: int) -> dict[str, NDArray[Any]]:
        data = reading.note(BELIEFS[0], _key(number))
        if data is None:
            raise LookupError(number)
        return unpacked(data)

    pages = np.zeros(int(head["count"]), dtype=np.int64)

    def some() -> Iterator[Part]:
        for number in parts.numbers:
            found = part(number)
            rows = found.pop("row")
            pages[rows] = found.pop("page")
            yield rows, found

    shared = part(parts.common)
    shared |= joined(head["shapes"], ((name, part(piece.number)[_PIECE]) for name, piece in _pieces(head).items()))
    learned = Learned.from_parts(some(), shared)
    claims = Claims.from_data(head["claims"])
    numbers = array("q", pages.tobytes())  # as objects they would take five times the memory
    return Beliefs(numbers, learned, int(head["seq"]), claims, float(head["said_until"]), int(head["zones"]))
