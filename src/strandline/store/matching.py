"""Which blocks have the words of a search, the best first. What it costs is bounded, however common a word is.

SQLite ranks a match by how rare its words are and how short its block is, and orders all matches to show the first:
a word of every block takes seconds. So a search takes the matches of the pages that were found last, as many as it may
rank, and orders those. A single word, or a single phrase, that has more of them is not ordered: none of its matches
says more of it than another.

What narrows a search (a site, a collection, a tag) narrows what is taken. Where that leaves few pages, their matches
are looked up page by page; else all matches are gone through until there are enough.

When a block was shown is known only when the history of its page is read. So a search in a span of time takes matches
page by page, as many as it may rank at a time, and goes on `below` the last of these pages until enough of them were
shown then, or there are no more (`StudyReading.search`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from strandline.core.blocks.queries import Clause
from strandline.store.history_rows import NUMBERS

MATCHES: Final = 1000
"""Blocks with a common word that are looked at to show a few. Origin: a guess."""
FEW_PAGES: Final = 2000
"""Pages that are looked up one by one. Origin: measured, 20 microseconds each, beside 1 for a match gone through."""
RANKED: Final = 20_000
"""Matches that are ordered to find the order of fewer. Origin: measured, 60 milliseconds."""

BEYOND: Final = 1 << 62 - NUMBERS
"""A number that no page has. Origin: a unit: numbers of blocks have 63 bits."""

Rows = Callable[..., Iterator[tuple[object, ...]]]
"""Asks the database."""

_OF_MATCHES: Final = f"""SELECT block_words.rowid
    FROM block_words CROSS JOIN pages ON page = block_words.rowid >> {NUMBERS} CROSS JOIN hosts USING (host)
    WHERE block_words MATCH ? AND block_words.rowid < ? AND {{where}} ORDER BY block_words.rowid DESC LIMIT ?"""
_OF_PAGES: Final = f"""SELECT block_words.rowid
    FROM (SELECT page AS number FROM pages JOIN hosts USING (host) WHERE page < ? AND {{where}}
        ORDER BY page DESC LIMIT {FEW_PAGES})
    CROSS JOIN block_words
    WHERE block_words MATCH ? AND block_words.rowid BETWEEN number << {NUMBERS} AND (number + 1 << {NUMBERS}) - 1
    LIMIT ?"""  # without the first limit SQLite may leave out the order
_PAGES: Final = """SELECT count(*) FROM (
    SELECT 1 FROM pages JOIN hosts USING (host) WHERE page < ? AND {where} LIMIT ?) AS chosen"""
_SINCE: Final = """SELECT count(*) FROM (
    SELECT 1 FROM block_words WHERE block_words MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)"""
_IN_ORDER: Final = """SELECT rowid FROM block_words WHERE block_words MATCH ? AND rowid >= ? AND rowid < ?
    ORDER BY rank, rowid"""


@dataclass(frozen=True, slots=True)
class Within:
    """Pages a search is narrowed to."""

    where: str = "true"
    values: Sequence[object] = ()
    below: int = BEYOND
    """Only pages whose number is smaller."""


def is_one(asked: Sequence[Clause]) -> bool:
    """Whether a search is for one word, or for one phrase.

    >>> from strandline.core.blocks.queries import clauses
    >>> [is_one(clauses(text)) for text in ('"opening hours"', "hours -monday", "opening hours", "hours OR times")]
    [True, True, False, False]
    """
    wanted = [clause for clause in asked if not clause.absent]
    return len(wanted) == 1 and len(wanted[0].any_of) == 1 and len(wanted[0].any_of[0]) == 1


def matching(rows: Rows, match: str, one: bool, within: Within, limit: int) -> list[int]:
    """Numbers of at most so many blocks that a full-text query finds on pages `within` a condition, best first.

    `one` says that the query is for one word or phrase.
    """
    found = _found(rows, match, within, limit + 1)
    capped = len(found) > limit
    del found[limit:]
    if not found or (capped and one):
        return found
    least, most, end = min(found), max(RANKED, limit), within.below << NUMBERS
    ((count,),) = rows(_SINCE, match, least, end, most + 1)
    if int(str(count)) > most:
        return found
    taken = set(found)
    return [number for number in map(_whole, rows(_IN_ORDER, match, least, end)) if number in taken]


def _found(rows: Rows, match: str, within: Within, limit: int) -> list[int]:
    where, values, below = within.where, within.values, within.below
    if few_pages(rows, within):
        return list(map(_whole, rows(_OF_PAGES.format(where=where), below, *values, match, limit)))
    return list(map(_whole, rows(_OF_MATCHES.format(where=where), match, below << NUMBERS, *values, limit)))


def few_pages(rows: Rows, within: Within) -> bool:
    """Whether a search is narrowed to so few pages that they are looked up one by one."""
    if not within.values:
        return False
    ((pages,),) = rows(_PAGES.format(where=within.where), within.below, *within.values, FEW_PAGES + 1)
    return int(str(pages)) <= FEW_PAGES


def _whole(row: tuple[object, ...]) -> int:
    return int(str(row[0]))
