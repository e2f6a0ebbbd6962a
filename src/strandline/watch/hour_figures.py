"""What an hour of a watch was meant to do, and did: kept when it ends, shown while it runs."""

from dataclasses import dataclass


@dataclass(slots=True)
class HourFigures:
    """What an hour was meant to do and did so far."""

    hour: int
    start: float
    allowed: float
    planned: int = 0
    requests: int = 0
    revisits: int = 0
    """Visits of pages fetched before; of these `changed` found other bytes and `unchanged` did not."""
    firsts: int = 0
    """Visits of pages never fetched before."""
    parts: int = 0
    """Requests for anything but pages."""
    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    octets: int = 0
