"""What two fetches seconds apart showed anywhere on a site holds for the same place on its other pages.

A block that differs at every look is noise when it differs between two fetches seconds apart (advertising, clocks,
random lists), and news when it does not (headlines of the hour). Looks hours apart cannot tell the two from each other.
The pages of a site are made from few templates, so a few second fetches decide for all of them:

    noisy     at least two of the pages fetched twice showed another block at this path, and more than did not
    steady    at least two pages were fetched twice, and none of them did

The evidence itself is kept with the pages that were fetched twice (`volatility.NoiseState`); what is gathered here can
be gathered again from them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from strandline.core.changes.noise.volatility import MOST_PATHS, NoiseState

ENOUGH: Final = 2
"""Pages fetched twice that decide about a path. Origin: a guess."""
MOST_ASKED: Final = 4
"""Second fetches that are asked for because of one path: some come too late to tell anything. Origin: a guess."""


class SiteNoise:
    """What is known of the paths of one site, by their hashes."""

    def __init__(self) -> None:
        self.noisy: set[int] = set()
        self.steady: set[int] = set()
        self._pages: set[int] = set()
        self._stayed: Counter[int] = Counter()
        self._differed: Counter[int] = Counter()
        self._asked: Counter[int] = Counter()

    def learn(self, page: int, noise: NoiseState) -> None:
        """Take in a page that was fetched twice; each page counts once.

        >>> twice = NoiseState(paths={1: (1.0, 0.0), 2: (1.0, 1.0)}, masked_paths={2}, double_fetches=1)
        >>> site = SiteNoise()
        >>> for page in (7, 8, 8): site.learn(page, twice)
        >>> site.steady, site.noisy
        ({1}, {2})
        """
        if not noise.double_fetches or page in self._pages or len(self._stayed) > MOST_PATHS:
            return
        self._pages.add(page)
        for path in {*noise.paths, *noise.masked_paths}:
            (self._differed if path in noise.masked_paths else self._stayed)[path] += 1
            self._decide(path)

    def _decide(self, path: int) -> None:
        stayed, differed = self._stayed[path], self._differed[path]
        self.noisy.discard(path)
        self.steady.discard(path)
        if stayed + differed < ENOUGH:
            return
        if differed >= ENOUGH and differed > stayed:
            self.noisy.add(path)
        elif not differed:
            self.steady.add(path)

    def doubts(self, paths: Iterable[int]) -> bool:
        """Whether a page should be fetched a second time because these paths of it changed; it is counted as asked."""
        open_paths = [path for path in paths if path not in self.noisy and path not in self.steady]
        wanted = [path for path in open_paths if self._asked[path] < MOST_ASKED]
        self._asked.update(wanted)
        return bool(wanted)
