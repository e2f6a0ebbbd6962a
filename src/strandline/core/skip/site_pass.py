"""One pass over one site that leaves out what is expected to be unchanged, and finds out when that is wrong.

    near       directories that paper 000's rules skip (WARM)
    dormant    directories that never changed: the baseline rules must be compared with
    policy     pages whose chance of a change, with what this pass has found so far, is below the site's price

Whatever the method, pages that were never captured are asked for, and a sample of the skipped ones: of each quiet
directory a share, those not seen for longest first, so that all have their turn. Policy also gives a tenth of its
requests to the oldest pages of the site. A test that fails is booked on its directory (`core.plan.retests`). What is
given up, and what the policy now expects to have changed, is asked for in the same pass, also the pages that were
passed over before.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from strandline.core.changes.directories import Ids, TreeShape
from strandline.core.history.tree_kernels import subtree_sums
from strandline.core.mining.site_rates import Floats, SiteOutlook
from strandline.core.skip.quiet_directories import Mask, SkipAnswer, sample, skip_listed
from strandline.core.skip.retests import Retests
from strandline.core.skip.site_level import Answers, BurstSettings, SiteCrawl

_EQUAL = 1e-7
"""Part of a period within which pages count as seen at the same time. Origin: a bound on rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteView:
    """A site when a pass begins. Arrays belong to the pages of `shape`; times are in periods."""

    site: str
    shape: TreeShape
    directory_path: Callable[[int], str]
    captured: Mask
    """Pages that were captured before."""
    ages: Floats
    """Periods since a page was last visited."""
    asked: Mask
    """Pages that this pass, interrupted and now gone on with, already visited."""
    draw: Floats
    """Random numbers from 0 to 1, the same whenever the pass is gone on with."""

    @property
    def turns(self) -> Floats:
        """Who is sampled first: what this pass has visited, then the longest unseen, equals by lot. Crawls may follow
        each other much faster than versions do, so no age is too small to count.
        """
        return np.where(self.asked, np.inf, self.ages + _EQUAL * self.draw)


