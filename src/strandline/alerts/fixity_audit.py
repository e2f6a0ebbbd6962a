"""The fixity audit beside a watch: every stored byte is read again within a set time, a little at every step.

Which file was compared when is kept in the catalog, so that a restart goes on with the file that waited longest. A file
with a problem has an alarm of its own, which closes when the file was compared again and is sound. Where the files are,
in a folder or in an object store, is the affair of a shelf.
"""

import json
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from strandline.errors import ArchiveDamaged
from strandline.store.alarming import AlarmReading, AlarmWriter
from strandline.warc.rolling import Compared

_LONGEST: Final = 3600.0
"""Seconds a single file may take, so that a watch that is restarted every day gets through, too."""
_NOTE: Final = "audit"

Raise = Callable[[str, str, str], None]


class Shelf(Protocol):
    """Where WARC files are."""

    @property
    def at_once(self) -> int:
        """Most bytes compared in one step."""

    def sizes(self) -> dict[str, int]:
        """Files that are finished, and their bytes."""

    def missing(self) -> list[str]:
        """Files that should be there and are not."""

    def compared(self, name: str) -> Iterator[Compared]:
        """Compare a file with its checksums, piece by piece; nothing at all when there is no list of them."""


def found_sound(catalog: AlarmReading, since: float) -> set[str]:
    """Files that were compared since a moment and have no alarm: an audit may leave them out."""
    alarmed = {alarm.subject for alarm in catalog.open_alarms() if alarm.kind == "fixity"}
    return {name for name, note in catalog.notes(_NOTE) if float(json.loads(note)) >= since} - alarmed


def note_sound(catalog: AlarmWriter, name: str, now: float) -> None:
    """A file was compared and is sound."""
    catalog.keep_note(_NOTE, name, now)


def note_unsound(catalog: AlarmWriter, name: str) -> None:
    """A file was compared and is not as written: no audit leaves it out before it is found sound."""
    catalog.keep_note(_NOTE, name, 0.0)


class RollingAudit:
    """Compares files one after the other. `alarm` and `calm` are told of kind, file and why."""

    def __init__(self, shelf: Shelf, within: float, catalog: AlarmWriter, alarm: Raise, calm: Raise) -> None:
        """`within` is the seconds in which everything is compared once; 0 compares nothing."""
        self._shelf = shelf
        self._within = within
        self._catalog = catalog
        self._alarm, self._calm = alarm, calm
        self._times = {name: float(json.loads(note)) for name, note in catalog.notes(_NOTE)}
        self._file = ""
        self._pieces: Iterator[Compared] = iter(())
        self._problems: list[str] = []
        self._compared = False
        self._looked = 0.0
        self._owed = 0.0
        self._pace = 0.0
        """Bytes a second."""

    def step(self, now: float, stopped: Callable[[], bool] = lambda: False) -> None:
        """Go on, as far as the pace asks for, or until told to stop. `now` is UTC epoch seconds."""
        if self._within <= 0.0:
            return
        if not self._file and not self._begin(now):
            return
        self._owed = min(self._owed + self._pace * max(0.0, now - self._looked), float(self._shelf.at_once))
        self._looked = now
        while self._owed > 0.0 and not stopped():
            piece = self._next()
            if piece is None:
                self._end(now)
                return
            self._compared = True
            self._owed -= piece.octets
            if piece.problem:
                self._problems.append(piece.problem)

    def _next(self) -> Compared | None:
        try:
            return next(self._pieces, None)
        except OSError as problem:  # what cannot be read is not as it was written
            self._problems.append(f"cannot be read: {problem.strerror}")
            return None
        except ArchiveDamaged as problem:
            self._problems.append(str(problem))
            return None

    def _begin(self, now: float) -> bool:
        """Choose the file that waited longest; False when none is due. Looks about ten times a day at most."""
        if 0.0 <= now - self._looked < self._within / 900.0:  # less than zero: the clock was set back
            return False
        self._looked = now
        sizes = self._shelf.sizes()
        self._missing()
        due = [(self._times.get(name, 0.0), name) for name in sizes]
        if not due or min(due)[0] > now - self._within:
            return False
        self._file = min(due)[1]
        self._pace = max(sum(sizes.values()) / self._within, sizes[self._file] / _LONGEST)
        self._pieces = self._shelf.compared(self._file)
        self._problems, self._compared, self._owed = [], False, 1.0
        return True

    def _missing(self) -> None:
        for name in self._shelf.missing():
            self._times.pop(name, None)  # should it come back, it is compared first
            self._alarm("fixity", name, f"{name} is missing; `strandline verify` lists what was in it")

    def _end(self, now: float) -> None:
        name, problems = self._file, self._problems
        self._file, self._problems = "", []
        if problems:
            more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
            self._alarm("fixity", name, f"{name}: {problems[0]}{more}; `strandline verify` tells all")
        elif self._compared:
            self._calm("fixity", name, f"{name} was compared again and is sound")
        self._times[name] = now
        if problems or self._compared:  # one without a list of checksums is for `verify`, which must not leave it out
            self._catalog.keep_note(_NOTE, name, now)  # last: a crash before it compares the file once more
        self._looked = now - self._within  # the next file follows at once
