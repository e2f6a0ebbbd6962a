"""What feeds say of their hubs (core/discovery/websub.py), as a note in the catalog for each feed that names one.

Whoever fetches feeds, a watch or a worker, writes down which hub each names and whether the looks that its messages
caused found something new; the interface, which hubs can reach, subscribes and takes their messages
(watch/subscriptions.py).
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, Protocol

from strandline.core.capture import Kind
from strandline.core.discovery.websub import HubWord, Subscription
from strandline.core.urls import site
from strandline.plan.part_hints import ChangingNotes, NoteReading, PartHints
from strandline.ports import Task, Visited

WORDS: Final = "hubs"
"""Kind of the note of what a feed says; its key is the address of the feed."""
SUBSCRIPTIONS: Final = "websub"
"""Kind of the note of a subscription; its key is the part of our address that nobody can guess."""
_APART: Final = 2.0
"""Seconds by which the clocks of who fetches and of who is told may differ. Origin: a guess."""


def hub_word(data: bytes | None) -> HubWord:
    """What a note says."""
    return HubWord() if data is None else HubWord.from_data(json.loads(data))


def written(word: HubWord) -> bytes:
    """As a note."""
    return json.dumps(word.as_data()).encode()


def read_word(reading: NoteReading, feed: str) -> HubWord:
    """What is known of a feed's hub."""
    return hub_word(reading.note(WORDS, feed))


class HubReading(NoteReading, Protocol):
    """Where notes are read, and listed."""

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """All learned state of a kind, by key."""


def kept_subscriptions(notes: Iterable[tuple[str, bytes]]) -> list[Subscription]:
    """All there are."""
    return [Subscription.from_data(json.loads(data)) for _, data in notes]


def told_feeds(reading: HubReading, now: float, place: str = "") -> dict[str, str]:
    """How each feed that names a hub, of an archive or of one site, stands with it: a sentence for each."""
    said = {}
    for feed, data in reading.notes(WORDS):
        if place and (place not in feed or site(feed) != place):
            continue
        if hub := hub_word(data).hub:
            said[feed] = f"{hub} would tell, and is not asked; it is polled"
    for one in kept_subscriptions(reading.notes(SUBSCRIPTIONS)):
        if one.feed in said:
            said[one.feed] = one.says(now, _at)
    return said


def _at(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def listening(catalog: ChangingNotes, pace: float) -> Callable[[Task, Visited], float]:
    """Hears what feeds and sitemaps say of themselves: until when one is left alone at its own word (`PartHints`), and
    which hub tells of it.
    """
    hints, hubs = PartHints(catalog, pace), FeedHubs(catalog)

    def looked(task: Task, visited: Visited) -> float:
        hubs.looked(task, visited)
        return hints.looked(task, visited)

    return looked


class FeedHubs:
    """The hubs that feeds name, for the watch or the workers that fetch them."""

    def __init__(self, catalog: ChangingNotes) -> None:
        self._catalog = catalog

    def looked(self, task: Task, visited: Visited) -> None:
        """A feed was looked at."""
        if task.kind is not Kind.FEED or visited.capture is None:
            return
        changed = not visited.capture.revisit
        known = read_word(self._catalog.reading, task.url)
        says = (visited.hub, visited.topic) if changed else (known.hub, known.topic)
        caused = 0.0 < known.pushed <= visited.time + _APART
        if says == (known.hub, known.topic) and not caused:
            return

        def look(data: bytes | None) -> bytes:
            word = hub_word(data)
            word.hub, word.topic = says
            if caused:
                word.looked(changed)
            return written(word)

        self._catalog.change_note(WORDS, task.url, look)
