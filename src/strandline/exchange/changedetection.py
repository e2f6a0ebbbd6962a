"""changedetection.io: its datastore folder, or a backup of it as ZIP.

Each watch has a folder named by its UUID with `history.txt`, lines `SECONDS,FILE`, and the files: the text of the
page after the watch's filters, `.txt`, packed as `.txt.br` when it is long. The address is in `watch.json` beside it,
in older releases in `url-watches.json`. Of the last two versions there is HTML, too; a history of one kind says what
changed, so it is taken only where every version has it.
"""

import json
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from strandline.core.content import decode
from strandline.errors import UsageError
from strandline.exchange.holding import LARGEST, Holding, is_address
from strandline.exchange.page_versions import PageVersion

_SETTINGS = ("url-watches.json", "changedetection.json")
_HISTORY = "history.txt"


class _Folder:
    """The datastore as files by name, whether it is a folder or a ZIP file; no link out of it is followed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zip = zipfile.ZipFile(path) if path.is_file() else None
        if self._zip:
            self._sizes = {info.filename: info.file_size for info in self._zip.infolist()}
        else:
            files = (file for pattern in ("*", "*/*") for file in path.glob(pattern) if file.is_file())
            kept = (file for file in files if not file.is_symlink() and not file.parent.is_symlink())
            self._sizes = {file.relative_to(path).as_posix(): file.stat().st_size for file in kept}

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def watches(self) -> list[str]:
        """Folders that have a history, or say that they are a watch."""
        found = {name.partition("/")[0] for name in self._sizes if name.endswith((f"/{_HISTORY}", "/watch.json"))}
        return sorted(found)

    def read(self, name: str) -> bytes | None:
        """A file; None for one that is not there, too large, or damaged."""
        if self._sizes.get(name, LARGEST + 1) > LARGEST:
            return None
        try:
            return self._zip.read(name) if self._zip else (self._path / name).read_bytes()
        except (OSError, zipfile.BadZipFile, RuntimeError, EOFError, NotImplementedError):
            return None

    def document(self, name: str) -> dict[str, object]:
        """A JSON object; empty when it is none."""
        try:
            found = json.loads(self.read(name) or b"{}")
        except (ValueError, RecursionError):
            found = {}
        return found if isinstance(found, dict) else {}


def is_changedetection(path: Path) -> bool:
    """Whether a folder or ZIP file is a datastore of changedetection.io."""
    try:
        folder = _Folder(path)
    except (OSError, zipfile.BadZipFile):
        return False
    return any(name in folder for name in _SETTINGS) and (path.is_dir() or bool(folder.watches()))


def read_changedetection(path: Path) -> Holding:
    """What its watches hold."""
    try:
        folder = _Folder(path)
    except (OSError, zipfile.BadZipFile) as problem:
        raise UsageError(f"{path}: {problem}") from None
    listed = folder.document(_SETTINGS[0]).get("watching")
    before = listed if isinstance(listed, dict) else {}
    holding = Holding("changedetection")

    def versions(_refused: Collection[Path]) -> Iterator[PageVersion]:
        for uuid in folder.watches():
            said = folder.document(f"{uuid}/watch.json") or before.get(uuid) or {}
            url = str(said.get("url", "") if isinstance(said, dict) else "").removeprefix("source:")
            if not is_address(url):
                holding.left_out["watches without the address of a page"] += 1
                continue
            yield from _versions_of(folder, uuid, url, holding.left_out)

    holding.versions = versions
    holding.notes.append("texts are what the watches' filters left of the pages")
    return holding


def _versions_of(folder: _Folder, uuid: str, url: str, left_out: Counter[str]) -> Iterator[PageVersion]:
    lines = (folder.read(f"{uuid}/{_HISTORY}") or b"").decode("utf-8", "replace").splitlines()
    history: list[tuple[float, str]] = []
    for line in lines:
        seconds, found, name = line.strip().partition(",")
        if found and seconds.isascii() and seconds.isdigit() and len(seconds) < 12:
            history.append((float(seconds), name.strip().replace("\\", "/").rpartition("/")[2]))
    if not history:
        left_out["watches without a history"] += 1
    pages = [_text(folder, f"{uuid}/{moment:.0f}.html") for moment, _ in sorted(history)]
    whole = all(page is not None for page in pages)
    if not whole:
        left_out["HTML of the last versions, of which older ones have the text only"] += sum(map(bool, pages))
    for (moment, name), page in zip(sorted(history), pages, strict=True):
        origin = f"changedetection.io {uuid}/{name}"
        if whole and page is not None:
            yield PageVersion(url, moment, page, "text/html; charset=utf-8", origin)
        elif not name.removesuffix(".br").endswith(".txt"):
            left_out[f"versions that are .{name.rpartition('.')[2][:8]} files"] += 1
        elif (text := _text(folder, f"{uuid}/{name}")) is None:
            left_out["versions whose file is missing or damaged"] += 1
        else:
            yield PageVersion(url, moment, text, "text/plain; charset=utf-8", origin)


def _text(folder: _Folder, name: str) -> bytes | None:
    """A file that may be packed, or be there without its ending because it was not packed after all."""
    plain = name.removesuffix(".br")
    if f"{plain}.br" in folder:
        found = decode(folder.read(f"{plain}.br") or b"", "br")
        return found.data if found.complete and not found.note else None
    return folder.read(plain)
