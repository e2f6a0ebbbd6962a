"""When a host may be asked again. One connection at a time, a pause in proportion to its effort, and patience.

A host is *blocked* until a moment in time that follows from what happened to it:

    after an answer       pause = 5 x the seconds it took, 3..30 s, or a fixed pause; never less than its Crawl-delay
    while it is asked     until the answer, or until the fetch has *hung* for `slow_after`: then it moves to a slow lane
                          of at most 16 and the host is open again, so that one silent page does not hide its neighbours
    429, 503              the page waits as it says, at most a day; the host too when it is the host that speaks: it has
                          not answered anything else yet, or says the same three times in a row, or most of its
                          last 32 replies were such. Otherwise one page would speak for all its neighbours
    not reachable         5 s, 1 min, 6 min, 36 min ... 1 day; silence counts like this from the tenth time in a row on.
                          http and https are counted apart: where one fails and the other answers, the host is there

All times are seconds of one monotonic clock, given by the caller. Blocked hosts lie in a heap by the time they
open, and open hosts without a record are forgotten beyond 50,000, so each call costs O(log n) at most, with any
number of hosts.
"""

import heapq
import math
from collections.abc import Callable, Collection
from dataclasses import field
from enum import StrEnum
from typing import Final, NamedTuple

from strandline.core.capture import Outcome
from strandline.core.discovery.site_rules import ByHost
from strandline.core.quick_dataclass import dataclass

LONGEST_WAIT: Final = 24 * 3600.0
"""Seconds a page or host is left alone at most. Origin: a guess."""
_STEPS: Final = (5.0, 60.0, 360.0, 2160.0, 12960.0, 77760.0, LONGEST_WAIT)
"""Seconds a host is left alone that could not be reached, the first, second ... time in a row. Origin: a guess."""
_SHORT_WAIT: Final = 5.0
"""A wait that is kept for the whole host without asking who speaks. Origin: a guess."""
_DOUBTED_WAIT: Final = 0.5
"""Pause of the whole host when one page asks for a long wait and others are fine. Origin: a guess."""
_AGREEMENT: Final = 3
"""Replies in a row that say the same, after which they speak for the host. Origin: a guess."""
_WINDOW: Final = 32
"""Replies looked back at. Origin: a guess."""
_PATIENCE: Final = 10
"""Pages of a host that may stay silent in a row before the host is left alone. Origin: a guess."""
_MOST_KNOWN: Final = 50_000
"""Hosts remembered although there is nothing to remember but that they answer. Origin: a bound on memory."""


class Reply(StrEnum):
    """What an ended exchange says about the host."""

    ANSWERED = "answered"
    OVERLOADED = "overloaded"
    """429 or 503."""
    FAILED = "failed"
    """The page failed, but the host spoke."""
    SILENT = "silent"
    """Connected, but nothing came."""
    UNREACHABLE = "unreachable"
    OURS = "ours"
    """The fault was on our side."""


_UNREACHABLE: Final = frozenset({Outcome.CONNECT, Outcome.NO_SUCH_HOST, Outcome.TLS})
_SILENT: Final = frozenset({Outcome.TIMEOUT, Outcome.RESET})
_OURS: Final = frozenset({Outcome.OFFLINE, Outcome.BAD_URL, Outcome.BAD_ADDRESS})


def reply_of(outcome: Outcome, status: int) -> Reply:
    """What an outcome says about the host."""
    if outcome in _OURS:
        return Reply.OURS
    if outcome in _UNREACHABLE:
        return Reply.UNREACHABLE
    if status in (429, 503):
        return Reply.OVERLOADED
    if outcome in (Outcome.ANSWERED, Outcome.TRUNCATED):
        return Reply.ANSWERED
    return Reply.SILENT if outcome in _SILENT and not status else Reply.FAILED


