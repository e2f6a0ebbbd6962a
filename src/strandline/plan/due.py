"""A visit that is planned, when and why, and what visits take together.

A visit takes one request, or as many as showing its page in a browser does: an hour holds fewer of those.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

NEVER = 1e30
"""Urgency from which on a page is one that was never fetched. Origin: a definition."""

_ROUNDING: Final = 1e-9
"""Of a request. Origin: a bound on rounding."""


@dataclass(frozen=True, slots=True)
class Due:
    """A planned visit; `due` in UTC epoch seconds, `cost` in requests."""

    page: int
    url: str
    urgency: float
    reason: str
    due: float
    cost: float = 1.0

    def by(self, moment: float) -> "Due":
        """The same at a moment at the latest."""
        return self if self.due <= moment else replace(self, due=moment)


def requests_of(visits: Iterable[Due]) -> float:
    """What visits take together."""
    return sum(visit.cost for visit in visits)


def affordable(visits: Iterable[Due], requests: float, hour: float, most: float = math.inf) -> list[Due]:
    """The first of them that so many requests are enough for; one more where that is nearer and `most` can pay it. None
    is taken to cost more than a whole `hour` has, or nobody would ever see a page that does.

    >>> dear, usual = Due(1, "", 0.0, "", 0.0, cost=7.0), Due(2, "", 0.0, "", 0.0)
    >>> [len(affordable([dear, usual, usual], requests, 20.0)) for requests in (0, 3, 4, 8, 20)]
    [0, 0, 1, 2, 3]
    >>> len(affordable([dear], 1, 2.0)), len(affordable([usual, dear], 5, 20.0, 7.0))
    (1, 1)
    """
    kept: list[Due] = []
    spent = 0.0
    for visit in visits:
        cost = min(visit.cost, hour)
        if requests <= 0 or spent + cost / 2.0 > requests or spent + cost > most + _ROUNDING:
            break
        kept.append(visit)
        spent += visit.cost
    return kept
