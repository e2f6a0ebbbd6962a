"""Strandline: an adaptive web archiver.

    import strandline
    archive = strandline.open("./my-archive")          # a folder: WARC files, CDXJ, SQLite
    for capture in archive.captures("https://example.org/"):
        print(capture.time, capture.status, capture.revisit)

The names below are loaded when they are first used; every algorithm is importable from the module that defines it.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "Archive": "strandline.app.archive",
    "Budget": "strandline.core.plan.budget",
    "Capture": "strandline.core.capture",
    "CrawlRequest": "strandline.app.crawling",
    "PageTable": "strandline.core.plan.strategy",
    "Planning": "strandline.app.planning",
    "Recipe": "strandline.simulate.world",
    "Request": "strandline.simulate.grid",
    "Settings": "strandline.settings.schema",
    "StrandlineError": "strandline.errors",
    "Visit": "strandline.core.plan.strategy",
    "compare": "strandline.app.comparing",
    "create": "strandline.app.archive",
    "make_strategy": "strandline.core.plan.catalogue",
    "synthetic_world": "strandline.simulate.world",
}

__all__ = [
    "Archive",
    "Budget",
    "Capture",
    "CrawlRequest",
    "PageTable",
    "Planning",
    "Recipe",
    "Request",
    "Settings",
    "StrandlineError",
    "Visit",
    "compare",
    "create",
    "make_strategy",
    "open",
    "simulate",
    "synthetic_world",
]


class _Simulate(ModuleType):
    """The folder of simulations; called, it runs one: strandline.simulate(world, request)."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as grid.simulate
        return import_module("strandline.simulate.grid").simulate(*arguments, **options)


simulate = import_module("strandline.simulate")
simulate.__class__ = _Simulate


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name == "open":
        return import_module("strandline.app.opened").open_folder
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'strandline' has no attribute {name!r}")
