"""What a folder of another tool holds, as the readers of each tool tell it: files that are taken in as they are,
versions that become records, and what is left out and why.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from strandline.core.urls import canonical
from strandline.exchange.page_versions import PageVersion

LARGEST = 64 << 20
"""Bytes of a version that are read into memory. Origin: a bound on memory."""


def _none(_refused: Collection[Path]) -> Iterator[PageVersion]:
    return iter(())


@dataclass(slots=True)
class Holding:
    """What there is to be taken in."""

    kind: str
    files: list[Path] = field(default_factory=list)
    """WARC and WACZ files."""
    versions: Callable[[Collection[Path]], Iterator[PageVersion]] = _none
    """Other versions, those of a page in the order of time; asked for after the files, and told which were refused."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many things were left out, by what they are; grows while versions are read."""
    notes: list[str] = field(default_factory=list)
    """What else a reader of the report should know."""


def inside(root: Path, path: Path) -> bool:
    """Whether a path is a file of a folder, and not a link that leads out of it."""
    return path.is_file() and path.resolve().is_relative_to(root.resolve())


def is_address(url: object) -> bool:
    """Whether something can be the address of a page."""
    try:
        return isinstance(url, str) and canonical(url).startswith(("http://", "https://"))
    except ValueError:
        return False


def content_type(name: str, body: bytes) -> str:
    """The type of a version by the name of its file, empty for what is no page; UTF-8 where it is."""
    found = _TYPES.get(name.rpartition(".")[2].lower(), "")
    if not found or found == "application/pdf":
        return found
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return found
    return f"{found}; charset=utf-8"


_TYPES = {
    "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "txt": "text/plain", "md":
    "text/markdown", "markdown": "text/markdown", "json": "application/json", "geojson": "application/geo+json",
    "csv": "text/csv", "tsv": "text/tab-separated-values", "xml": "application/xml", "rss": "application/rss+xml",
    "atom": "application/atom+xml", "pdf": "application/pdf",
}  # fmt: skip
