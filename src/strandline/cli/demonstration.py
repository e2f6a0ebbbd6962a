"""The demonstration: a living site on loopback, archived for a while, and what came of it."""

import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from strandline.app.archive import Archive, create
from strandline.app.crawling import CrawlRequest
from strandline.cli.output import tell
from strandline.cli.serving import run_server
from strandline.core.capture import Capture
from strandline.core.urls import path_segments
from strandline.demo.server import DemoServer
from strandline.errors import UsageError
from strandline.settings.file import NAME, with_overrides

SITE_DAYS = 3
"""Days of site time that pass during the demonstration."""


def run_demo(folder: Path, seconds: float, serve: bool | None, port: int) -> None:
    """Archive the living site until the time is up, then say what was captured and where to look at it."""
    if folder.exists():
        if not (folder / NAME).exists():
            raise UsageError(f"{folder} exists and is no archive; name another with --archive")
        shutil.rmtree(folder)
    archive = create(folder, operator="Strandline demonstration")
    captures: list[Capture] = []
    with DemoServer(hour_seconds=seconds / (24 * SITE_DAYS)) as site:
        tell(f"A newspaper lives at {site.url} for {seconds:g} s: {SITE_DAYS} days of its time. Archiving it ...")
        settings = with_overrides(
            archive.settings,
            [
                'fetch.allow_address=["127.0.0.1/32"]',
                "politeness.delay=0",
                f'scope.seeds=["{site.url}"]',
                'archive.description="A demonstration site that changes while it is archived"',
            ],
        )
        ends, passes = time.monotonic() + seconds, 0
        while time.monotonic() < ends:
            started = time.monotonic()
            tally = archive.crawl(settings, CrawlRequest(captured=captures.append))
            passes += 1
            tell(
                f"  day {site.site.hour(time.time()) / 24 + 1:.1f}: pass {passes}, "
                f"{tally.captured} new or changed, {tally.unchanged} unchanged, {tally.statuses[404]} gone"
            )
            time.sleep(max(0.0, min(ends - time.monotonic(), seconds / 9 - (time.monotonic() - started))))
        truth = {path: page.version(site.site.hour(time.time())) for path, page in site.site.pages.items()}
    _summary(archive, captures, truth)
    if serve or (serve is None and sys.stdout.isatty()):
        run_server(archive, None, port, port + 1 if port else 0, None)
    else:
        tell(f"Look at it: strandline serve {folder}   (then open http://127.0.0.1:8080/)")


def _summary(archive: Archive, captures: list[Capture], truth: dict[str, int]) -> None:
    pages = {capture.url for capture in captures if capture.status == 200}
    print(f"\n{len(captures)} captures of {len(pages)} addresses in {archive.folder / 'archive'}")
    print(f"  {sum(not c.revisit for c in captures)} kept whole, {sum(c.revisit for c in captures)} as revisits")
    changed: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for path, changes in truth.items():
        changed["/" + path_segments("http://demo" + path)[1] + "/"] += changes
    for capture in captures:
        if not capture.revisit and capture.status == 200:
            kept["/" + path_segments(capture.url)[1] + "/"] += 1
    print("  section         changes on the site   captures kept whole")
    for section, count in sorted(changed.items()):
        print(f"  {section:16}{count:12}{kept[section]:22}")
    audit = archive.verify()
    print(f"Fixity: {audit.captures} captures checked, {'all sound' if audit.ok else 'PROBLEMS FOUND'}.")
