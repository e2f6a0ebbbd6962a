"""A capture as planning sees it, for tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sighting:
    page: int
    time: float
    changed: bool = False
    importance: float = 0.0
    status: int = 200
    held: bool = False
