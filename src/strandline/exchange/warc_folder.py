"""Folders of WARC files with their index: what Browsertrix leaves of a crawl, exports of a Wayback Machine,
collections of pywb.

An index (CDX in its old form with a header line, or CDXJ) says which files belong to the export: those are taken, and
the report says which are missing and how many captures the index has. Without one all WARC files are taken. A WACZ
beside the WARC files it was made of brings nothing new.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from strandline.core.wording import counted
from strandline.exchange.holding import Holding, inside

WARCS = (".warc", ".warc.gz", ".warc.zst")
INDEXES = (".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz")
_LONGEST_LINE = 1 << 20
"""Bytes of a line of an index. Origin: a bound on memory."""
_OLD_FORM = b" CDX "
_FILE_COLUMN = "g"


def is_warc_folder(folder: Path) -> bool:
    """Whether there are WARC or WACZ files in a folder or below it."""
    return folder.is_dir() and any(_files(folder, (*WARCS, ".wacz")))


def read_warc_folder(folder: Path) -> Holding:
    """Its WARC files, those that an index names if there is one."""
    holding = Holding("warc")
    warcs = {file.name: file for file in _files(folder, WARCS)}
    for file in _files(folder, WARCS):
        holding.left_out["WARC files of a name that another one has"] += warcs[file.name] != file
    indexes = list(_files(folder, INDEXES))
    packages = list(_files(folder, (".wacz",)))
    if not indexes:
        holding.files = [*warcs.values(), *packages]
        return holding
    return _by_index(holding, indexes, warcs, packages)


def read_old_index(file: Path) -> Holding:
    """The WARC files that a CDX file names, if they are beside it or below."""
    return _by_index(Holding("cdx"), [file], {one.name: one for one in _files(file.parent, WARCS)}, [])


def is_old_index(file: Path) -> bool:
    """Whether a file is an index in the old form, of columns that its first line names."""
    if not file.is_file() or not file.name.lower().endswith(INDEXES):
        return False
    return next(_lines(file), b"").startswith(_OLD_FORM)


def _by_index(holding: Holding, indexes: list[Path], warcs: dict[str, Path], packages: list[Path]) -> Holding:
    captures, named = 0, set[str]()
    for index in indexes:
        for name in _named(index):
            captures += 1
            named.add(name)
    named.discard("")
    holding.notes.append(f"the index has {counted(captures, 'line')} and names {counted(len(named), 'WARC file')}")
    holding.left_out["WARC files that the index names and that are not here"] = len(named - warcs.keys())
    holding.left_out["WARC files that the index does not name"] = len(warcs.keys() - named)
    holding.files = [warcs[name] for name in sorted(named & warcs.keys())]
    if holding.files:
        holding.left_out["WACZ files beside the WARC files they are made of"] = len(packages)
    else:
        holding.files = packages
    holding.kind = "cdx"
    return holding


def _named(index: Path) -> Iterator[str]:
    """The name of a WARC file for each line; empty where there is none."""
    column = -1
    for line in _lines(index):
        if line.startswith(_OLD_FORM):
            letters = line.decode("utf-8", "replace").split()[1:]
            column = letters.index(_FILE_COLUMN) if _FILE_COLUMN in letters else -1
        elif column >= 0:
            fields = line.decode("utf-8", "replace").split()
            yield Path(fields[column]).name if len(fields) > column else ""
        elif line.strip() and not line.startswith(b"!"):
            yield _of_json(line)


def _of_json(line: bytes) -> str:
    try:
        fields = json.loads(line[line.index(b"{") :])
        return Path(str(fields["filename"])).name
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _lines(index: Path) -> Iterator[bytes]:
    try:
        with gzip.open(index, "rb") if index.suffix == ".gz" else index.open("rb") as lines:
            while line := lines.readline(_LONGEST_LINE):
                yield line
    except (OSError, EOFError):
        return


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.name.lower().endswith(endings) and inside(folder, file):
            yield file
