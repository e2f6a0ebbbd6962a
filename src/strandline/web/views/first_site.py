"""A first site as it is shown: what to choose from, and the first comparison."""

from dataclasses import dataclass
from typing import Final, Literal

from strandline.core.changes.told.shown import marked
from strandline.settings.schema import Settings
from strandline.study.comparing import Comparison
from strandline.study.surveying import REACHES, Survey
from strandline.web.views.compare import MARKS, Piece
from strandline.web.views.values import Moment, level

_PACE: Final = 60
"""Pages an hour that are proposed at least: one a minute. Origin: a guess."""
_MOST_PROPOSED: Final = 1200
"""Pages an hour that are proposed at most: one every three seconds. Origin: a guess."""
_ROUND: Final = 24
"""Hours in which every page that was found would be seen once. Origin: a guess."""
_SHOWN: Final = 12
"""Blocks of the first comparison that are shown. Origin: a guess."""
_LONGEST: Final = 600


@dataclass(frozen=True, slots=True)
class Choices:
    """What is proposed."""

    scope: str
    scopes: list[tuple[str, int]]
    """Each with the addresses found so far; those that hold no other addresses than another are left out."""
    pace: int
    browser: str


def choices_of(seen: Survey, settings: Settings, chromium: bool) -> Choices:
    """What to propose for what was found."""
    found = [(reach, seen.pages.get(reach, 1)) for reach in REACHES]
    wider = {reach: count for (reach, count), (_, before) in zip(found[1:], found, strict=False) if count > before}
    more = {"page": True, "host": True, "domain": "domain" in wider, "prefix": "host" in wider and "prefix" in wider}
    scopes = [(reach, count) for reach, count in found if more[reach]]
    within = seen.pages.get("host", 1)
    pace = min(_MOST_PROPOSED, max(_PACE, round(within / _ROUND)))
    browser = settings.capture.browser
    if seen.browser != "no" and chromium and browser == "never":
        browser = "auto"
    return Choices("host", scopes, pace, browser)


@dataclass(frozen=True, slots=True)
class PreviewBlock:
    """A block that differs."""

    kind: str
    importance: float
    level: int
    why: str
    pieces: list[Piece]


@dataclass(frozen=True, slots=True)
class Preview:
    """The page as it was looked at, beside its first capture."""

    url: str
    seen: Moment
    captured: Moment
    between: float
    """Seconds."""
    sentence: str
    importance: float
    blocks: list[PreviewBlock]
    same: int
    """Blocks that are as they were."""
    state: Literal["same", "changed"]


def preview_of(comparison: Comparison, captured: float, seen: Survey) -> Preview:
    """The comparison as it is shown."""
    shown = comparison.blocks()
    changed = [one for one in shown if one.kind != "unchanged"]
    blocks = [
        PreviewBlock(
            one.kind,
            one.importance,
            level(one.importance),
            one.noise or (one.reason.why if one.reason else ""),
            [Piece(MARKS[mark], text) for mark, text in marked(one.before[:_LONGEST], one.after[:_LONGEST])],
        )
        for one in sorted(changed, key=lambda one: -one.importance)[:_SHOWN]
    ]
    return Preview(
        url=seen.url,
        seen=seen.time,
        captured=captured,
        between=captured - seen.time,
        sentence=comparison.told.sentence if changed else "",
        importance=comparison.importance,
        blocks=blocks,
        same=len(shown) - len(changed),
        state="changed" if changed else "same",
    )
