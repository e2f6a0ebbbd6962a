"""What sitemaps and feeds told of changes, and what their silence tells: see access/gaps.py."""

from collections.abc import Sequence

import numpy as np

from strandline.access.gaps import Said, Sights
from strandline.core.plan.strategy import Floats, Rows
from strandline.crawl.experience import History, Hours, Known
from strandline.store.standing import StandingReading


def said_of(reading: StandingReading, pages: Sequence[Known], hours: Hours) -> Said:
    """All claims about the pages, and when the sitemaps and feeds of their sites were read."""
    row_of = {page.page: row for row, page in enumerate(pages)}
    claims = [(row_of[page], time, seen) for page, time, seen in reading.claims_told() if page in row_of]
    table = np.array(claims, dtype=np.float64).reshape(-1, 3)
    sites = _numbers(pages)
    readings: dict[int, list[float]] = {}
    for site, time in reading.sitemap_readings():
        if site in sites:
            readings.setdefault(sites[site], []).append(hours.at(time))
    return Said(
        row=table[:, 0].astype(np.int64),
        time=(table[:, 1] - hours.start) / hours.length,
        seen=(table[:, 2] - hours.start) / hours.length,
        readings={site: np.array(sorted(times)) for site, times in readings.items()},
    )


def silent_looks(past: History, said: Said, pages: Sequence[Known]) -> tuple[Rows, Floats]:
    """Pages, and when their site was asked and did not tell yet of the change that called for the next visit."""
    sights, sites = Sights.of(past.row, past.time, past.changed), _numbers(pages)
    until = said.silent_until(sights, np.array([sites[page.site] for page in pages], dtype=np.int64))
    found = ~np.isnan(until)
    return sights.row[found], until[found]


def _numbers(pages: Sequence[Known]) -> dict[str, int]:
    """Sites by number, in the order they first occur, as everywhere in planning."""
    numbers: dict[str, int] = {}
    for page in pages:
        numbers.setdefault(page.site, len(numbers))
    return numbers
