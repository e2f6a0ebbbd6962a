"""What is taken down: which addresses and captures, why, until when, and whether it was hidden or erased.

    https://example.org/a          an address, however it was captured (http or https, with www or without)
    https://example.org/a/*        all that begins so        *.example.org    a domain with its subdomains
    20261101120000/https://...     the captures of an address in that second

A *block* hides until it is lifted, or until its date. What is *erased* stays hidden, too: an address that is captured
again by mistake is not shown. Later acts decide: lifting names the act that it takes back.
"""

import math
import re
from bisect import bisect_right
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from strandline.core.urls import canonical, surt_key

ActKind = Literal["block", "erase", "erased", "lift", "thin", "thinned"]
"""What is done; erasing and thinning have a beginning and an end."""
HIDING: Final = ("block", "erase")
_CAPTURE: Final = re.compile(r"(\d{14})\d{0,3}(?:[a-z]{2}_)?/(.+)", re.DOTALL)
_SECOND: Final = 0.9995
"""Times have milliseconds; a second ends before the next begins."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an act is about: stretches of SURT keys and a stretch of time."""

    text: str
    keys: tuple[tuple[str, str], ...]
    since: float = -math.inf
    until: float = math.inf

    @property
    def whole(self) -> bool:
        """Whether all captures of its addresses are meant."""
        return self.since == -math.inf and self.until == math.inf

    def has_key(self, key: str) -> bool:
        """Whether a SURT key is one of its."""
        return any(low <= key < high for low, high in self.keys)

    def covers(self, key: str, time: float | None) -> bool:
        """Whether a capture is meant; without a time, whether all captures of the key are."""
        if not self.has_key(key):
            return False
        return self.whole if time is None else self.since <= time <= self.until


def target_of(text: str) -> Target:
    r"""A target as people write it; ValueError says why it is none.

    >>> target_of("https://www.example.org/a/*").keys
    (('org,example)/a', 'org,example)/a\x00'), ('org,example)/a/', 'org,example)/a0'))
    >>> target_of("20261101120000/https://example.org/a").since
    1793534400.0
    """
    text = text.strip()
    capture = _CAPTURE.fullmatch(text)
    if capture is not None:
        since = _seconds(capture[1])
        return Target(text, _exact(capture[2]), since, since + _SECOND)
    if text.startswith("*."):
        return Target(text, _domain(text[2:]))
    if text.endswith("*"):
        return Target(text, _prefix(text[:-1]))
    return Target(text, _exact(text))


def _exact(url: str) -> tuple[tuple[str, str], ...]:
    key = surt_key(canonical(url))
    return ((key, f"{key}\0"),)


def _prefix(url: str) -> tuple[tuple[str, str], ...]:
    if "*" in url:
        raise ValueError(f"a * stands at the end, or at the beginning before a domain: {url}*")
    key = surt_key(canonical(url))
    host, _, path = key.partition(")/")
    if not path:
        return ((f"{host})/", f"{host})0"),)
    if url.endswith("/"):
        return (key, f"{key}\0"), (f"{key}/", f"{key}0")
    return ((key, _after(key)),)


def _domain(host: str) -> tuple[tuple[str, str], ...]:
    key = surt_key(canonical(f"http://{host}/")).partition(")")[0]
    # A subdomain goes on with a comma, the host itself ends with a bracket, a port begins with a colon.
    return (f"{key})/", f"{key})0"), (f"{key},", f"{key}-"), (f"{key}:", f"{key};")


def _after(prefix: str) -> str:
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _seconds(digits: str) -> float:
    year, month, day, hour, minute, second = (int(digits[start:end]) for start, end in _PARTS)
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 61):
        raise ValueError(f"not a time: {digits}")
    return float(timegm((year, month, day, hour, minute, second)))


_PARTS: Final = ((0, 4), (4, 6), (6, 8), (8, 10), (10, 12), (12, 14))


