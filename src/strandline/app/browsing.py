"""Looking around in an archive, for the interface: one place to get the bounded queries and their answers from."""

from strandline.archive.folder import Archive
from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.browsing import Branch, BrowsingReading, ChangeRow, ChangesWanted, Day, ListedPage
from strandline.store.catalog import DATABASE
from strandline.store.histories import BlockLife
from strandline.store.reading import SiteRow
from strandline.store.studies import Change, Returns, Wanted

__all__ = [
    "Alarm",
    "AlarmReading",
    "BlockLife",
    "Branch",
    "BrowsingReading",
    "Change",
    "ChangeRow",
    "ChangesWanted",
    "Day",
    "ListedPage",
    "Returns",
    "SiteRow",
    "Wanted",
    "open_alarm_reading",
    "open_browsing",
]


def open_browsing(archive: Archive) -> BrowsingReading:
    """The catalog, for looking around beside a writer; one of an older format is brought up to date first."""
    archive.reading.count()
    return BrowsingReading.open(archive.folder / DATABASE)


def open_alarm_reading(archive: Archive) -> AlarmReading:
    """What departs from its normal, or must not be."""
    return AlarmReading.open(archive.folder / DATABASE)
