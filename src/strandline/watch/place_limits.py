"""Budgets of single hosts and sites beside the whole one: what each may still be asked, however many hosts it has.

A host that was not asked yet in this run costs two requests, its robots.txt and the page; what is being asked, or waits
for a pause to end, counts as if it were still to be paid. So a site of many hosts is not asked all of them at once with
the last request of its budget.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Final

from strandline.core.urls import authority, site
from strandline.plan.budget_meter import Purse

Affords = Callable[[str], bool]
"""Whether an address can be paid for."""
_FIRST: Final = 2
"""Requests that the first page of a host costs, with its robots.txt. Origin: a definition."""


class PlaceLimits:
    """The purses of places, and which hosts of each were met and asked."""

    def __init__(self, purses: Callable[[], Mapping[str, Purse]]) -> None:
        """`purses` by host or site, as they are now."""
        self._purses = purses
        self._met: defaultdict[str, set[str]] = defaultdict(set)
        self._asked: defaultdict[str, set[str]] = defaultdict(set)

    def _places(self, url: str) -> tuple[str, list[str]]:
        """The host of an address, and those of its host and site that have a limit."""
        if not (purses := self._purses()):
            return "", []
        host, whole = authority(url), site(url)
        places = [place for place in {host, whole} if place in purses]
        for place in places:
            self._met[place].add(host)
        return host, places

    def spent_up(self, moment: float) -> list[str]:
        """Hosts with a limit of their own, or of their site, that is reached."""
        spent = [place for place, purse in self._purses().items() if purse.requests(moment) < 1]
        return [host for place in spent for host in (place, *self._met[place])]

    def paying(self, url: str) -> list[Purse]:
        """The purses that pay for a request beside the common one."""
        host, places = self._places(url)
        for place in places:
            self._asked[place].add(host)
        return [self._purses()[place] for place in places]

    def turn(self, busy: Collection[str], moment: float) -> Affords:
        """Whether an address can be afforded by its places; asked for one after the other, each that can is paid."""
        purses, left = self._purses(), dict[str, int]()

        def affords(url: str) -> bool:
            host, places = self._places(url)
            costs = {place: 1 if host in self._asked[place] else _FIRST for place in places}
            for place in places:
                waiting = len(self._asked[place].intersection(busy))
                left.setdefault(place, purses[place].requests(moment) - waiting)
            if any(left[place] < min(cost, purses[place].allowance.amount) for place, cost in costs.items()):
                return False
            for place, cost in costs.items():
                left[place] -= cost
            return True

        return affords
