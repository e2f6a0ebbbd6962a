"""Finding pages by address, and blocks by their words or their topic, over time."""

from dataclasses import dataclass, field

from strandline.app.browsing import Wanted
from strandline.archive.known_collections import narrowed
from strandline.core.blocks.queries import Doubt, doubt
from strandline.errors import UsageError
from strandline.study.searching import Turn, over_time
from strandline.web.desk import Desk
from strandline.web.views.page import BlockView, block_view
from strandline.web.views.site import PageRow, page_row
from strandline.web.views.values import address

_EXCERPT = 400
_TURNS = 1000
"""Blocks of which it is said when they appeared and vanished."""


@dataclass(frozen=True, slots=True)
class SearchAsked:
    """What is looked for, where and when."""

    words: str = ""
    topic: str = ""
    url: str = ""
    site: str = ""
    since: float | None = None
    until: float | None = None
    start: int = 0
    limit: int = 20
    label: str = ""
    collection: str = ""
    tag: str = ""
    over_time: bool = False
    """Also when what is found appeared and vanished, in the order of time."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found."""

    exact: str
    """A page with this very address; empty when there is none."""
    pages: list[PageRow]
    more_pages: int | None
    blocks: list[BlockView]
    more_blocks: int | None
    doubt: Doubt = ""
    """What may be wrong with the words, where nothing was found."""
    turns: list[Turn] = field(default_factory=list)


def search(desk: Desk, asked: SearchAsked) -> Found:
    """Pages whose address holds a text, and blocks with words; each kind as far as it was asked for."""
    narrow = narrowed(desk.settings, asked.collection, asked.tag)
    part = asked.start, asked.limit, narrow
    pages, more_pages = desk.reading.found_pages(asked.url, *part) if asked.url else ([], None)
    wanted = Wanted(
        asked.words,
        asked.topic,
        float("-inf") if asked.since is None else asked.since,
        float("inf") if asked.until is None else asked.until,
        asked.site,
        asked.label,
        narrow,
    )
    start = 0 if asked.url else asked.start
    lives = desk.reading.search_blocks(wanted, asked.limit + 1, start)
    blocks = [block_view(life, _excerpt(life.text, asked.words)) for life in lives[: asked.limit]]
    turns = over_time(desk.reading.search_blocks(wanted, _TURNS)) if asked.over_time else []
    more_blocks = start + asked.limit if len(lives) > asked.limit else None
    doubted = "" if blocks else doubt(asked.words) or doubt(asked.topic)
    rows = [page_row(one) for one in pages]
    return Found(_exact(desk, asked.url), rows, more_pages, blocks, more_blocks, doubted, turns)


def _exact(desk: Desk, typed: str) -> str:
    if not typed:
        return ""
    try:
        url = address(typed)
    except UsageError:
        return ""
    return url if desk.reading.page_numbers(url) else ""


def _excerpt(text: str, words: str) -> str:
    """The part of a text around the first word that was looked for."""
    lowered = text.lower()
    places = [lowered.find(word.lower()) for word in words.split()]
    first = min((place for place in places if place >= 0), default=0)
    begin = max(0, first - _EXCERPT // 4)
    piece = text[begin : begin + _EXCERPT]
    return ("…" if begin else "") + piece + ("…" if begin + _EXCERPT < len(text) else "")
