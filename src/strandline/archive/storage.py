"""How much room an archive takes, by site, kind and age, and when its disk is full at the pace of the last weeks."""

import shutil
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from strandline.archive.disk_space import reserve_of
from strandline.store.catalog import DATABASE
from strandline.store.retention import RetentionReading, Stored
from strandline.warc.compacted import DELTA, PACK

PACE: Final = 28 * 86_400.0
"""Seconds of the past by which the pace is measured."""
SOON: Final = 14.0
"""Days from which on a disk that fills is an alarm."""
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """When there will be no room left but the reserve."""

    free: int
    reserve: int
    a_day: float
    """Bytes written a day."""
    days: float | None
    """Until the reserve is reached; None when nothing is written."""

    @property
    def soon(self) -> bool:
        """Whether somebody should see to it."""
        return self.days is not None and self.days < SOON


@dataclass(frozen=True, slots=True)
class Storage:
    """Room by what takes it."""

    files: dict[str, int]
    """WARC files, packs, catalog, indexes, the rest: bytes on disk."""
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


def forecast(folder: Path, reading: RetentionReading, reserve: str, now: float) -> Forecast:
    """The forecast of an archive folder."""
    free, left_alone = shutil.disk_usage(folder).free, reserve_of(reserve, folder)
    octets, first = reading.written_since(now - PACE)
    span = max(now - first, _DAY) if octets else _DAY
    a_day = octets / span * _DAY
    room = max(0, free - left_alone)
    return Forecast(free, left_alone, a_day, room / a_day if a_day else None)


def storage(folder: Path, reserve: str, now: float) -> Storage:
    """The room of an archive folder."""
    files: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            files[_kind(path.relative_to(folder))] += path.stat().st_blocks * 512
    with closing(RetentionReading.open(folder / DATABASE, everything=True)) as reading:
        return Storage(dict(files), tuple(reading.stored()), forecast(folder, reading, reserve, now))


def _kind(path: Path) -> str:
    if path.parts[0] == "archive":
        return "packs" if path.name.endswith((PACK, DELTA)) else "warc"
    if path.name.startswith(DATABASE):
        return "catalog"
    return path.parts[0] if len(path.parts) > 1 else "settings"
