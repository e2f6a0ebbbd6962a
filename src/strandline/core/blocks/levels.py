"""The partition level of each page, kept so that successive versions are cut alike (paper 003's Level Manager).

Besides the level, the *scale* of the cut is kept: the length in characters after which a long text is cut. It is
derived from the page's size in coarse steps, and a page whose size wavers around such a step would be cut differently
at every capture.
"""

from typing import Final

from strandline.core.quick_dataclass import dataclass

LEVELS: Final = (1, 2, 3)
"""Depths to which a page may be cut, the first the coarsest. Origin: paper 003."""
DEFAULT_LEVEL: Final = 2
"""The one that is used unless set otherwise. Origin: a guess."""


@dataclass(frozen=True, slots=True)
class PageLevel:
    """How one page is cut; scale 0 means: not yet known, derive it from the page."""

    level: int = DEFAULT_LEVEL
    scale: int = 0

    def __post_init__(self) -> None:
        """Refuse a level that does not exist."""
        if self.level not in LEVELS:
            raise ValueError(f"the partition level is 1, 2 or 3, not {self.level}")
