"""Finding pages by address, and blocks by their words or their topic, over time."""

from dataclasses import dataclass

from strandline.app.browsing import Wanted
from strandline.archive.known_collections import narrowed
from strandline.errors import UsageError
from strandline.web.desk import Desk
from strandline.web.views.page import BlockView, block_view
from strandline.web.views.site import PageRow, page_row
from strandline.web.views.values import address

_EXCERPT = 400


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


@dataclass(frozen=True, slots=True)
class Found:
    """What was found."""

    exact: str
    """A page with this very address; empty when there is none."""
    pages: list[PageRow]
    more_pages: int | None
    blocks: list[BlockView]
    more_blocks: int | None


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
    more_blocks = start + asked.limit if len(lives) > asked.limit else None
    return Found(_exact(desk, asked.url), [page_row(one) for one in pages], more_pages, blocks, more_blocks)


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
