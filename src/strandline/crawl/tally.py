"""What a crawl has done so far, for the progress line, the last line and the report."""

from collections import Counter
from dataclasses import field

from strandline.core.quick_dataclass import dataclass


@dataclass(slots=True)
class Tally:
    """Counts of one run."""

    captured: int = 0
    """Captures with a payload of their own."""
    unchanged: int = 0
    """Captures kept as revisit records."""
    failed: int = 0
    """Visits that led to no whole answer."""
    skipped: int = 0
    """Pages not asked for: robots, traps, scope."""
    octets: int = 0
    """Bytes received."""
    waiting: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    traps: Counter[str] = field(default_factory=Counter)
    hollow: Counter[str] = field(default_factory=Counter)
    """Visits of pages that gave no content, by kind (core/quality/hollow.py)."""
    pages: int = 0
    """Visits of pages that were answered with the page, new or unchanged."""
    browsed: int = 0
    """Pages that were shown in a browser."""
    browser_failures: Counter[str] = field(default_factory=Counter)
    """Pages that could not be, and why: their answer was kept all the same."""
    seeds_failed: dict[str, str] = field(default_factory=dict)
    """Seeds that were asked for and led to no page, and why."""
    seeds_moved: dict[str, str] = field(default_factory=dict)
    """Seeds that sent us elsewhere, where nothing was found yet."""
    hosts_waiting: dict[str, float] = field(default_factory=dict)
    """Hosts that asked to be left alone until a UTC time beyond this run."""
    ended: str = ""
    """Why the run ended: complete, limit, time, size, space, interrupted, forced."""

    def followed_by(self, later: "Tally") -> "Tally":
        """Both runs as one."""
        return Tally(
            captured=self.captured + later.captured,
            unchanged=self.unchanged + later.unchanged,
            failed=self.failed + later.failed,
            skipped=self.skipped + later.skipped,
            octets=self.octets + later.octets,
            waiting=later.waiting,
            failures=self.failures + later.failures,
            statuses=self.statuses + later.statuses,
            refusals=self.refusals + later.refusals,
            traps=self.traps + later.traps,
            hollow=self.hollow + later.hollow,
            pages=self.pages + later.pages,
            browsed=self.browsed + later.browsed,
            browser_failures=self.browser_failures + later.browser_failures,
            seeds_failed=self.seeds_failed | later.seeds_failed,
            seeds_moved=self.seeds_moved | later.seeds_moved,
            hosts_waiting=self.hosts_waiting | later.hosts_waiting,
            ended=later.ended,
        )

    def document(self) -> dict[str, object]:
        """The last line of `crawl --json`."""
        return {
            "event": "done",
            "captured": self.captured,
            "unchanged": self.unchanged,
            "failed": self.failed,
            "skipped": self.skipped,
            "bytes": self.octets,
            "waiting": self.waiting,
            "ended": self.ended,
            "failures": dict(self.failures),
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "refusals": dict(self.refusals.most_common()),
            "traps": dict(self.traps.most_common()),
            "hollow": dict(self.hollow.most_common()),
            "browsed": self.browsed,
            "browser_failures": dict(self.browser_failures.most_common()),
            "seeds_failed": self.seeds_failed,
        }
