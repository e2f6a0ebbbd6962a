"""Files that were named by people."""

from pathlib import Path


def missing(path: Path) -> str:
    """Why a path that should name a file does not."""
    return "a folder, not a file" if path.is_dir() else "no such file"
