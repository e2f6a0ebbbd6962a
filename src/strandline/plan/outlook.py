"""What a watch expects: the planner, what neighbours tell of pages hardly watched, and which visits are worth making.

The planner ranks pages and spends an allowance to the last request. A watch looks at its proposals once more: a visit
that will probably find nothing new costs a site and the budget as much as one that finds something. The likeliest
visits of an hour are made as long as the part of them that will find nothing is at most .4 of what it would be if pages
just took turns, as often:

    wasted, k visits        mean of 1 - chance over the k likeliest
    wasted in turns         mean over all pages of exp(-rate * pages / k), rates uncertain as they are believed

and no visit with less than a *least chance*. A page that was hardly watched is tried whatever is expected of it, unless
its directory was watched for long enough to be called quiet: that is how pages are learned.

What is believed may be wrong, and a budget that is not spent finds nothing. What likely visits leave of it goes to the
other visits the planner wants, most urgent first: on a site where pages change once in months no single visit is likely
to find something, and yet one is far likelier than another. Then to the pages that were looked at least lately. None
of these looks comes sooner than `look_after` hours after the page's last visit. Only where every page was seen by then,
or hosts take no more requests, something is left, and it is told why.

Such looks fill up the share of an hour, when a budget by the day or week is dealt out evenly, and no more: what the
hours before have left is for visits that are likely to find something. A day's budget would be gone in the first hour
of a watch, on whatever was unseen, and the pages that change would wait for midnight.
"""

import math
from collections.abc import Iterable
from copy import deepcopy
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strandline.core.plan.priced_plan import PricedPlan
from strandline.core.plan.strategy import Floats, Rows
from strandline.core.wording import counted
from strandline.learn.experience import SMALL, Learned
from strandline.learn.known_pages import Known, Told
from strandline.learn.observations import Seen, Sighting
from strandline.plan.budget_meter import even_share
from strandline.plan.claimed_changes import ClaimedChanges, believed_before
from strandline.plan.claims import Claims
from strandline.plan.due import Due, affordable, requests_of
from strandline.plan.next_visits import Planner, Silence

EXPLORED: Final = 0.1
"""Visits, beside each that is likely to find something, one at least, that may look at pages known to be quiet.
Origin: a guess."""
WASTED: Final = 0.4
"""Part of the waste of taking turns that the likeliest visits of an hour may have. Origin: a guess."""
YOUNG: Final = 6.0
"""Visits, beside the first of each page, after which a directory can be called quiet. Origin: a guess."""
DAY: Final = 24.0
"""Hours over which one of its pages must have been watched by then: many pages change at certain hours only.
Origin: a unit."""
SELDOM: Final = 0.05
"""Part of these visits that may have found a change. Origin: a guess."""
LEAST_TRUST: Final = 0.4
"""Chance that a page has changed, by the word of its site, from which on its visit waits for no minute of the hour.
Origin: a guess."""
KNOWN_AFTER: Final = 3
"""Visits that are studied, up to which a page is hardly known. Origin: a guess."""
_SAMPLE: Final = 1_000
"""Pages that are enough to tell what taking turns would find. Origin: a bound on time."""
_STEPS: Final = 64
"""Numbers of visits for which that is worked out. Origin: a bound on time."""
_LONGEST: Final = 1_344
"""Hours, at most, over which a chance is summed up; after eight weeks it no longer matters. Origin: a guess."""


class Thrift(NamedTuple):
    """The chance from which on a visit is likely to find something; hours between two looks at a page beside these."""

    least_chance: float
    look_after: float = 1.0


