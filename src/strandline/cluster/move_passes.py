"""Passes of a move, whichever way it goes: what is to be brought is brought until little is left, then the rest.

The first pass goes through all rows, the others through those that were noted as touched since. Nothing is taken on
trust: rows are compared as they are written, captures counted, and in the end the bytes they lie in are looked for.
"""

import json
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Final

from strandline.cluster.move_ledger import Ledger
from strandline.cluster.moved_files import Moved
from strandline.core.wording import counted
from strandline.errors import ArchiveBusy, ArchiveDamaged
from strandline.store.postgres.levelling import Side, Target, level_all, level_touched
from strandline.store.postgres.moved import Digests, differences
from strandline.store.postgres.touched import Position, Touched

Say = Callable[[str], None]
_PASSES: Final = 6
"""Passes that are made at most while an archive is written. Origin: a guess; each is much shorter than the last."""
_SHORT: Final = 5.0
"""Seconds of a pass that is short enough: the archive may be stopped. Origin: a twelfth of the minute promised."""
_ROUNDS: Final = 5
"""How often what was written during the last pass is brought over before somebody is said to write. Origin: a guess."""
_LATE: Final = 10_000
"""Captures before the newest one of a pass that are counted again with those that came: workers commit in any order.
Origin: a guess, many times what is under way.
"""


@dataclass(frozen=True, slots=True)
class Pass:
    """What a pass brought over, and how long it took."""

    seconds: float
    rows: int
    octets: int


@dataclass(frozen=True, slots=True)
class Migration:
    """How far a move is."""

    captures: int
    files: int
    passes: tuple[Pass, ...]
    finished: bool
    rows_left: int = 0
    """Rows that were touched since the last pass."""
    octets_left: int = 0
    """Bytes of WARC files that were written since."""
    stop_seconds: float = 0.0
    """How long the move took in which nobody wrote; before that is made, how long it would take about."""


class Move(AbstractContextManager["Move"]):
    """A move that is under way: where rows and files come from and go to."""

    touched: Touched
    ledger: Ledger
    target: Target

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @abstractmethod
    def files(self, say: Say, last: bool) -> Moved:
        """Move WARC files."""

    @abstractmethod
    def octets_left(self) -> int:
        """Bytes of files that a last pass would move, as far as is known."""

    @abstractmethod
    def source(self) -> AbstractContextManager[tuple[Side, Position]]:
        """The source in one state, and what was noted by then."""

    @abstractmethod
    def digests(self, source: Side) -> tuple[Digests, Digests]:
        """Of all rows of the source and of the target."""

    @abstractmethod
    def ends(self, names: list[str]) -> dict[str, tuple[int, int]]:
        """Where files end at the source and at the target, 0 for none."""

    @abstractmethod
    def finish(self, say: Say) -> bool:
        """All is there: make the target ready, unless something was written meanwhile."""


def run_passes(move: Move, say: Say, while_running: bool, started: float) -> Migration:
    """Make passes until the next one would be short, or, when nobody writes any more, until all is there. The move was
    `started` before it was opened.
    """
    made: list[Pass] = []
    opening = time.monotonic() - started
    for _ in range(_PASSES if while_running else _ROUNDS):
        began = time.monotonic()
        moved = move.files(say, last=not while_running)
        rows, captures = _bring_rows(move, say, last=not while_running)
        ready = not while_running and move.finish(say)
        made.append(Pass(time.monotonic() - began, rows, moved.octets))
        if ready:
            took = time.monotonic() - started
            return Migration(captures, moved.files, tuple(made), True, stop_seconds=took)
        if while_running:
            said = f"pass {len(made)}: {counted(rows, 'row')} and {counted(moved.octets, 'byte')} of WARC files"
            say(f"{said} in {made[-1].seconds:.1f} s")
            if len(made) > 1 and (made[-1].seconds < _SHORT or len(made) == _PASSES):
                left = move.touched.waiting(), move.octets_left()
                return Migration(captures, moved.files, tuple(made), False, *left, opening + made[-1].seconds)
    raise ArchiveBusy(
        f"somebody writes the archive that is being moved: {counted(move.touched.waiting(), 'row')} touched during "
        "the last pass. Stop the interface, too, and run it again"
    )


def _bring_rows(move: Move, say: Say, last: bool) -> tuple[int, int]:
    """Bring over what the target does not have yet; how many rows were written, and how many captures there are."""
    state = json.loads(move.ledger.get("") or "{}")
    token = move.touched.token()
    known = bool(token) and state.get("token") == token
    token = token or move.touched.begin()

    def progress(table: str, count: int) -> None:
        say(f"{table}: {count} rows")

    try:
        with move.source() as (source, position):
            newest, since = _number(source, "SELECT coalesce(max(seq), 0) FROM captures"), int(state.get("seq", 0))
            if known and newest >= since:
                rows = level_touched(source, move.target, progress)
                captures = _number(source, "SELECT coalesce(sum(captures), 0) FROM hosts")
            else:  # begun just now, or the source is an older state of itself
                since, rows = 0, level_all(source, move.target, progress)
                captures = _number(source, "SELECT count(*) FROM captures")
                if last:
                    _compare(*move.digests(source))
            _check_new(move, source, max(since - _LATE, 0), last)
    except ArchiveDamaged:
        move.ledger.put("", "")  # the next pass compares everything
        raise
    move.ledger.put("", json.dumps({"token": token, "seq": newest}))
    move.touched.strike(position)
    return rows, captures


def _check_new(move: Move, source: Side, since: int, last: bool) -> None:
    """Captures behind a number must be there whatever was noted, and in the end the bytes they lie in, too."""
    count = "SELECT count(*) FROM captures WHERE seq > ?"
    here, there = _number(source, count, since), _number(move.target, count, since)
    if here != there:
        raise ArchiveDamaged(
            f"of {counted(here, 'capture')} behind number {since} {there} are at the target; run it again: everything "
            "is compared then. The source is as it was"
        )
    if last:
        query = "SELECT name FROM files WHERE file IN (SELECT file FROM captures WHERE seq > ?) ORDER BY name"
        for name, (here, there) in move.ends([str(name) for (name,) in source.ask(query, (since,))]).items():
            if there < here:
                raise ArchiveDamaged(f"{name}: {there} of {here} bytes are at the target; run it again")


def _number(side: Side, query: str, *values: object) -> int:
    return int(str(side.ask(query, values)[0][0]))


def _compare(one: Digests, other: Digests) -> None:
    """ArchiveDamaged when anything differs."""
    differ = differences(one, other)
    if differ:
        raise ArchiveDamaged(f"the two catalogs differ: {', '.join(differ)}; run it again. The source was not changed")
