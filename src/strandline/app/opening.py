"""Opening what a command was given: an archive folder, or the address of a cluster's database in its place."""

from pathlib import Path

from strandline.app.archive import Archive
from strandline.app.archive import open_archive as open_folder


def is_cluster(place: Path) -> bool:
    """Whether a path is the address of a database."""
    return place.parts[:1] in (("postgresql:",), ("postgres:",))


def is_archive(place: Path) -> bool:
    """Whether a path may be an archive, not a file."""
    return is_cluster(place) or place.is_dir()


def open_archive(place: Path, create_missing: bool = False) -> Archive:
    """The archive in a folder, or the cluster at an address; UsageError when there is none."""
    if is_cluster(place):
        from strandline.app.cluster_archive import open_shared  # noqa: PLC0415 - needs the extra `cluster`

        return open_shared(place)
    return open_folder(place, create_missing)
