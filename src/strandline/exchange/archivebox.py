"""ArchiveBox: a data folder with `archive/TIMESTAMP/`, one for each page that was saved.

Each has `index.json` (address, and when each extractor ran), `warc/*.warc.gz` by wget, and what browsers made of the
page: `singlefile.html`, `output.html` (the DOM). Newer releases put these into folders of their own (`singlefile/`,
`dom/`). The WARC is taken; where there is none, or it is not sound, the page as SingleFile or the DOM has it.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from strandline.exchange.holding import LARGEST, Holding, inside, is_address
from strandline.exchange.page_versions import PageVersion

_PAGES = {
    "singlefile": ("singlefile.html", "singlefile/singlefile.html"),
    "dom": ("output.html", "dom/output.html"),
}
"""Files that hold a whole page, by extractor; the best first."""
_OTHERS = {
    "screenshot.png": "screenshots",
    "output.pdf": "printed pages (PDF)",
    "media": "media",
    "git": "git clones",
    "readability": "extracted articles",
    "mercury": "extracted articles",
}


@dataclass(frozen=True, slots=True)
class _Saved:
    """One folder of the archive."""

    folder: Path
    url: str
    ran: dict[str, float]
    """When each extractor last came to an end well."""
    time: float


def is_archivebox(folder: Path) -> bool:
    """Whether a folder is the data folder of ArchiveBox."""
    marks = (folder / "index.sqlite3", folder / "ArchiveBox.conf")
    return (folder / "archive").is_dir() and any(mark.is_file() for mark in marks)


def read_archivebox(folder: Path) -> Holding:
    """What its pages hold."""
    holding = Holding("archivebox")
    addresses = _addresses(folder / "index.sqlite3")
    without: list[tuple[_Saved, list[Path]]] = []
    for one in sorted((folder / "archive").iterdir()):
        if not one.is_dir():
            continue
        saved = _saved(one, addresses)
        if saved is None:
            holding.left_out["folders without the address of a page"] += 1
            continue
        warcs = [file for file in sorted(one.glob("**/warc/*.warc*")) if inside(folder, file)]
        holding.files += warcs
        without.append((saved, warcs))
        for name, what in _OTHERS.items():
            holding.left_out[what] += (one / name).exists()

    def versions(refused: Collection[Path]) -> Iterator[PageVersion]:
        pages = [saved for saved, warcs in without if all(file in refused for file in warcs)]
        yield from sorted_versions(folder, pages, holding.left_out)

    holding.versions = versions
    return holding


def sorted_versions(root: Path, pages: list[_Saved], left_out: Counter[str]) -> Iterator[PageVersion]:
    """The pages that no WARC file holds, in the order of time."""
    found: list[tuple[float, _Saved, Path]] = []
    for saved in pages:
        files = ((maker, saved.folder / name) for maker, names in _PAGES.items() for name in names)
        made = next(((maker, file) for maker, file in files if inside(root, file)), None)
        if made is None:
            left_out["pages without a WARC file, SingleFile or DOM"] += 1
        elif made[1].stat().st_size > LARGEST:
            left_out[f"pages of more than {LARGEST >> 20} MiB"] += 1
        else:
            found.append((saved.ran.get(made[0], saved.time), saved, made[1]))
    for time, saved, file in sorted(found, key=lambda one: one[0]):
        origin = f"ArchiveBox {saved.folder.name}/{file.name}"
        yield PageVersion(saved.url, time, file.read_bytes(), origin=origin)


def _saved(folder: Path, addresses: dict[str, str]) -> _Saved | None:
    """What a folder says of itself; the database knows the address of one that says nothing."""
    try:
        said = json.loads((folder / "index.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        said = {}
    said = said if isinstance(said, dict) else {}
    url = said.get("url") or addresses.get(folder.name, "")
    try:
        began = float(folder.name)
    except ValueError:
        began = _seconds(said.get("timestamp"))
    if not is_address(url) or not began:
        return None
    ran: dict[str, float] = {}
    history = said.get("history")
    for maker, results in history.items() if isinstance(history, dict) else ():
        for one in results if isinstance(results, list) else ():
            if isinstance(one, dict) and one.get("status") == "succeeded" and (time := _seconds(one.get("start_ts"))):
                ran[maker] = time
    return _Saved(folder, url, ran, began)


def _seconds(value: object) -> float:
    """A time as `index.json` has it: ISO 8601, or seconds as text; 0 for none."""
    text = str(value or "")
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _addresses(database: Path) -> dict[str, str]:
    """Addresses by folder, as the database has them."""
    try:
        with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return dict(connection.execute("SELECT timestamp, url FROM core_snapshot"))
    except (sqlite3.Error, OSError):
        return {}