class Outlook:
    """A planner at work for a watch."""

    def __init__(self, planner: Planner, learned: Learned, thrift: Thrift) -> None:
        self.planner = planner
        self.learned = learned
        self._least, self._look_after = thrift
        self._looked = -1
        self._directories: Rows = np.empty(0, dtype=np.int64)
        self._quiet: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        """Directories that were watched for long enough to say that hardly anything changes there."""
        self._heard: ClaimedChanges | None = None
        self.heed(Claims())
        self.looks = 0
        """Visits of the last plan that will probably find nothing, one by one."""
        self._looks: dict[int, Due] = {}
        """Those of the plans of this hour, by page."""
        self.left_out = 0
        """Visits the last plan had no use for."""
        self.why_left_out = ""
        self._hour = -1
        self._wanted: set[int] = set()
        """Pages that plans of this hour chose: one that is made anew does not drop them."""
        self._tests = 0
        """Those among them that are known to be quiet."""

    @property
    def levels(self) -> Floats:
        """Changes a day of an average page of each site, before anything is known of other sites."""
        return self.learned.levels

    def heed(self, claims: Claims) -> None:
        """What sites say is kept there; the priced plan takes it for signals."""
        self.claims, self._heard = claims, None
        if isinstance(self.planner.strategy, PricedPlan):
            self._heard = ClaimedChanges(claims, self.planner)
            self.planner.strategy.heed(self._heard)

    def copy(self) -> "Outlook":
        """Another one that goes its own way."""
        planner = self.planner
        return deepcopy(self, {id(planner.pages): planner.pages.copy(), id(planner.wishes): planner.wishes})

    def grow(self, pages: Iterable[Known]) -> None:
        """Pages are new, or something about them changed."""
        self.planner.grow(pages)

    def relive(self, seen: Iterable[Seen], told: Iterable[Told], recent: float) -> None:
        """Live through what sites said, and captures that were studied: before `observe`."""
        self.claims.relive(seen, told, recent, believed_before(self.learned, self.planner.rows))

    def tell(self, page: int, time: float, said: float, source: str) -> None:
        """A sitemap or feed of a site (`source`) says now that a page changed at a time."""
        row = self.planner.rows.get(page)
        last = np.nan if row is None else self.planner.hours.seconds(float(self.planner.table.last_visit[row]))
        self.claims.tell(page, time, said, last, source)

    def observe(self, seen: Iterable[Sighting], claims: Iterable[Told] = (), silence: Silence | None = None) -> None:
        """Captures were studied; the rest as for Planner.observe."""
        self.planner.observe(seen, claims, silence)

    def plan(self, hour: int, visits: int, share: float | None = None, most: float = math.inf) -> list[Due]:
        """The visits of an hour, as many as so many requests are enough for, in the order of time; looks up to a share
        of it, usually the even one of the budget. `most` requests can be paid.
        """
        share = self._even_share(hour) if share is None else share
        chosen = self.chosen(self.offers(hour, visits), hour, visits, share, most)
        self.left_out = max(0, int(visits - requests_of(chosen)))
        self.why_left_out = self._why(hour, {due.page: due.cost for due in chosen}) if self.left_out else ""
        return chosen

    def offers(self, hour: int, visits: int) -> list[Due]:
        """The most urgent visits of an hour, at most so many, most urgent first, whether worth making or not."""
        if visits < 1 or len(self.planner.pages) == 0:
            return []
        self.look_around(hour)
        return self.planner.next(visits, self.planner.hours.seconds(hour))

    def chosen(
        self, offers: list[Due], hour: int, visits: int, share: float = math.inf, most: float = math.inf
    ) -> list[Due]:
        """Those of them worth making, after what the sites themselves say, and looks with what these leave; as many as
        so many requests are enough for and `most` can be paid, looks only up to an hour's even `share`, in the order
        of time. None of a page that was visited in this hour: a plan that is made anew does not ask for it again.
        """
        if hour != self._hour:
            self._hour, self._wanted, self._tests, self._looks = hour, set(), 0, {}
        told = self._told_since(offers, hour)
        kept = [due for due in offers if due.page in told or not self.was_made(due.page, hour)]
        looks = list[Due]()
        if visits > 0 and isinstance(self.planner.strategy, PricedPlan):
            others, kept = kept, self._affordable(self._worthwhile(kept), visits, most)
            room = min(requests_of(offers), visits, share - self._made(hour)) - requests_of(kept)
            # What the hour was given stays: visits that came by themselves meanwhile take no look away.
            taken = {due.page for due in kept}
            stay = [due for due in self._looks.values() if due.page not in taken and not self.was_made(due.page, hour)]
            looks = self._affordable(stay, visits - requests_of(kept), most - requests_of(kept))
            if (more := int(room - requests_of(looks))) > 0:
                given = {due.page for due in kept + looks}
                unlikely = [due for due in others if due.page not in given and self._may_look(due.page, hour)]
                looks += self._affordable(unlikely, more, most - requests_of(kept + looks))
            if (more := int(room - requests_of(looks))) > 0:
                found = self.planner.unseen(more, self.planner.hours.seconds(hour), kept + looks, self._look_after)
                looks += self._affordable(found, more, most - requests_of(kept + looks))
            self._looks = {due.page: due for due in looks}
        else:
            kept = self._affordable(kept, visits, most)
        self.looks = len(looks)
        start = self.planner.hours.seconds(hour)
        return sorted((due.by(start) if due.page in told else due for due in kept + looks), key=lambda due: due.due)

    def _affordable(self, visits: list[Due], requests: float, most: float) -> list[Due]:
        return affordable(visits, requests, self.planner.requests_per_hour(), most)

    def _even_share(self, hour: int) -> float:
        allowance = self.planner.wishes.allowance
        return even_share(allowance, hour, allowance.per_hour / self.planner.visits_per_hour())

    def was_made(self, page: int, hour: int) -> bool:
        """Whether a page was visited since an hour began."""
        return bool(self.planner.table.last_visit[self.planner.row_of(page)] >= hour)

    def _may_look(self, page: int, hour: int) -> bool:
        """Whether a page was visited long enough ago for a look that will probably find nothing."""
        last = self.planner.table.last_visit[self.planner.row_of(page)]
        return not hour - np.floor(last) < self._look_after

    def _made(self, hour: int) -> float:
        """What visits of pages took in an hour already, in requests."""
        rows = np.flatnonzero(self.planner.table.last_visit >= hour)
        return sum(map(self.planner.pages.cost, rows.tolist()))

    def _why(self, hour: int, chosen: dict[int, float]) -> str:
        """Why an hour has no use for all of its budget."""
        pages, table = self.planner.pages, self.planner.table
        able = ~pages.barred()
        count = int(np.count_nonzero(able))
        if count == 0:
            return "no known page may be visited"
        if count <= len(chosen):
            return f"there are only {counted(count, 'page')}, and none is visited twice in an hour"
        waits = ~np.isin(pages.numbers, list(chosen)) & able
        if (hour - np.floor(table.last_visit[waits]) < self._look_after).all():
            return f"every page was looked at within the last {counted(round(self._look_after), 'hour')}"
        if self._made(hour) + sum(chosen.values()) >= self._even_share(hour):
            return "what the hours before left is kept for visits that are likely to find something"
        return "hosts are owed pauses, or have budgets of their own"

    def _worthwhile(self, wanted: list[Due]) -> list[Due]:
        """Visits that may find something, and a few that look whether quiet pages are still quiet."""
        chances = self._chances(wanted)
        least = self._least_chance(chances)
        kept, most = [], max(1, round(EXPLORED * np.count_nonzero(chances >= least)))
        for due, chance in zip(wanted, chances.tolist(), strict=True):
            row = self.planner.row_of(due.page)
            worth_it = chance >= least or self.planner.pages[row].tests or self._tried(row)
            if not worth_it and due.page not in self._wanted:
                if self._tests >= most:
                    continue
                self._tests += 1
            self._wanted.add(due.page)
            kept.append(due)
        return kept

    def _told_since(self, offers: list[Due], hour: int) -> set[int]:
        """Those pages of which their site, whose word is good enough, says that they have changed since they were
        visited: their visits wait for no minute of the hour.
        """
        heard = self._heard.heard(self._rows_of(offers), hour) if self._heard else None
        if heard is None:
            return set()
        chance = -np.expm1(-heard.said)
        return {due.page for due, one in zip(offers, chance, strict=True) if one >= max(self._least, LEAST_TRUST)}

    def _rows_of(self, visits: list[Due]) -> Rows:
        return np.array([self.planner.row_of(due.page) for due in visits], dtype=np.int64)

    def _least_chance(self, chances: Floats) -> float:
        """The chance from which on visits are made: see the module's text."""
        if not self._least or len(chances) == 0:
            return 0.0
        likeliest = np.sort(chances)[::-1]
        counts = np.unique(np.linspace(1, len(chances), min(len(chances), _STEPS)).astype(np.int64))
        wasted = (np.cumsum(1.0 - likeliest) / np.arange(1, len(chances) + 1))[counts - 1]
        well = np.flatnonzero(wasted <= WASTED * self._wasted_in_turns(counts))
        return max(self._least, float(likeliest[counts[well[-1]] - 1]) if len(well) else 1.0)

    def _wasted_in_turns(self, visits: Rows) -> Floats:
        """Part of so many visits an hour that would find nothing new if pages took turns."""
        pages = self.planner.pages
        rows = np.arange(0, len(pages), max(1, len(pages) // _SAMPLE))
        rows = rows[~pages.barred()[rows]]
        if len(rows) == 0:
            return np.ones(len(visits))
        estimate = self.learned.learner.estimate(rows)
        rates = estimate.rates
        found = [float((np.exp(-rates * len(pages) / count) * estimate.odds).sum(axis=1).mean()) for count in visits]
        return np.array(found)

    def _tried(self, row: int) -> bool:
        """Whether a page was hardly watched, in a directory that is not known to be quiet."""
        known = self.learned.captures[row] > KNOWN_AFTER
        return bool(not known and not self._quiet[self._directories[row]])

    # -- neighbours ----------------------------------------------------------------------------------------------------

    @property
    def _look_every(self) -> int:
        """Hours between two looks at what neighbours do: it takes a look at every page."""
        return 1 if len(self.planner.pages) <= SMALL else 24

    def look_around(self, hour: int) -> None:
        """Take in what pages share, and see which directories are quiet, if it is time."""
        self.planner.renew(hour)
        grown = len(self._directories) != len(self.planner.pages)
        if len(self.planner.pages) and (grown or hour >= self._looked + self._look_every or hour < self._looked):
            self._looked = hour
            self._look()

    def _look(self) -> None:
        watched, self._directories = self.learned.watched, self.planner.groups.directory
        of_directory = watched.sums(self._directories)
        longest = np.zeros(len(of_directory.hours))
        np.maximum.at(longest, self._directories, watched.hours)
        seldom = of_directory.changes <= SELDOM * of_directory.visits
        self._quiet = (of_directory.visits > YOUNG) & (longest >= DAY) & seldom

    # -- chances -------------------------------------------------------------------------------------------------------

    def _chances(self, wanted: list[Due]) -> Floats:
        """How likely each visit finds a change."""
        rows = self._rows_of(wanted)
        if len(rows) == 0:
            return np.empty(0)
        estimate, table = self.learned.learner.estimate(rows), self.planner.table
        cycle = np.asarray(self.learned.learner.cycle)
        quiet, said = self._heard_of(rows, np.array([self.planner.hours.at(due.due) for due in wanted]))
        found = np.ones(len(rows))
        for place, (row, due) in enumerate(zip(rows.tolist(), wanted, strict=True)):
            last, until = table.last_visit[row], self.planner.hours.at(due.due)
            if np.isnan(last):
                continue
            hours = np.arange(np.floor(max(last, until - _LONGEST)), np.ceil(until))
            part = np.maximum(np.minimum(hours + 1.0, until) - np.maximum(hours, last), 0.0)
            bins = cycle[((hours + table.shift[row]) % len(cycle)).astype(np.int64)]
            expected = float(estimate.rate[place, bins].astype(np.float64) @ part) * quiet[place]
            unsaid = float(-np.expm1(-expected * estimate.level[place]) @ estimate.odds[place])
            found[place] = unsaid - (1.0 - unsaid) * np.expm1(-said[place])
        return found

    def _heard_of(self, rows: Rows, moments: Floats) -> tuple[Floats, Floats]:
        """Which part of the changes until these moments nobody would have told of, and as how many what was told is."""
        last, hour = self.planner.table.last_visit[rows], int(moments.min())
        heard = self._heard.heard(rows, hour) if self._heard else None
        if heard is None:
            return np.ones(len(rows)), np.zeros(len(rows))
        age = np.maximum(moments - last, 1e-9)
        return np.where(moments > last, heard.quiet(last, moments) / age, 1.0), heard.said
