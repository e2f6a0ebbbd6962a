"""An archive for those who write Python: everything the commands answer, as methods.

archive = strandline.open("./my-archive")
for visit in archive.next(20):
    print(visit.url, visit.urgency, visit.reason)
print(archive.quality(site="example.org").completeness)
"""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from strandline.access.quality import Quality
from strandline.app.archive import Archive, open_archive
from strandline.app.clock import SystemClock
from strandline.app.explaining import Why, why
from strandline.app.measuring import measured
from strandline.app.planning import Planning
from strandline.core.plan.budget import Budget
from strandline.crawl.next import Due


class OpenedArchive(Archive):
    """An archive that also plans and measures. Times are UTC epoch seconds; `now` is the present unless given."""

    def next(self, visits: int | Budget | None = None, now: float | None = None) -> list[Due]:
        """The most urgent pages, most urgent first, each with its reason; nothing is fetched. By default as many as the
        budget allows in an hour.
        """
        wanted = visits.visits if isinstance(visits, Budget) else visits
        return self._planning(now).next(wanted)

    def plan(self, hours: float = 24.0, now: float | None = None) -> Iterator[Due]:
        """The visits of the coming hours in the order of time, as if each were made."""
        return self._planning(now).ahead(hours)

    def why(self, url: str, now: float | None = None) -> Why:
        """Every reason for one page: may it be fetched, what was learned of it, when is its turn."""
        return why(self._planning(now), url)

    def quality(self, site: str = "", at: float | None = None, now: float | None = None) -> Quality:
        """Completeness, coherence, freshness and coverage of the archive, or of one of its sites."""
        found = measured(self._planning(now), site, at)
        return found.sites[0] if found.whole is None else found.whole

    def _planning(self, now: float | None) -> Planning:
        return Planning(self, SystemClock().now() if now is None else now)


def open_folder(folder: str | PathLike[str]) -> OpenedArchive:
    """The archive in a folder; UsageError when there is none."""
    found = open_archive(Path(folder))
    return OpenedArchive(found.folder, found.settings)
