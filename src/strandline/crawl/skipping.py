"""What a crawl or a plan leaves out of an archive, from what was learned about its sites."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from strandline.core.mining.site_state import NEGLIGIBLE, Price
from strandline.core.skip.retests import Retests
from strandline.crawl.quiet_sites import Answered, Noticed, QuietPlan, QuietSites, QuietWatch, SiteKnowledge
from strandline.store.skipping import SkipReading


@dataclass(frozen=True, slots=True)
class SkipStanding:
    """How what crawls leave out of a site stands."""

    site: str
    whole: int
    """Versions in which nearly all pages were looked at."""
    price: Price | None
    """Chance of a change from which on the site-level policy asks for a page."""
    records: tuple[Retests, ...]

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        price = self.price
        asked = (
            None
            if price is None
            else {
                "from": price.price,
                "saved": price.bypass_ratio,
                "caught": price.change_recall,
                "tests": price.tests,
            }
        )
        return {"whole_versions": self.whole, "price": asked, "retests": [record_data(one) for one in self.records]}


def record_data(one: Retests) -> dict[str, Any]:
    """A record for JSON."""
    return {
        "directory": one.directory,
        "method": one.method,
        "tests": one.tests,
        "failed": one.failures,
        "active": one.in_force,
        "retired": one.retired or None,
        "why": one.why,
    }


def skip_standings(database: Path, site: str = "") -> dict[str, SkipStanding]:
    """How what crawls leave out stands, for all sites that were learned or for one."""
    reading = SkipReading.open(database, everything=True)
    found = {}
    for name in reading.rated_sites():
        if site in ("", name):
            state = reading.site_state(name)
            records = tuple(reading.retests(name))
            found[name] = SkipStanding(name, state.whole if state else 0, state.price if state else None, records)
    return found


def skips_of(method: str, database: Path) -> QuietSites:
    """Skips by a method, over the catalog of an archive."""
    return QuietSites(method, Library(SkipReading.open(database, everything=True)))


def watch_skips(method: str, database: Path, period: float) -> QuietWatch:
    """Books the visits of a watch as tests of what its plan leaves out, one a period."""
    library = Library(SkipReading.open(database, everything=True))
    return QuietWatch(method, library, library.pace * period)


def plan_skips(method: str, database: Path, period: float) -> QuietPlan:
    """What a plan leaves out, by a method, over the catalog of an archive; each period tests it once."""
    library = Library(SkipReading.open(database, everything=True))
    return QuietPlan(method, library, library.pace * period)


class Library:
    """Implements `crawl.quiet_sites.SkipLibrary` over a catalog. Crawls go by the clock, so periods do, too."""

    def __init__(self, reading: SkipReading) -> None:
        self._reading = reading
        self.pace = reading.lived_time().pace

    def site(self, name: str, method: str, pass_start: float) -> SiteKnowledge | None:
        """What is known of a site when a pass begins or goes on; None for one nothing was learned about."""
        reading = self._reading
        rules, state = next(reading.site_rules(name), None), reading.site_state(name)
        if rules is None:
            return None
        records = list(reading.retests(name, method))
        pages, urls, visited, captured, absent = reading.known_pages(name, pass_start)
        waiting = [one.last_pass for one in records if one.in_force and one.tests and not one.failed]
        return SiteKnowledge(
            pages=pages,
            urls=urls,
            visited=visited,
            captured=captured,
            absent=absent,
            rules=replace(rules, period=self.pace * rules.period),
            state=None if state is None else replace(state, period=self.pace * state.period),
            records=records,
            noticed=list(self._noticed(name, min(waiting))) if waiting else (),
            answered=[Answered(*row) for row in reading.answered_since(name, pass_start)],
        )

    def _noticed(self, name: str, since: float) -> Iterable[Noticed]:
        for page, url, by, importance in self._reading.noticed_since(name, since):
            if importance >= NEGLIGIBLE:
                yield Noticed(page, url, by)
