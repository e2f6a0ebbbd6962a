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

from strandline.version import __version__ as __version__

if TYPE_CHECKING:  # so that tools know the types of what is loaded when it is first used
    from strandline.archive.folder import Archive
    from strandline.core.capture import Capture
    from strandline.core.plan.budget import Budget
    from strandline.core.plan.strategy import PageTable, Visit
    from strandline.core.rivals.catalogue import make_strategy
    from strandline.crawl.orders import Limits
    from strandline.crawl.preparing import CrawlRequest
    from strandline.errors import StrandlineError, UsageError
    from strandline.lab.simulate.grid import Request
    from strandline.lab.simulate.world import Recipe, synthetic_world
    from strandline.plan.planning import Planning
    from strandline.python_archive import create_folder as create
    from strandline.python_archive import open_folder as open
    from strandline.settings.schema import Settings
    from strandline.study.comparing import Comparison, compare

_NAMES = {
    "Archive": "strandline.archive.folder",
    "Budget": "strandline.core.plan.budget",
    "Capture": "strandline.core.capture",
    "Comparison": "strandline.study.comparing",
    "CrawlRequest": "strandline.crawl.preparing",
    "Limits": "strandline.crawl.orders",
    "PageTable": "strandline.core.plan.strategy",
    "Planning": "strandline.plan.planning",
    "Recipe": "strandline.lab.simulate.world",
    "Request": "strandline.lab.simulate.grid",
    "Settings": "strandline.settings.schema",
    "StrandlineError": "strandline.errors",
    "UsageError": "strandline.errors",
    "Visit": "strandline.core.plan.strategy",
    "compare": "strandline.study.comparing",
    "make_strategy": "strandline.core.rivals.catalogue",
    "synthetic_world": "strandline.lab.simulate.world",
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
    """The folder of simulations; called, it runs one: strandline.lab.simulate(world, request)."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as grid.simulate
        return import_module("strandline.lab.simulate.grid").simulate(*arguments, **options)


simulate = import_module("strandline.lab.simulate")
simulate.__class__ = _Simulate


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name in ("create", "open"):
        return getattr(import_module("strandline.python_archive"), f"{name}_folder")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'strandline' has no attribute {name!r}")
