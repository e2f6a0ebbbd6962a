"""The demonstration: a living site on loopback, watched for some days of its time, and what came of it.

The site knows its every change, so the archive is measured against the truth, beside a round robin that makes the same
number of fetches at the same moments.
"""

import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from strandline.access.quality import Quality
from strandline.app.archive import Archive, create
from strandline.app.crawling import CrawlRequest
from strandline.app.learning import Lore, learn
from strandline.app.measuring import measured
from strandline.app.planning import Planning
from strandline.app.watch_plan import HoursOfPage, learned_hours, warm_up
from strandline.app.watching import Hooks, Hour, WatchRequest, run_watch
from strandline.cli.output import as_json, tell
from strandline.cli.serving import run_server
from strandline.core.urls import path_segments
from strandline.demo.schedule import PageSchedule
from strandline.demo.server import DemoServer
from strandline.demo.truth import Fetch, Score, round_robin, score
from strandline.errors import UsageError
from strandline.settings.file import NAME, read_settings, settings_text, with_overrides

SITE_DAYS = 3
"""Days of site time that pass during the demonstration."""
LEARNING_DAYS = 1
OPERATOR = "Strandline demonstration"
BUDGET = 12
"""Requests an hour."""
_VERSION = 6.0
"""Hours of site time that make a version of the site, for its rules."""
_LISTED = 5
_LATER = 10**6
_FEW = 0.5
"""Weight of what appeared in a directory, below which a share of it says nothing."""
_BARS = " ▁▂▃▄▅▆▇█"


def run_demo(folder: Path, seconds: float, serve: bool | None, port: int, as_document: bool = False) -> None:
    """Archive the living site until the time is up, then say what was captured and where to look at it."""
    archive = _made_anew(folder)
    tell("Making ready (the first time, code is compiled for half a minute) ...")
    warm_up()
    hours = 24 * SITE_DAYS
    with DemoServer(hour_seconds=seconds / hours) as demo:
        demo.site.epoch = time.time() + _LATER  # its time stands still until the watch begins
        settings = with_overrides(
            archive.settings,
            [
                'fetch.allow_address=["127.0.0.1/32"]',
                f'scope.seeds=["{demo.url}"]',
                f'plan.budget="{BUDGET}/hour"',
                f"learn.version={_VERSION * 3600.0}",
                'archive.description="A demonstration site that changes while it is archived"',
            ],
        )
        archive.settings = settings
        (folder / NAME).write_text(settings_text(settings), encoding="utf-8")  # other commands ask by the same
        found = archive.crawl(with_overrides(settings, ["politeness.delay=0"]), CrawlRequest())
        tell(f"A newspaper lives at {demo.url}: {found.captured} addresses found in a first pass.")
        tell(f"Watching it for {seconds:g} s, {SITE_DAYS} days of its time, with {BUDGET} requests an hour ...")
        demo.log.clear()
        demo.site.epoch = time.time()
        run_watch(archive, settings, WatchRequest((), hours, seconds / hours, Hooks(hour=_hour, said=tell)))
        fetches = [Fetch(demo.site.hour(hit.time), hit.path) for hit in demo.log]
        pages = demo.site.pages
    archive.study()
    quality = measured(Planning(archive, time.time())).whole
    scores = _scores(pages, fetches)
    audit = archive.verify()
    if as_document:
        as_json(_document(folder, pages, scores, quality) | {"captures": audit.captures, "ok": audit.ok})
    else:
        lines = [
            *_learned(learned_hours(folder)),
            *_rules(archive),
            *_quality(quality, scores.whole(pages)),
            *_measured(pages, scores),
        ]
        lines.append(f"Fixity: {audit.captures} captures checked, {'all sound' if audit.ok else 'PROBLEMS FOUND'}.")
        print("\n".join(lines))
    learn(archive, ())  # kept, so that the interface shows it
    _offer(archive, serve, port)


def _made_anew(folder: Path) -> Archive:
    """An empty archive; only that of an earlier demonstration is thrown away for it."""
    if folder.exists():
        if not (folder / NAME).exists() or read_settings(folder / NAME).archive.operator != OPERATOR:
            raise UsageError(f"{folder} exists and is not of an earlier demonstration; name another with --archive")
        shutil.rmtree(folder)
    return create(folder, operator=OPERATOR)


def _offer(archive: Archive, serve: bool | None, port: int) -> None:
    if serve or (serve is None and sys.stdout.isatty()):
        run_server(archive, None, port, port + 1 if port else 0, None)
        return
    tell(f"Look at it: strandline serve {archive.folder}   (then open http://127.0.0.1:8080/)")
    tell(f"  or: strandline changes {archive.folder}, strandline status {archive.folder}")


