"""What a reader would do with a page before it is kept: close the notice that hides it, scroll, ask for more.

    consent notice    closed where a rule of scripts/rules.json says how, refusing where that is offered
    scrolling         step by step, images that wait to be seen loaded, until the page grows no more
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
_STEP_SECONDS: Final = 0.12
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


def scroll(page: Reader) -> int:
    """Go down the page until it grows no more, and back up; says how many steps that took."""
    steps, step = 0, f"{script('scroll.js')}('step')"
    while steps < _STEPS and not page.out_of_time:
        steps += 1
        if not page.run_script(step)["end"]:
            page.pause(_STEP_SECONDS)
            continue
        page.pause(_STEP_SECONDS)
        page.settle(_GROWN)
        if page.run_script(step)["end"]:  # it did not grow
            break
    page.run_script(f"{script('scroll.js')}('top')")
    return steps


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
