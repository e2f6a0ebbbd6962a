"""What a crawl or a plan leaves out of an archive, from what was learned about its sites."""

from collections.abc import Iterable
from pathlib import Path

from strandline.crawl.learn_rules import NEGLIGIBLE
from strandline.crawl.quiet_sites import Answered, Noticed, QuietSites, SiteLore
from strandline.store.skipping import SkipReading


def skips_of(method: str, database: Path) -> QuietSites:
    """Skips by a method, over the catalog of an archive."""
    return QuietSites(method, Library(SkipReading.open(database)))


class Library:
    """Implements `crawl.quiet_sites.SkipLibrary` over a catalog."""

    def __init__(self, reading: SkipReading) -> None:
        self._reading = reading

    def site(self, name: str, method: str, pass_start: float) -> SiteLore | None:
        """What is known of a site when a pass begins or goes on; None for one nothing was learned about."""
        reading = self._reading
        rules, state = next(reading.site_rules(name), None), reading.site_state(name)
        if rules is None:
            return None
        records = list(reading.retests(name, method))
        pages, urls, visited, captured, absent = reading.known_pages(name)
        waiting = [one.last_pass for one in records if one.in_force and one.tests and not one.failed]
        return SiteLore(
            pages=pages,
            urls=urls,
            visited=visited,
            captured=captured,
            absent=absent,
            rules=rules,
            state=state,
            records=records,
            noticed=list(self._noticed(name, min(waiting))) if waiting else (),
            answered=[Answered(*row) for row in reading.answered_since(name, pass_start)],
        )

    def _noticed(self, name: str, since: float) -> Iterable[Noticed]:
        for page, url, by, importance in self._reading.noticed_since(name, since):
            if importance >= NEGLIGIBLE:
                yield Noticed(page, url, by)
