"""What sitemaps and feeds say: pages that are said to have changed since they were last visited.

One request for a sitemap tells of all pages it names, so a site whose word is good is best visited by it. How good it
is shows when pages are visited (core/plan/signals.py): which part of its claims was right, and which part of the
changes was told. A site that calls every page new, always, is soon believed no more than it deserves, and one that
tells of few changes says nothing by its silence. Silence counts only for pages whose last change was told: a feed names
a page when it is new, and not when it is edited later.

Sitemaps and feeds of a site are believed each by itself: that of a site whose sitemap is made anew every day, with the
date of that day, may have a feed that is always right. What a page's own head says (`Last-Modified`) is known when it
has been visited anyway, and calls nobody.

    trust of a source = right / (right + wrong), each beginning with one that nobody saw
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from strandline.core.plan.signals import MOST, SiteSignals, as_changes
from strandline.core.plan.strategy import Floats
from strandline.learn.known_pages import Told
from strandline.learn.observations import Seen, matters

SOURCES: Final = ("sitemap", "feed")
"""Who tells of changes before a page is visited. Origin: a definition."""
MOST_OPEN: Final = 100_000
"""Claims that are kept; beyond, the oldest are forgotten. Origin: a bound on memory."""
DAY: Final = 86_400.0
"""Seconds. Origin: a unit."""
EASTERNMOST: Final = 14 * 3600.0
"""Seconds by which the day begins earlier in the easternmost zone than in UTC. Origin: a standard, the IANA zones."""
GOOD: Final = 0.6
"""Trust from which on a source's word is worth asking for often. Origin: a guess."""

Before = Callable[[Sequence[int]], tuple[Floats, Floats]]
"""Of pages, how often they change a second, and when they were captured last; NaN for never."""


def nothing_known(pages: Sequence[int]) -> tuple[Floats, Floats]:
    """Of any of them."""
    return np.zeros(len(pages)), np.full(len(pages), np.nan)


class Claim(NamedTuple):
    """The latest change a page is said to have had, which of SOURCES said so, and of how many each told."""

    time: float
    source: int
    counts: tuple[float, ...]


class _Said(NamedTuple):
    """What was said at some moment: of which time, and by whom."""

    time: float
    source: str


