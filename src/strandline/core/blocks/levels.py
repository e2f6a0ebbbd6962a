"""The partition level of each page, kept so that successive versions are cut alike (paper 003's Level Manager).

Besides the level, the *scale* of the cut is kept: the length in characters after which a long text is cut. It is
derived from the page's size in coarse steps, and a page whose size wavers around such a step would be cut differently
at every capture.
"""

from dataclasses import dataclass, field, replace
from typing import Final

LEVELS: Final = (1, 2, 3)
DEFAULT_LEVEL: Final = 2


@dataclass(frozen=True, slots=True)
class PageLevel:
    """How one page is cut; scale 0 means: not yet known, derive it from the page."""

    level: int = DEFAULT_LEVEL
    scale: int = 0

    def __post_init__(self) -> None:
        """Refuse a level that does not exist."""
        if self.level not in LEVELS:
            raise ValueError(f"the partition level is 1, 2 or 3, not {self.level}")


@dataclass(slots=True)
class LevelManager:
    """Levels by page address."""

    levels: dict[str, PageLevel] = field(default_factory=dict)

    def of(self, url: str) -> PageLevel:
        """How a page is cut; a page not met before gets the default."""
        return self.levels.get(url, PageLevel())

    def learned(self, url: str, level: int, scale: int) -> PageLevel:
        """Note how a page was cut the first time; later calls change nothing until `change` or `relearn`."""
        known = self.levels.get(url)
        if known is None or not known.scale:
            self.levels[url] = PageLevel(known.level if known else level, scale)
        return self.levels[url]

    def change(self, url: str, level: int) -> PageLevel:
        """Cut a page at another level from now on; its scale is derived anew."""
        self.levels[url] = PageLevel(level)
        return self.levels[url]

    def relearn(self, url: str) -> PageLevel:
        """Keep the level, derive the scale anew: for a page that has grown or shrunk for good."""
        self.levels[url] = replace(self.of(url), scale=0)
        return self.levels[url]
