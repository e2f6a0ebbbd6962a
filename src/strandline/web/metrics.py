"""Counters of the server in the text format of Prometheus, and how the archive behind it stands."""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field


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
        lines = ["# HELP strandline_requests_total Requests answered.", "# TYPE strandline_requests_total counter"]
        lines += [
            f'strandline_requests_total{{origin="{origin}",status="{status}"}} {count}'
            for (origin, status), count in sorted(self.requests.items())
        ]
        lines += _family("strandline_sent_bytes_total", "counter", "Bytes of bodies sent.", dict(self.sent))
        lines += _family("strandline_busy_seconds_total", "counter", "Seconds spent on requests.", dict(self.seconds))
        lines += [
            "# HELP strandline_lost_total Captures that could not be shown.",
            "# TYPE strandline_lost_total counter",
        ]
        lines += [f"strandline_lost_total {self.lost}"]
        if captures is not None:
            lines += ["# HELP strandline_captures Captures in the archive.", "# TYPE strandline_captures gauge"]
            lines += [f"strandline_captures {captures}"]
        return "\n".join([*lines, ""]) + self.archive()


def _family(name: str, kind: str, help_text: str, values: dict[str, float]) -> list[str]:
    head = [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
    return head + [f'{name}{{origin="{origin}"}} {value:.6g}' for origin, value in sorted(values.items())]