class QuietPass(ABC):
    """What a pass leaves out of a site. Places are page numbers of the view's shape."""

    def __init__(self, view: SiteView, method: str, records: Mapping[str, Retests], pass_start: float) -> None:
        self.view = view
        self.method = method
        self.pass_start = pass_start
        self._records = dict(records)
        self._touched: set[str] = set()
        self._unsettled = False
        self._answer = SkipAnswer(np.full(view.shape.directories, -1, dtype=np.int64))
        self._sampled = np.zeros(view.shape.pages, dtype=np.bool_)
        self._asked_about = np.zeros(view.shape.pages, dtype=np.bool_)
        self._passed_over = np.zeros(view.shape.pages, dtype=np.bool_)
        self._skipped = np.zeros(view.shape.pages, dtype=np.bool_)

    # What is asked for ---------------------------------------------------------------------------------------------

    def refuses(self, place: int) -> str:
        """Why a page is left out; empty when it is asked for."""
        self._asked_about[place] = True
        if not self._skipped[place]:
            return ""
        self._passed_over[place] = True
        return self.reason(place)

    def skipped(self) -> Mask:
        """All pages that are left out as things stand."""
        return self._skipped

    def sampled(self) -> Mask:
        """Pages of quiet directories that are asked for to test them."""
        return self._sampled

    def is_quiet(self, place: int) -> bool:
        """Whether a page lies in a quiet directory that was not given up."""
        topmost = int(self._answer.because_of[self.view.shape.page_directories[place]])
        record = self._records.get(self.view.directory_path(topmost)) if topmost >= 0 else None
        return topmost >= 0 and (record is None or record.in_force)

    def to_be_tested(self) -> Ids:
        """Pages that were chosen to test quiet directories and that nobody has asked about yet; each is named once.

        Pages known from other archives wait for a link to them; where it stands on a page that is skipped, it is never
        read, and without this the directory would never be tested.
        """
        waiting = np.flatnonzero(self._sampled & ~self._asked_about & ~self.view.asked)
        self._asked_about[waiting] = True
        return waiting

    def directory_of(self, place: int) -> str:
        """The quiet directory a page lies in, else its own directory."""
        own = int(self.view.shape.page_directories[place])
        topmost = int(self._answer.because_of[own])
        return self.view.directory_path(topmost if topmost >= 0 else own)

    def reason(self, place: int) -> str:
        """Directory and evidence, in one line."""
        path = self.directory_of(place)
        record = self._records.get(path)
        return f"{path or '/'}: {self.evidence(place)}; {record.told() if record else 'not re-tested yet'}"

    @abstractmethod
    def evidence(self, place: int) -> str:
        """What speaks for leaving a page out."""

    # What came back ------------------------------------------------------------------------------------------------

    def visited(self, place: int, changed: bool | None, name: str, now: float) -> None:
        """A page was fetched; `changed` is None when its bytes cannot tell. It is named when its directory fails."""
        topmost = int(self._answer.because_of[self.view.shape.page_directories[place]])
        if topmost < 0:
            return
        path = self.view.directory_path(topmost)
        record = self._record(path).tested(self.pass_start)
        if changed:
            record = record.failed_by(self.pass_start, f"{name} had changed", now)
        self._keep(path, record)

    def found_since(self, place: int, name: str, now: float) -> None:
        """Study has found a change in a page, captured since its directory was tested last."""
        topmost = int(self._answer.because_of[self.view.shape.page_directories[place]])
        path = self.view.directory_path(topmost) if topmost >= 0 else ""
        record = self._records.get(path)
        # What was found before the last test was a matter of an earlier one.
        if topmost >= 0 and record is not None and record.tests and now >= record.last_pass:
            self._keep(path, record.failed_by(record.last_pass, f"{name} had changed", now))

    def settle(self, idle: bool) -> Ids:
        """Decide anew with what was found; returns the pages passed over that are to be asked for after all."""
        if not self._news(idle):
            return np.empty(0, dtype=np.int64)
        self._unsettled = False
        self._decide()
        again = np.flatnonzero(self._passed_over & ~self._skipped)
        self._passed_over[again] = False
        return again

    def touched(self) -> list[Retests]:
        """Records that have changed since this was asked last."""
        found = [self._records[path] for path in sorted(self._touched)]
        self._touched.clear()
        return found

    # For the methods -----------------------------------------------------------------------------------------------

    def _keep(self, path: str, record: Retests) -> None:
        self._records[path] = record
        self._touched.add(path)
        self._unsettled = True

    def _record(self, path: str) -> Retests:
        return self._records.get(path) or Retests(self.view.site, path, self.method)

    def _retired(self) -> Mask:
        """Pages of quiet directories that were given up."""
        given_up = np.zeros(self.view.shape.directories, dtype=np.bool_)
        for directory in self._answer.reasons().tolist():
            record = self._records.get(self.view.directory_path(directory))
            given_up[directory] = record is not None and not record.in_force
        because = self._answer.because_of[self.view.shape.page_directories]
        return (because >= 0) & given_up[because]

    @abstractmethod
    def _news(self, idle: bool) -> bool:
        """Whether something was found that may change the decision; `idle`: nothing more will come by itself."""

    @abstractmethod
    def _decide(self) -> None:
        """Work out what is left out as things stand."""


class ListedPass(QuietPass):
    """The pass of a rule-based method: `listed` says for each quiet directory (by number) what speaks for it."""

    def __init__(
        self,
        view: SiteView,
        method: str,
        records: Mapping[str, Retests],
        pass_start: float,
        listed: Mapping[int, str],
    ) -> None:
        super().__init__(view, method, records, pass_start)
        self._listed = listed
        marks = np.zeros(view.shape.directories, dtype=np.bool_)
        marks[list(listed)] = True
        self._answer = skip_listed(view.shape, marks)
        known = np.flatnonzero(view.captured)
        self._sampled[sample(view.shape, self._answer, known, view.turns[known])] = True
        self._decide()

    def evidence(self, place: int) -> str:
        """What the rule says."""
        return self._listed[int(self._answer.because_of[self.view.shape.page_directories[place]])]

    def _news(self, idle: bool) -> bool:
        return self._unsettled

    def _decide(self) -> None:
        self._skipped = self._answer.pages(self.view.shape) & self.view.captured & ~self._sampled & ~self._retired()


