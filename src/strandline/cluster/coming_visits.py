"""The visits that come to a cluster: those the desks of sites have planned, and those they would plan now.

Where the hour is open, desks have written due times into the frontier, and their reasons beside them; sites whose desks
were not taken yet are planned here as the desks will plan them, one after the other, and nothing is written. Later
hours are lived through as in a folder, with one plan for all sites.
"""

import math
from dataclasses import replace
from functools import cached_property

from strandline.cluster.site_leases import Office, divided_first, plan_site, visits_left
from strandline.core.beliefs.first_sight import OtherSites
from strandline.core.capture import Kind
from strandline.plan.coming_visits import FolderVisits, in_order
from strandline.plan.due import Due, requests_of
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.planning import Planning
from strandline.plan.settings_wishes import purse_of
from strandline.store.postgres.desks import PlanReading
from strandline.store.postgres.market import PlanHour, known_hour, wanted_by_all
from strandline.store.postgres.purse import SharedBook
from strandline.store.postgres.session import Session


class ClusterVisits(FolderVisits):
    """Implements plan.coming_visits.ComingVisits."""

    def __init__(self, session: Session, planning: Planning) -> None:
        length, plan = planning.hour_seconds, planning.settings.plan
        purse = purse_of(plan, length, lambda since: SharedBook(session).spent("", since), (planning.now, planning.now))
        super().__init__(planning.asked(purse), lambda: planning.outlook)
        office = Office.of(session, planning.settings, planning.now, length)
        self._office = replace(office, starting=planning.starting)

    @cached_property
    def _running(self) -> list[Due]:
        return self._of_desks(self._office, visits_left(self._office, self._asked.now))

    def _if_left(self, visits: int) -> list[Due]:
        return self._of_desks(replace(self._office, evenly=False), float(visits))

    def _of_desks(self, office: Office, left: float) -> list[Due]:
        now = self._asked.now
        start = office.hours.seconds(math.floor(office.hours.at(now)))
        market = known_hour(office.session, start) or self._market(start, left)
        reading = PlanReading(office.session)
        desks = reading.desks()
        levels = {site: level for site, _, level in desks if level}
        visits: list[Due] = []
        for site, planned, _ in desks:
            if planned > start:
                note = HourNote.read(reading.note(KIND, site))
                visits += note.visits if note.hour == round(office.hours.at(start)) else []
                continue
            others = [level for other, level in levels.items() if other != site]
            known = OtherSites(len(others), sum(map(math.log, others)))
            plan, chosen = plan_site(office, site, market, now, known)
            levels |= {site: plan.level} if plan.level else {}
            market = market._replace(taken=market.taken + len(chosen))
            visits += chosen
        waiting = {one.page: one for one in self._asked.reading.standings_of(visit.page for visit in visits)}
        visits = [visit for visit in visits if visit.page in waiting and waiting[visit.page].visited < start]
        due = self._asked.reading.due_by_themselves(
            self._hours.seconds(self._hour + 1), self._asked.starting, max(0, math.ceil(left)), Kind.PAGE
        )
        room = max(0, int(math.ceil(left) - requests_of(visits)))
        due = [one for one in due if one.page not in waiting]
        return in_order(visits + self.spread(due, room, self._hour, self._taken), now)

    def _market(self, start: float, left: float) -> PlanHour:
        """An hour as the first desk will open it."""
        office, end = self._office, start + self._office.hours.length
        wanted = office.session.run(lambda connection: wanted_by_all(connection, end, 1), at_once=True)
        waiting = self._asked.reading.count_due(end, self._asked.starting)
        return divided_first(start, self._asked.now, left, wanted._replace(waiting=waiting))
