"""What sitemaps and feeds say: pages that are said to have changed since they were last visited.

One request for a sitemap tells of all pages it names, so a site whose word is good is best visited by it. How good it
is shows when pages are visited (core/plan/signals.py): which part of its claims was right, and which part of the
changes was told. A site that calls every page new, always, is soon believed no more than it deserves, and one that
tells of few changes says nothing by its silence. Silence counts only for pages whose last change was told: a feed names
a page when it is new, and not when it is edited later.

    trust of a site = right / (right + wrong), each beginning with one that nobody saw
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from strandline.core.plan.signals import MOST, SiteSignals
from strandline.core.plan.strategy import Floats
from strandline.learn.observations import Seen, matters

MOST_OPEN: Final = 100_000
"""Claims that are kept; beyond, the oldest are forgotten. Origin: a bound on memory."""
DAY: Final = 86_400.0
"""Seconds. Origin: a unit."""
EASTERNMOST: Final = 14 * 3600.0
"""Seconds by which the day begins earlier in the easternmost zone than in UTC. Origin: a standard, the IANA zones."""
GOOD: Final = 0.6
"""Trust from which on a site's word is worth asking for often. Origin: a guess."""

Before = Callable[[Sequence[int]], tuple[Floats, Floats]]
"""Of pages, how often they change a second, and when they were captured last; NaN for never."""


def nothing_known(pages: Sequence[int]) -> tuple[Floats, Floats]:
    """Of any of them."""
    return np.zeros(len(pages)), np.full(len(pages), np.nan)


