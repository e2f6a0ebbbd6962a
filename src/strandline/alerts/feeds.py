"""A feed of an archive, of a site or of a page: the newest changes that matter, and alarms."""

import time
from dataclasses import dataclass
from typing import Final

from strandline.access.changed_pictures import both_pictured
from strandline.access.feeds import Entry, Feed, Reason
from strandline.access.index import Holdings
from strandline.alerts.alert import MOST_BLOCKS, alarm_alert, change_links, change_text
from strandline.alerts.outbox import archive_name
from strandline.archive.folder import Archive, web_address
from strandline.archive.holdings import holdings
from strandline.archive.known_collections import narrowed
from strandline.settings.schema import Settings
from strandline.store.alarming import Alarm, AlarmReading
from strandline.store.catalog import DATABASE
from strandline.store.outbox import alert_key
from strandline.store.studies import Change

_LINKS: Final = (("Compare", "compare"), ("Now", "shown"), ("Before", "before"), ("All captures", "captures"))
_PICTURES: Final = (("Before", "picture_before"), ("Now", "picture"))


@dataclass(frozen=True, slots=True)
class FeedRequest:
    """What a feed is to hold."""

    site: str = ""
    """Registered domain or host; empty for all."""
    page: str = ""
    """One page; empty for all."""
    min_importance: float | None = None
    """None: as the settings say; 0 for a single page."""
    limit: int = 50
    address: str = ""
    """Where the feed is, if it is served."""
    collection: str = ""
    """A collection; empty for all."""
    tag: str = ""
    """A tag of pages or changes; empty for all."""


def change_feed(archive: Archive, wanted: FeedRequest, now: Settings | None = None) -> Feed:
    """The newest changes that matter, with their reasons; beside a writer too. `now` are the settings as they are now,
    where the archive was opened long ago.
    """
    current = now or archive.settings
    settings = archive.settings.alerts
    page = web_address(wanted.page) if wanted.page else ""
    least = wanted.min_importance
    if least is None:
        least = 0.0 if page else settings.min_importance
    narrow = narrowed(current, wanted.collection, wanted.tag)
    archive.reading.count()  # brings an older format up to date
    reading = AlarmReading.open(archive.folder / DATABASE)
    try:
        changes = reading.newest_changes(wanted.site, page, least, wanted.limit, narrow)
        of_part = page or wanted.collection or wanted.tag
        alarms = (
            [] if of_part else [one for one in reading.alarms() if wanted.site in ("", one.subject)][: wanted.limit]
        )
    finally:
        reading.close()
    name = archive_name(archive.folder, archive.settings)
    held = holdings(archive)
    entries = [_entry(change, settings.link, held) for change in changes]
    entries += [_alarm_entry(alarm, name, settings.link) for alarm in alarms]
    entries.sort(key=lambda entry: -entry.time)
    named = next((one.title for one in current.collection if one.name == wanted.collection), "")
    part = " ".join(filter(None, (page or wanted.site, named or wanted.collection, wanted.tag)))
    title = f"{part or 'Changes'} ({name})"
    key = alert_key("feed", name, wanted.site, page, *filter(None, (wanted.collection, wanted.tag)))
    return Feed(title, key, entries[: wanted.limit], wanted.address, time.time())


def _entry(change: Change, link: str, held: Holdings) -> Entry:
    reasons = tuple(
        Reason(
            str(block.get("topic") or block.get("path") or "the page"),
            str(block.get("why", "")),
            float(block.get("contribution") or 0.0),
        )
        for block in change.blocks[:MOST_BLOCKS]
    )
    pictured = bool(link) and both_pictured(held, change.url, change.after, change.by)
    links, told = change_links(change.url, change.after, change.by, link, pictured), change.told
    return Entry(
        key=alert_key("change", change.url, change.after, change.by),
        title=f"{told.title or change.url}: {told.sentence or 'changed'}",
        link=links.get("compare", change.url),
        time=change.by,
        text=change_text(change),
        reasons=reasons,
        site=change.site,
        old=told.before,
        new=told.after,
        links=tuple((name, links[where]) for name, where in _LINKS if where in links),
        pictures=tuple((name, links[where]) for name, where in _PICTURES if where in links),
    )


def _alarm_entry(alarm: Alarm, name: str, link: str) -> Entry:
    alert = alarm_alert(alarm, alarm.opened, name)
    at = alarm.opened if alarm.closed is None else alarm.closed
    about = f"{alarm.kind} {alarm.subject or name}"
    title = f"Alarm {alert.document['event']}: {about}"
    return Entry(alert.key, title, link, at, str(alert.document["text"]), (), alarm.subject)
