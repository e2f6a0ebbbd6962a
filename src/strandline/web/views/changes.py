"""What changed lately, newest first, with filters. Feeds of the same are in `web.feeds`."""

from dataclasses import dataclass, replace

from strandline.alerts.alert import moment
from strandline.app.browsing import Change, ChangesWanted, Returns
from strandline.app.model import answers_told
from strandline.archive.known_collections import narrowed
from strandline.errors import UsageError
from strandline.web.desk import Desk
from strandline.web.texts import say
from strandline.web.views.values import Moment, level

_BLOCKS = 4
_EXCERPT = 160
_TEXT = 600


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """A block that changed, and why that counts as it does."""

    path: str
    topic: str
    role: str
    why: str
    contribution: float


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change: it happened after one capture time and by the next."""

    change: int
    url: str
    site: str
    after: Moment
    by: Moment
    importance: float
    impch: float
    level: int
    held: bool
    operations: int
    sentence: str
    """What changed, as a person would write it."""
    title: str
    old_text: str
    """The sentence of the page that was."""
    new_text: str
    blocks: list[ChangedBlock]
    more_blocks: int
    returns_to: Moment | None = None
    """When the page showed before what it shows again since this change; None for something new."""
    answers: tuple[str, ...] = ()
    """What a language model answered to questions of the settings, in sentences that say so."""


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """Some changes, newest first."""

    changes: list[ChangeView]
    cursor: str | None
    """Give this as `cursor` to go on; None at the end."""
    searched: bool
    """False: the filter found less than a page among the changes looked at; going on looks at older ones."""


@dataclass(frozen=True, slots=True)
class ChangesAsked:
    """Which changes are asked for."""

    site: str = ""
    least: float = 0.0
    since: float | None = None
    until: float | None = None
    cursor: str = ""
    limit: int = 50
    collection: str = ""
    tag: str = ""


def change_view(change: Change, returns: Returns) -> ChangeView:
    """A change as it is shown."""
    blocks = [
        ChangedBlock(
            str(one.get("path", "")),
            str(one.get("topic", ""))[:_EXCERPT],
            str(one.get("role", "")),
            str(one.get("why", "")),
            float(one.get("contribution", 0.0)),
        )
        for one in change.blocks[:_BLOCKS]
    ]
    told = change.told
    return ChangeView(
        change=change.change,
        url=change.url,
        site=change.site,
        after=change.after,
        by=change.by,
        importance=change.importance,
        impch=change.impch,
        level=level(change.importance),
        held=change.held,
        operations=change.operations,
        sentence=told.sentence,
        title=told.title,
        old_text=told.before[:_TEXT],
        new_text=told.after[:_TEXT],
        blocks=blocks,
        more_blocks=max(0, len(change.blocks) - _BLOCKS),
        returns_to=returns.of(change),
    )


def changes_page(desk: Desk, asked: ChangesAsked) -> ChangesPage:
    """Visible changes, newest first; UsageError for a cursor that is none."""
    until, below = _cursor(asked.cursor)
    if asked.until is not None and asked.until < until:
        until, below = asked.until, 2**62
    since = float("-inf") if asked.since is None else asked.since
    narrow = narrowed(desk.settings, asked.collection, asked.tag)
    wanted = ChangesWanted(asked.site, since, until, asked.least, below, narrow)
    found, more = desk.reading.latest_changes(wanted, asked.limit)
    cursor = None if more is None else f"{more[0]!r}-{more[1]}"
    returns, answers = Returns(desk.reading), answers_told(desk.archive)
    views = [change_view(one, returns) for one in found]
    if answers:
        views = [replace(one, answers=tuple(answers.get((one.url, moment(one.by)), ()))) for one in views]
    return ChangesPage(views, cursor, len(found) == asked.limit or more is None)


def _cursor(text: str) -> tuple[float, int]:
    if not text:
        return float("inf"), 2**62
    try:
        time, _, number = text.rpartition("-")
        found = float(time), int(number)
    except ValueError:
        raise UsageError(say("no_cursor", text=text[:40])) from None
    if not (abs(found[0]) < 1e15 and 0 <= found[1] < 2**62):
        raise UsageError(say("no_cursor", text=text[:40]))
    return found
