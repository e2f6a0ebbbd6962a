"""What a reader would do with a page before it is kept: close the notice that hides it, scroll, ask for more.

    consent notice    closed where a rule of scripts/rules.json says how, refusing where that is offered
    scrolling         images that wait to be seen are loaded; where scripts wait for a reader who scrolls, step by step
                      until the page grows no more
    "load more"       only on request: clicked until nothing new comes

Every step is bounded: in number here, in time and requests by the load. What a page does to hinder it costs the step,
not the load.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, Protocol

_STEPS: Final = 60
"""Screens that are scrolled."""
_STEP_MILLISECONDS: Final = 100
"""Rest after each, so that scripts that wait for the end of a movement have their turn."""
_LOOK_SECONDS: Final = 0.4
"""Between two looks at how it goes."""
_LOOKS: Final = 60
"""After which a page that is not at its end yet is taken as it is."""
_GROWN: Final = 2.0
"""Seconds a page has to bring more when its end is reached."""
_CLICKS: Final = 20
"""Clicks on "load more"."""


class Reader(Protocol):
    """A page under way, as behaviours use it."""

    def run_script(self, expression: str) -> Any:  # noqa: ANN401 - whatever a script returns
        """Evaluate a script in a world of its own, beside the page's."""

    def settle(self, seconds: float) -> None:
        """Wait until nothing more comes, at most so long."""

    def pause(self, seconds: float) -> None:
        """Let time pass."""

    @property
    def asked_for(self) -> int:
        """Requests so far."""

    @property
    def out_of_time(self) -> bool:
        """Whether no further step may begin."""


@cache
def script(name: str) -> str:
    """A script or rules of this package."""
    return files("strandline.browser").joinpath("scripts", name).read_text(encoding="utf-8")


@cache
def _rules(part: str) -> str:
    return json.dumps(json.loads(script("rules.json"))[part])


def close_notice(page: Reader) -> str:
    """Close a consent notice; says by which rule, empty when there was none."""
    name = str(page.run_script(f"{script('click.js')}({_rules('consent')})") or "")
    if name:
        page.settle(_GROWN)
    return name


def scroll(page: Reader, looked_at: bool = False) -> int:
    """Go down the page until it grows no more, and back up, where anything waits for that; says how many steps it
    took. Nothing is painted on the way, nor afterwards unless the page is looked at.
    """
    steps = 0
    while steps < _STEPS and not page.out_of_time:
        found, looks = _scrolled(page, "down", looked_at), 0
        lazy = found["lazy"]
        while found["going"] and looks < _LOOKS and not page.out_of_time:
            looks += 1
            page.pause(_LOOK_SECONDS)
            found = _scrolled(page, "look", looked_at)
        steps += found["steps"]
        if lazy or found["steps"]:
            page.settle(_GROWN)
        if not found["steps"] or found["going"]:  # there is no more to see, or the page stands still
            break
    if steps:
        _scrolled(page, "top", looked_at)
    return steps


def _scrolled(page: Reader, how: str, looked_at: bool) -> Any:  # noqa: ANN401 - what the script returns
    given = f"{how!r}, {_STEPS}, {_STEP_MILLISECONDS}, {str(looked_at).lower()}"
    return page.run_script(f"{script('scroll.js')}({given})")


def load_more(page: Reader) -> int:
    """Click what says "load more" until nothing new comes; says how often."""
    for clicks in range(_CLICKS):
        before = page.asked_for, _letters(page)
        if page.out_of_time or not page.run_script(f"{script('click.js')}({_rules('more')})"):
            return clicks
        page.settle(_GROWN)
        if (page.asked_for, _letters(page)) == before:
            return clicks + 1
    return _CLICKS


def _letters(page: Reader) -> int:
    return int(page.run_script("document.body ? document.body.textContent.length : 0"))
