"""What feeds and sitemaps ask for (core/discovery/hints.py), as a note in the catalog for each site."""

import json
from typing import Final, Protocol

from strandline.core.discovery.hints import SPEAKING, SiteHints
from strandline.core.urls import site
from strandline.ports import Task, Visited
from strandline.store.catalog import SqliteCatalog

KIND: Final = "hints"
"""Of the note; its key is the site."""


class NoteReading(Protocol):
    """Where notes are read."""

    def note(self, kind: str, key: str) -> bytes | None:
        """Small learned state, as it was kept."""


def read_hints(reading: NoteReading, place: str) -> SiteHints:
    """What is known of a site."""
    data = reading.note(KIND, place)
    return SiteHints() if data is None else SiteHints.from_data(json.loads(data))


class PartHints:
    """The hints of an archive, for the watch that writes it."""

    def __init__(self, catalog: SqliteCatalog, pace: float = 1.0) -> None:
        self._catalog = catalog
        self._pace = pace
        """Seconds of the clock to a second: less than 1 in a demonstration whose hours are short."""

    def looked(self, task: Task, visited: Visited) -> float:
        """Until when a feed or sitemap that was just looked at is left alone at its own word; 0 when it has none that
        is believed.
        """
        if task.kind not in SPEAKING or visited.capture is None:
            return 0.0
        place = site(task.url)
        known = read_hints(self._catalog.reading, place)
        heard = task.url in known.parts
        wait = known.looked(task.url, visited.time, visited.asks * self._pace, not visited.capture.revisit)
        if heard or task.url in known.parts:
            self._catalog.note(KIND, [(place, json.dumps(known.as_data()).encode())])
        return visited.time + wait if wait else 0.0
