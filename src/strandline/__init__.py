"""Strandline: an adaptive web archiver.

    import strandline
    archive = strandline.open("./my-archive")          # a folder: WARC files, CDXJ, SQLite
    for capture in archive.captures("https://example.org/"):
        print(capture.time, capture.status, capture.revisit)

The names below are loaded when they are first used; every algorithm is importable from the module that defines it.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that tools know the types of what is loaded when it is first used
    from strandline.app.archive import Archive
    from strandline.app.comparing import Comparison, compare
    from strandline.app.crawling import CrawlRequest
    from strandline.app.opened import create_folder as create
    from strandline.app.opened import open_folder as open
    from strandline.app.planning import Planning
    from strandline.core.capture import Capture
    from strandline.core.plan.budget import Budget
    from strandline.core.plan.catalogue import make_strategy
    from strandline.core.plan.strategy import PageTable, Visit
    from strandline.crawl.orders import Limits
    from strandline.errors import StrandlineError, UsageError
    from strandline.settings.schema import Settings
    from strandline.simulate.grid import Request
    from strandline.simulate.world import Recipe, synthetic_world

__version__ = "0.1.0"

_NAMES = {
    "Archive": "strandline.app.archive",
    "Budget": "strandline.core.plan.budget",
    "Capture": "strandline.core.capture",
    "Comparison": "strandline.app.comparing",
    "CrawlRequest": "strandline.app.crawling",
    "Limits": "strandline.crawl.orders",
    "PageTable": "strandline.core.plan.strategy",
    "Planning": "strandline.app.planning",
    "Recipe": "strandline.simulate.world",
    "Request": "strandline.simulate.grid",
    "Settings": "strandline.settings.schema",
    "StrandlineError": "strandline.errors",
    "UsageError": "strandline.errors",
    "Visit": "strandline.core.plan.strategy",
    "compare": "strandline.app.comparing",
    "make_strategy": "strandline.core.plan.catalogue",
    "synthetic_world": "strandline.simulate.world",
}

__all__ = [
    "Archive",
    "Budget",
    "Capture",
    "Comparison",
    "CrawlRequest",
    "Limits",
    "PageTable",
    "Planning",
    "Recipe",
    "Request",
    "Settings",
    "StrandlineError",
    "UsageError",
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
    if name in ("create", "open"):
        return getattr(import_module("strandline.app.opened"), f"{name}_folder")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'strandline' has no attribute {name!r}")
