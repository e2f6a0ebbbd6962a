"""The week's digest: for each target that wants one, what changed on the pages it is told of, in sentences, the most
important first.

Decided on once a week, from Monday morning on, for the week that ended; a watch that does not run then does it when
it is started again. Its key is made of the target and the week, so that it goes out once.
"""

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from strandline.alerts.alert import change_links, moment
from strandline.alerts.targets import Target
from strandline.archive.known_collections import narrowed
from strandline.errors import UsageError
from strandline.settings.schema import Settings
from strandline.store.outbox import Alert, alert_key
from strandline.store.studies import Change, StudyReading

_WEEK = 7 * 86400.0
_MONDAY = 4 * 86400.0
"""Seconds from the first of January 1970, a Thursday, to the first Monday. Origin: a unit."""
_MORNING = 6 * 3600.0
"""Seconds after midnight (UTC) on a Monday, from which on digests go out. Origin: a guess."""
_MOST = 40
"""Changes told of. Origin: a guess, what people read on a Monday."""


def week_before(now: float) -> tuple[float, float]:
    """The last week that is over and may be told of: its Monday, and the one after it."""
    end = (now - _MORNING - _MONDAY) // _WEEK * _WEEK + _MONDAY
    return end - _WEEK, end


def weekly_digests(
    told: tuple[Sequence[Target], str],
    studies: StudyReading,
    shown: Callable[[Change], bool],
    now: float,
    settings: Settings,
) -> list[Alert]:
    """Digests of the last week for the targets that want one; `told` are all targets, and what alerts call the archive,
    `shown` tells which changes are not taken down. Where nothing changed nothing is sent.
    """
    targets, archive = told
    start, end = week_before(now)
    alerts = []
    for target in targets:
        if target.only != "digest":
            continue
        try:
            found = digest(studies, shown, (start, end), settings, (target.site, target.collection, target.least))
        except UsageError:  # its collection is there no more
            continue
        if found["count"]:
            document = {"kind": "digest", "archive": archive, "to": target.name, **found}
            key = alert_key("digest", target.name, start)
            alerts.append(Alert("digest", now, target.site, "", 1.0, document, key))
    return alerts


def digest(
    studies: StudyReading,
    shown: Callable[[Change], bool],
    span: tuple[float, float],
    settings: Settings,
    of: tuple[str, str, float],
) -> dict[str, Any]:
    """What changed in a span of time, on a site or in a collection, from an importance on."""
    site, collection, least = of
    count = 0

    def wanted() -> Any:  # noqa: ANN401 - an iterator of what is compared
        nonlocal count
        for change in studies.changes(site, span[0], least, narrowed(settings, collection)):
            if change.by < span[1] and change.visible and not change.held and shown(change):
                count += 1
                yield change

    best: list[Change] = heapq.nlargest(_MOST, wanted(), key=lambda change: (change.importance, -change.by))
    about = f" of {collection or site}" if collection or site else ""
    more = f", the {len(best)} most important ones" if count > len(best) else ""
    days = f"{moment(span[0])[:10]} to {moment(span[1] - 1)[:10]}"
    changes = "1 change" if count == 1 else f"{count} changes"
    return {
        "text": f"{days}: {changes}{about}{more}",
        "from": moment(span[0]),
        "until": moment(span[1]),
        "count": count,
        "changes": [_told(change, settings.alerts.link) for change in best],
    }


def _told(change: Change, link: str) -> dict[str, Any]:
    told = change.told
    links = change_links(change.url, change.after, change.by, link)
    return {
        "url": change.url,
        "title": told.title,
        "sentence": told.sentence,
        "by": moment(change.by),
        "importance": round(change.importance, 6),
        **({"compare": links["compare"]} if links else {}),
    }
