"""Visits that people ask for: a page is wanted soon, whatever its plan, also while a watch runs.

Only the time changes. Whoever hands out pages finds those whose time has come, as of every other page that rests.
"""

from collections.abc import Iterable
from math import inf
from typing import Final

from strandline.store.annotations import Writing
from strandline.store.frontier import RESTING

_AFTER: Final = 0.001
"""Seconds by which a page is due later than what was last handed out. Origin: a bound on rounding."""


def hasten(connection: Writing, pages: Iterable[int], due: float) -> set[int]:
    """Ask for pages by their numbers; says which of them are wanted by then: one that waits already stays as it is, and
    one that is not crawled at all, too.
    """
    asked = set(pages)
    statement = "UPDATE pages SET due = ? WHERE page = ? AND state = ? AND due > ? AND due < ?"
    connection.executemany(statement, [(due, page, RESTING, due, inf) for page in asked])
    wanted = "SELECT 1 FROM pages WHERE page = ? AND due <= ?"
    return {page for page in asked if connection.execute(wanted, (page, due)).fetchone() is not None}


def make_due(connection: Writing, page: int, wanted: float) -> None:
    """Ask for a page at a moment, or soon if that has passed: a watch hands out what becomes due after what it handed
    out last.
    """
    (horizon,) = connection.execute("SELECT horizon FROM frontier").fetchone()
    hasten(connection, [page], max(wanted, float(horizon) + _AFTER))
