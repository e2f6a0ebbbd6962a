"""The skips of a crawl: one `QuietPass` per site, made when the first of its pages comes up.

What `learn` found out, what the catalog knows of the pages, and the records of earlier re-tests come from a library.
A site of which too little is known is crawled whole. Seeds are always asked for, and so is what is no page (robots.txt,
sitemaps, feeds, images): they are how a crawl finds out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from strandline.core.capture import GONE, Kind
from strandline.core.changes.directories import Ids, SiteIndex
from strandline.core.mining.learned import SiteRules
from strandline.core.mining.site_rates import Floats, SiteRates
from strandline.core.mining.site_state import SiteState
from strandline.core.skip.price_choice import LEAST_VERSIONS
from strandline.core.skip.quiet_directories import Mask
from strandline.core.skip.retests import Retests
from strandline.core.skip.site_pass import ListedPass, PolicyPass, QuietPass, SiteView
from strandline.core.urls import path_segments, site, site_path
from strandline.crawl.skips import QUIET
from strandline.ports import Batch, Skipped, Task, Visited

METHODS = ("policy", "near", "dormant")
_UNKNOWN = -1
"""The place of a page that has none. Origin: a definition."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A capture of the pass under way, made before it was interrupted."""

    page: int
    url: str
    same: bool
    """Whether it was kept as a revisit of an earlier one."""
    status: int


