"""Room on disk: a reserve that is never written into, so that an archive can always be closed properly."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from strandline.settings.units import octets

_SHARE = 0.05
_MOST = 8 * 2**30


def reserve_of(setting: str, folder: Path) -> int:
    """Bytes to leave free on the disk of a folder; "auto" is 5 % of it, at most 8 GiB."""
    if setting.strip() == "auto":
        return min(_MOST, int(shutil.disk_usage(folder).total * _SHARE))
    return octets(setting)


def about(size: int) -> str:
    """Room as people say it.

    >>> about(72_543_219_712), about(5_000_000)
    ('67.6 GiB', '4.8 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


def room_check(setting: str, folders: Sequence[Path]) -> Callable[[], str]:
    """A check that says which folder's disk is too full, empty when none is."""
    reserves = {folder: reserve_of(setting, folder) for folder in folders}

    def short() -> str:
        for folder, reserve in reserves.items():
            free = shutil.disk_usage(folder).free
            if free < reserve:
                return (
                    f"{folder}: {about(free)} free, less than the reserve of {about(reserve)} "
                    "(keep.disk_reserve); everything so far is safe, run the same command when there is room"
                )
        return ""

    return short
