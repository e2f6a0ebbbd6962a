"""What sites cost and yield: answers and bytes that were kept, changes that were found, week by week.

Reads days that are counted as captures and changes come (`host_days`), never captures themselves.
"""

from collections.abc import Iterator
from typing import NamedTuple

from strandline.store.reading import Reading

_DAY = 86_400.0


class SiteWeek(NamedTuple):
    """A site in one week; `week` counts back from the present: 0 are the last seven days (UTC), today among them."""

    site: str
    week: int
    requests: int = 0
    """Answers that were kept, those of parts of pages, robots.txt and sitemaps among them."""
    unchanged: int = 0
    """Of these, found nothing new."""
    errors: int = 0
    """Of these, of 400 and more."""
    octets: int = 0
    """As stored."""
    changes: int = 0
    """That readers can see."""
    important: int = 0
    """Of these, with an importance of .1 and more."""
    importance: float = 0.0


class CostReading(Reading):
    """Costs and yields."""

    def site_weeks(self, now: float, weeks: int = 1, site: str = "") -> Iterator[SiteWeek]:
        """Weeks of all sites, or of one, in which anything happened: whole days, today the last of them."""
        today = int(now // _DAY)
        of_site = "AND (site = ? OR authority = ?)" if site else ""
        query = f"""SELECT site, (? - day) / 7 AS week, sum(host_days.captures), sum(unchanged), sum(errors),
                sum(host_days.octets), sum(changes), sum(important), sum(importance)
            FROM host_days JOIN hosts USING (host) WHERE day > ? AND day <= ? {of_site} GROUP BY 1, 2 ORDER BY 1, 2"""
        found = self._rows(query, today, today - 7 * weeks, today, *((site, site) if site else ()))
        for name, week, *counts, importance in found:
            numbers = [int(str(count or 0)) for count in counts]
            if any(numbers):
                yield SiteWeek(str(name), int(str(week)), *numbers)._replace(importance=float(str(importance or 0.0)))
