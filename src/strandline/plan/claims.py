"""What sitemaps and feeds say: pages that are said to have changed since they were last visited.

One request for a sitemap tells of all pages it names, so a site whose word is good is best visited by it. Whether it is
good shows: each claim that was open when its page was visited was right (the page had changed) or not.

    trust of a site = (right + 1) / (right + wrong + 2)

A site that calls every page new, always, is soon believed no more than it deserves.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from strandline.learn.observations import Seen, matters

MOST_OPEN: Final = 100_000
"""Claims that are kept; beyond, the oldest are forgotten. Origin: a bound on memory."""
DAY: Final = 86_400.0
"""Seconds. Origin: a unit."""
EASTERNMOST: Final = 14 * 3600.0
"""Seconds by which the day begins earlier in the easternmost zone than in UTC. Origin: a standard, the IANA zones."""
GOOD: Final = 0.6
"""Trust from which on a site's word is worth asking for often. Origin: a guess."""


class Claims:
    """Open claims, by page, and how far the word of each site is trusted.

    >>> claims = Claims()
    >>> claims.tell(7, 100.0)
    >>> claims.visited(7, "a.example", 150.0, changed=True)
    >>> list(claims.open_pages()), round(claims.trust("a.example"), 2)
    ([], 0.67)
    """

    def __init__(self) -> None:
        self._open: dict[int, float] = {}
        self._right: defaultdict[str, float] = defaultdict(float)
        self._wrong: defaultdict[str, float] = defaultdict(float)

    def tell(self, page: int, time: float, said: float | None = None) -> None:
        """A page is said to have changed at a time. What was said of a time still to come when this was `said` is
        taken back by it. Today's date can be that of tomorrow in UTC: it tells of a change all the same.
        """
        if said is not None and time % DAY == 0.0 and said < time <= said + EASTERNMOST:
            time = said
        before = self._open.pop(page, time)
        self._open[page] = time if said is not None and before > said else max(time, before)
        if len(self._open) > MOST_OPEN:
            self._open.pop(next(iter(self._open)))

    def visited(self, page: int, site: str, time: float, changed: bool) -> None:
        """A page was visited at a time: what was said of it was right, or not."""
        if page in self._open and self._open[page] <= time:
            del self._open[page]
            (self._right if changed else self._wrong)[site] += 1.0

    def relive(self, seen: Iterable[Seen], told: Iterable[tuple[int, float, float]], recent: float) -> None:
        """Live through what sitemaps and feeds said (page, time of a change, when it was said), and whether visits
        found it so, in the order it happened. What was long past when it was said, by `recent` seconds, says nothing.
        """
        events: list[tuple[float, int, Seen | float]]
        events = [(said, page, time) for page, time, said in told if time > said - recent]
        spoken_of = {page for _, page, _ in events} | self._open.keys()
        events += [(one.time, one.page, one) for one in seen if one.page in spoken_of]
        for moment, page, what in sorted(events, key=lambda event: (event[0], event[1])):
            if isinstance(what, float):
                self.tell(page, what, moment)
            else:
                self.visited(page, what.site, moment, matters(what))

    def as_data(self) -> list[Any]:
        """What is to be kept, for JSON."""
        return [list(self._open.items()), self._right, self._wrong]

    @staticmethod
    def from_data(data: list[Any]) -> "Claims":
        """What `as_data` gave."""
        claims = Claims()
        claims._open.update((int(page), float(time)) for page, time in data[0])
        claims._right.update(data[1])
        claims._wrong.update(data[2])
        return claims

    def open_pages(self) -> Iterator[tuple[int, float]]:
        """Pages with an open claim, and when they are said to have changed."""
        yield from self._open.items()

    def drop(self, page: int) -> None:
        """A claim says nothing new."""
        self._open.pop(page, None)

    def trust(self, site: str) -> float:
        """Part of the claims of a site that are right."""
        right, wrong = self._right[site], self._wrong[site]
        return (right + 1.0) / (right + wrong + 2.0)
