"""What people said about blocks, and where else it holds.

A rating is given to a block of one page: its changes are noise, or they matter. Pages of a site are made from the same
templates, so the same path on another page of the site is the same part of another page, and the rating holds there,
too. On other sites a path says little (`html/body/div` is anything), unless it is named and the same was said of it on
several sites: cookie notices and counters come from the same few makers.

    this page                              holds, whatever is said elsewhere
    the site's other pages, same path      what most of them say; of as many, what was said last
    other sites, same named path           where two sites or more say the same and none says otherwise
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from strandline.core.changes.noise.volatility import Rating
from strandline.core.urls import site

AGREEING_SITES: Final = 2
"""Sites that must say the same of a named part for it to hold elsewhere. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a person said about a block of a page."""

    url: str
    path: str
    rating: Rating
    time: float
    author: str = ""
    """Who said it, when that is known."""


@dataclass(frozen=True, slots=True)
class Taught:
    """What holds for a block of a page, and where it was said."""

    rating: Rating
    by: Given
    reach: Literal["page", "site", "archive"]


class RatingBook:
    """All ratings of an archive, asked page by page."""

    def __init__(self, given: Iterable[tuple[str, str, str, float, str]]) -> None:
        """Rows as the catalog has them: address, path, rating, time, author."""
        self._pages: dict[str, dict[str, Given]] = defaultdict(dict)
        self._sites: dict[str, dict[str, list[Given]]] = defaultdict(lambda: defaultdict(list))
        self._named: dict[str, dict[str, list[Given]]] = defaultdict(lambda: defaultdict(list))
        for url, path, rating, time, author in given:
            one = Given(url, path, "noise" if rating == "noise" else "matters", time, author)
            name = site(url)
            self._pages[url][path] = one
            self._sites[name][path].append(one)
            if is_named(path):
                self._named[path][name].append(one)

    def taught(self, url: str) -> dict[str, Taught]:
        """What holds for the blocks of a page, by path."""
        own = self._pages.get(url, {})
        found = {path: Taught(one.rating, one, "page") for path, one in own.items()}
        here = site(url)
        for path, said in self._sites.get(here, {}).items():
            if path not in found:
                verdict = _verdict(said)
                found[path] = Taught(verdict.rating, verdict, "site")
        for path, sites in self._named.items():
            if path not in found and len(sites) >= AGREEING_SITES:
                verdicts = [_verdict(said) for said in sites.values()]
                if len({one.rating for one in verdicts}) == 1:
                    found[path] = Taught(verdicts[0].rating, max(verdicts, key=lambda one: one.time), "archive")
        return found

    def ratings(self, url: str) -> dict[str, Rating]:
        """The same without where it was said."""
        return {path: one.rating for path, one in self.taught(url).items()}


def is_named(path: str) -> bool:
    """Whether a block's own step, or the one above it, bears an id or a class.

    >>> is_named("html/body/div#cookies/p"), is_named("html/body/main.wide/section/p")
    (True, False)
    """
    return any("#" in step or "." in step for step in path.split("/")[-2:])


def _verdict(said: list[Given]) -> Given:
    """What most say; of as many, what was said last."""
    counts: dict[Rating, int] = defaultdict(int)
    for one in said:
        counts[one.rating] += 1
    most = max(counts.values())
    return max((one for one in said if counts[one.rating] == most), key=lambda one: one.time)
