"""Which tool a folder or file comes from, and what it holds."""

from collections.abc import Callable, Mapping
from pathlib import Path

from strandline.archive.given_files import missing
from strandline.errors import UsageError
from strandline.exchange.archivebox import is_archivebox, read_archivebox
from strandline.exchange.changedetection import is_changedetection, read_changedetection
from strandline.exchange.git_history import is_git, read_git
from strandline.exchange.holding import Holding
from strandline.exchange.warc_folder import is_old_index, is_warc_folder, read_old_index, read_warc_folder

KINDS = ("archivebox", "changedetection", "git", "warc", "cdx")
"""What `--kind` may say, in the order in which a folder is tried."""


def held_by(source: Path, kind: str = "", addresses: Mapping[str, str] | None = None) -> Holding | None:
    """What a folder or file of another tool holds; None for a file that is taken in as it is (WARC, WACZ, ...)."""
    if not source.exists():
        raise UsageError(f"{source}: {missing(source)}")
    if kind and kind not in KINDS:
        raise UsageError(f"--kind {kind}: one of {', '.join(KINDS)} is wanted")
    named = addresses or {}
    readers: dict[str, tuple[Callable[[Path], bool], Callable[[Path], Holding]]] = {
        "archivebox": (is_archivebox, read_archivebox),
        "changedetection": (is_changedetection, read_changedetection),
        "git": (is_git, lambda folder: read_git(folder, named)),
        "warc": (is_warc_folder, read_warc_folder),
        "cdx": (is_old_index, read_old_index),
    }
    if kind == "cdx" and source.is_dir():
        kind = "warc"
    fitting = [name for name, (fits, _) in readers.items() if (name == kind if kind else _fits(fits, source))]
    if fitting:
        if named and fitting[0] != "git":
            raise UsageError(f"--url is for repositories; {source} is {fitting[0]}")
        return readers[fitting[0]][1](source)
    if source.is_dir():
        raise UsageError(
            f"{source}: nothing that is known is in this folder; --kind says what it is ({', '.join(KINDS)})"
        )
    return None


def _fits(fits: Callable[[Path], bool], source: Path) -> bool:
    if source.is_file() and source.suffix.lower() not in (".zip", ".cdx", ".gz"):
        return False
    return fits(source)
