"""The demonstration: a living site on loopback, watched for some days of its time, and what came of it.

The site knows its every change, so the archive is measured against the truth, beside a round robin that makes the same
number of fetches at the same moments. Server, requests and WARC files are real; only the clock is the site's own
(demo/clock.py), so the result does not depend on how fast the machine is. Its days end now.
"""

import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from strandline.access.quality import Quality
from strandline.archive.folder import Archive, create
from strandline.cli.demo_progress import Bar
from strandline.cli.demo_tables import Scores, learned_table, measured_table, quality_lines, rules_table
from strandline.cli.output import as_json, tell
from strandline.cli.serving import run_server
from strandline.crawl.preparing import CrawlRequest
from strandline.demo.clock import PACE, SiteClock
from strandline.demo.schedule import PageSchedule
from strandline.demo.server import DemoServer
from strandline.demo.truth import Fetch, round_robin
from strandline.errors import UsageError
from strandline.learn.known_pages import HOUR
from strandline.learn.learning import Lore
from strandline.plan.directory_hours import directory_hours
from strandline.plan.planning import Planning
from strandline.report.measuring import measured
from strandline.settings.file import NAME, read_settings, settings_text, with_overrides
from strandline.settings.schema import Settings
from strandline.watch.single_pass import crawl
from strandline.watch.watch_plan import warm_up
from strandline.watch.watch_time import count_hours_from
from strandline.watch.watching import Hooks, Hour, WatchRequest, run_watch

OPERATOR: Final = "Strandline demonstration"
BUDGET: Final = 12
"""Requests an hour."""
LEARNING_DAYS: Final = 1
_VERSION: Final = 6.0
"""Hours of site time that make a version of the site, for its rules."""
_FIRST_PASS: Final = 600.0
"""Seconds of site time that are more than enough for the pass before the watch; changes wait for the watch."""
_BETWEEN: Final = 60.0
"""Seconds of site time between that pass and the watch: at the same moment, rounding would say in which hour it was."""
_READY, _FOUND, _WATCHED = 0.05, 0.15, 0.9
"""How far the bar is when the program is ready, the first pass is done, and the watch is."""


@dataclass(frozen=True, slots=True)
class DemoRequest:
    """What a demonstration is started with."""

    folder: Path
    days: float = 3.0
    as_document: bool = False
    seed: int = 1


def run_demo(wanted: DemoRequest, bar: Bar) -> Archive:
    """Archive the living site for its days, then say what was captured."""
    folder, hours = wanted.folder, round(24 * wanted.days)
    archive = _made_anew(folder)
    warm_up()
    clock = SiteClock(time.time() - hours * HOUR - _FIRST_PASS)
    with DemoServer(HOUR, wanted.seed, now=clock.now) as site:
        site.site.epoch = clock.now() + HOUR * hours  # nothing changes until the watch begins
        settings = _settings(archive, site.url)
        bar.move(_READY, "first pass over the site")
        first = with_overrides(settings, ["politeness.delay=0"])
        found = crawl(archive, first, CrawlRequest(clock=clock))
        bar.say(f"It lives at {site.url}: {found.captured} addresses found in a first pass.", _FOUND)
        bar.say(f"Watching it for {hours} hours of its time; an hour passes when its visits are made and studied ...")
        site.log.clear()
        clock.sleep(_BETWEEN / PACE)
        site.site.epoch = clock.now()
        count_hours_from(archive, clock.now())  # the first hour of the watch is the site's
        follow = _Following(bar, hours)
        request = WatchRequest((), hours, 0.0, Hooks(hour=follow.hour, said=bar.say), clock=clock, study_first=True)
        run_watch(archive, settings, request)
        fetches = [Fetch(site.site.hour(hit.time), hit.path) for hit in site.log]
        pages = site.site.pages
    bar.move(_WATCHED, "measuring what was caught")
    planning = Planning(archive, clock.now())
    learned, quality = directory_hours(planning), measured(planning).whole
    moments = sorted(fetch.hour for fetch in fetches)
    start = min(24.0 * LEARNING_DAYS, hours / 2.0)
    scores = Scores(fetches, round_robin(pages, moments), start, float(hours))
    bar.move(0.95, "checking every capture")
    audit = archive.verify()
    if wanted.as_document:
        as_json(_document(folder, pages, scores, quality) | {"captures": audit.captures, "ok": audit.ok})
        return archive
    lines = [
        *learned_table(learned),
        *rules_table(Lore(archive).rules()),
        *measured_table(pages, scores),
        *quality_lines(quality, scores.whole(pages)),
        f"Fixity: {audit.captures} captures checked, {'all sound' if audit.ok else 'PROBLEMS FOUND'}.",
    ]
    bar.done()
    print("\n".join(lines), flush=True)
    return archive


