"""The clock of the demonstration: the site's time follows the watch, not the clock on the wall.

It stands still while the program makes itself ready, while a request is on its way and while a capture is studied.
Only when the watch has nothing to do and would wait does it move, and then at once. An hour therefore lasts as long as
the machine needs to make its visits, and a slow machine sees what a fast one sees, later.
"""

from typing import Final

PACE: Final = 300.0
"""Seconds of the site for each second the watch would wait; it never waits longer than a fifth of a second at a time,
so its looks at the site's time are a minute apart at most.
"""


class SiteClock:
    """Implements ports.Clock; `start` is the UTC second at which it begins."""

    def __init__(self, start: float, pace: float = PACE) -> None:
        self._start = start
        self._pace = pace
        self._passed = 0.0

    def now(self) -> float:
        """UTC epoch seconds, of the site."""
        return self._start + self._passed

    def monotonic(self) -> float:
        """Seconds of the site since its beginning."""
        return self._passed

    def sleep(self, seconds: float) -> None:
        """Nothing is left to do: time goes on."""
        self._passed += seconds * self._pace
