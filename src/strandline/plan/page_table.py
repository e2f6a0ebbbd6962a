"""Known pages as the table that strategies plan by: column by column, since to look at a million takes seconds."""

from collections.abc import Callable

import numpy as np

from strandline.core.plan.strategy import Floats, PageTable
from strandline.learn.experience import Learned
from strandline.learn.known_pages import Groups, Known
from strandline.learn.page_columns import KnownPages
from strandline.plan.wishes import Wishes


def table_since(
    since: int, pages: KnownPages, groups: Groups, learned: Learned, weight: Floats, wishes: Wishes
) -> PageTable:
    """Rows of the pages from a row on, which weigh so much."""
    numbers, rows = groups.since(since), np.arange(since, len(pages))
    visited, hours = pages.column("visited", since), learned.hours
    visited = np.where(visited != 0.0, (visited - hours.start) / hours.length, np.nan)
    aims = [wishes.aim_of(pages[row]) for row in rows.tolist()] if wishes.aims else -1
    return PageTable.of(
        len(rows),
        page=pages.numbers[since:],
        site=numbers[:, 0],
        directory=numbers[:, 1],
        host=numbers[:, 2],
        shift=pages.column("shift", since),
        weight=weight,
        last_visit=np.fmax(learned.last[since:], visited) if len(rows) else np.empty(0),
        rate=learned.learner.mean_rates(rows),
        size=pages.column("size", since),
        aim=aims,
    )


def weights_since(since: int, pages: KnownPages, weight: Callable[[Known], float], campaigns: bool) -> Floats:
    """What pages from a row on matter. `weight` tells it of one; without campaigns only what tests a directory has to
    be asked about.
    """
    if campaigns:
        return np.array([weight(pages[row]) for row in range(since, len(pages))], dtype=np.float64)
    cost = pages.column("cost", since)
    found: Floats = np.where(pages.barred(since), 0.0, pages.column("weight", since) / cost)
    for place in np.flatnonzero(pages.where("tests", bool, since)).tolist():
        found[place] = weight(pages[since + place])
    return found
