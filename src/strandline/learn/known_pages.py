"""The pages an archive knows, as learning and planning see them: their groups, and the hours they live by.

Periods are hours, counted from a Monday midnight in UTC; each page brings the hours to add for its own place. A
demonstration may let an hour last a few seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from strandline.core.growing import with_room
from strandline.core.plan.strategy import Rows
from strandline.core.urls import directory_of

HOUR = 3600.0
"""Seconds. Origin: a unit."""
MONDAY = 345_600.0
"""1970-01-05, a Monday. Origin: a unit."""


Told = tuple[int, float, float, str]
"""What is said of a page: when it changed, when that was first read, and who said so (`sitemap`, `feed`, or
`last-modified`: its own head)."""


class Known(NamedTuple):
    """A page that is known to the archive. `barred` says why it is not fetched at all; empty when it may be. `shift`
    are the hours to add to UTC in the zone where the page lives.
    """

    page: int
    url: str
    site: str
    host: str
    weight: float = 1.0
    size: float = 0.0
    barred: str = ""
    not_before: float = 0.0
    visited: float = 0.0
    zone: str = "UTC"
    shift: int = 0
    tests: str = ""
    """The quiet directory, left out otherwise, that a visit of this page tests."""
    cost: float = 1.0
    """Requests that a visit is expected to take: more than one where the page is shown in a browser."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Seconds of the world as periods, and back. `length` are the seconds of a period."""

    start: float
    length: float = HOUR

    def __post_init__(self) -> None:
        if not self.length > 0:
            raise ValueError(f"an hour must last longer than {self.length:g} seconds")

    @staticmethod
    def since(first: float, length: float = HOUR) -> "Hours":
        """Hours from the Monday midnight before a moment.

        >>> hours = Hours.since(1_700_000_000.0)
        >>> hours.at(1_700_000_000.0) < 168, hours.seconds(hours.at(1_700_000_000.0))
        (True, 1700000000.0)
        """
        week = 168.0 * max(length, 1e-9)
        return Hours(float(np.floor((first - MONDAY) / week) * week + MONDAY), length)

    def at(self, seconds: float) -> float:
        """Periods of a moment."""
        return (seconds - self.start) / self.length

    def seconds(self, period: float) -> float:
        """UTC epoch seconds of a period."""
        return self.start + period * self.length


class Groups:
    """Numbers of site, directory and host of pages, in the order they first occur: more pages change none of them."""

    def __init__(self) -> None:
        self._numbers: tuple[dict[str, int], dict[str, int], dict[str, int]] = ({}, {}, {})
        self._room = np.empty((0, 3), dtype=np.int64)
        self._count = 0

    @staticmethod
    def of(pages: Sequence[Known]) -> "Groups":
        """Number the groups of pages."""
        groups = Groups()
        groups.add(pages)
        return groups

    def add(self, pages: Sequence[Known]) -> None:
        """Number the groups of more pages."""
        old, self._count = self._count, self._count + len(pages)
        self._room = with_room(self._room, old, self._count)
        sites, folders, hosts = self._numbers
        for row, page in enumerate(pages, start=old):
            self._room[row, 0] = sites.setdefault(page.site, len(sites))
            self._room[row, 1] = folders.setdefault(directory_of(page.url), len(folders))
            self._room[row, 2] = hosts.setdefault(page.host, len(hosts))

    @property
    def site(self) -> Rows:
        """Number of the site of each page."""
        return self._room[: self._count, 0].copy()

    @property
    def directory(self) -> Rows:
        """Number of the directory of each page."""
        return self._room[: self._count, 1].copy()

    @property
    def host(self) -> Rows:
        """Number of the host of each page."""
        return self._room[: self._count, 2].copy()

    def since(self, row: int) -> Rows:
        """Site, directory and host of the pages from a row on."""
        return self._room[row : self._count]

    @property
    def sites(self) -> Mapping[str, int]:
        """Sites and their numbers, in the order of the numbers."""
        return self._numbers[0]

    @property
    def hosts(self) -> Mapping[str, int]:
        """Hosts and their numbers, in the order of the numbers."""
        return self._numbers[2]


def path_of(url: str) -> str:
    """Path and query of an address.

    >>> path_of("https://example.org/a/b?c=1"), path_of("https://example.org")
    ('/a/b?c=1', '/')
    """
    return "/" + url.partition("://")[2].partition("/")[2]
