"""The visits of the hour that a watch is carrying out, with their reasons, as a note in the catalog."""

import json
from collections.abc import Iterable
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
