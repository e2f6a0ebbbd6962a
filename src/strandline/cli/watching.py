"""Watching from the terminal: flags over settings, a live line for people, JSON Lines for programs."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from strandline.app.model_watch import ModelWatch, standing_questions
from strandline.archive.events import FORMATS, configure, event
from strandline.archive.folder import Archive
from strandline.cli.crawling import ending, follow, heard_captures, summary
from strandline.cli.output import as_json
from strandline.errors import UsageError
from strandline.settings.file import NAME, read_settings
from strandline.settings.schema import Settings
from strandline.watch.watching import Hooks, WatchRequest, run_watch

_COUNTS: Final = ("ended", "captured", "unchanged", "failed", "skipped")


def log_to(form: str, quiet: bool) -> None:
    """Events go to standard error in this format from now on."""
    if form not in FORMATS:
        raise UsageError(f"--log-format: {form!r} is not one of {', '.join(FORMATS)}")
    # What happens every hour is for logs; a person at a terminal has the live line.
    configure(form, level="warning" if quiet else "info" if form == "plain" else "debug")


def watch(
    archive: Archive, wanted: Callable[[Settings], Settings], request: WatchRequest, as_lines: bool, quiet: bool
) -> None:
    """Watch and report. Exceptions carry the exit code of the way it ended. `wanted` puts flags over settings."""
    live = sys.stderr.isatty() and not quiet
    progress, finish = follow(live)

    def settings() -> Settings:
        found = wanted(read_settings(archive.folder / NAME))
        standing_questions(found)
        asking.settings = found
        return found

    asking = ModelWatch(archive, wanted(archive.settings))
    said = partial(event, "watch")
    hooks = Hooks(heard_captures(as_lines), progress, said=said, beside=asking.beside, settings=settings)
    try:
        tally = run_watch(archive, wanted(archive.settings), replace(request, hooks=hooks))
    finally:
        finish()
    event("ended", f"the watch ended: {tally.ended}", "debug", **{name: getattr(tally, name) for name in _COUNTS})
    if as_lines:
        as_json(tally.document())
    if not quiet:
        summary(tally, watched=True)
    ending(tally)
