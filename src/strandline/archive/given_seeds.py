"""Where an archive starts: seeds of its settings, and those a command was given, which its catalog remembers.

A run that names seeds starts from these and those of the settings. One that names none starts from all that were ever
given, wherever: naming one more, in the interface or in the settings, takes none of the others away. A seed of the
settings goes when it is taken out of them; all those of a site go with `strandline site remove`.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

from strandline.core.urls import canonical
from strandline.errors import UsageError
from strandline.settings import texts
from strandline.settings.in_force import with_seeds
from strandline.settings.schema import Settings
from strandline.store.reading import Reading

_KIND: Final = "scope"
_KEY: Final = "given"


class Notes(Protocol):
    """What is needed of a catalog."""

    @property
    def reading(self) -> Reading:
        """The catalog as it is read."""

    def note(self, kind: str, values: Iterable[tuple[str, bytes | None]]) -> None:
        """Keep something small."""


def given_seeds(reading: Reading) -> tuple[str, ...]:
    """Seeds that commands were given, in the order they were."""
    kept = reading.note(_KIND, _KEY)
    return tuple(json.loads(kept)) if kept else ()


def keep_given(catalog: Notes, seeds: Iterable[str]) -> None:
    """Remember what a command was given."""
    known = given_seeds(catalog.reading)
    more = tuple(dict.fromkeys((*known, *seeds)))
    if more != known:
        catalog.note(_KIND, [(_KEY, json.dumps(more).encode())])


def known_seeds(settings: Settings, reading: Reading) -> tuple[str, ...]:
    """Where a run starts that names no seeds; where neither settings nor commands told, it is where crawls began."""
    own = settings.scope.seeds
    return with_seeds(settings, (*own, *(given_seeds(reading) if own else reading.seeds())))


def read_seeds(words: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Seeds from addresses and files of addresses (one a line, # comments); UsageError names the bad one."""
    found: list[str] = []
    for word in words:
        if "://" in word or not Path(word).is_file():
            found.append(_seed(word.split(" #")[0].strip()))
            continue
        for number, line in enumerate((line.split(" #")[0].strip() for line in _lines(word)), 1):
            if line and not line.startswith("#"):
                found.append(_seed(line, f"seeds file {word}, line {number}"))
    return tuple(dict.fromkeys(found))


def _lines(file: str) -> list[str]:
    """The lines of a file of seeds, which has to name some."""
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except OSError as problem:
        raise UsageError(f"seeds file {file}: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise UsageError(f"seeds file {file}, line {line}: not UTF-8; save the file as UTF-8") from None
    if all(not line.strip() or line.strip().startswith("#") for line in lines):
        raise UsageError(f"seeds file {file}: no addresses in it")
    return lines


def _seed(text: str, where: str = "") -> str:
    if not text:
        raise UsageError("seed: there is nothing in it; name an address, or a file with one a line")
    try:
        return canonical(text)
    except ValueError as problem:
        hint = "" if where or ":" in text else " (and there is no file of that name)"
        if texts.HOST.match(text):
            hint += f"; did you mean https://{text}?"
        if not where and Path(text).is_dir():
            hint = " (but a folder; name a file with one address a line)"
        raise UsageError(f"{where or 'seed'}: {problem}{hint}") from None
