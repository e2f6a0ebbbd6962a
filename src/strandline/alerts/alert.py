"""What is told: alerts from changes that were studied and from alarms.

An alert is a JSON document with everything a receiver needs: what changed where and when, how much it matters, and
why, block by block. `text` says the same in a sentence, which chat services show as it is.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from strandline.settings.schema import AlertSettings
from strandline.store.alarming import Alarm
from strandline.store.outbox import Alert, alert_key
from strandline.store.studies import Change

HISTORY: Final = 7 * 86400.0
"""A change seen longer ago than this is history, not news: an import of old files alarms nobody."""
MOST_BLOCKS: Final = 10
"""Changed blocks told of in one alert."""


def moment(time: float) -> str:
    """UTC, to the second."""
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def change_alert(
    change: Change, now: float, settings: AlertSettings, archive: str, pictured: bool = False
) -> Alert | None:
    """The alert on a change; None for one that nobody sees, that is not believed yet, or that is long past. `pictured`
    when there are pictures of the page before and after it.
    """
    if change.held or not change.visible or change.by < now - HISTORY:
        return None
    blocks = [block_data(block) for block in change.blocks[:MOST_BLOCKS]]
    told = change.told
    document = {
        "kind": "change",
        "archive": archive,
        "text": change_text(change),
        "sentence": told.sentence,
        "title": told.title,
        "old_text": told.before,
        "new_text": told.after,
        "url": change.url,
        "site": change.site,
        "after": moment(change.after),
        "by": moment(change.by),
        "importance": round(change.importance, 6),
        "impch": round(change.impch, 6),
        "blocks": blocks,
        **({"pictured": True} if pictured else {}),
        **change_links(change.url, change.after, change.by, settings.link, pictured),
    }
    key = alert_key("change", change.url, change.after, change.by)
    return Alert("change", now, change.site, change.url, change.importance, document, key)


def change_text(change: Change) -> str:
    """A change in a sentence: what page, what is other now, when, and how much it matters."""
    told = change.told
    named = f"{told.title} ({change.url})" if told.title else change.url
    span = f"between {moment(change.after)} and {moment(change.by)}, importance {change.importance:.2f}"
    return f"{named}: {told.sentence} ({span})" if told.sentence else f"{named} changed {span}"


def block_data(block: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a changed block."""
    wanted = ("path", "kind", "topic", "role", "contribution", "why", "noise")
    return {name: block[name] for name in wanted if block.get(name) not in (None, "")}


def change_links(url: str, after: float, by: float, link: str, pictured: bool = False) -> dict[str, str]:
    """Where the interface shows the versions, when its address is known."""
    if not link:
        return {}
    base, stamp = link.rstrip("/"), datetime.fromtimestamp(by, UTC).strftime("%Y%m%d%H%M%S")
    old = datetime.fromtimestamp(after, UTC).strftime("%Y%m%d%H%M%S")
    pictures = {
        "picture": f"{base}/framed/{stamp}/{old}/{url}",
        "picture_before": f"{base}/framed/{old}/{stamp}/{url}",
    }
    return {
        **(pictures if pictured else {}),
        "shown": f"{base}/web/{stamp}/{url}",
        "before": f"{base}/web/{old}/{url}",
        "compare": f"{base}/compare?url={quote(url, safe='')}&from={old}&to={stamp}",
        "captures": f"{base}/captures?url={quote(url, safe='')}",
    }


def alarm_alert(alarm: Alarm, now: float, archive: str) -> Alert:
    """The alert on an alarm that opened or closed."""
    event = "opened" if alarm.closed is None else "closed"
    about = alarm.subject or archive
    said = alarm.explanation if alarm.closed is None else f"{alarm.ending} (it was: {alarm.explanation})"
    document = {
        "kind": "alarm",
        "archive": archive,
        "text": f"Alarm {event}: {alarm.kind}, {about}: {said}",
        "alarm": alarm.kind,
        "event": event,
        "subject": alarm.subject,
        "opened": moment(alarm.opened),
        "closed": None if alarm.closed is None else moment(alarm.closed),
        "explanation": alarm.explanation,
        "ending": alarm.ending,
    }
    key = alert_key("alarm", alarm.kind, alarm.subject, alarm.opened, event)
    return Alert("alarm", now, alarm.subject, "", 1.0, document, key)


def trial_alert(now: float, archive: str) -> Alert:
    """A message to see whether a target can be reached."""
    document = {"kind": "test", "archive": archive, "text": f"A test: alerts of the archive {archive} reach you."}
    return Alert("test", now, "", "", 0.0, document, alert_key("test", archive, now))