class Claims:
    """Open claims, by page, and how good the word of each site is.

    >>> claims = Claims()
    >>> claims.tell(7, 100.0)
    >>> claims.visited(7, "a.example", 150.0, changed=True)
    >>> list(claims.open_pages()), round(claims.trust("a.example"), 2)
    ([], 0.67)
    """

    def __init__(self) -> None:
        self._open: dict[int, tuple[float, float]] = {}
        """The latest change each page is said to have had, and how many were told of."""
        self._listened: dict[int, None] = {}
        """Pages whose last change was told."""
        self._sites: dict[str, SiteSignals] = {}
        self._read: dict[str, float] = {}
        """When a sitemap or feed of each site was read last."""
        self._news: dict[int, None] = {}

    def tell(self, page: int, time: float, said: float | None = None, visited: float = -np.inf) -> None:
        """A page that was `visited` last is said to have changed at a time. What was said of a time still to come when
        this was `said` is taken back by it. Today's date can be that of tomorrow in UTC: it tells of a change all the
        same.
        """
        if said is not None and time % DAY == 0.0 and said < time <= said + EASTERNMOST:
            time = said
        if time <= visited:
            return
        before, count = self._open.pop(page, (-np.inf, 0.0))
        if before <= visited or (said is not None and before > said):
            before, count = -np.inf, 0.0
        self._open[page] = max(time, before), count + (time > before)
        self._news[page] = None
        _forget_oldest(self._open)
        _forget_oldest(self._news)

    def take_news(self) -> list[int]:
        """Pages that something was said of since this was asked last."""
        found = list(self._news)
        self._news.clear()
        return found

    def read(self, site: str, time: float) -> None:
        """A sitemap or feed of a site was read."""
        self._read[site] = max(time, self._read.get(site, time))

    def visited(self, page: int, site: str, time: float, changed: bool, unsaid: float = 0.0) -> None:
        """A page was visited at a time: what was said of it was right, or not. So many changes were to be expected
        since the visit before, whatever was said.
        """
        latest, count = self._open.pop(page, (time, 0.0))
        if latest > time:
            self._open[page] = latest, 1.0  # what was said of times before is settled
            return
        listened = page in self._listened
        if count or (listened and changed):
            known = self._sites.setdefault(site, SiteSignals())
            known.visited(min(count, MOST), (1.0 - known.recall * listened) * unsaid, changed, listened)
        if changed:
            self._listened.pop(page, None)
            if count:
                self._listened[page] = None
                _forget_oldest(self._listened)

    def relive(
        self,
        seen: Iterable[Seen],
        told: Iterable[tuple[int, float, float]],
        recent: float,
        known: Before = nothing_known,
    ) -> None:
        """Live through what sitemaps and feeds said (page, time of a change, when it was said), and whether visits
        found it so, in the order it happened. What was long past when it was said, by `recent` seconds, says nothing.
        """
        events: list[tuple[float, int, Seen | float]]
        events = [(said, page, time) for page, time, said in told if time > said - recent]
        spoken_of = {page for _, page, _ in events} | self._open.keys() | self._listened.keys()
        events += [(one.time, one.page, one) for one in seen if one.page in spoken_of]
        pages = sorted({page for _, page, _ in events})
        rates, lasts = (dict(zip(pages, column.tolist(), strict=True)) for column in known(pages))
        for moment, page, what in sorted(events, key=lambda event: (event[0], event[1])):
            if isinstance(what, float):
                self.tell(page, what, moment, lasts[page])
            elif not moment <= lasts[page]:
                if np.isnan(lasts[page]):
                    self._seen_first(page, moment)
                else:
                    self.visited(page, what.site, moment, matters(what), rates[page] * (moment - lasts[page]))
                lasts[page] = moment

    def _seen_first(self, page: int, time: float) -> None:
        """A page was captured for the first time: whether it had changed before nobody can say."""
        if self._open.get(page, _NOTHING)[0] <= time:
            self._open.pop(page, None)

    def as_data(self) -> dict[str, Any]:
        """What is to be kept, for JSON."""
        return {
            "open": [(page, *claim) for page, claim in self._open.items()],
            "listened": list(self._listened),
            "sites": {name: [one.right, one.wrong, one.unsaid, one.told] for name, one in self._sites.items()},
            "read": self._read,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any] | list[Any]) -> "Claims":
        """What `as_data` gave, or that of an older release: open claims, and those right and wrong, by site."""
        claims = Claims()
        if isinstance(data, list):
            claims._open.update((int(page), (float(time), 1.0)) for page, time in data[0])
            for site in {*data[1], *data[2]}:
                claims._sites[site] = SiteSignals(1.0 + data[1].get(site, 0.0), 1.0 + data[2].get(site, 0.0))
        else:
            claims._open.update((int(page), (float(time), float(count))) for page, time, count in data["open"])
            claims._listened.update((int(page), None) for page in data["listened"])
            claims._sites.update((site, SiteSignals(*map(float, known))) for site, known in data["sites"].items())
            claims._read.update(data["read"])
        claims._news.update(dict.fromkeys(claims._open))
        return claims

    def __bool__(self) -> bool:
        return bool(self._open or self._sites)

    def open_pages(self) -> Iterator[tuple[int, float]]:
        """Pages with an open claim, and when they are said to have changed."""
        yield from ((page, time) for page, (time, _) in self._open.items())

    def told_of(self, page: int) -> tuple[float, float]:
        """When a page is said to have changed last, and how many changes were told of since its last visit."""
        return self._open.get(page, _NOTHING)

    def listens_for(self, page: int) -> bool:
        """Whether a page is one of those whose changes are told, as far as can be said."""
        return page in self._listened

    def of(self, site: str) -> SiteSignals | None:
        """How good the word of a site is; None when nothing shows."""
        return self._sites.get(site)

    def read_last(self, site: str) -> float:
        """When a sitemap or feed of a site was read last; minus infinity when none was."""
        return self._read.get(site, -np.inf)

    def trust(self, site: str) -> float:
        """Part of the claims of a site that are right."""
        return 1.0 - (self._sites.get(site) or _UNKNOWN).false


_NOTHING: Final = (-np.inf, 0.0)
"""Told of a page. Origin: a definition."""
_UNKNOWN: Final = SiteSignals()
"""Of a site that nothing shows of. Origin: a definition."""


def _forget_oldest(held: dict[int, Any]) -> None:
    if len(held) > MOST_OPEN:
        held.pop(next(iter(held)))