class Claims:
    """Open claims, by page, and how good the word of each site's sitemaps and feeds is.

    >>> claims = Claims()
    >>> claims.tell(7, 100.0, source="feed")
    >>> claims.visited(7, "a.example", 150.0, changed=True)
    >>> claims.told_of(7) is NOTHING, round(claims.trust("a.example", "feed"), 2), claims.trust("a.example", "sitemap")
    (True, 0.67, 0.5)
    """

    def __init__(self) -> None:
        self._open: dict[int, Claim] = {}
        self._listened: dict[int, frozenset[int]] = {}
        """Pages whose last change was told, and by which sources."""
        self._sources: dict[tuple[str, int], SiteSignals] = {}
        self._read: dict[tuple[str, int], float] = {}
        """When a sitemap, or a feed, of each site was read last."""
        self._news: dict[int, None] = {}

    def tell(
        self, page: int, time: float, said: float | None = None, visited: float = -np.inf, source: str = SOURCES[0]
    ) -> None:
        """A page that was `visited` last is said to have changed at a time. What was said of a time still to come when
        this was `said` is taken back by it. Today's date can be that of tomorrow in UTC: it tells of a change all the
        same. Who tells of what was told already tells nothing.
        """
        if source not in SOURCES:
            return
        if said is not None and time % DAY == 0.0 and said < time <= said + EASTERNMOST:
            time = said
        if time <= visited:
            return
        before = self._open.pop(page, NOTHING)
        if before.time <= visited or (said is not None and before.time > said):
            before = NOTHING
        if time > before.time:
            place = SOURCES.index(source)
            before = Claim(time, place, _one_more(before.counts, place))
        self._open[page] = before
        self._news[page] = None
        _forget_oldest(self._open)
        _forget_oldest(self._news)

    def take_news(self) -> list[int]:
        """Pages that something was said of since this was asked last."""
        found = list(self._news)
        self._news.clear()
        return found

    def read(self, site: str, source: str, time: float) -> None:
        """A sitemap or feed of a site was read."""
        key = site, SOURCES.index(source)
        self._read[key] = max(time, self._read.get(key, time))

    def visited(self, page: int, site: str, time: float, changed: bool, unsaid: float = 0.0) -> None:
        """A page was visited at a time: what was said of it was right, or not. So many changes were to be expected
        since the visit before, whatever was said.
        """
        claim = self._open.pop(page, NOTHING)
        if claim.time > time:
            # What was said of times before is settled.
            self._open[page] = Claim(claim.time, claim.source, _one_more(NOTHING.counts, claim.source))
            return
        listened = self._listened.get(page, _NOBODY)
        silent = (1.0 - max((self._quality(site, place).recall for place in listened), default=0.0)) * unsaid
        worth = [float(as_changes(self._quality(site, place).false, count)) for place, count in enumerate(claim.counts)]
        for place, count in enumerate(claim.counts):
            if count or (place in listened and changed):
                known = self._sources.setdefault((site, place), SiteSignals())
                others = sum(worth) - worth[place]
                known.visited(min(count, MOST), silent, changed, place in listened, others)
        if changed:
            self._listened.pop(page, None)
            if any(claim.counts):
                self._listened[page] = frozenset(place for place, count in enumerate(claim.counts) if count)
                _forget_oldest(self._listened)

    def relive(self, seen: Iterable[Seen], told: Iterable[Told], recent: float, known: Before = nothing_known) -> None:
        """Live through what sitemaps and feeds said, and whether visits found it so, in the order it happened. What was
        long past when it was said, by `recent` seconds, says nothing.
        """
        events: list[tuple[float, int, Seen | _Said]]
        events = [
            (said, page, _Said(time, source))
            for page, time, said, source in told
            if source in SOURCES and time > said - recent
        ]
        spoken_of = {page for _, page, _ in events} | self._open.keys() | self._listened.keys()
        events += [(one.time, one.page, one) for one in seen if one.page in spoken_of]
        pages = sorted({page for _, page, _ in events})
        rates, lasts = (dict(zip(pages, column.tolist(), strict=True)) for column in known(pages))
        for moment, page, what in sorted(events, key=lambda event: (event[0], event[1])):
            if isinstance(what, _Said):
                self.tell(page, what.time, moment, lasts[page], what.source)
            elif not moment <= lasts[page]:
                if np.isnan(lasts[page]):
                    self._seen_first(page, moment)
                else:
                    self.visited(page, what.site, moment, matters(what), rates[page] * (moment - lasts[page]))
                lasts[page] = moment

    def _seen_first(self, page: int, time: float) -> None:
        """A page was captured for the first time: whether it had changed before nobody can say."""
        if self._open.get(page, NOTHING).time <= time:
            self._open.pop(page, None)

    def as_data(self) -> dict[str, Any]:
        """What is to be kept, for JSON."""
        return {
            "open": [(page, claim.time, claim.source, *claim.counts) for page, claim in self._open.items()],
            "listened": [(page, *sorted(sources)) for page, sources in self._listened.items()],
            "sources": [
                (site, place, one.right, one.wrong, one.unsaid, one.told)
                for (site, place), one in self._sources.items()
            ],
            "read": [(site, place, time) for (site, place), time in self._read.items()],
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "Claims":
        """What `as_data` gave, or that of an older release, which took the sitemaps and feeds of a site for one."""
        claims = Claims()
        if "sources" not in data:
            every = range(len(SOURCES))
            data = {
                "open": [(page, time, 0, count, 0.0) for page, time, count in data["open"]],
                "listened": [(page, *every) for page in data["listened"]],
                "sources": [(site, place, *known) for site, known in data["sites"].items() for place in every],
                "read": [(site, place, time) for site, time in data["read"].items() for place in every],
            }
        for page, time, source, *counts in data["open"]:
            claims._open[int(page)] = Claim(float(time), int(source), tuple(map(float, counts)))
        for page, *sources in data["listened"]:
            claims._listened[int(page)] = frozenset(map(int, sources))
        for site, place, *known in data["sources"]:
            claims._sources[str(site), int(place)] = SiteSignals(*map(float, known))
        for site, place, time in data["read"]:
            claims._read[str(site), int(place)] = float(time)
        claims._news.update(dict.fromkeys(claims._open))
        return claims

    def __bool__(self) -> bool:
        return bool(self._open or self._sources)

    def told_of(self, page: int) -> Claim:
        """What a page is said to have gone through since its last visit."""
        return self._open.get(page, NOTHING)

    def listens_for(self, page: int) -> frozenset[int]:
        """Which of SOURCES tell of the changes of a page, as far as can be said."""
        return self._listened.get(page, _NOBODY)

    def of(self, site: str, place: int) -> SiteSignals | None:
        """How good the word of one of SOURCES is on a site; None when nothing shows."""
        return self._sources.get((site, place))

    def _quality(self, site: str, place: int) -> SiteSignals:
        return self._sources.get((site, place), _UNKNOWN)

    def read_last(self, site: str, place: int) -> float:
        """When one of SOURCES was read last on a site; minus infinity when none was."""
        return self._read.get((site, place), -np.inf)

    def trust(self, site: str, source: str = "") -> float:
        """Part of the claims of a site's sitemaps, or feeds, that are right; by default of the better ones."""
        places = (SOURCES.index(source),) if source else range(len(SOURCES))
        known = [self._sources[site, place] for place in places if (site, place) in self._sources]
        return max((1.0 - one.false for one in known), default=1.0 - _UNKNOWN.false)


NOTHING: Final = Claim(-np.inf, 0, (0.0,) * len(SOURCES))
"""Told of a page. Origin: a definition."""
_NOBODY: Final[frozenset[int]] = frozenset()
"""Tells of a page. Origin: a definition."""
_UNKNOWN: Final = SiteSignals()
"""Of a source that nothing shows of. Origin: a definition."""


def _one_more(counts: tuple[float, ...], place: int) -> tuple[float, ...]:
    return tuple(count + (number == place) for number, count in enumerate(counts))


def _forget_oldest(held: dict[int, Any]) -> None:
    if len(held) > MOST_OPEN:
        held.pop(next(iter(held)))
