"""Searches that were saved: who is told is told when their words appear on a page, and when they vanish from it.

Looked for in the blocks that came and went with a change, or with a page that is new, not in the search index, which
leaves out versions that are shown for a short time. Words that a page had before and still has are no news, wherever
they moved to.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from strandline.alerts.alert import HISTORY, change_links, moment
from strandline.core.blocks.queries import Clause, clauses, fits
from strandline.settings.schema import AlertSettings
from strandline.settings.texts import saved
from strandline.store.histories import BlockLife
from strandline.store.outbox import Alert, alert_key
from strandline.store.studies import Change

_NEAR = 0.001
"""Seconds by which times of the same capture may differ. Origin: a unit: records have milliseconds."""
_PASSAGE = 300
"""Characters of the text that are told. Origin: a guess, about three lines of a mail."""


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """Words somebody wants to hear of."""

    name: str
    words: str
    asked: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A capture that showed something new, or a new page."""

    page: int
    url: str
    site: str
    time: float
    before: float
    """When the page was captured before; the time itself for one that is new."""


def saved_searches(settings: AlertSettings) -> tuple[SavedSearch, ...]:
    """Those of the settings."""
    named = (saved(entry) for entry in settings.searches)
    return tuple(SavedSearch(name, words, tuple(clauses(words))) for name, words in named)


def shown_by(changes: Iterable[Change]) -> list[Shown]:
    """Changes a reader sees, and that are believed."""
    seen = (change for change in changes if change.visible and not change.held)
    return [Shown(change.page, change.url, change.site, change.by, change.after) for change in seen]


def search_alerts(
    searches: Sequence[SavedSearch],
    shown: Iterable[Shown],
    lives: Callable[[int], list[BlockLife]],
    now: float,
    about: tuple[AlertSettings, str],
) -> list[Alert]:
    """Alerts on words that appeared or vanished; `about` are the settings and what alerts call the archive."""
    alerts: list[Alert] = []
    for one in shown if searches else ():
        if one.time < now - HISTORY:
            continue
        blocks = lives(one.page)
        came = [life for life in blocks if abs(life.first - one.time) < _NEAR]
        went = [life for life in blocks if life.gone is not None and abs(life.gone - one.time) < _NEAR]
        stayed = [life for life in blocks if life.first < one.time - _NEAR and (life.gone or one.time + 1) > one.time]
        for search in searches:
            now_there, before = _first(search, came), _first(search, went)
            if _first(search, [life for life in stayed if life not in went]) or bool(now_there) == bool(before):
                continue
            event = "appeared" if now_there else "vanished"
            found = now_there or before
            assert found is not None
            alerts.append(_alert(search, event, found, one, (now, *about)))
    return alerts


def _first(search: SavedSearch, blocks: Iterable[BlockLife]) -> BlockLife | None:
    return next((life for life in blocks if fits(search.asked, life.text)), None)


def _alert(
    search: SavedSearch, event: str, life: BlockLife, shown: Shown, about: tuple[float, AlertSettings, str]
) -> Alert:
    now, settings, archive = about
    passage = " ".join(life.text.split())
    passage = passage if len(passage) <= _PASSAGE else f"{passage[:_PASSAGE]}…"
    document = {
        "kind": "search",
        "archive": archive,
        "text": f"{search.name}: {event} on {shown.url} by {moment(shown.time)}: {passage}",
        "search": search.name,
        "words": search.words,
        "event": event,
        "url": shown.url,
        "site": shown.site,
        "after": moment(shown.before),
        "by": moment(shown.time),
        "old_text" if event == "vanished" else "new_text": passage,
        **change_links(shown.url, shown.before, shown.time, settings.link),
    }
    key = alert_key("search", search.name, search.words, shown.url, event, shown.time)
    return Alert("search", now, shown.site, shown.url, 1.0, document, key)
