"""Strandline: an adaptive web archiver.

    import strandline
    archive = strandline.open("./my-archive")          # a folder: WARC files, CDXJ, SQLite
    for capture in archive.captures("https://example.org/"):
        print(capture.time, capture.status, capture.revisit)

The names below are loaded when they are first used; every algorithm is importable from the module that defines it.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "Archive": "strandline.app.archive",
    "Capture": "strandline.core.capture",
    "CrawlRequest": "strandline.app.crawling",
    "Settings": "strandline.settings.schema",
    "StrandlineError": "strandline.errors",
    "create": "strandline.app.archive",
}

__all__ = ["Archive", "Capture", "CrawlRequest", "Settings", "StrandlineError", "create", "open"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name == "open":
        return import_module("strandline.app.archive").open_archive
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'strandline' has no attribute {name!r}")
