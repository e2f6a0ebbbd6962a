"""A capture for an address that changes at every load: same path, same method, and a query that differs only in what
does not matter.

Pages add numbers to their requests so that no cache answers them (`feed.json?_=1731768000123`); the number of the
replay is never the one of the capture. Which fields of a query do not matter is known in three ways:

    by name     `_`, `ts`, `cb`, `rand`, `nocache` ... (`_NAMES`)
    by value    times in seconds or milliseconds, random fractions, UUIDs, long hexadecimal numbers, on both sides
    learned     two captured addresses differ only in this field and had the same payload

All other fields must be the same on both sides: page 3 of a list is never shown for page 4. Of several captures the one
that agrees in most fields is taken, then the nearest in time. The work is bounded: the first `MOST` captures of the
path are looked at.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from strandline.access.index import CaptureIndex, Span
from strandline.core.capture import Capture

MOST: Final = 2_000
"""Captures of a path that are looked at."""
_NAMES: Final = frozenset(
    [
        "_",
        "__",
        "_callback",
        "_cb",
        "_dc",
        "_nc",
        "_nocache",
        "_r",
        "_rnd",
        "_t",
        "_ts",
        "bust",
        "buster",
        "cache_buster",
        "cachebust",
        "cachebuster",
        "callback",
        "cb",
        "correlator",
        "dc",
        "jsonp",
        "jsonpcallback",
        "no-cache",
        "no_cache",
        "nocache",
        "nonce",
        "now",
        "ord",
        "r",
        "rand",
        "random",
        "req_id",
        "reqid",
        "request_id",
        "requestid",
        "rnd",
        "t",
        "time",
        "timestamp",
        "trace_id",
        "traceid",
        "ts",
        "uncache",
    ]
)
"""Fields that are there to be different. A field `t` or `r` counts only when its value looks it, too (`_SHORT`)."""
_SHORT: Final = frozenset({"t", "r", "time", "now", "callback", "jsonp", "jsonpcallback", "_callback", "ord"})
_CHANGING: Final = re.compile(
    r"[12][0-9]{9}(?:[0-9]{3}(?:[0-9]{3})?)?(?:\.[0-9]+)?"  # seconds, milliseconds or microseconds since 1970
    r"|0?\.[0-9]{6,}"  # a random fraction
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{16,}"
    r"|[a-z_$][a-z_$]{0,30}[0-9]{6,}(?:_[0-9]{6,})?"  # the name of a function made for one answer
)
_FOREVER: Final = 4_102_444_800_000.0
_METHOD: Final = "__wb_method"

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A captured address of the path."""

    fields: Fields
    capture: Capture


def like(index: CaptureIndex, key: str, time: float | None) -> Capture | None:
    """The capture that stands for a key that was not captured; None when there is none. `key` is a SURT key."""
    path, mark, query = key.partition("?")
    wanted = _fields(query)
    rows = islice(index.scan(Span(f"{path}?", f"{path}@")), MOST)
    candidates = [_Candidate(_fields(found.partition("?")[2]), capture) for found, capture in rows]
    if not mark:
        candidates = [found for found in candidates if _method(found.fields) == ""]
    else:
        candidates += [_Candidate((), capture) for capture in index.before(path, _FOREVER, 1)]
    if not candidates:
        return None
    idle = _learned(candidates)
    fit = [found for found in candidates if found.capture.status < 400 and _alike(wanted, found.fields, idle)]
    return min(fit, key=lambda found: _distance(wanted, found, time)).capture if fit else None


def _fields(query: str) -> Fields:
    parts = (part.partition("=") for part in query.split("&")) if query else ()
    return tuple((name, value) for name, _, value in parts)


def _method(fields: Fields) -> str:
    return next((value for name, value in fields if name == _METHOD), "")


def _alike(wanted: Fields, held: Fields, idle: frozenset[str]) -> bool:
    """Whether two queries say the same but for what does not matter."""
    if wanted == held:
        return True
    ours, theirs = _by_name(wanted), _by_name(held)
    return all(
        ours.get(name, []) == theirs.get(name, []) or _matters_not(name, ours.get(name, []), theirs.get(name, []), idle)
        for name in {**ours, **theirs}
    )


def _matters_not(name: str, ours: list[str], theirs: list[str], idle: frozenset[str]) -> bool:
    """Whether a field whose values differ does not matter."""
    if name == _METHOD:
        return False
    if name in idle:
        return True
    values = [*ours, *theirs]
    changing = all(_is_changing(value) for value in values)
    if name in _NAMES and name not in _SHORT:
        return True
    # A value that stands alone is its own name: `?1731768000123=`.
    if values == [""]:
        return _is_changing(name)
    return changing


def _is_changing(value: str) -> bool:
    return bool(_CHANGING.fullmatch(value))


def _by_name(fields: Fields) -> dict[str, list[str]]:
    held: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        held[name].append(value)
    return held


def _learned(candidates: Iterable[_Candidate]) -> frozenset[str]:
    """Fields in which captured addresses differ alone, with the same payload whenever they do."""
    groups: dict[tuple[str, Fields], list[tuple[str, str]]] = defaultdict(list)
    for found in candidates:
        for name, rest, value in _left_out(found.fields):
            groups[name, rest].append((value, found.capture.digest))
    same: dict[str, int] = defaultdict(int)
    other: set[str] = set()
    for (name, _), members in groups.items():
        if len({value for value, _ in members}) > 1:
            if len({digest for _, digest in members}) == 1 and members[0][1]:
                same[name] += 1
            else:
                other.add(name)
    return frozenset(name for name in same if name not in other and name != _METHOD)


def _left_out(fields: Fields) -> Iterator[tuple[str, Fields, str]]:
    for at, (name, value) in enumerate(fields):
        yield name, fields[:at] + fields[at + 1 :], value


def _distance(wanted: Fields, found: _Candidate, time: float | None) -> tuple[int, float]:
    differing = len(set(wanted) ^ set(found.fields))
    return differing, abs(found.capture.time - time) if time is not None else -found.capture.time
