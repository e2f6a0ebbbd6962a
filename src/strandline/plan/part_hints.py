"""What feeds and sitemaps ask for (core/discovery/hints.py), as a note in the catalog for each site."""

import json
from collections.abc import Callable
from typing import Final, Protocol

from strandline.core.discovery.hints import SPEAKING, SiteHints
from strandline.core.urls import site
from strandline.ports import Task, Visited

KIND: Final = "hints"
"""Of the note; its key is the site."""


class NoteReading(Protocol):
    """Where notes are read."""

    def note(self, kind: str, key: str) -> bytes | None:
        """Small learned state, as it was kept."""


class ChangingNotes(Protocol):
    """A catalog whose notes are changed, also by several workers at once."""

    @property
    def reading(self) -> NoteReading:
        """Where its notes are read."""

    def change_note(self, kind: str, key: str, change: Callable[[bytes | None], bytes]) -> None:
        """Replace what is kept under a kind and a key by what follows from it."""


def _hints(data: bytes | None) -> SiteHints:
    return SiteHints() if data is None else SiteHints.from_data(json.loads(data))


def read_hints(reading: NoteReading, place: str) -> SiteHints:
    """What is known of a site."""
    return _hints(reading.note(KIND, place))


class PartHints:
    """The hints of an archive, for the watch or the workers that write it."""

    def __init__(self, catalog: ChangingNotes, pace: float = 1.0) -> None:
        self._catalog = catalog
        self._pace = pace
        """Seconds of the clock to a second: less than 1 in a demonstration whose hours are short."""

    def looked(self, task: Task, visited: Visited) -> float:
        """Until when a feed or sitemap that was just looked at is left alone at its own word; 0 when it has none that
        is believed.
        """
        if task.kind not in SPEAKING or visited.capture is None:
            return 0.0
        place, changed = site(task.url), not visited.capture.revisit
        if not visited.asks and task.url not in read_hints(self._catalog.reading, place).parts:
            return 0.0  # who says nothing leaves nothing
        wait = 0.0

        def look(data: bytes | None) -> bytes:
            nonlocal wait
            known = _hints(data)
            wait = known.looked(task.url, visited.time, visited.asks * self._pace, changed)
            return json.dumps(known.as_data()).encode()

        # Feeds of one site may lie on hosts of several workers: nobody's look is to be lost.
        self._catalog.change_note(KIND, place, look)
        return visited.time + wait if wait else 0.0
