"""The fixity audit beside a watch: every stored byte is read again within a set time, a little at every step.

Which file was compared when is kept in the catalog, so that a restart goes on with the file that waited longest. A file
with a problem has an alarm of its own, which closes when the file was compared again and is sound.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from strandline.store.alarming import AlarmWriter
from strandline.warc.rolling import Compared, compared, missing_files, stored_files

_STEP: Final = 8 << 20
"""Most bytes compared in one step."""
_LONGEST: Final = 3600.0
"""Seconds a single file may take, so that a watch that is restarted every day gets through, too."""
_NOTE: Final = "audit"

Raise = Callable[[str, str, str], None]


class RollingAudit:
    """Compares files one after the other. `alarm` and `calm` are told of kind, file and why."""

    def __init__(self, archive: Path, within: float, catalog: AlarmWriter, alarm: Raise, calm: Raise) -> None:
        """`within` is the seconds in which everything is compared once; 0 compares nothing."""
        self._archive = archive
        self._within = within
        self._catalog = catalog
        self._alarm, self._calm = alarm, calm
        self._times = {name: float(json.loads(note)) for name, note in catalog.notes(_NOTE)}
        self._file = ""
        self._pieces: Iterator[Compared] = iter(())
        self._problems: list[str] = []
        self._looked = 0.0
        self._owed = 0.0
        self._pace = 0.0
        """Bytes a second."""

    def step(self, now: float) -> None:
        """Go on, as far as the pace asks for. `now` is UTC epoch seconds."""
        if self._within <= 0.0:
            return
        if not self._file and not self._begin(now):
            return
        self._owed = min(self._owed + self._pace * max(0.0, now - self._looked), float(_STEP))
        self._looked = now
        while self._owed > 0.0:
            piece = self._next()
            if piece is None:
                self._end(now)
                return
            self._owed -= piece.octets
            if piece.problem:
                self._problems.append(piece.problem)

    def _next(self) -> Compared | None:
        try:
            return next(self._pieces, None)
        except OSError as problem:  # what cannot be read is not as it was written
            self._problems.append(f"cannot be read: {problem.strerror}")
            return None

    def _begin(self, now: float) -> bool:
        """Choose the file that waited longest; False when none is due. Looks about ten times a day at most."""
        if 0.0 <= now - self._looked < self._within / 900.0:  # less than zero: the clock was set back
            return False
        self._looked = now
        files = stored_files(self._archive)
        self._missing()
        due = [(self._times.get(name, 0.0), name) for name in files]
        if not due or min(due)[0] > now - self._within:
            return False
        self._file = min(due)[1]
        sizes = {name: path.stat().st_size for name, path in files.items()}
        self._pace = max(sum(sizes.values()) / self._within, sizes[self._file] / _LONGEST)
        self._pieces = compared(self._archive, files[self._file])
        self._problems, self._owed = [], 1.0
        return True

    def _missing(self) -> None:
        for name in missing_files(self._archive):
            self._times.pop(name, None)  # should it come back, it is compared first
            self._alarm("fixity", name, f"{name} is missing; `strandline verify` lists what was in it")

    def _end(self, now: float) -> None:
        name, problems = self._file, self._problems
        self._file, self._problems = "", []
        self._times[name] = now
        self._catalog.keep_note(_NOTE, name, now)
        if problems:
            more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
            self._alarm("fixity", name, f"{name}: {problems[0]}{more}; `strandline verify` tells all")
        else:
            self._calm("fixity", name, f"{name} was compared again and is sound")
        self._looked = now - self._within  # the next file follows at once