class PolicyPass(QuietPass):
    """The pass of the site-level policy: chances learned from the past, multiplied by what this pass finds."""

    def __init__(
        self,
        view: SiteView,
        records: Mapping[str, Retests],
        pass_start: float,
        outlook: SiteOutlook,
        price: float,
    ) -> None:
        super().__init__(view, "policy", records, pass_start)
        self.price = price
        # Crawls in between did not reach a page: its chance has grown with its age.
        ages = np.where(view.asked, 1.0, view.ages)[outlook.pages]
        self._outlook = replace(outlook, pending=1.0 - (1.0 - outlook.rates) ** np.maximum(ages, 0.0))
        self._crawl = SiteCrawl(view.shape, self._outlook, BurstSettings())
        self._position = np.full(view.shape.pages, -1, dtype=np.int64)
        self._position[outlook.pages] = np.arange(len(outlook.pages))
        self._round = max(1, len(outlook.pages) // self._crawl.settings.rounds)
        self._values = self._crawl.values()
        self._answers: list[tuple[int, bool]] = []
        self._met: list[int] = []
        self._answer = self._quiet_directories()
        self._sampled[self._samples()] = True
        self._decide()

    def evidence(self, place: int) -> str:
        """Why the policy expects no change."""
        position = int(self._position[place])
        return f"{self._crawl.reason(position)}; {self._values[position]:.2%} now, asked for from {self.price:.2%} on"

    def visited(self, place: int, changed: bool | None, name: str, now: float) -> None:
        """Also remember the answer for the multipliers."""
        super().visited(place, changed, name, now)
        position = int(self._position[place])
        if changed is not None and position >= 0:
            self._answers.append((position, changed))

    def met(self, directory: int) -> None:
        """A page that was not known before turned up in a directory (by number; the nearest one that was known)."""
        hub = int(self._outlook.hubs[self._outlook.units[directory]])
        if hub >= 0:
            self._met.append(int(self.view.shape.page_directories[hub]))

    def _quiet_directories(self) -> SkipAnswer:
        """The topmost directories without a single page that is to be asked for."""
        shape = self.view.shape
        wanted = self._values >= self.price
        inside = shape.page_directories[self._outlook.pages]
        held = subtree_sums(shape.parents, np.bincount(inside, minlength=shape.directories).astype(np.float64))
        busy = subtree_sums(shape.parents, np.bincount(inside[wanted], minlength=shape.directories).astype(np.float64))
        return skip_listed(shape, (held > 0) & (busy == 0))

    def _samples(self) -> Ids:
        """A share of each larger quiet directory, and the oldest pages of the site: one at least, also where none is
        asked for and no directory is large.
        """
        view, pages = self.view, self._outlook.pages
        turns = view.turns[pages]
        tested = sample(view.shape, self._answer, pages, turns, least=0)
        wanted = self._values >= self.price
        share = self._crawl.settings.oldest_share
        oldest = max(1, math.ceil(wanted.sum() * share / (1.0 - share)))
        others = np.flatnonzero(~wanted)
        return np.concatenate([tested, pages[others[np.argsort(-turns[others], kind="stable")[:oldest]]]])

    def _news(self, idle: bool) -> bool:
        if not (self._unsettled or self._answers or self._met):
            return False
        if len(self._answers) < self._round and not idle:
            return False
        if self._answers:
            places = np.array([position for position, _ in self._answers], dtype=np.int64)
            changed = np.array([changed for _, changed in self._answers], dtype=np.bool_)
            self._crawl.record(places, Answers(changed, np.zeros(len(places), dtype=np.int64)))
        if self._met:
            self._crawl.met(np.array(self._met, dtype=np.int64))
        self._answers, self._met = [], []
        return True

    def _decide(self) -> None:
        self._values = self._crawl.values()
        below = np.zeros(self.view.shape.pages, dtype=np.bool_)
        below[self._outlook.pages] = self._values < self.price
        self._skipped = below & ~self._sampled & ~self._retired()
