"""Where a Parquet dataset lies, and where tasks write what they find: a folder all workers see, or an object store.

    place_at      a folder or s3://bucket/prefix -> the place of a dataset
    findings_of   a folder beside the dataset's tables for what tasks find, gone at the end
    writing_to    a folder of this machine for a task, sent to where it belongs; here, site_here: files for it to read

Tasks read and write files of their own machine only. With a folder nothing is copied.
"""

import re
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from strandline.engines.mining_dataset import MISSING, SiteFiles
from strandline.engines.mining_objects import ObjectPlace, ObjectStore, fetch
from strandline.engines.mining_place import DatasetPlace, FolderPlace, full_disk_named
from strandline.engines.mining_scratch import FINDINGS, Scratch
from strandline.errors import ArchiveDamaged, SettingError

_FORGOTTEN: Final = 2 * 86_400.0
"""Seconds after which nobody works with findings in an object store any more. Origin: a guess."""
_OURS: Final = re.compile(rf"{FINDINGS}([0-9a-f]+)-\w+/")
"""Findings in an object store: when they were begun, and a mark."""


class FindingsPlace(NamedTuple):
    """Where tasks write what they find: a folder, or a prefix in an object store."""

    folder: str
    store: str = ""


def place_at(place: Path | str) -> DatasetPlace:
    """A folder, or an address such as s3://bucket/prefix; SettingError for an address that is none."""
    if isinstance(place, str) and "://" in place:
        return ObjectPlace(_objects(place))
    return FolderPlace(Path(place))


def _objects(url: str) -> ObjectStore:
    try:
        from strandline.warc.objects import Objects  # noqa: PLC0415 - needs the extra `cluster`
    except ImportError:
        raise SettingError(MISSING) from None
    return Objects(url)


class ObjectFindings:
    """Findings in an object store, copied here as they are asked for."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._cache = Scratch()
        self._sweep()
        self.place = FindingsPlace(f"{FINDINGS}{int(time.time()):x}-{uuid.uuid4().hex}", objects.url)

    def local(self, file: str) -> str:
        """A path to read a file of findings from."""
        path = Path(self._cache.path) / file.rpartition("/")[2]
        if not path.exists():
            _fetch(self._objects, file, path)
        return str(path)

    def close(self) -> None:
        """Remove it all."""
        self._cache.close()
        self._objects.delete([name for name, _ in self._objects.names(f"{self.place.folder}/")])

    def _sweep(self) -> None:
        """What runs left that were killed long ago."""
        named = ((_OURS.match(name), name) for name, _ in self._objects.names(""))
        forgotten = time.time() - _FORGOTTEN
        self._objects.delete([name for ours, name in named if ours and int(ours[1], 16) < forgotten])


class FolderFindings:
    """Findings in a folder beside the dataset's tables."""

    def __init__(self, folder: Path) -> None:
        self._scratch = Scratch(folder, FINDINGS)
        self.place = FindingsPlace(self._scratch.path)

    def local(self, file: str) -> str:
        """Its path."""
        return file

    def close(self) -> None:
        """Remove it all."""
        self._scratch.close()


Findings = FolderFindings | ObjectFindings


def findings_of(place: DatasetPlace) -> Findings:
    """Room for what tasks find in a dataset; close it when it was kept."""
    if isinstance(place, ObjectPlace):
        return ObjectFindings(_objects(place.store))
    return FolderFindings(Path(place.name))


@contextmanager
def writing_to(place: FindingsPlace) -> Iterator[str]:
    """A folder of this machine for what a task finds; what is in it at the end is sent where it belongs."""
    if not place.store:
        yield place.folder
        return
    with Scratch() as scratch:
        yield scratch.path
        objects = _objects(place.store)
        for path in sorted(Path(scratch.path).iterdir()):
            objects.put(f"{place.folder}/{path.name}", path)


def sent(place: FindingsPlace, file: str) -> str:
    """How others find a file that a task wrote; an empty name stays empty."""
    return f"{place.folder}/{file.rpartition('/')[2]}" if place.store and file else file


@contextmanager
def here(place: FindingsPlace, files: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Files that other tasks wrote, by table, on this machine."""
    if not place.store:
        yield dict(files)
        return
    with Scratch() as scratch:
        found = {}
        objects = _objects(place.store)
        for table, name in files.items():
            found[table] = str(Path(scratch.path) / name.rpartition("/")[2])
            _fetch(objects, name, Path(found[table]))
        yield found


@contextmanager
def site_here(site: SiteFiles, spill: str) -> Iterator[SiteFiles]:
    """The files of a site on this machine."""
    if not site.store:
        yield site
        return
    with Scratch(Path(spill) if spill else None) as scratch:
        objects = _objects(site.store)
        found = {}
        for table, names in site.files.items():
            paths = [Path(scratch.path) / f"{table}-{number:06}.parquet" for number in range(len(names))]
            for name, path in zip(names, paths, strict=True):
                _fetch(objects, name, path)
            found[table] = tuple(map(str, paths))
        yield replace(site, files=found, store="")


def _fetch(objects: ObjectStore, name: str, target: Path) -> None:
    try:
        with full_disk_named(target.parent):
            fetch(objects, name, target)
    except FileNotFoundError:
        raise ArchiveDamaged(f"{objects.url}/{name} is missing; run the same command again") from None
