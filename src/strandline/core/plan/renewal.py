"""When what pages share is learned anew: often at first, later once a day.

The first hours teach most. How fast the pages of a site change at all, and whether they keep any hours, is unlike the
start value on nearly every site; a plan that hears of it a day late has spent a day by a wrong idea of all pages.
"""

import numpy as np

PART = 4.0
"""What was learned for so long is learned anew after this part of it: a fourth. Origin: a guess."""


class Renewal:
    """Asked at every decision. `periods_per_day` are the periods after which it is always time again."""

    def __init__(self, periods_per_day: int) -> None:
        self._length = periods_per_day
        self._begun = self._next = -np.inf
        self.day = -1
        """Of the last renewal."""
        self.count = 0
        """Renewals so far."""

    def ask(self) -> None:
        """It is time whatever the clock says."""
        self.day = -1

    def due(self, now: float) -> bool:
        """Whether it is time; then the next time is set.

        >>> renewal = Renewal(24)
        >>> [hour for hour in range(60) if renewal.due(float(hour))]
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 24, 30, 37, 46, 48]
        """
        day = int(now // self._length)
        if day == self.day and now < self._next:
            return False
        if now < self._begun or self._begun == -np.inf:  # clocks are set back
            self._begun = now
        self._next = np.floor(now) + float(np.clip((now - self._begun) // PART, 1.0, self._length))
        self.day, self.count = day, self.count + 1
        return True
