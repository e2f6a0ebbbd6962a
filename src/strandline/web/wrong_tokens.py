"""Wrong tokens and passwords are answered slowly, and ever more slowly: guessing takes longer than anybody has.

A token of 32 random bytes cannot be guessed at any speed; one that somebody chose might be. Each wrong token of a
client doubles the time its next wrong one waits for its answer. Right tokens never wait. Clients that came long ago are
forgotten, and while many wait already, further wrong tokens are turned away at once, so that waiting costs us nothing.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

FIRST = 0.1
"""Seconds the first wrong token waits. Origin: a guess; a person who mistyped does not notice."""
LONGEST = 10.0
"""Seconds a wrong token waits at most. Origin: a guess; clients give up later than that."""
FORGOTTEN = 900.0
"""Seconds after which a client begins anew. Origin: a guess."""
MOST_CLIENTS = 10_000
"""Clients that are remembered. Origin: a bound on memory."""
MOST_WAITING = 64
"""Answers that are held back at the same time. Origin: a bound on open connections."""


class TooManyError(Exception):
    """Too many wrong tokens wait for their answers."""

    def __init__(self) -> None:
        super().__init__("Too many wrong tokens or passwords; try again later.")


@dataclass(slots=True)
class WrongTokens:
    """What clients tried, latest last."""

    clock: Callable[[], float] = time.monotonic
    waiting: int = 0
    _tried: OrderedDict[str, tuple[int, float]] = field(default_factory=OrderedDict)

    def full(self) -> bool:
        """Whether so many wait that no further password is looked at."""
        return self.waiting >= MOST_WAITING

    def wait(self, client: str) -> float | None:
        """A client gave a wrong token: seconds until it hears so; None when it is turned away at once."""
        now = self.clock()
        number, last = self._tried.pop(client, (0, now))
        number = number + 1 if now - last < FORGOTTEN else 1
        self._tried[client] = number, now
        while len(self._tried) > MOST_CLIENTS:
            self._tried.popitem(last=False)
        if self.full():
            return None
        return min(FIRST * 2.0 ** min(number - 1, 32), LONGEST)

    def right(self, client: str) -> None:
        """A client gave a right one."""
        self._tried.pop(client, None)
