"""How much room an archive takes, by site, kind and age, and when its disk is full at the pace of the last weeks."""

import shutil
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from threading import Lock
from typing import Any, Final

from strandline.archive.disk_space import reserve_of
from strandline.archive.folder import Archive
from strandline.store.catalog import DATABASE
from strandline.store.retention import RetentionReading, Stored
from strandline.warc.compacted import DELTA, PACK

PACE: Final = 28 * 86_400.0
"""Seconds of the past by which the pace is measured."""
SOON: Final = 14.0
"""Days from which on a disk that fills is an alarm."""
_FAR: Final = 3_652.0
"""Days from which on no pace of today says anything. Origin: a guess."""
_DAY: Final = 86_400.0
_RECOUNT: Final = 3_600.0
"""Seconds after which everything is counted anew."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """When there will be no room left but the reserve."""

    free: int | None
    """None where nobody can tell, as of an object store."""
    reserve: int | None
    a_day: float
    """Bytes written a day."""
    days: float | None
    """Until the reserve is reached; None when nothing is written."""

    @property
    def soon(self) -> bool:
        """Whether somebody should see to it."""
        return self.days is not None and self.days < SOON

    @property
    def far(self) -> bool:
        """Whether it is too far off to name a day."""
        return self.days is not None and self.days > _FAR


@dataclass(frozen=True, slots=True)
class Storage:
    """Room by what takes it."""

    files: dict[str, int]
    """WARC files, packs, catalog, indexes, the rest: bytes on disk, or in a database and an object store."""
    stored: tuple[Stored, ...]
    forecast: Forecast

    def by(self, what: str) -> list[tuple[str, int, int]]:
        """Name, captures and bytes by `site`, `kind` or `year`, the largest first."""
        captures: Counter[str] = Counter()
        octets: Counter[str] = Counter()
        for one in self.stored:
            name = str(getattr(one, what))
            captures[name] += one.captures
            octets[name] += one.bytes
        return [(name, captures[name], size) for name, size in octets.most_common()]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        rows = {
            what: [{what: name, "captures": count, "bytes": size} for name, count, size in self.by(what)]
            for what in ("site", "kind", "year")
        }
        forecast = {name: getattr(self.forecast, name) for name in ("free", "reserve", "a_day", "days")}
        return {"files": self.files, "sites": rows["site"], "kinds": rows["kind"], "years": rows["year"]} | {
            "forecast": forecast
        }


class StoredSums:
    """Sums for whoever is asked again and again, like the interface: what was captured since is added. What was dropped
    or compacted meanwhile is noticed when files went, or after an hour.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._seq = self._file = 0
        self._counted = -_RECOUNT
        self._sums: dict[tuple[str, str, int], tuple[int, int]] = {}
        self._days: dict[int, tuple[int, float]] = {}

    def stored(self, reading: RetentionReading) -> tuple[Stored, ...]:
        """Bytes by site, kind and year, the largest first."""
        with self._lock:
            newest, file = reading.written_files()
            if newest < self._seq or file != self._file or time.monotonic() >= self._counted + _RECOUNT:
                self._seq, self._file, self._counted = 0, file, time.monotonic()
                self._sums, self._days = {}, {}
            for one in reading.stored(self._seq, newest):
                count, octets = self._sums.get((one.site, one.kind, one.year), (0, 0))
                self._sums[one.site, one.kind, one.year] = count + one.captures, octets + one.bytes
            for day, octets, first in reading.written_on(self._seq, newest):
                before, earliest = self._days.get(day, (0, first))
                self._days[day] = before + octets, min(first, earliest)
            self._seq = newest
            found = [Stored(*names, *sums) for names, sums in self._sums.items()]
        return tuple(sorted(found, key=lambda one: -one.bytes))

    def written_since(self, moment: float) -> tuple[int, float]:
        """Bytes of captures since the day of a moment, and when the first of them was made; 0 for none."""
        with self._lock:
            some = [one for day, one in self._days.items() if (day + 1) * _DAY > moment]
        return sum(octets for octets, _ in some), min((first for _, first in some), default=0.0)


def pace(reading: RetentionReading | StoredSums, now: float) -> float:
    """Bytes written a day."""
    octets, first = reading.written_since(now - PACE)
    return octets / (max(now - first, _DAY) if octets else _DAY) * _DAY


def forecast(
    folder: Path, reading: RetentionReading | StoredSums, reserve: str, now: float
) -> Forecast:  # fmt: skip
    """The forecast of an archive folder."""
    free, left_alone = shutil.disk_usage(folder).free, reserve_of(reserve, folder)
    a_day = pace(reading, now)
    room = max(0, free - left_alone)
    return Forecast(free, left_alone, a_day, room / a_day if a_day else None)


@singledispatch
def storage(archive: Archive, now: float, sums: StoredSums | None = None) -> Storage:
    """The room of an archive folder; with `sums` of the last time it was asked. A cluster has its own
    (cluster/storage.py).
    """
    folder, reserve = archive.folder, archive.settings.keep.disk_reserve
    files: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            files[_kind(path.relative_to(folder))] += path.stat().st_blocks * 512
    with closing(RetentionReading.open(folder / DATABASE, everything=True)) as reading:
        if sums is None:
            return Storage(dict(files), tuple(reading.stored()), forecast(folder, reading, reserve, now))
        return Storage(dict(files), sums.stored(reading), forecast(folder, sums, reserve, now))


def _kind(path: Path) -> str:
    if path.parts[0] == "archive":
        return "packs" if path.name.endswith((PACK, DELTA)) else "warc"
    if path.name.startswith(DATABASE):
        return "catalog"
    return path.parts[0] if len(path.parts) > 1 else "settings"
