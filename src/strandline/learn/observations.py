"""A capture as the learning side sees it: when a page was looked at, and whether it had changed."""

from typing import Final, Protocol

NOISE: Final = 0.015
"""Importance below which a difference between two captures is no change to plan for: a clock, advertising.
Origin: a guess; that no news lies below it is measured by `strandline experiment news`."""


class Sighting(Protocol):
    """One capture of a page."""

    @property
    def page(self) -> int:
        """Number of the page."""

    @property
    def time(self) -> float:
        """UTC epoch seconds."""

    @property
    def status(self) -> int:
        """HTTP status."""

    @property
    def changed(self) -> bool:
        """Whether a reader sees a difference to the capture before."""

    @property
    def importance(self) -> float:
        """How much the difference matters."""

    @property
    def held(self) -> bool:
        """Whether the difference is not believed yet."""


class Seen(Sighting, Protocol):
    """The same, with where the page lies."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def site(self) -> str:
        """Its site."""


def matters(seen: Sighting) -> bool:
    """Whether a capture found a change worth a visit; what differs at every look would seem to change all the time."""
    return seen.changed and seen.importance >= NOISE
