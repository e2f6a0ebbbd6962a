"""Looking into what study found, for the faces: changes, and blocks by their words."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from strandline.archive.folder import Archive
from strandline.store.histories import BlockLife
from strandline.store.matching import MATCHES
from strandline.store.studies import Change, Returns, StudyCounts, Wanted

__all__ = [
    "BlockLife",
    "Change",
    "Returns",
    "StudyCounts",
    "Turn",
    "Wanted",
    "found_blocks",
    "over_time",
    "page_history",
]


def found_blocks(archive: Archive, wanted: Wanted, limit: int | None = None) -> Iterator[BlockLife]:
    """Blocks with these words, best match first; at most so many."""
    if limit is None:
        return archive.studies.search(wanted)
    return islice(archive.studies.search(wanted, max(limit, MATCHES)), limit)


def page_history(archive: Archive, url: str) -> Iterator[BlockLife]:
    """When each block of a page appeared and vanished."""
    row = archive.page(url)
    return archive.studies.block_history(row.url) if row else iter(())


@dataclass(frozen=True, slots=True)
class Turn:
    """What was looked for appeared on a page, or vanished from it."""

    time: float
    """When the page was first seen so."""
    event: str
    """appeared or vanished."""
    url: str
    text: str
    pages: int
    """How many pages show it since then."""


def over_time(found: Iterable[BlockLife]) -> list[Turn]:
    """When blocks that were found appeared on pages and vanished, in the order of time. A page that shows them in
    several blocks, or in another one than before, shows them.
    """
    events: list[tuple[float, str, int, str]] = []
    for life in found:
        events.append((life.first, life.url, 1, life.text))
        if life.gone is not None:
            events.append((life.gone, life.url, -1, life.text))
    shown: dict[str, int] = {}
    turns: list[Turn] = []
    for (time, url), together in groupby(sorted(events), key=lambda event: event[:2]):
        steps = list(together)
        before, after = shown.get(url, 0), shown.get(url, 0) + sum(step for _, _, step, _ in steps)
        shown[url] = after
        if bool(before) != bool(after):
            event = "appeared" if after else "vanished"
            text = next(text for _, _, step, text in steps if (step > 0) == bool(after))
            turns.append(Turn(time, event, url, text, sum(map(bool, shown.values()))))
    return turns
