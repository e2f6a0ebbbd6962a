"""The tables of the demonstration: what was learned and caught, without what says nothing new."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from strandline.access.quality import Quality
from strandline.core.mining.learned import SiteRules
from strandline.demo.schedule import PageSchedule
from strandline.demo.truth import Fetch, Score, score
from strandline.plan.directory_hours import DirectoryHours

_LISTED: Final = 5
_FEW: Final = 0.5
"""Weight of what appeared in a directory, below which a share of it says nothing."""


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


def learned_table(found: Sequence[DirectoryHours]) -> Iterator[str]:
    """When the pages of each directory change, as the watch believes."""
    directories = [one for one in found if one.directory]
    yield "\nLearned from its own captures: when the pages of each directory change"
    yield "  directory             pages visits  changes/day   0h    6h    12h   18h   "
    for one in directories:
        if one.said == "own":
            yield f"  {one.directory:22}{one.pages:5}{one.visits:7}{one.per_day:13.2f}   {one.bars}"
    alike = [one.directory for one in directories if one.said == "host"]
    quiet = [one for one in directories if one.said == "quiet"]
    if alike:
        yield f"  no hours of their own: {', '.join(alike)}"
    if quiet:
        pages, visits = sum(one.pages for one in quiet), sum(one.visits for one in quiet)
        yield f"  quiet, left alone: {', '.join(one.directory for one in quiet)} ({pages} pages, {visits} visits)"


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