def _hour(row: Hour) -> None:
    """A line for every quarter of a day."""
    if row.hour % 6 == 5:
        tell(
            f"  day {row.hour // 24 + 1}, {row.hour % 24 + 1:2}:00  {row.requests} requests in the last hour: "
            f"{row.changed} pages with other bytes, {row.unchanged} without, {row.firsts} new, {row.parts} other"
        )


def _learned(pages: Sequence[HoursOfPage]) -> Iterator[str]:
    """What the watch believes of each directory."""
    directories: dict[str, list[HoursOfPage]] = defaultdict(list)
    for page in pages:
        directories["/".join(("", *path_segments(page.url)[1:-1], ""))].append(page)
    yield "\nLearned from its own captures: when the pages of each directory change"
    yield "  directory             pages visits  changes/day   0h    6h    12h   18h   "
    for name, members in sorted(directories.items()):
        rate = sum(page.per_day for page in members) / len(members)
        day = [sum(page.per_day * float(page.hours[hour]) for page in members) for hour in range(24)]
        top = max(max(day), 1e-12)
        bars = "".join(_BARS[round(8 * value / top)] for value in day) if rate > 0.3 else "quiet: left alone"
        visits = sum(page.visits for page in members)
        yield f"  {name:22}{len(members):5}{visits:7}{rate:13.2f}   {bars}"


def _rules(archive: Archive) -> Iterator[str]:
    """What need not be looked at."""
    yield "\nLearned rules: what stays while the rest changes"
    found = 0
    for one in Lore(archive).rules():
        for rule in one.rules[:_LISTED]:
            found += 1
            yield f"  when {', '.join(f'/{path}' for path in rule.if_changed)} changes, /{rule.skip} does not"
        for path in one.dormant[:_LISTED]:
            found += 1
            yield f"  /{path} never changed"
    if not found:
        yield "  none after so few days; a longer watch finds them"


def _quality(whole: Quality | None, truth: Score) -> Iterator[str]:
    """How good the archive takes itself to be, from its first day on; it does not know the truth."""
    if whole is not None:
        about = whole.completeness
        between = f"({about.low:.0%} to {about.high:.0%}; in truth {truth.completeness:.0%} of its articles' changes)"
        yield f"\nQuality of all {SITE_DAYS} days, as the archive sees it: completeness {about.value:.0%} {between},"
        yield f"  coherence {whole.coherence:.0%}, coverage {whole.coverage:.0%}"


@dataclass(frozen=True)
class _Scores:
    """Against the truth: the watch, and a round robin with the same number of fetches at the same moments."""

    fetches: Sequence[Fetch]
    turns: Sequence[Fetch]
    start: float
    end: float

    def of(self, pages: Mapping[str, PageSchedule]) -> tuple[Score, Score]:
        mine = score(pages, self.fetches, self.start, self.end)
        return mine, score(pages, self.turns, self.start, self.end)

    def whole(self, pages: Mapping[str, PageSchedule]) -> Score:
        """The watch from its first hour on, while it knew nothing."""
        return score(pages, self.fetches, 0.0, self.end)


def _scores(pages: Mapping[str, PageSchedule], fetches: Sequence[Fetch]) -> _Scores:
    moments = sorted(fetch.hour for fetch in fetches)
    end = moments[-1] if moments else 0.0
    return _Scores(fetches, round_robin(pages, moments), 24.0 * LEARNING_DAYS, end)


def _measured(pages: Mapping[str, PageSchedule], scores: _Scores) -> Iterator[str]:
    if not scores.fetches:
        return
    yield f"\nAgainst the truth, after {LEARNING_DAYS} day of learning      watch   round robin, same number of fetches"
    for name in sorted({page.section.path for page in pages.values()}):
        mine, other = scores.of({path: page for path, page in pages.items() if page.section.path == name})
        if mine.appeared >= _FEW:
            caught = f"{mine.completeness:8.0%}{other.completeness:10.0%}"
            yield f"  versions caught in /{name + '/':22}{caught}   of {mine.appeared:.0f} by weight"
    mine, other = scores.of(pages)
    yield f"  completeness, pooled and weighted        {mine.completeness:8.0%}{other.completeness:10.0%}"
    yield f"  fetches that found nothing new           {mine.wasted_share:>8.0%}{other.wasted_share:>10.0%}"


def _document(
    folder: Path, pages: Mapping[str, PageSchedule], scores: _Scores, quality: Quality | None
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
