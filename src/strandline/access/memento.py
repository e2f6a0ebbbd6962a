"""Which capture answers a request for a page at a time, and its neighbours.

The closest capture in time is taken, to the second, for that is what an address can say; among captures of one
second the one with the very address that was asked for. Captures that redirect to themselves (http to https, with or
without `www`, or back to the same address after setting a cookie) share the key of their target and would loop: they
are passed over wherever anything else was captured.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from strandline.access.addresses import Base
from strandline.access.index import CaptureIndex
from strandline.access.timestamps import http_date, timestamp
from strandline.core.capture import Capture
from strandline.core.urls import surt_key

_LOOK = 6
"""Captures looked at on each side."""
_FOREVER = 4_102_444_800_000.0

key_of = lru_cache(maxsize=16384)(surt_key)
"""`surt_key`, remembered: pages name the same files again and again."""


@dataclass(frozen=True, slots=True)
class Memento:
    """A capture, and the ones around it in time."""

    capture: Capture
    first: Capture
    previous: Capture | None
    following: Capture | None
    last: Capture


def closest(index: CaptureIndex, url: str, time: float | None, as_captured: bool = False) -> Memento | None:
    """The memento of a page at a time (the latest without one); None when nothing fit was captured.

    With `as_captured` redirects to the page itself are mementos too: nobody will follow them.
    """
    key = key_of(url)
    at = _FOREVER if time is None else time + 0.9995
    earlier = index.before(key, at, _LOOK)
    later = index.after(key, at, _LOOK)
    near = [*reversed(earlier), *later]
    if not near:
        return None
    chosen = _best(near, key, url, time, as_captured)
    if chosen is None:
        chosen = _best(index.captures(key), key, url, time, as_captured)
        if chosen is None:
            return None
        near = [*reversed(index.before(key, chosen.time, _LOOK)), *index.after(key, chosen.time, _LOOK)]
        earlier = later = near * _LOOK  # the window moved: its ends are not the ends of the page
    return Memento(
        chosen,
        first=near[0] if len(earlier) < _LOOK else index.after(key, -_FOREVER, 1)[0],
        previous=_neighbour(index.before(key, chosen.time, _LOOK) if near[0] is chosen else reversed(near), chosen, -1),
        following=_neighbour(index.after(key, chosen.time, _LOOK) if near[-1] is chosen else near, chosen, 1),
        last=near[-1] if len(later) < _LOOK else index.before(key, _FOREVER, 1)[0],
    )


def _best(captures: Iterable[Capture], key: str, url: str, time: float | None, as_captured: bool) -> Capture | None:
    fit = [capture for capture in captures if as_captured or not redirects_to_itself(capture, key)]
    if not fit:
        return None
    if time is None:
        newest = int(fit[-1].time)
        return min((capture for capture in fit if int(capture.time) == newest), key=lambda capture: capture.url != url)
    return min(
        fit, key=lambda capture: (abs(int(capture.time) - int(time)), abs(capture.time - time) > 1, capture.url != url)
    )


def redirects_to_itself(capture: Capture, key: str) -> bool:
    """Whether following the capture leads back to the same page."""
    return bool(capture.redirect) and capture.status // 100 == 3 and key_of(capture.redirect) == key


def _neighbour(captures: Iterable[Capture], chosen: Capture, direction: int) -> Capture | None:
    """The nearest capture before or after that has another timestamp, for only that can be named."""
    mine = int(chosen.time)
    return next((capture for capture in captures if (int(capture.time) - mine) * direction > 0), None)


def link_header(memento: Memento, url: str, base: Base) -> str:
    """The Link field of RFC 7089: original, TimeGate, TimeMap and the mementos around this one."""
    roles: dict[str, list[str]] = {}
    named: Sequence[tuple[str, Capture | None]] = (
        ("first", memento.first),
        ("prev", memento.previous),
        ("", memento.capture),
        ("next", memento.following),
        ("last", memento.last),
    )
    times = {}
    for role, capture in named:
        if capture is not None:
            digits = timestamp(capture.time)
            roles.setdefault(digits, []).append(role)
            times[digits] = capture.time
    links = [general_links(url, base)]
    for digits, words in roles.items():
        relation = " ".join([*filter(None, words), "memento"])
        links.append(f'<{base.memento(url, times[digits])}>; rel="{relation}"; datetime="{http_date(times[digits])}"')
    return ", ".join(links)


def general_links(url: str, base: Base) -> str:
    """Links that hold for every answer about a page, found or not."""
    return (
        f'<{url}>; rel="original", <{base.timegate(url)}>; rel="timegate", '
        f'<{base.timemap(url)}>; rel="timemap"; type="application/link-format"'
    )
