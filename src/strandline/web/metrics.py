"""Counters of the server in the text format of Prometheus, and how the archive behind it stands."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from strandline.app.status_metrics import Metric, captures_metric, family


@dataclass(slots=True)
class Metrics:
    """What was served since the start."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By origin and status."""
    sent: Counter[str] = field(default_factory=Counter)
    """Bytes of bodies by origin."""
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    lost: int = 0
    """Captures that are in the index and could not be shown."""
    archive: Callable[[], str] = lambda: ""
    """More metrics, those of the archive and its watch (app.status_metrics.archive_metrics); asked for each time."""

    def text(self, captures: int | None) -> str:
        """All counters; without the number of captures when nobody knows it just now."""
        requests = [
            (f'origin="{origin}",status="{status}"', float(count)) for (origin, status), count in self.requests.items()
        ]
        found = [
            Metric("strandline_requests_total", "counter", "Requests answered.", tuple(sorted(requests))),
            Metric("strandline_sent_bytes_total", "counter", "Bytes of bodies sent.", _by_origin(self.sent)),
            Metric("strandline_busy_seconds_total", "counter", "Seconds spent on requests.", _by_origin(self.seconds)),
            Metric("strandline_lost_total", "counter", "Captures that could not be shown.", (("", float(self.lost)),)),
        ]
        if captures is not None:
            found.append(captures_metric(captures))
        return "".join(map(family, found)) + self.archive()


def _by_origin(values: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple((f'origin="{origin}"', value) for origin, value in sorted(values.items()))