@dataclass(frozen=True, slots=True)
class Act:
    """One entry of the journal."""

    number: int
    time: float
    act: ActKind
    target: str
    reason: str = ""
    until: float | None = None
    """When a block ends by itself."""
    by: str = ""
    of: int = 0
    """The act that is lifted, or was carried out."""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As it stands in the journal, and as `takedown --json` prints it."""
        entry: dict[str, Any] = {"number": self.number, "time": self.time, "act": self.act, "target": self.target}
        entry |= {"reason": self.reason, "until": self.until, "by": self.by}
        if self.of:
            entry["of"] = self.of
        if self.detail:
            entry["detail"] = dict(self.detail)
        return entry


def act_of(entry: Mapping[str, Any]) -> Act:
    """An act from its entry; ValueError for one that is none."""
    try:
        kind = entry["act"]
        if kind not in ("block", "erase", "erased", "lift", "thin", "thinned"):
            raise ValueError(f"unknown act {kind!r}")
        until = entry.get("until")
        return Act(
            int(entry["number"]),
            float(entry["time"]),
            kind,
            str(entry["target"]),
            str(entry.get("reason", "")),
            None if until is None else float(until),
            str(entry.get("by", "")),
            int(entry.get("of", 0)),
            dict(entry.get("detail", {})),
        )
    except (KeyError, TypeError) as problem:
        raise ValueError(f"not an act: {problem}") from None


def in_force(acts: Iterable[Act], now: float) -> list[Act]:
    """Blocks and erasures that hide something now, in the order they were made."""
    held: dict[int, Act] = {}
    for act in acts:
        if act.act in HIDING:
            held[act.number] = act
        elif act.act == "lift":
            held.pop(act.of, None)
    return [act for act in held.values() if act.until is None or now < act.until]


def unfinished(acts: Iterable[Act], begun: ActKind, ended: ActKind) -> list[Act]:
    """Acts that were begun and whose end is not told: they go on."""
    held: dict[int, Act] = {}
    for act in acts:
        if act.act == begun:
            held[act.number] = act
        elif act.act == ended:
            held.pop(act.of, None)
    return list(held.values())


class Hidden:
    """What is hidden at a moment, as look-ups need it."""

    def __init__(self, acts: Iterable[Act], now: float) -> None:
        acts = list(acts)
        self._acts = [(act, target_of(act.target)) for act in in_force(acts, now)]
        self.keys = merged(stretch for _, target in self._acts if target.whole for stretch in target.keys)
        """Stretches of SURT keys all captures of which are hidden, in order, none touching another."""
        self.moments = tuple(target for _, target in self._acts if not target.whole)
        """Single captures."""
        self.ends = min((act.until for act, _ in self._acts if act.until is not None), default=math.inf)
        """When one of the blocks ends by itself."""
        self._lows = [low for low, _ in self.keys]

    def __bool__(self) -> bool:
        return bool(self._acts)

    def hides(self, key: str) -> bool:
        """Whether all captures of a key are hidden."""
        at = bisect_right(self._lows, key) - 1
        return at >= 0 and key < self.keys[at][1]

    def hides_all(self, low: str, high: str) -> bool:
        """Whether all of a stretch of keys is hidden."""
        at = bisect_right(self._lows, low) - 1
        return at >= 0 and high <= self.keys[at][1]

    def why(self, key: str, time: float | None = None) -> Act | None:
        """The latest act that hides a capture, or with no time a whole address; None when it is not hidden."""
        if not self._acts:
            return None
        return next((act for act, target in reversed(self._acts) if target.covers(key, time)), None)

    def why_some(self, key: str) -> Act | None:
        """The latest act that hides anything of a key."""
        return next((act for act, target in reversed(self._acts) if target.has_key(key)), None)

    def why_all(self, low: str, high: str) -> Act | None:
        """An act that hides a stretch of keys, when all of it is hidden."""
        return self.why_some(low) if self.hides_all(low, high) else None


def merged(stretches: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Stretches in order, those that overlap or touch as one.

    >>> merged([("c", "d"), ("a", "b"), ("b", "bb")])
    (('a', 'bb'), ('c', 'd'))
    """
    found: list[tuple[str, str]] = []
    for low, high in sorted(stretches):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


NOTHING: Final = Hidden((), 0.0)