def retry_after(value: str, now: float, most: float = LONGEST_WAIT) -> float | None:
    """Seconds a Retry-After field asks for, at most so many; None when it says nothing. `now` is UTC.

    >>> retry_after("120", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 20.0), retry_after("soon", 0.0)
    (120.0, 40.0, None)
    >>> retry_after("9" * 400, 0.0), retry_after("-5", 0.0)
    (86400.0, 0.0)
    """
    text = value.strip()[:500]
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit():
        if text.startswith("-"):
            return 0.0
        return most if len(digits) > 12 else min(float(digits), most)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few hosts name a date, and it takes long to load

    try:
        asked = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return min(max(asked, 0.0), most)


def back_off(failures: int, chance: float) -> float:
    """Seconds to wait after so many failures in a row, stretched by up to a tenth; `chance` is in [0, 1).

    >>> [back_off(n, 0.0) for n in (0, 1, 2, 3, 50)]
    [0.0, 5.0, 60.0, 360.0, 86400.0]
    """
    if failures <= 0:
        return 0.0
    return min(_STEPS[min(failures, len(_STEPS)) - 1] * (1 + 0.1 * chance), LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class MannersSettings:
    """How considerate we are."""

    delay: float | None = None
    """Fixed pause in seconds; None for one in proportion to the fetch."""
    factor: float = 5.0
    least: float = 3.0
    most: float = 30.0
    per_host: int = 1
    hanging: int = 16
    """Fetches per host that may hang in the slow lane."""
    slow_after: float | None = None
    """Seconds after which a fetch hangs; None for 1 s, or 0.25 s when the pause is 0."""

    pace: float = 1.0
    """How much shorter a host that fails is waited for; less than 1 only where hours are short."""
    longest_wait: float = LONGEST_WAIT
    """Seconds that a host may ask to be left alone, at most."""
    sites: tuple[tuple[str, "MannersSettings"], ...] = ()
    """Sites that are treated otherwise, by their names."""

    @property
    def hang_after(self) -> float:
        """Seconds after which a fetch moves to the slow lane."""
        if self.slow_after is not None:
            return self.slow_after
        return 0.25 if self.delay == 0 else 1.0

    def pause(self, seconds: float, asked: float) -> float:
        """Pause after a fetch that took so long, for a host that asked for a Crawl-delay (0 for none)."""
        own = self.delay if self.delay is not None else min(max(self.factor * seconds, self.least), self.most)
        return max(own, asked)


class SiteManners(NamedTuple):
    """How one site is treated."""

    name: str
    settings: MannersSettings


def manners_by_host(settings: MannersSettings) -> ByHost[SiteManners]:
    """Finds how a host is treated, where that is not as usual."""
    return ByHost(SiteManners(*one) for one in settings.sites)


class _Failing(NamedTuple):
    """How a scheme of a host fails: since when, and how often in a row it was unreachable, and silent."""

    since: float
    unreachable: int = 0
    silent: int = 0

    @property
    def times(self) -> int:
        """Each time it was unreachable, and silence beyond our patience."""
        return max(self.unreachable, self.silent - _PATIENCE + 1, 0)

    def again(self, reply: Reply) -> "_Failing":
        """Once more."""
        away = reply is Reply.UNREACHABLE
        return _Failing(self.since, self.unreachable + away, self.silent + (not away))


@dataclass(slots=True)
class _Host:
    running: dict[int, float] = field(default_factory=dict)
    """Ticket -> time it began, in order of time."""
    next_time: float = -math.inf
    wait_until: float = -math.inf
    asked_delay: float = 0.0
    history: int = 0
    """One bit per reply, newest lowest: 1 for a host that works, 0 for 429 and 503."""
    seen: int = 0
    overloads: int = 0
    """429 and 503 in a row."""
    told_until: float = -math.inf
    """The moment the last of them named."""
    agreeing: int = 0
    """How many in a row named about the same moment."""
    untold: int = 0
    """How many in a row named none."""
    failing: dict[str, _Failing] = field(default_factory=dict)
    """By scheme."""
    heard: dict[str, float] = field(default_factory=dict)
    """Scheme -> when it last spoke."""

    @property
    def remarkable(self) -> bool:
        """Whether there is more to remember than that it answers."""
        return bool(self.running or self.asked_delay or self.overloads or self.failing)

    @property
    def away(self) -> int:
        """How often in a row it could not be had. A scheme that fails while the other one speaks says nothing of it."""
        return max(
            (
                one.times
                for scheme, one in self.failing.items()
                if not any(time >= one.since for other, time in self.heard.items() if other != scheme)
            ),
            default=0,
        )

    def spoke(self, scheme: str, now: float) -> None:
        """It was heard by a scheme."""
        self.failing.pop(scheme, None)
        self.heard[scheme] = now

    def replied(self, working: bool) -> None:
        """Look back at the last replies."""
        self.history = (self.history << 1 | working) & (1 << _WINDOW) - 1
        self.seen = min(self.seen + 1, _WINDOW)

    @property
    def speaks_for_itself(self) -> bool:
        """Whether 429 and 503 are the state of the host, not of a page."""
        working = self.history.bit_count()
        return working * 2 <= self.seen or self.agreeing >= _AGREEMENT or self.untold >= _AGREEMENT


class Manners:
    """Which hosts may be asked now. `chance` gives a number in [0, 1) for the jitter of back-offs."""

    def __init__(self, settings: MannersSettings, chance: Callable[[], float]) -> None:
        self.change(settings)
        self._chance = chance
        self._hosts: dict[str, _Host] = {}
        self._opens: dict[str, float] = {}
        """Blocked hosts and when they open."""
        self._heap: list[tuple[float, str]] = []

    def change(self, settings: MannersSettings) -> None:
        """Be more or less considerate from now on; pauses that have begun are kept."""
        self._usual = settings
        self._own = manners_by_host(settings)

    def _of(self, authority: str) -> MannersSettings:
        own = self._own.of(authority)
        return self._usual if own is None else own.settings

    # -- questions -------------------------------------------------------------------------------------------------

    def ready(self, authority: str, now: float) -> bool:
        """Whether a host may be asked now."""
        self._open_until(now)
        return authority not in self._opens

    def busy(self, now: float) -> Collection[str]:
        """Hosts that may not be asked now; a live view, valid until the next call."""
        self._open_until(now)
        return self._opens.keys()

    def next_ready(self, now: float) -> float:
        """The next moment at which a blocked host opens by itself, infinite when none does."""
        self._open_until(now)
        while self._heap and self._opens.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else math.inf

    def ready_at(self, authority: str, now: float) -> float:
        """When a host may be asked next: now, later, or infinite while it is full of hanging fetches."""
        self._open_until(now)
        return self._opens.get(authority, now)

    def failures(self, authority: str) -> int:
        """Failures of the host itself in a row."""
        host = self._hosts.get(authority)
        return max(host.overloads, host.away) if host else 0

    # -- events ----------------------------------------------------------------------------------------------------

    def began(self, authority: str, now: float, ticket: int) -> None:
        """A fetch of this host was started."""
        host = self._hosts.setdefault(authority, _Host())
        host.running[ticket] = now
        # Should it hang, the next one still keeps its distance.
        settings = self._of(authority)
        least = settings.least if settings.delay is None else settings.delay
        host.next_time = max(host.next_time, now + max(least, host.asked_delay))
        self._settle(authority, host, now)

    def ended(
        self, authority: str, now: float, ticket: int, seconds: float, reply: Reply, scheme: str = "https"
    ) -> None:
        """A fetch ended after `seconds` with a reply. Unknown tickets (of another run) do no harm."""
        host = self._hosts.setdefault(authority, _Host())
        settings = self._of(authority)
        hung = now - host.running.pop(ticket, now) > settings.hang_after
        # A fetch that hung was not the host's effort: its neighbours were asked meanwhile.
        pause = settings.pause(0.0 if hung else seconds, host.asked_delay)
        host.next_time = max(host.next_time, now + pause) if not hung else host.next_time
        self._judge(host, now, reply, scheme)
        self._settle(authority, host, now)

    def _judge(self, host: _Host, now: float, reply: Reply, scheme: str) -> None:
        if reply is Reply.OURS:
            return
        if reply is Reply.OVERLOADED:
            host.overloads += 1
            host.spoke(scheme, now)
            host.replied(False)
        elif reply in (Reply.ANSWERED, Reply.FAILED):
            host.spoke(scheme, now)
            host.overloads = host.agreeing = host.untold = 0
            host.replied(True)
        else:
            before = host.failing.get(scheme, _Failing(now))
            host.failing[scheme] = before.again(reply)
            host.wait_until = max(host.wait_until, now + self._back_off(host.away))

    def _back_off(self, failures: int) -> float:
        return self._usual.pace * back_off(failures, self._chance())

    def asked_to_wait(self, authority: str, now: float, seconds: float | None) -> None:
        """A host said 429 or 503, with a Retry-After or (None) without. Call it after `ended`, for each of them."""
        host = self._hosts.setdefault(authority, _Host())
        if seconds is None:
            host.untold, host.agreeing = host.untold + 1, 0
            wait = self._back_off(host.untold)
        else:
            wait = min(seconds, self._usual.longest_wait)
            same = abs(now + wait - host.told_until) <= max(60.0, wait / 4) and wait > 0
            host.untold, host.agreeing = 0, host.agreeing + 1 if same else 1
            host.told_until = now + wait
        if (wait > _SHORT_WAIT or seconds is None) and not host.speaks_for_itself:
            wait = _DOUBTED_WAIT
        self.rest(authority, now, wait)

    def rest(self, authority: str, now: float, seconds: float) -> None:
        """Leave a host alone for some time: what is left of a wait of an earlier run, or a new one; at most a day, or
        as long as a host may ask for.
        """
        host = self._hosts.setdefault(authority, _Host())
        host.wait_until = max(host.wait_until, now + min(seconds, max(LONGEST_WAIT, self._usual.longest_wait)))
        self._settle(authority, host, now)

    def owes(self, authority: str, now: float, seconds: float) -> None:
        """A host was asked for all parts of a page at once, which took it so many seconds together: the pause it is
        owed is that of one fetch as long as all of them.
        """
        host = self._hosts.setdefault(authority, _Host())
        host.next_time = max(host.next_time, now + self._of(authority).pause(seconds, host.asked_delay))
        self._settle(authority, host, now)

    def asked_for_delay(self, authority: str, now: float, seconds: float) -> None:
        """robots.txt names a Crawl-delay; 0 takes it back."""
        host = self._hosts.setdefault(authority, _Host())
        host.asked_delay = max(0.0, seconds)
        self._settle(authority, host, now)

    # -- the heap --------------------------------------------------------------------------------------------------

    def _settle(self, authority: str, host: _Host, now: float) -> None:
        opens = max(host.next_time, host.wait_until)
        settings = self._of(authority)
        allowed = settings.per_host
        if len(host.running) >= allowed + settings.hanging:
            opens = math.inf
        elif len(host.running) >= allowed:
            newest = sorted(host.running.values())[-allowed]
            opens = max(opens, newest + settings.hang_after)
        if opens <= now:
            self._opened(authority, host)
        elif self._opens.get(authority) != opens:
            self._opens[authority] = opens
            if opens < math.inf:
                heapq.heappush(self._heap, (opens, authority))

    def _open_until(self, now: float) -> None:
        while self._heap and self._heap[0][0] <= now:
            opens, authority = heapq.heappop(self._heap)
            if self._opens.get(authority) == opens:
                self._opened(authority, self._hosts[authority])

    def _opened(self, authority: str, host: _Host) -> None:
        self._opens.pop(authority, None)
        if not host.remarkable and len(self._hosts) > _MOST_KNOWN:
            self._hosts.pop(authority, None)
