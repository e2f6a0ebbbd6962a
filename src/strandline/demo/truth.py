"""How good an archive of the demonstration site is: its every change is known, so nothing has to be estimated.

Completeness as in paper 004, definition 5.12, pooled over pages: importance of the versions that were fetched, over the
importance of all versions that appeared. A fetch shows the last change before it; a fetch that shows what the one
before it had shown is wasted. Pages are judged from the moment their first version after `start` appears.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from strandline.demo.schedule import PageSchedule


class Fetch(NamedTuple):
    """One request of an article, at a site hour."""

    hour: float
    path: str


@dataclass(frozen=True, slots=True)
class Score:
    """What a set of fetches caught of the change there was."""

    caught: float
    appeared: float
    fetches: int
    wasted: int

    @property
    def completeness(self) -> float:
        """Share of the important change that was caught."""
        return self.caught / self.appeared if self.appeared else 1.0

    @property
    def wasted_share(self) -> float:
        """Share of the fetches that found nothing new."""
        return self.wasted / self.fetches if self.fetches else 0.0


def score(pages: Mapping[str, PageSchedule], fetches: Iterable[Fetch], start: float, end: float) -> Score:
    """Judge fetches between two site hours; what was fetched before tells what was known at `start`."""
    shown: dict[str, int] = {}
    caught, made, wasted = 0.0, 0, 0
    for hour, path in sorted(fetches):
        page = pages.get(path)
        if page is None or hour >= end:
            continue
        version = page.version(hour) if page.born <= hour < page.gone else -1
        new = shown.get(path) != version
        if hour >= start:
            made += 1
            wasted += not new
            if new and version > 0 and page.changes[version - 1] >= start:
                caught += page.weight(version)
        shown[path] = version
    appeared = sum(
        page.weight(version)
        for page in pages.values()
        for version in range(bisect_left(page.changes, start) + 1, bisect_left(page.changes, end) + 1)
        if page.born <= page.changes[version - 1] < page.gone
    )
    return Score(caught, appeared, made, wasted)


def round_robin(pages: Mapping[str, PageSchedule], hours: Sequence[float]) -> list[Fetch]:
    """Every article in turn, at these moments; one that is born joins with the next round, one that is gone leaves."""
    made: list[Fetch] = []
    turn: list[PageSchedule] = []
    for hour in hours:
        while turn and not turn[-1].born <= hour < turn[-1].gone:
            turn.pop()
        if not turn:
            turn = [page for page in reversed(list(pages.values())) if page.born <= hour < page.gone]
        if turn:
            made.append(Fetch(hour, turn.pop().path))
    return made
