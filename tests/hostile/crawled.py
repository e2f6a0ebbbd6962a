"""A whole crawl of the hostile site, started as a user starts it and ended when it has shown enough."""

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostile.server import HostileSite
from journeys.command import LOOPBACK, start

TRAPS = (
    "calendar",
    "calendar-path",
    "session-id",
    "growing-path",
    "repeating-path",
    "facets",
    "random-links",
    "soft-404",
)


@dataclass
class Crawl:
    """What is known of a crawl so far."""

    events: list[dict[str, Any]] = field(default_factory=list)
    """What the command printed."""
    missing: set[str] = field(default_factory=set)
    """Good pages that are not captured yet."""
    good_after: float | None = None
    """Seconds until every good page was captured."""
    good_cpu: float = 0.0
    """Seconds of processor time of the crawl until then."""
    growth: float = 0.0
    """MiB of memory beyond what the first ordinary pages took."""
    code: int = -1
    errors: str = ""


def crawled(
    site: HostileSite, folder: Path, flags: Sequence[str], enough: Callable[[Crawl], bool], limit: str = "1800s"
) -> Crawl:
    """Crawl from the front page until it is `enough` (asked with every line), or for as long as `limit`."""
    crawl = Crawl(missing=set(site.good))
    began, before, peak, told = time.monotonic(), 0.0, 0.0, False
    words = ("--seeds", f"{site.url}/", *LOOPBACK, "--time-limit", limit, *flags)
    running = start("crawl", folder, *words, fresh=True)
    with running.stdout, running.stderr:
        for line in running.stdout:
            event = json.loads(line)
            crawl.events.append(event)
            if event["event"] == "captured" and event["status"] == 200 and event["url"] in crawl.missing:
                crawl.missing.remove(event["url"])
                if not crawl.missing:
                    crawl.good_after, crawl.good_cpu = time.monotonic() - began, _cpu(running.pid)
            if len(crawl.events) == 25:  # the parsers of ordinary pages are loaded by now
                before = _memory(running.pid, "VmRSS")
            peak = max(peak, _memory(running.pid, "VmHWM"))  # the last line comes after the index is made
            if not told and enough(crawl):
                told = True
                with contextlib.suppress(ProcessLookupError):
                    running.send_signal(signal.SIGINT)
        crawl.errors = running.stderr.read()
        crawl.code = running.wait()
    crawl.growth = peak - before
    return crawl


def trap_hits(site: HostileSite) -> dict[str, int]:
    """How often each trap was asked for anything below it."""
    asked = dict(site.hits)
    stems = {}
    for name in TRAPS:
        path = site.behaviours[name].path.split("?")[0]
        stems[name] = path.rpartition("/")[0] + "/" if path.count("/") > 2 else path
    return {name: sum(n for path, n in asked.items() if path.startswith(stem)) for name, stem in stems.items()}


def _cpu(pid: int) -> float:
    """Seconds of processor time a process has used; 0 when it is gone."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int, field_name: str) -> float:
    """MiB a process holds (VmRSS) or has held at most (VmHWM); 0 when it is gone."""
    try:
        found = re.search(rf"{field_name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(found[1]) / 1024 if found else 0.0
