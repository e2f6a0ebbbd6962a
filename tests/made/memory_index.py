"""An index of captures held in memory: for tests, small imports and one-file viewing."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from strandline.access.index import SiteRow, Span
from strandline.core.capture import Capture
from strandline.core.urls import site, surt_key


class MemoryIndex:
    """Implements CaptureIndex over a list."""

    def __init__(self, captures: Iterable[Capture]) -> None:
        by_key: dict[str, list[Capture]] = defaultdict(list)
        for capture in captures:
            by_key[surt_key(capture.url)].append(capture)
        for held in by_key.values():
            held.sort(key=lambda capture: (capture.time, capture.place.file, capture.place.offset))
        self._by_key = dict(by_key)
        self._keys = sorted(by_key)
        held_payloads = (capture for held in by_key.values() for capture in reversed(held) if capture_holds(capture))
        self._payloads = {capture.digest: capture for capture in held_payloads}

    def before(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key at or before a time, newest first."""
        held = self._by_key.get(key, [])
        end = bisect_right(held, time, key=lambda capture: capture.time)
        return held[max(0, end - limit) : end][::-1]

    def after(self, key: str, time: float, limit: int) -> Sequence[Capture]:
        """Captures of a key later than a time, oldest first."""
        held = self._by_key.get(key, [])
        start = bisect_right(held, time, key=lambda capture: capture.time)
        return held[start : start + limit]

    def captures(self, key: str) -> Iterator[Capture]:
        """All captures of a key in time order."""
        return iter(self._by_key.get(key, []))

    def scan(self, span: Span) -> Iterator[tuple[str, Capture]]:
        """Keys and captures of a span."""
        keys = self._keys[bisect_left(self._keys, span.start) : bisect_left(self._keys, span.end)]
        for key in keys:
            for capture in self._by_key[key]:
                if span.resume and (key, capture.time) <= span.resume:
                    continue
                if span.since <= capture.time <= span.until:
                    yield key, capture

    def same_payload(self, digest: str) -> Capture | None:
        """A capture that holds the payload itself."""
        return self._payloads.get(digest)

    def sites(self, limit: int) -> Sequence[SiteRow]:
        """Sites with the most captures."""
        pages: dict[str, int] = defaultdict(int)
        times: dict[str, list[float]] = defaultdict(list)
        for held in self._by_key.values():
            name = site(held[0].url)
            pages[name] += 1
            times[name] += [capture.time for capture in held]
        rows = [SiteRow(name, pages[name], len(seen), min(seen), max(seen)) for name, seen in times.items()]
        return sorted(rows, key=lambda row: (-row.captures, row.site))[:limit]

    def count(self) -> int:
        """Number of captures in all."""
        return sum(map(len, self._by_key.values()))


def capture_holds(capture: Capture) -> bool:
    """Whether the capture's own record holds its payload."""
    return not capture.revisit and bool(capture.digest)
