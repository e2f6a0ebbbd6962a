"""What a crawl must know to leave pages out: pages and rates of a site, records of re-tests, what study noticed."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from strandline.core.mining.site_state import SiteState
from strandline.core.skip.retests import Retests
from strandline.store.learned import LearnedReading
from strandline.store.sightings import ON_SITE, PAGES

_RETESTS = "site, directory, method, tests, failures, recent, pass, failed, retired, why"


class SkipReading(LearnedReading):
    """Queries about what is left out."""

    def retests(self, site: str = "", method: str = "") -> Iterator[Retests]:
        """Records of all sites and methods, or of one."""
        which = [(name, value) for name, value in (("site", site), ("method", method)) if value]
        where = f"WHERE {' AND '.join(f'{name} = ?' for name, _ in which)}" if which else ""
        query = f"SELECT {_RETESTS} FROM skip_tests {where} ORDER BY site, method, directory"
        for row in self._rows(query, *(value for _, value in which)):
            yield Retests(*row[:7], bool(row[7]), *row[8:])  # type: ignore[arg-type, call-arg]

    def rated_sites(self) -> list[str]:
        """Sites the site-level policy knows."""
        return [str(row[0]) for row in self._rows("SELECT site FROM site_rates ORDER BY site")]

    def site_state(self, site: str) -> SiteState | None:
        """What the site-level policy knows of a site; None when nothing was learned about it."""
        row = self._row("SELECT data FROM site_rates WHERE site = ?", site)
        return None if row is None else SiteState.from_bytes(self._unpacked(row[0]))

    def known_pages(
        self, site: str, before: float = math.inf
    ) -> tuple[NDArray[np.int64], list[str], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Pages of a site by number: numbers, addresses, last visits, whether captured before a time, whether last seen
        absent.
        """
        since = "(SELECT count(*) FROM captures WHERE captures.page = pages.page AND captures.time >= ?)"
        query = f"""SELECT page, url, visited, captures > CASE WHEN visited >= ? THEN {since} ELSE 0 END,
            evidence = 'absent' FROM pages WHERE {PAGES} AND {ON_SITE} ORDER BY page"""
        numbers: list[int] = []
        urls: list[str] = []
        facts: list[tuple[float, bool, bool]] = []
        for page, url, visited, captured, absent in self._rows(query, before, before, site):
            numbers.append(page)  # type: ignore[arg-type]
            urls.append(url)  # type: ignore[arg-type]
            facts.append((visited, captured, absent))  # type: ignore[arg-type]
        table = np.array(facts, dtype=np.float64).reshape(-1, 3)
        return np.array(numbers, dtype=np.int64), urls, table[:, 0], table[:, 1] > 0, table[:, 2] > 0

    def noticed_since(self, site: str, time: float) -> Iterator[tuple[int, str, float, float]]:
        """Changes a reader would see, shown by captures from a time on: page, address, time, importance."""
        query = f"""SELECT changes.page, pages.url, by, importance FROM changes JOIN pages USING (page)
            WHERE by >= ? AND visible = 1 AND held = 0 AND {PAGES} AND {ON_SITE} ORDER BY by"""
        return self._rows(query, time, site)  # type: ignore[return-value]

    def answered_since(self, site: str, time: float) -> Iterator[tuple[int, str, bool, int]]:
        """Captures of pages from a time on: page, address, whether a revisit, status."""
        query = f"""SELECT captures.page, pages.url, revisit, status FROM pages
            JOIN captures ON captures.page = pages.page AND captures.time >= ?
            WHERE pages.visited >= ? AND {PAGES} AND {ON_SITE} ORDER BY seq"""
        for page, url, revisit, status in self._rows(query, time, time, site):
            yield page, url, bool(revisit), status  # type: ignore[misc]
