"""Opening what a command was given: an archive folder, or the address of a cluster's database in its place."""

from pathlib import Path

from strandline.app.archive import Archive
from strandline.app.archive import open_archive as open_folder
from strandline.app.database_names import database_at
from strandline.app.place import FolderPlace, Place


def is_archive(place: Path) -> bool:
    """Whether a path may be an archive, not a file."""
    return bool(database_at(place)) or place.is_dir()


def open_archive(place: Path, create_missing: bool = False) -> Archive:
    """The archive in a folder, or the cluster at an address; UsageError when there is none."""
    database = database_at(place)
    if database:
        from strandline.app.cluster.archive import open_shared  # noqa: PLC0415 - needs the extra `cluster`

        return open_shared(database)
    return open_folder(place, create_missing)


def place_of(archive: Archive) -> Place:
    """Where an archive lives."""
    if database_at(archive.folder):
        from strandline.app.cluster.place import ClusterPlace  # noqa: PLC0415 - needs the extra `cluster`

        return ClusterPlace.of(archive)
    return FolderPlace(archive.folder)