@dataclass(frozen=True, slots=True)
class Noticed:
    """A change a reader would see, found by study."""

    page: int
    url: str
    by: float
    """Time of the capture that showed it."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteKnowledge:
    """Everything a pass needs to know of a site. Columns belong to `pages`, numbers of the catalog, ascending."""

    pages: Ids
    urls: Sequence[str]
    visited: Floats
    captured: Mask
    """Pages that were captured before the pass."""
    absent: Mask
    rules: SiteRules | None = None
    state: SiteState | None = None
    records: Sequence[Retests] = ()
    noticed: Sequence[Noticed] = ()
    """Changes since the directories of the records were tested."""
    answered: Sequence[Answered] = field(default=())


class SkipLibrary(Protocol):
    """Where knowledge about sites comes from."""

    def site(self, name: str, method: str, pass_start: float) -> SiteKnowledge | None:
        """What is known of a site when a pass begins or goes on; None for one nothing was learned about."""


class SitePass:
    """One site in one pass: pages of the catalog become places of its tree, answers become verdicts.

    A pass takes no time to speak of. A period of a plan does (`span`): whether a page is worth a visit in it goes by
    what will have changed when it ends.
    """

    def __init__(self, name: str, method: str, knowledge: SiteKnowledge, pass_start: float, span: float = 0.0) -> None:
        self._knowledge = knowledge
        self._judged = pass_start + span
        self._index = SiteIndex()
        self._places = self._index.pages(map(site_path, knowledge.urls))
        self._restless = np.zeros(len(self._index), dtype=np.bool_)
        self.quiet = self._made(name, method, pass_start)
        if self.quiet is None:
            return
        for change in knowledge.noticed:
            place = self.place(change.page)
            if place != _UNKNOWN:
                self.quiet.found_since(place, change.url, change.by)
        for one in knowledge.answered:
            self._answered(one.page, one.url, (one.same, one.status), pass_start)
        self.quiet.settle(idle=True)

    def place(self, page: int) -> int:
        """Place of a page in the tree; -1 when it was not known as the pass began."""
        pages = self._knowledge.pages
        where = int(np.searchsorted(pages, page))
        return int(self._places[where]) if where < len(pages) and pages[where] == page else _UNKNOWN

    def known(self, page: int) -> int:
        """The same, only for a page that was captured before the pass: its twin under https may never have been."""
        place = self.place(page)
        captured = place != _UNKNOWN and self._knowledge.captured[int(np.searchsorted(self._knowledge.pages, page))]
        return place if captured else _UNKNOWN

    def pages_at(self, places: Ids) -> list[int]:
        """Pages of the catalog at these places; two where http and https are both known."""
        found: list[int] = self._knowledge.pages[np.isin(self._places, places)].tolist()
        return found

    def refuses(self, task: Task) -> str:
        """Why a page is left out; empty when it is asked for."""
        place = self.known(task.page)
        if self.quiet is None or place == _UNKNOWN:
            return ""
        reason = self.quiet.refuses(place)
        return f"{QUIET} {reason}" if reason else ""

    def told(self, page: int) -> tuple[str, str]:
        """Why a page is left out, and which quiet directory it tests if it is not."""
        place = self.known(page)
        if self.quiet is None or place == _UNKNOWN:
            return "", ""
        if self.quiet.skipped()[place]:
            return f"{QUIET} {self.quiet.reason(place)}", ""
        tests = self.quiet.sampled()[place] and self.quiet.is_quiet(place)
        return "", self.quiet.directory_of(place) if tests else ""

    def visited(self, task: Task, visited: Visited) -> None:
        """What a visit led to."""
        capture = visited.capture
        if capture is not None:
            self._answered(task.page, task.url, (capture.revisit, capture.status), visited.time)

    def _answered(self, page: int, url: str, answer: tuple[bool, int], now: float) -> None:
        if self.quiet is None:
            return
        same, status = answer
        place = self.known(page)
        if place == _UNKNOWN:
            twin = self.place(page)
            new = twin == _UNKNOWN or not self.quiet.view.captured[twin]
            if new and status == 200 and isinstance(self.quiet, PolicyPass):
                self.quiet.met(self._nearest_directory(url))
            return
        gone = status in GONE
        if not gone and not 200 <= status < 300 and not same:
            return  # a redirect or an error says nothing about the content
        changed: bool | None = not same
        if gone:
            changed = not self._knowledge.absent[int(np.searchsorted(self._knowledge.pages, page))]
        elif changed and self._restless[place]:
            changed = None
        self.quiet.visited(place, changed, url, now)

    def _nearest_directory(self, url: str) -> int:
        segments = path_segments(url)[:-1]
        for length in range(len(segments), 0, -1):
            known = self._index.find_directory("/".join(segments[:length]))
            if known is not None:
                return known
        return 0

    # Making ready ---------------------------------------------------------------------------------------------------

    def _made(self, name: str, method: str, pass_start: float) -> QuietPass | None:
        knowledge = self._knowledge
        records = {one.directory: one for one in knowledge.records}
        if method == "policy":
            state = knowledge.state
            if state is None or state.price is None or state.whole < LEAST_VERSIONS:
                return None
            view = self._view(name, pass_start, state.period)
            rates = self._rates(state, view)
            outlook = rates.outlook(view.shape, self._judged / state.period)
            return PolicyPass(view, records, pass_start, outlook, state.price.price)
        if knowledge.rules is None or knowledge.rules.versions < LEAST_VERSIONS:
            return None
        listed = self._by_rules(knowledge.rules) if method == "near" else self._dormant(knowledge.rules)
        view = self._view(name, pass_start, knowledge.rules.period)
        if knowledge.state is not None:
            self._mark_restless(knowledge.state)
        return ListedPass(view, method, records, pass_start, listed)

    def _view(self, name: str, pass_start: float, period: float) -> SiteView:
        shape, knowledge = self._index.shape(), self._knowledge
        captured = np.zeros(shape.pages, dtype=np.bool_)
        captured[self._places[knowledge.captured]] = True
        last = np.zeros(shape.pages)
        np.maximum.at(last, self._places, knowledge.visited)
        # The lot of a pass is the same each time it is gone on with.
        lot = np.random.default_rng(int(pass_start * 1000.0)).random(shape.pages)
        asked = last >= pass_start
        return SiteView(name, shape, self._index.directory_path, captured, (self._judged - last) / period, asked, lot)

    def _rates(self, state: SiteState, view: SiteView) -> SiteRates:
        shape = view.shape
        where, known = self._mark_restless(state)
        places, kept = self._places[known], where[known]
        counts = {memory: one.at(kept).spread(places, shape.pages) for memory, one in state.counts.items()}
        found, found_weeks = np.zeros(shape.directories), np.zeros(shape.directories)
        for path, new, watched in zip(state.directories, state.found, state.found_weeks, strict=True):
            directory = self._index.find_directory(path)
            if directory is not None:
                found[directory], found_weeks[directory] = new, watched
        rates = SiteRates()
        rates.restore(shape, counts, (found, found_weeks))
        rates.together, rates.scores = state.together, state.scores
        now = self._judged / state.period
        rates.seen_at(view.captured.copy(), now - np.maximum(view.ages, 0.0), now)
        return rates

    def _mark_restless(self, state: SiteState) -> tuple[Ids, Mask]:
        where, known = state.places(self._knowledge.pages)
        self._restless[self._places[known]] = state.restless[where[known]]
        return where, known

    def _by_rules(self, rules: SiteRules) -> dict[int, str]:
        """Directories that WARM skips: those of rules all of whose pages the learner found skipped."""
        if not rules.chosen:
            return {}
        skipped, entered = (
            {above for view in rules.directories if view.near is near for above in _upwards(view.path)}
            for near in (True, False)
        )
        listed = {}
        for rule in rules.rules:
            directory = self._index.find_directory(rule.skip)
            if directory is not None and rule.skip in skipped and rule.skip not in entered:
                chain = " and ".join(path or "/" for path in rule.if_changed)
                listed[directory] = (
                    f"when {chain} change it does not, by a rule from {rules.versions} versions "
                    f"(confidence {rule.confidence:.0%})"
                )
        return listed

    def _dormant(self, rules: SiteRules) -> dict[int, str]:
        numbers = (self._index.find_directory(path) for path in rules.dormant)
        return {one: f"it never changed in {rules.versions} versions" for one in numbers if one is not None}


def _method(name: str) -> str:
    if name not in METHODS:
        raise ValueError(f"no method {name!r} to skip by; there are {', '.join(METHODS)}")
    return name


def _upwards(path: str) -> list[str]:
    """A directory and all above it."""
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]


class QuietPlan:
    """What a plan leaves out at a moment. Instead of passes it has periods: each tests what is left out once."""

    def __init__(self, method: str, library: SkipLibrary, period: float) -> None:
        self._method = _method(method)
        self._library = library
        self._period = period
        self._sites: dict[str, SitePass | None] = {}
        self._start = 0.0

    def renew(self, moment: float) -> bool:
        """Whether another period has begun: then other pages are left out, and others test."""
        start = moment // self._period * self._period
        if start == self._start:
            return False
        self._start = start
        self._sites.clear()
        return True

    def ask(self, name: str, page: int, moment: float) -> tuple[str, str]:
        """Why a page of a site is left out, and which quiet directory it tests if it is not; empty for neither."""
        self.renew(moment)
        start = self._start
        if name not in self._sites:
            known = self._library.site(name, self._method, start)
            self._sites[name] = None if known is None else SitePass(name, self._method, known, start, self._period)
        one = self._sites[name]
        return one.told(page) if one is not None else ("", "")


class QuietSites:
    """Implements `crawl.skips.Skips` with one of the methods."""

    def __init__(self, method: str, library: SkipLibrary, span: float = 0.0) -> None:
        self._method = _method(method)
        self._library = library
        self._span = span
        self._pass_start = 0.0
        self._names: dict[str, str] = {}
        self._sites: dict[str, SitePass | None] = {}

    def begin(self, pass_start: float) -> None:
        """A pass begins or goes on: nothing is carried over but what the catalog holds."""
        self._pass_start = pass_start
        self._sites.clear()

    def refuses(self, task: Task) -> str:
        """Why a page is not asked for in this pass; empty when it is."""
        seed = task.hops == 0 and task.via != "archive"  # what was brought in has no way from a seed yet
        if task.kind is not Kind.PAGE or seed:
            return ""
        one = self._site(task)
        return one.refuses(task) if one is not None else ""

    def visited(self, task: Task, visited: Visited) -> None:
        """Seeds count, too: they are pages of their directories."""
        if task.kind is Kind.PAGE:
            one = self._site(task)
            if one is not None:
                one.visited(task, visited)

    def book(self, batch: Batch, idle: bool) -> None:
        """Record re-tests with the captures that made them, and ask again for pages that were passed over."""
        for one in self._sites.values():
            if one is None or one.quiet is None:
                continue
            again = one.quiet.settle(idle)
            batch.retests += one.quiet.touched()
            if len(again):
                reason = "asked for after all: something in its directory had changed"
                batch.skipped += [Skipped(page, reason, self._pass_start) for page in one.pages_at(again)]

    def finish(self, batch: Batch) -> None:
        """Ask for pages that were to test a quiet directory and did not come up by themselves."""
        reason = "asked for to test its quiet directory"
        for one in self._sites.values():
            if one is not None and one.quiet is not None:
                tests = one.pages_at(one.quiet.to_be_tested())
                batch.skipped += [Skipped(page, reason, self._pass_start) for page in tests]

    def _site(self, task: Task) -> SitePass | None:
        name = self._names.get(task.authority)
        if name is None:
            name = self._names[task.authority] = site(task.url)
        if name not in self._sites:
            knowledge = self._knowledge(name)
            one = None if knowledge is None else SitePass(name, self._method, knowledge, self._pass_start, self._span)
            self._sites[name] = one
        return self._sites[name]

    def _knowledge(self, name: str) -> SiteKnowledge | None:
        return self._library.site(name, self._method, self._pass_start)


class QuietWatch(QuietSites):
    """For a watch, whose plan leaves pages out (`QuietPlan`): here its visits are booked as tests, one a period."""

    def __init__(self, method: str, library: SkipLibrary, period: float) -> None:
        super().__init__(method, library, period)
        self._tested: list[Retests] = []

    def begin(self, pass_start: float) -> None:
        """A period begins; what was tested in the last one is still to be recorded."""
        self._tested += self._touched()
        super().begin(pass_start // self._span * self._span)

    def refuses(self, task: Task) -> str:
        """Never: what the plan asks for is fetched."""
        return ""

    def visited(self, task: Task, visited: Visited) -> None:
        """What a visit led to, in the period it was made in.

        One that began just before the period counts to it; where the clock was set back there are periods again.
        """
        if not self._pass_start - self._span <= visited.time < self._pass_start + self._span:
            self.begin(visited.time)
        super().visited(task, visited)

    def book(self, batch: Batch, idle: bool) -> None:
        """Record tests with the captures that made them."""
        batch.retests += [*self._tested, *self._touched()]
        self._tested = []

    def finish(self, batch: Batch) -> None:
        """A watch goes on, and its plan names the tests."""

    def _knowledge(self, name: str) -> SiteKnowledge | None:
        """What the catalog holds, and tests of the last period that it does not hold yet."""
        known = super()._knowledge(name)
        newer = {one.directory: one for one in self._tested if one.site == name}
        if known is None or not newer:
            return known
        return replace(known, records=[*(one for one in known.records if one.directory not in newer), *newer.values()])

    def _touched(self) -> list[Retests]:
        return [one for place in self._sites.values() if place and place.quiet for one in place.quiet.touched()]
