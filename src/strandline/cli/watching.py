"""Watching from the terminal: flags over settings, a live line for people, JSON Lines for programs."""

import sys
from typing import Any

from strandline.app.archive import Archive
from strandline.app.watching import Hooks, WatchRequest, run_watch
from strandline.cli.crawling import captured_event, ending, follow, summary
from strandline.cli.output import as_json, tell
from strandline.core.capture import Capture
from strandline.errors import UsageError
from strandline.settings.schema import Settings
from strandline.settings.units import seconds


def hours_of(text: str) -> float:
    """How long a watch runs, in its own hours; 0 for as long as it is let."""
    try:
        return seconds(text) / 3600.0 if text else 0.0
    except ValueError as problem:
        raise UsageError(f"--for: {problem}") from None


def watch(
    archive: Archive, settings: Settings, request: WatchRequest, as_lines: bool = False, quiet: bool = False
) -> None:
    """Watch and report. Exceptions carry the exit code of the way it ended."""
    live = sys.stderr.isatty() and not quiet
    progress, finish = follow(live)

    def captured(capture: Capture) -> None:
        if as_lines:
            as_json(captured_event(capture))

    hooks = Hooks(captured=captured, progress=progress, said=tell)
    given: dict[str, Any] = {"seeds": request.seeds, "hours": request.hours, "hour_seconds": request.hour_seconds}
    try:
        tally = run_watch(archive, settings, WatchRequest(**given, hooks=hooks))
    finally:
        finish()
    if as_lines:
        as_json(tally.document())
    if not quiet:
        summary(tally)
    ending(tally)
