"""How good is this archive? The catalog and what was learned, as `access.quality` wants them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from strandline.access.gaps import Hours, Ints
from strandline.access.quality import Held, Measures, Quality, Shown, shown_at, worth_of_requests
from strandline.archive.database_names import named
from strandline.core.beliefs.censored import CensoredLearner
from strandline.core.beliefs.estimate import Estimate
from strandline.core.beliefs.page_beliefs import NearRows
from strandline.core.keeping.collections import Members
from strandline.core.plan.aims import Aims
from strandline.core.plan.objective import Worth
from strandline.core.plan.shadow_price import MoreRequests
from strandline.core.plan.strategy import Rows
from strandline.core.quality.estimates import Visiting
from strandline.errors import UsageError
from strandline.learn.file_rows import rooms_for
from strandline.plan.planning import Planning

REACH = 24.0
"""Hours around an instant in which a more coherent one is looked for."""
MORE = 100.0
"""Requests a day whose worth is told."""


@dataclass(frozen=True)
class Measured:
    """Measures per site and of the whole, what was spent of the budget, and what more of it would catch."""

    sites: list[Quality]
    whole: Quality | None
    """None when one site was asked for."""
    visiting: Visiting
    """Of the last day."""
    more: MoreRequests
    budget: str
    shown: Shown | None
    url: Callable[[int], str]
    """The address of the page of a row."""
    planning: Planning

    def time(self, period: float) -> str | None:
        """A moment for people and programs; None for none."""
        if not np.isfinite(period):
            return None
        seconds = self.planning.hours.seconds(period)
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def measured(
    planning: Planning, site: str = "", at: float | None = None, collection: tuple[str, Members] | None = None
) -> Measured:
    """Measure an archive, one of its sites, or a collection (its name, and what belongs to it), as of now or of another
    moment.
    """
    if planning.reading.last_capture()[0] == 0:
        raise UsageError(f"{named(planning.archive.folder)} has no captures yet; crawl or import something first")
    held = _held(planning)
    now = planning.hours.at(_now(planning))
    moment = None if at is None else planning.hours.at(at)
    measures = Measures(held, now, moment)
    if collection is not None:
        name, members = collection
        rows = np.array([row for row, url in enumerate(planning.pages.urls()) if members.has(url)], np.int64)
        if len(rows) == 0:
            raise UsageError(f"nothing of the collection {name} was captured yet")
        sites, whole = [measures.of(name, rows)], None
    elif site:
        rows = _rows_of(planning, site)
        if len(rows) == 0:
            known = ", ".join(held.sites[:10])
            raise UsageError(f"no site {site!r} in this archive; there are {known}")
        sites, whole = [measures.of(site, rows)], None
    else:
        rows = np.arange(len(planning.pages))
        sites = list(measures.sites())
        whole = measures.of("archive", rows)
    per_hour = planning.planner.visits_per_hour()
    return Measured(
        sites=sites,
        whole=whole,
        visiting=_visiting(planning, site),
        more=worth_of_requests(held, _aims(planning), per_hour, MORE / 24.0),
        budget=planning.settings.plan.budget,
        shown=None if moment is None else shown_at(held, rows, moment, REACH),
        url=planning.pages.url,
        planning=planning,
    )


class _Believed:
    """What a learner believes of pages, worked out for those that are asked for."""

    def __init__(self, learner: CensoredLearner) -> None:
        self._learner = learner

    def of(self, rows: Ints | slice) -> Estimate:
        """Of some pages."""
        return self._learner.estimate(np.arange(len(self._learner))[rows])


def _held(planning: Planning) -> Held:
    planner, looks, facts = planning.planner, planning.looks, planning.facts
    return Held(
        site=planner.table.site,
        sites=tuple(planner.groups.sites),
        weight=facts.weight,
        estimate=_Believed(planning.learned.learner),
        sights=looks.sights,
        shown=looks.shown,
        told=looks.told,
        barred=planning.pages.barred(),
        directory=planner.table.directory,
        hours=Hours(planning.learned.learner.cycle, planning.pages.column("shift")),
        ended=(facts.gone - planning.hours.start) / planning.hours.length,
        said=planning.said,
        dead=facts.dead,
        hollow=facts.hollow,
        aim=planner.table.aim,
        rooms=rooms_for(len(facts.weight)) or NearRows,
    )


def _rows_of(planning: Planning, site: str) -> Rows:
    """Pages of a site, or of a host."""
    pages = planning.pages
    return np.flatnonzero(pages.where("site", site.__eq__) | pages.where("host", site.__eq__))


def _aims(planning: Planning) -> Aims:
    """What counts: in the archive, and in collections where that is something else."""
    wishes = planning.wishes
    return Aims(Worth(wishes.objective), [aim.objective for aim in wishes.aims])


def _now(planning: Planning) -> float:
    """Now, or the moment of the latest capture where a clock that was set back would have it in the future."""
    return max(planning.now, planning.reading.last_capture()[1])


def _visiting(planning: Planning, site: str) -> Visiting:
    """Intended against achieved visits of the last day, or since the first capture when that is later: as a watch noted
    them hour by hour, the figures of `report`; without one, and for a single site, as the budget would have it.
    """
    now = _now(planning)
    first = min((one.first for one in planning.reading.sites() if one.first is not None), default=now)
    since = max(now - 24.0 * planning.hour_seconds, first)
    hours = [] if site else planning.hours_watched(since)
    if hours:
        made = sum(row.revisits + row.firsts for row in hours)
        return Visiting(sum(row.planned for row in hours), made, sum(row.failed for row in hours), watched=True)
    made, failed = planning.reading.visits_since(since, site)
    intended = planning.planner.visits_per_hour() * (now - since) / planning.hour_seconds
    return Visiting(round(intended), made, failed)


def over_time(planning: Planning, site: str, moments: Sequence[float]) -> list[Quality]:
    """The measures of a site, or of the whole archive for an empty name, as they stood at several moments."""
    held, now = _held(planning), planning.hours.at(_now(planning))
    rows = _rows_of(planning, site) if site else np.arange(len(planning.pages))
    return [Measures(held, now, planning.hours.at(moment)).of(site, rows) for moment in moments]


def worth_of_budgets(planning: Planning, factors: Sequence[float]) -> list[tuple[float, float]]:
    """Requests a day, and what they would catch compared with the budget there is, for multiples of that budget."""
    held, aims = _held(planning), _aims(planning)
    per_hour = planning.planner.visits_per_hour()
    now = worth_of_requests(held, aims, per_hour, 0.0).value
    found = []
    for factor in factors:
        value = worth_of_requests(held, aims, per_hour * factor, 0.0).value
        found.append((planning.planner.requests_per_hour() * factor * 24.0, value / now if now > 0 else 1.0))
    return found
