"""`strandline crawl`: one pass over what is in scope, with study, alerts and alarms beside it."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from strandline.archive.folder import Archive
from strandline.crawl.preparing import CrawlRequest, from_known_seeds, prepare_crawl, run_crawl
from strandline.crawl.tally import Tally
from strandline.errors import Unreachable
from strandline.settings.schema import Settings

if TYPE_CHECKING:
    from strandline.study.studying import Studying

# A first crawl starts without what only later ones need (ruff: PLC0415 is off for this file).


def crawl(archive: Archive, settings: Settings, request: CrawlRequest) -> Tally:
    """One pass over what is in scope; see crawl/preparing.py."""
    prepare_crawl(settings, request)  # what is wrong is said before the archive is locked
    with archive.writing("crawl") as catalog, contextlib.ExitStack() as stack:
        request = from_known_seeds(settings, request, catalog)
        prepared = prepare_crawl(settings, request)
        # The first crawl has nothing to compare with: its pages are studied once something is, or when asked for.
        again = next(catalog.all_captures(), None) is not None
        monitor = None
        if again:
            from strandline.alerts.monitor import AlertMonitor

            monitor = stack.enter_context(
                contextlib.closing(AlertMonitor(archive.folder, settings, clock=request.clock))
            )
        studying = None
        if again and settings.study.workers > 0:
            from strandline.study.studying import Studying

            studying = stack.enter_context(Studying(archive.folder, prepared.settings.study, catalog))
        beside = _beside(studying, archive.say)

        def progress(tally: Tally) -> None:
            beside(False)
            request.progress(tally)

        tally = run_crawl(archive.folder, replace(prepared, request=replace(request, progress=progress)), catalog)
        if tally.ended == "complete":
            beside(True)
            if monitor is not None:
                monitor.observe()
    # What a pass left out by rules teaches nothing about them: who uses them says when they are learned again.
    if again and tally.ended == "complete" and settings.crawl.skip == "none" and settings.study.workers:
        from strandline.learn.keeping_up import keep_up

        keep_up(archive)
    return tally


def _beside(studying: "Studying | None", say: Callable[[str], None]) -> Callable[[bool], None]:
    """Study as a crawl's companion: a study that cannot go on is told once and never stops the crawl."""

    def go_on(whole: bool) -> None:
        nonlocal studying
        if studying is None:
            return
        try:
            if whole:
                studying.finish()
            else:
                studying.beside()
        except Unreachable as problem:
            studying = None
            say(f"captures are not studied now: {problem}")

    return go_on
