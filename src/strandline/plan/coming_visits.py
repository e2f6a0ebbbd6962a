"""The visits that come next, as a watch makes them: what the plan wants, and what is due by itself.

The first hour is the one that is running: what is left of its budget is divided between plan and frontier as a watch
that starts now divides it (plan/budget_meter.py), or it is the plan of the watch that is running. Later hours are lived
through on a copy, as if every visit were made and found nothing new about the page's habits.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Protocol

from strandline.core.capture import Kind
from strandline.learn.known_pages import Hours
from strandline.plan.budget_meter import FRONTIER_STEP, Purse, left_for_plan
from strandline.plan.due import NEVER, Due, requests_of
from strandline.plan.hour_note import HourNote
from strandline.plan.maker import PlanMaker
from strandline.plan.outlook import Outlook
from strandline.store.standing import Standing, StandingReading

_ROUNDING: Final = 1e-9
"""Of a request. Origin: a bound on rounding."""
_MORE, _LEAST = 4, 100
"""Times more than there is room for, and how many at least, are looked at of what is due by itself: some wait.
Origin: a guess."""
_AGAIN: Final = "it {}, and is asked again after a while"


class ComingVisits(Protocol):
    """Who knows what comes: of a folder below, of a cluster in cluster/coming_visits.py."""

    def this_hour(self, visits: int | None = None) -> list[Due]:
        """Visits of the hour that is running, in the order of time; if so many were left of it, or as many as are."""

    def ahead(self, hours: float) -> Iterator[Due]:
        """Visits of the coming hours in the order of time."""


@dataclass(frozen=True)
class Asked:
    """What is known of an archive when somebody asks. `starting`: no watch is running, so one that starts now is meant;
    `note` is what the running one wrote down.
    """

    maker: PlanMaker
    reading: StandingReading
    purse: Purse
    now: float
    starting: bool
    note: HourNote


class FolderVisits:
    """Implements ComingVisits for an archive in a folder; `outlook` makes its plan ready, `spare` another one that may
    be lived through, by default a copy.
    """

    def __init__(
        self, asked: Asked, outlook: Callable[[], Outlook], spare: Callable[[], Outlook] | None = None
    ) -> None:
        self._asked = asked
        self._outlook = outlook
        self._spare = spare or (lambda: outlook().copy())
        self._hours: Hours = asked.maker.making.hours
        self._hour = int(self._hours.at(asked.now) // 1)
        self._taken: set[int] = set()
        """What comes by itself in the hour that is running."""

    def this_hour(self, visits: int | None = None) -> list[Due]:
        """See ComingVisits."""
        return self._running if visits is None else self._if_left(visits)

    @cached_property
    def _running(self) -> list[Due]:
        """What is left of the hour that is running."""
        note, left = self._asked.note, self._left(self._asked.purse, self._asked.now)
        if self._asked.starting or note.hour != self._hour:
            most = self._payable(self._asked.purse, self._asked.now)
            return self._planned(self._outlook(), self._hour, left, most, self._taken)
        visits = note.left(self._asked.reading, self._hours.seconds(self._hour))
        return in_order(visits + self._by_themselves(self._hour, _room(left, visits), self._taken), self._asked.now)

    def _if_left(self, visits: int) -> list[Due]:
        """If so many visits of pages were left of it, as the share of one hour."""
        end, asked = self._hours.seconds(self._hour + 1), self._asked
        due = asked.reading.count_due(end, asked.starting, Kind.PAGE)
        planned = self._outlook().plan(self._hour, left_for_plan(visits, due), visits)
        room = _room(visits, planned)
        waiting = asked.reading.due_by_themselves(end, asked.starting, _MORE * room + _LEAST, Kind.PAGE)
        return in_order(planned + self.spread(waiting, room, self._hour), asked.now)

    def _left(self, purse: Purse, now: float) -> int:
        """Requests that may still be made in the hour of a moment."""
        hour = self._hours.at(now)
        spent = purse.spent(now, (hour - hour // 1) * self._hours.length)
        return int((purse.for_hour(hour, now) - spent) / purse.price + _ROUNDING)

    def _payable(self, purse: Purse, now: float) -> float:
        """Requests that can be paid until the hour of a moment ends."""
        return purse.payable(now, self._hours.seconds(self._hours.at(now) // 1 + 1.0) - now)

    def _planned(self, outlook: Outlook, hour: int, left: int, most: float, taken: set[int]) -> list[Due]:
        """An hour in which so many requests are left and `most` can be paid; `taken` came by themselves before, and
        more do.
        """
        due = self._asked.reading.count_due(self._hours.seconds(hour + 1), self._asked.starting) - len(taken)
        visits = outlook.plan(hour, left_for_plan(left, due), most=most)
        return in_order(visits + self._by_themselves(hour, _room(left, visits), taken), self._asked.now)

    def _by_themselves(self, hour: int, room: int, taken: set[int]) -> list[Due]:
        """Pages among the requests of an hour that need no plan: spread over what is left of it."""
        if room < 1:
            return []
        asked, end = self._asked, self._hours.seconds(hour + 1)
        waiting = asked.reading.due_by_themselves(end, asked.starting, _MORE * (room + len(taken)) + _LEAST)
        return self.spread([one for one in waiting if one.page not in taken], room, hour, taken)

    def spread(self, waiting: Sequence[Standing], room: int, hour: int, taken: set[int] | None = None) -> list[Due]:
        """The pages among so many requests, as they have their turn in what is left of an hour; `taken` is added to."""
        asked, end = self._asked, self._hours.seconds(hour + 1)
        begin = max(asked.now, self._hours.seconds(hour))
        visits = []
        step = FRONTIER_STEP * self._hours.length
        for slot, (one, moment) in enumerate(_in_turn(waiting, begin, (end - begin) / max(room, 1), step)):
            if slot >= room or moment >= end:
                break
            if taken is not None:
                taken.add(one.page)
            if one.kind == Kind.PAGE and not asked.maker.barring.why(one, asked.now):
                visits.append(Due(one.page, one.url, 0.0 if one.visited else NEVER, _reason(one), moment))
        return visits

    def ahead(self, hours: float) -> Iterator[Due]:
        """See ComingVisits."""
        until = self._asked.now + hours * self._hours.length
        purse = deepcopy(self._asked.purse)
        visits, hour, taken = self._running, self._hour, set(self._taken)
        other: Outlook | None = None
        while True:
            yield from (visit for visit in visits if visit.due <= until)
            hour += 1
            start = self._hours.seconds(hour)
            if start >= until:
                return
            if other is None:
                other = self._spare()
            self._live(other, purse, visits)
            left = max(0, min(self._left(purse, start), purse.requests(self._hours.seconds(hour + 1))))
            visits = self._planned(other, hour, left, self._payable(purse, start), taken)

    def _live(self, outlook: Outlook, purse: Purse, visits: list[Due]) -> None:
        """Make visits, on a copy."""
        new = {visit.page: visit.due for visit in visits if visit.page not in outlook.planner.rows}
        for one in self._asked.reading.standings_of(new) if new else ():
            known = self._asked.maker.known(one, self._asked.now, waits=False)
            outlook.grow([known._replace(visited=new[one.page])])
        for place, visit in enumerate(visits):
            if visit.page in outlook.planner.rows:
                outlook.planner.visited(visit.page, visit.due)
            purse.begun(-place - 1)
            purse.ended(-place - 1, visit.due, purse.price, unchanged=False)
            purse.parts_ended(visit.due, visit.cost - 1.0)


def _room(left: int, visits: Sequence[Due]) -> int:
    """Requests that visits leave."""
    return int(left - requests_of(visits) + _ROUNDING)


def _in_turn(waiting: Sequence[Standing], begin: float, pace: float, step: float) -> Iterator[tuple[Standing, float]]:
    """What is due by itself with the moment it is taken, one more each `pace` seconds: hosts in turn, of each the best
    that is due by then. The frontier looks at what is due in steps.
    """
    queues: dict[str, list[Standing]] = {}
    for one in waiting:
        queues.setdefault(one.host, []).append(one)
    since = {one.page: max(math.ceil(one.due / step) * step, one.not_before) for one in waiting}
    hosts, moment, number = deque(queues), begin, 0
    while hosts:
        found = next(((host, one) for host in hosts for one in queues[host] if since[one.page] <= moment), None)
        if found is None:
            moment = min(since[one.page] for host in hosts for one in queues[host])
            continue
        host, one = found
        queues[host].remove(one)
        hosts.remove(host)
        if queues[host]:
            hosts.append(host)
        yield one, moment
        number += 1
        moment = max(moment, begin + number * pace)


def in_order(visits: list[Due], now: float) -> list[Due]:
    """In the order of time; what should have been made already is made now."""
    ordered = sorted(visits, key=lambda visit: visit.due)
    return [replace(one, due=max(one.due, now)) for one in ordered]


def _reason(one: Standing) -> str:
    """Why a page is due by itself."""
    if not one.visited:
        return "never fetched"
    if one.attempts:
        return _AGAIN.format(f"failed ({one.detail or one.outcome})")
    return _AGAIN.format("was not there" if one.evidence == "absent" else f"was {one.outcome or 'left out'}")
