"""What sites cost and yield: answers and bytes that were kept, changes that were found, week by week.

Reads pages that were visited in the span, and their captures in it; days of changes are counted already (`host_days`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from strandline.store.reading import Reading

WEEK = 7 * 86_400.0
_DAY = 86_400.0


class SiteWeek(NamedTuple):
    """A site in one week; `week` counts back from the present: 0 are the last seven days."""

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
        """Weeks of all sites, or of one, in which anything happened."""
        found: dict[tuple[str, int], SiteWeek] = {}
        of_site = "AND (site = ? OR authority = ?)" if site else ""
        named = (site, site) if site else ()
        query = f"""SELECT site, count(*), count(*) FILTER (WHERE revisit <> 0),
                count(*) FILTER (WHERE status >= 400), sum(length)
            FROM pages JOIN hosts USING (host) JOIN captures USING (page)
            WHERE visited > ? AND time > ? AND time <= ? {of_site} GROUP BY site"""
        for week in range(weeks):
            start, end = now - (week + 1) * WEEK, now - week * WEEK
            for name, *counts in self._rows(query, start, start, end, *named):
                found[str(name), week] = SiteWeek(str(name), week, *(int(str(count or 0)) for count in counts))
        # Whole days: a week of changes begins with the day after the moment seven days ago.
        today = int(now // _DAY)
        query = f"""SELECT site, (? - day) / 7 AS week, sum(changes), sum(important), sum(importance)
            FROM host_days JOIN hosts USING (host) WHERE day > ? AND day <= ? {of_site} GROUP BY 1, 2"""
        for name, ago, changes, important, importance in self._rows(query, today, today - 7 * weeks, today, *named):
            key = str(name), int(str(ago))
            seen = int(str(changes or 0)), int(str(important or 0)), float(str(importance or 0.0))
            if any(seen):
                one = found.get(key, SiteWeek(*key))
                found[key] = one._replace(changes=seen[0], important=seen[1], importance=seen[2])
        return iter(found[key] for key in sorted(found))