def _settings(archive: Archive, url: str) -> Settings:
    """Those of the demonstration, kept in its file: other commands ask by the same."""
    settings = with_overrides(
        archive.settings,
        [
            'fetch.allow_address=["127.0.0.1/32"]',
            f'scope.seeds=["{url}"]',
            f'plan.budget="{BUDGET}/hour"',
            f"learn.version={_VERSION * 3600.0}",
            'archive.description="A demonstration site that changes while it is archived"',
        ],
    )
    archive.settings = settings
    (archive.folder / NAME).write_text(settings_text(settings), encoding="utf-8")
    return settings


def _made_anew(folder: Path) -> Archive:
    """An empty archive; only that of an earlier demonstration is thrown away for it."""
    if folder.exists():
        if not (folder / NAME).exists() or read_settings(folder / NAME).archive.operator != OPERATOR:
            raise UsageError(f"{folder} exists and is not of an earlier demonstration; name another with --archive")
        shutil.rmtree(folder)
    return create(folder, operator=OPERATOR)


def offer(archive: Archive, serve: bool | None, port: int) -> None:
    """Show the archive, or say how to look at it."""
    if serve or (serve is None and sys.stdout.isatty()):
        tell("Look at it in a browser, at the address below: what changed, what comes next, how good it is.")
        run_server(archive, None, port, port + 1 if port else 0, None)
        return
    tell(f"Look at it: strandline serve {archive.folder}, then open http://127.0.0.1:8080/")
    tell(f"  or: strandline changes {archive.folder}, strandline status {archive.folder}")


class _Following:
    """Follows the hours of the watch: the bar moves with each, and a line stays for every half day."""

    def __init__(self, bar: Bar, hours: int) -> None:
        self._bar = bar
        self._hours = hours
        self._requests = self._changed = 0

    def hour(self, row: Hour) -> None:
        day, clock = row.hour // 24 + 1, row.hour % 24 + 1
        self._requests += row.requests
        self._changed += row.changed
        done = _FOUND + (_WATCHED - _FOUND) * (row.hour + 1) / self._hours
        if clock % 12:
            self._bar.move(done, f"day {day}, {clock:2}:00, {row.requests} requests in the last hour")
            return
        self._bar.say(
            f"  day {day}, {clock:2}:00  {self._requests} requests in 12 hours, {self._changed} pages with other bytes",
            done,
        )
        self._requests = self._changed = 0


def _document(
    folder: Path, pages: Mapping[str, PageSchedule], scores: Scores, quality: Quality | None
) -> dict[str, object]:
    """The demonstration in figures, for programs."""
    mine, other = scores.of(pages)
    return {
        "archive": str(folder),
        "estimated_completeness": None if quality is None else round(quality.completeness.value, 6),
        "true_completeness": scores.whole(pages).completeness,
        "watch": {"completeness": mine.completeness, "wasted": mine.wasted_share},
        "round_robin": {"completeness": other.completeness, "wasted": other.wasted_share},
    }
