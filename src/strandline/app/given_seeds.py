"""Where an archive starts: seeds of its settings, and those a command was given, which its catalog remembers.

A run that names seeds starts from these and those of the settings. One that names none starts from all that were ever
given, wherever: naming one more, in the interface or in the settings, takes none of the others away. A seed of the
settings goes when it is taken out of them; one that a command was given is left out with `scope.exclude`.
"""

import json
from collections.abc import Iterable
from typing import Final, Protocol

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
    return tuple(dict.fromkeys((*own, *(given_seeds(reading) if own else reading.seeds()))))
