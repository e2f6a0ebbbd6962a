"""What people said about blocks, for the page that lists it and lets one take it back."""

from dataclasses import dataclass

from strandline.core.changes.noise.ratings import is_named
from strandline.core.urls import site
from strandline.web.desk import Desk
from strandline.web.views.values import Moment


@dataclass(frozen=True, slots=True)
class RatingView:
    """What was said about a block, and where it holds."""

    url: str
    block: str
    rating: str
    time: Moment
    site: str
    named: bool
    """Whether it may hold on other sites, too: where another one says the same."""
    author: str


def given(desk: Desk) -> list[RatingView]:
    """Everything that was said, the newest first."""
    rows = sorted((row for row in desk.reading.all_ratings() if desk.reading.shows(row[0])), key=lambda row: -row[3])
    return [RatingView(*row[:4], site(row[0]), is_named(row[1]), row[4]) for row in rows]
