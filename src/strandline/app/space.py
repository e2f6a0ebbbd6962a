"""Room on disk: a reserve that is never written into, so that an archive can always be closed properly."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from strandline.settings.units import octets, size_text

_SHARE = 0.05
_MOST = 8 * 2**30


def reserve_of(setting: str, folder: Path) -> int:
    """Bytes to leave free on the disk of a folder; "auto" is 5 % of it, at most 8 GiB."""
    if setting.strip() == "auto":
        return min(_MOST, int(shutil.disk_usage(folder).total * _SHARE))
    return octets(setting)


def room_check(setting: str, folders: Sequence[Path]) -> Callable[[], str]:
    """A check that says which folder's disk is too full, empty when none is."""
    reserves = {folder: reserve_of(setting, folder) for folder in folders}

    def short() -> str:
        for folder, reserve in reserves.items():
            free = shutil.disk_usage(folder).free
            if free < reserve:
                return (
                    f"{folder}: {size_text(free)} free, less than the reserve of {size_text(reserve)} "
                    "(keep.disk_reserve); everything so far is safe, run the same command when there is room"
                )
        return ""

    return short
