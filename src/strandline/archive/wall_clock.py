"""The clock on the wall."""

import time


class SystemClock:
    """Implements ports.Clock."""

    def now(self) -> float:
        """UTC epoch seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
