"""The visits of the hour that a watch is carrying out, with their reasons, as a note in the catalog."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from strandline.plan.due import Due
from strandline.store.standing import StandingReading

KIND: Final = "plan-hour"
"""Of the note; in a folder its key is empty, in a cluster there is one for each site."""


class HourNote:
    """What was planned for one hour; what is planned later in the same hour is added."""

    def __init__(self) -> None:
        self.hour = -1
        self._visits: dict[int, Due] = {}

    def add(self, hour: int, visits: Iterable[Due]) -> None:
        """Visits of an hour were planned. One that was planned before stays as it was, with its reason."""
        if hour != self.hour:
            self.hour, self._visits = hour, {}
        self._visits = {visit.page: visit for visit in visits} | self._visits

    def in_time(self, hour: int, start: float, visits: Iterable[Due], made: Callable[[int], bool]) -> list[Due]:
        """Visits of an hour that begins at `start`, in the order of time, before they are added. What the hour before
        did not come to, because its host had to be left in peace, is made first: a page whose minute is the last of the
        hour would never be seen. What this hour has planned already becomes no later. `made` says whether a page was
        visited since the hour before began.
        """
        return sorted((self._sooner(visit, hour, start, made) for visit in visits), key=lambda visit: visit.due)

    def _sooner(self, visit: Due, hour: int, start: float, made: Callable[[int], bool]) -> Due:
        known = self._visits.get(visit.page)
        if known is None or self.hour not in (hour - 1, hour) or (self.hour < hour and made(visit.page)):
            return visit
        return replace(visit, due=min(visit.due, max(known.due, start)))

    @property
    def visits(self) -> list[Due]:
        """In the order of time."""
        return sorted(self._visits.values(), key=lambda visit: visit.due)

    def visit(self, page: int) -> Due | None:
        """The visit of a page."""
        return self._visits.get(page)

    def left(self, reading: StandingReading, begun: float) -> list[Due]:
        """Those of pages that were not visited since the hour began, in the order of time."""
        standings = reading.standings_of(self._visits)
        waiting = {one.page for one in standings if one.visited < begun}
        return [visit for visit in self.visits if visit.page in waiting]

    def to_keep(self, key: str = "") -> tuple[str, list[tuple[str, bytes | None]]]:
        """What a catalog's `note` takes."""
        rows = [(one.page, one.url, one.urgency, one.reason, one.due, one.cost) for one in self._visits.values()]
        return KIND, [(key, json.dumps([self.hour, rows]).encode())]

    @staticmethod
    def read(data: bytes | None) -> "HourNote":
        """What was kept; an hour that never was, for nothing."""
        note = HourNote()
        if data is not None:
            hour, rows = json.loads(data)
            note.add(int(hour), (Due(*row) for row in rows))
        return note
