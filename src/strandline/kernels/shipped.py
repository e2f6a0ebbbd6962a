"""Machine code that comes with the package: used only while the sources it was made of are as they were."""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final, NamedTuple

from strandline.kernels.fitting import Form

HERE: Final = Path(__file__).parent
PACKAGE: Final = HERE.parent
MODULE: Final = "machine_code"
CALLS: Final = "kernel_calls"


def list_file() -> Path:
    """What lists the machine code for this Python and architecture."""
    return HERE / f"{MODULE}{EXTENSION_SUFFIXES[0]}".replace(".so", ".json")


def digest(name: str) -> str:
    """Of a source file, named from the package's folder; empty when it cannot be read."""
    try:
        return hashlib.blake2b((PACKAGE / name).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


@cache
def _listed() -> dict[str, Any]:
    """What the list says; nothing when there is none, or the code cannot be loaded here."""
    try:
        said = json.loads(list_file().read_text())
        guarded()
    except (OSError, ValueError, ImportError):
        return {"sources": {}, "rests_on": {}, "kernels": {}}
    return dict(said)


@cache
def changed(module: str) -> list[str]:
    """Sources of a module's kernels that are not what the machine code was made of. A module not listed has changed."""
    said = _listed()
    if module not in said["rests_on"]:
        return [module]
    return [name for name in said["rests_on"][module] if digest(name) != said["sources"][name]]


class Variant(NamedTuple):
    """A kernel compiled for one list of arguments."""

    run: Callable[..., Any]
    forms: Sequence[Form]


def variants(module: str, name: str) -> list[Variant]:
    """The machine code for a kernel, empty when there is none that fits the sources."""
    found = _listed()["kernels"].get(f"{module}.{name}", ())
    if not found or changed(module):
        return []
    code = import_module(f"strandline.kernels.{MODULE}")
    return [Variant(getattr(code, one["symbol"]), one["arguments"]) for one in found]


@cache
def guarded() -> Callable[..., Callable[..., Any]]:
    """What makes a call of a function, the forms of its arguments, and what to call otherwise: C, in the same file."""
    file = str(import_module(f"strandline.kernels.{MODULE}").__file__)
    specification = spec_from_file_location(CALLS, file, loader=ExtensionFileLoader(CALLS, file))
    assert specification is not None and specification.loader is not None
    calls = module_from_spec(specification)
    specification.loader.exec_module(calls)
    made: Callable[..., Callable[..., Any]] = calls.Call
    return made


class Standing(NamedTuple):
    """What `strandline doctor` and the tests ask: how many kernels there are, and what has changed since."""

    kernels: int
    changed: list[str]

    @property
    def fits(self) -> bool:
        """Whether all machine code is of these sources."""
        return self.kernels > 0 and not self.changed


def standing() -> Standing:
    """Whether the machine code for this Python and architecture is there and of these sources."""
    said = _listed()
    return Standing(len(said["kernels"]), sorted({name for module in said["rests_on"] for name in changed(module)}))


if __name__ == "__main__":
    raise SystemExit(not standing().fits)
