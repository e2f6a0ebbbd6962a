"""The tables of the demonstration: what was learned and caught, without what says nothing new."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from strandline.access.quality import Quality
from strandline.core.mining.learned import SiteRules
from strandline.core.plan.strategy import Floats
from strandline.core.urls import path_segments
from strandline.demo.schedule import PageSchedule
from strandline.demo.truth import Fetch, Score, score
from strandline.plan.archive_plan import HoursOfPage

_QUIET: Final = 0.3
"""Changes a day below which a directory is left alone, and its hours are nothing to show."""
_LIKE_ALL: Final = 0.05
"""Share of its changes that lies at other hours than the whole site's, below which a directory's hours are those."""
_LISTED: Final = 5
_FEW: Final = 0.5
"""Weight of what appeared in a directory, below which a share of it says nothing."""
_BARS: Final = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Scores:
    """Against the truth: the watch, and a round robin with the same number of fetches at the same moments."""

    fetches: Sequence[Fetch]
    turns: Sequence[Fetch]
    start: float
    end: float

    def of(self, pages: Mapping[str, PageSchedule]) -> tuple[Score, Score]:
        """The watch and the round robin, after the days of learning."""
        mine = score(pages, self.fetches, self.start, self.end)
        return mine, score(pages, self.turns, self.start, self.end)

    def whole(self, pages: Mapping[str, PageSchedule]) -> Score:
        """The watch from its first hour on, while it knew nothing."""
        return score(pages, self.fetches, 0.0, self.end)


def learned_table(pages: Sequence[HoursOfPage]) -> Iterator[str]:
    """When the pages of each directory change, as the watch believes; pages that stand alone are no directory."""
    directories: dict[str, list[HoursOfPage]] = defaultdict(list)
    for page in pages:
        directories["/".join(("", *path_segments(page.url)[1:-1], ""))].append(page)
    everything = _hours(pages)
    quiet: list[tuple[str, list[HoursOfPage]]] = []
    alike: list[str] = []
    yield "\nLearned from its own captures: when the pages of each directory change"
    yield "  directory             pages visits  changes/day   0h    6h    12h   18h   "
    for name, members in sorted(directories.items()):
        if len(members) < 2:
            continue
        rate = sum(page.per_day for page in members) / len(members)
        hours = _hours(members)
        if rate <= _QUIET:
            quiet.append((name, members))
        elif float(np.abs(hours - everything).sum()) / 2.0 < _LIKE_ALL:
            alike.append(name)
        else:
            bars = "".join(_BARS[round(8 * value)] for value in hours / max(float(hours.max()), 1e-12))
            visits = sum(page.visits for page in members)
            yield f"  {name:22}{len(members):5}{visits:7}{rate:13.2f}   {bars}"
    if alike:
        yield f"  no hours of their own: {', '.join(alike)}"
    if quiet:
        still = [page for _, members in quiet for page in members]
        visits = sum(page.visits for page in still)
        yield f"  quiet, left alone: {', '.join(name for name, _ in quiet)} ({len(still)} pages, {visits} visits)"


def _hours(pages: Sequence[HoursOfPage]) -> Floats:
    """Share of each hour of the day in the changes of some pages."""
    day = np.sum([page.per_day * page.hours for page in pages], axis=0)
    shares: Floats = day / max(float(day.sum()), 1e-12)
    return shares


def rules_table(sites: Iterable[SiteRules]) -> Iterator[str]:
    """What need not be looked at; a rule about what never changes anyway, or lies inside another's, is left out."""
    lines: list[str] = []
    for one in sites:
        said = list(one.dormant[:_LISTED])
        lines += [f"  {_named(path)} never changed" for path in said]
        for rule in one.rules:
            if len(lines) < 2 * _LISTED and not any(_within(rule.skip, path) for path in said):
                said.append(rule.skip)
                lines.append(f"  when {', '.join(map(_named, rule.if_changed))} changes, {_named(rule.skip)} does not")
    if lines:
        yield "\nLearned rules: what stays while the rest changes"
        yield from lines


def _named(path: str) -> str:
    """A directory of the site as people write it; the site itself has no name of its own here."""
    inside = path.partition("/")[2]
    return f"/{inside}/" if inside else "the front page"


def _within(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def quality_lines(whole: Quality | None, truth: Score) -> Iterator[str]:
    """How good the archive takes itself to be, from its first day on; it does not know the truth."""
    if whole is not None:
        about = whole.completeness
        between = f"({about.low:.0%} to {about.high:.0%}; in truth {truth.completeness:.0%} of its articles' changes)"
        yield f"\nQuality of all days, as the archive sees it: completeness {about.value:.0%} {between},"
        yield f"  coherence {whole.coherence:.0%}, coverage {whole.coverage:.0%}"


def measured_table(pages: Mapping[str, PageSchedule], scores: Scores) -> Iterator[str]:
    """What was caught of the changes there were, after the days of learning."""
    if not scores.fetches:
        return
    after = f"after {scores.start:g} hours of learning"
    yield f"\nAgainst the truth, {after}    watch   round robin, same number of fetches"
    for name in sorted({page.section.path for page in pages.values()}):
        mine, other = scores.of({path: page for path, page in pages.items() if page.section.path == name})
        if mine.appeared >= _FEW:
            caught = f"{mine.completeness:8.0%}{other.completeness:10.0%}"
            yield f"  versions caught in /{name + '/':22}{caught}   of {mine.appeared:.0f} by weight"
    mine, other = scores.of(pages)
    yield f"  completeness, pooled and weighted        {mine.completeness:8.0%}{other.completeness:10.0%}"
    yield f"  fetches that found nothing new           {mine.wasted_share:>8.0%}{other.wasted_share:>10.0%}"
