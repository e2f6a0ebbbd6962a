"""What was said of single sites: whether they are asked at all, and at which hours of their own time.

A rule names a registered domain, which covers all its hosts, or a host (with its port, where that is not the usual
one), which covers those below it. Of several rules that cover a host the longest name wins.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Generic, Literal, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from strandline.core.quick_dataclass import dataclass

State = Literal["active", "paused", "removed"]
STATES: Final = ("active", "paused", "removed")
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY: Final = 24 * 60
"""Minutes. Origin: a unit."""
_WINDOW: Final = re.compile(r"(?:([a-z,\-\s]+)\s+)?(\d\d?):(\d\d)\s*-\s*(\d\d?):(\d\d)")


class Named(Protocol):
    """Something that was said of a site."""

    @property
    def name(self) -> str:
        """A registered domain or a host."""


Rule = TypeVar("Rule", bound=Named)


def covers(name: str, authority: str) -> bool:
    """Whether a name of a site covers a host.

    >>> [covers("example.org", host) for host in ("example.org", "www.example.org", "badexample.org", "example.org:81")]
    [True, True, False, True]
    >>> covers("127.0.0.1:80", "127.0.0.1:81"), covers("[::1]", "[::1]:80")
    (False, True)
    """
    if name == authority:
        return True
    host = authority if authority.endswith("]") else authority.rpartition(":")[0] or authority
    return host == name or host.endswith(f".{name}")


class ByHost(Generic[Rule]):
    """Finds the rule of a host; each host is looked for once."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = sorted(rules, key=lambda rule: -len(rule.name))
        self._known: dict[str, Rule | None] = {}

    def of(self, authority: str) -> Rule | None:
        """The rule that covers a host, if one does."""
        if not self._rules:
            return None
        if authority not in self._known:
            if len(self._known) > 100_000:
                self._known.clear()
            self._known[authority] = next((rule for rule in self._rules if covers(rule.name, authority)), None)
        return self._known[authority]


class Window(NamedTuple):
    """Hours of a week, in minutes from Monday midnight; one that goes over midnight ends after it began."""

    start: int
    end: int


def windows_of(text: str) -> list[Window]:
    """Hours in which a site may be asked; ValueError says what is wrong.

    >>> windows_of("sat 22:00-06:00")
    [Window(start=8520, end=9000)]
    >>> len(windows_of("mon-fri 20:00-24:00")), len(windows_of("0:00-6:30")), len(windows_of("sat,sun 08:00-20:00"))
    (5, 7, 2)
    """
    found = _WINDOW.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(f'{text!r} are no hours; write them like "22:00-06:00" or "mon-fri 20:00-06:00"')
    days, *times = found.groups()
    first, last = (int(times[at]) * 60 + int(times[at + 1]) for at in (0, 2))
    if first >= _DAY or last > _DAY or int(times[1]) > 59 or int(times[3]) > 59 or first == last:
        raise ValueError(f"{text!r}: hours go from 00:00 to 24:00, and end at another time than they begin")
    length = (last - first) % _DAY or _DAY
    return [Window(day * _DAY + first, day * _DAY + first + length) for day in _days(days or "mon-sun", text)]


def _days(text: str, whole: str) -> list[int]:
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        if first not in DAYS or (last or first) not in DAYS:
            raise ValueError(f"{whole!r}: {part!r} is no day; days are {', '.join(DAYS)}, or mon-fri")
        start, end = DAYS.index(first), DAYS.index(last or first)
        found += range(start, end + 1) if start <= end else [*range(start, 7), *range(end + 1)]
    return found


def is_open(windows: Sequence[Window], zone: str, now: float) -> bool:
    """Whether a UTC second lies in one of the windows, by the clock of a zone; without windows it always does."""
    if not windows:
        return True
    local = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(zone))
    minute = local.weekday() * _DAY + local.hour * 60 + local.minute
    return any(one.start <= at < one.end for one in windows for at in (minute, minute + 7 * _DAY))


@dataclass(frozen=True, slots=True)
class SiteRule:
    """Whether a site is asked, and when. One that was removed is out of scope: nobody plans it, but what other pages
    need of it is fetched.
    """

    name: str
    state: State = "active"
    windows: tuple[Window, ...] = ()
    zone: str = "UTC"

    def why_not(self, now: float) -> str:
        """Why nothing is asked of it at a UTC second; empty when it may be."""
        if self.state == "paused":
            return "the site is paused"
        return "" if is_open(self.windows, self.zone, now) else "outside the hours of the site"


class SiteRules:
    """All rules of an archive."""

    def __init__(self, rules: Iterable[SiteRule] = ()) -> None:
        self.rules = tuple(rules)
        self._by_host = ByHost(self.rules)

    def why_not(self, authority: str, now: float) -> str:
        """Why a host is not asked now; empty when it may be."""
        rule = self._by_host.of(authority)
        return rule.why_not(now) if rule is not None else ""

    def removed(self, authority: str) -> bool:
        """Whether a host belongs to a site that was taken out."""
        rule = self._by_host.of(authority)
        return rule is not None and rule.state == "removed"

    def closed(self, now: float) -> list[SiteRule]:
        """Rules by which something is not asked now."""
        return [rule for rule in self.rules if rule.why_not(now)]
