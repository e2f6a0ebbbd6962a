"""Two versions of a page: every block once, what happened to it, how much that matters, and why."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from strandline.access.timestamps import moment
from strandline.app.browsing import BrowsingReading
from strandline.core.changes.told.shown import RATED
from strandline.web.desk import Desk
from strandline.web.views.values import Moment, level


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a block: in both versions, only in the old one, or only in the new one."""

    mark: Literal["same", "gone", "new"]
    text: str


@dataclass(frozen=True, slots=True)
class ComparedLink:
    """A link, picture or frame that came, left or changed."""

    kind: str
    element: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """What happened to one text of a block."""

    kind: str
    """new, gone, edited, moved, rotating or ticking."""
    before: str
    after: str
    counts: bool
    why: str
    """Why it counts or not, where that is more than what happened."""


@dataclass(frozen=True, slots=True)
class ComparedBlock:
    """One block of either version."""

    number: int
    kind: str
    path: str
    role: str
    importance: float
    level: int
    noise: str
    """Why its change counts less than it looks; empty when it counts in full."""
    why: str
    pieces: list[Piece]
    moved_from: int | None
    """Number of the block it stood behind before; None when it did not move, or was the first."""
    links: list[ComparedLink]
    items: list[ComparedItem]
    """The first texts of the block that are not as they were."""
    items_count: int
    """How many there are in all."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two versions of a page."""

    url: str
    title: str
    sentence: str
    """What changed, as a person would write it."""
    old: Moment
    new: Moment
    importance: float
    impch: float
    level: int
    held: bool
    recorded: bool
    """Whether the scores are those of the change that was recorded; otherwise they are worked out for this view."""
    between: int
    """Captures that lie between the two."""
    blocks: list[ComparedBlock]
    """At most some hundreds at a time, in the order of the page."""
    more: int | None
    """Give this as `after` to go on; None at the end."""
    counts: dict[str, int]
    """How many blocks were inserted, deleted, updated, moved, left unchanged, and how many are noise: of all blocks."""
    changed: list[str]
    """Paths of all blocks that were inserted, deleted or updated."""


@dataclass(frozen=True, slots=True)
class Part:
    """Which blocks of a comparison are shown: from the one of a number on, all or only those that differ."""

    after: int = 0
    only: bool = False


WHOLE: Final = Part()
MARKS: dict[str, Literal["same", "gone", "new"]] = {" ": "same", "-": "gone", "+": "new"}


async def compare(desk: Desk, url: str, start: float, end: float, part: Part = WHOLE) -> Compared:
    """Compare what a page showed at two times; NoAnswerError when it cannot be."""
    found = await desk.slow_queries.ask("compare", url=url, start=start, end=end, after=part.after, only=part.only)
    kinds = ("inserted", "deleted", "updated", "moved", "unchanged", "noise")
    shown = {
        "old": found["old"]["time"],
        "new": found["new"]["time"],
        "level": level(found["importance"]),
        "blocks": [_block(one) for one in found["blocks"]],
        "counts": {kind: found["counts"].get(kind, 0) for kind in kinds},
    }
    return Compared(**found | shown)


def end_of(digits: str) -> float:
    """The end of the second at which a timestamp begins: captures in it have milliseconds."""
    return moment(digits) + 0.9995


def _block(one: dict[str, Any]) -> ComparedBlock:
    changed = one["kind"] in RATED
    return ComparedBlock(
        number=one["number"],
        kind=one["kind"],
        path=one["path"],
        role=one["role"],
        importance=one["importance"],
        level=level(one["importance"]) if changed else 0,
        noise=one["noise"],
        why=one["why"],
        pieces=[Piece(MARKS[mark], text) for mark, text in one["marks"]],
        moved_from=one["moved_from"],
        links=[ComparedLink(x["kind"], x["element"], x["before"], x["after"]) for x in one["links"]],
        items=[ComparedItem(x["kind"], x["before"], x["after"], x["counts"], x["why"]) for x in one["items"]],
        items_count=one["items_count"],
    )


def neighbours(reading: BrowsingReading, url: str, old: float, new: float) -> tuple[float | None, float | None]:
    """Times of the capture before the older and of the one after the newer version."""
    pages = reading.page_numbers(url)
    before = reading.shown_captures(pages, old - 0.001, 1)
    after = reading.captures_after(pages, new + 0.001, 1)
    return before[0].time if before else None, after[0].time if after else None
