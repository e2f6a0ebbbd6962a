"""What was learned, in words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from strandline.cli.output import iso, printable
from strandline.core.beliefs.evidence import TrustBook
from strandline.core.history.calendar import Cycle
from strandline.core.mining.classes import ClassTree, seen_in_words
from strandline.core.wording import counted
from strandline.learn.learned_pages import ShownClasses, ShownPattern
from strandline.plan.directory_hours import DirectoryHours

_BARS = " ▁▂▃▄▅▆▇█"
_UNSEEN = "·"
_SHOWN = 40
_QUIET = 8
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def learned_in_words(found: Mapping[str, Any]) -> Iterator[str]:
    """The summary of `learn`."""
    if not found["captures"]:
        yield "nothing to learn from: the archive has no captures of pages"
        return
    since = f"{iso(found['first'])[:10]} to {iso(found['last'])[:10]}"
    numbers = [counted(found[name], name[:-1]) for name in ("captures", "pages", "sites")]
    yield f"learned from {' of '.join(numbers)}, {since}"
    if found["unstudied"]:
        yield f"not studied: {counted(found['unstudied'], 'capture')}; whether they changed was told by their digests"
    if "patterns" in found:
        about = found["patterns"]
        changed, groups = counted(about["changed_pages"], "page"), counted(about["groups"], "group")
        yield f"patterns: {changed} seen to change, in {groups}"
        for source in about["trusted"]:
            yield printable(f"  times believed: {source}")
    if "rules" in found:
        about = found["rules"]
        yield f"rules: {counted(about['rules'], 'rule')}; directories that never changed: {about['dormant']}"
    if "classes" in found:
        for one in found["classes"]["classes"]:
            yield f"class {one['class']}: {counted(one['pages'], 'page')}, {one['name']}"


def patterns_in_words(found: Sequence[ShownPattern]) -> Iterator[str]:
    """A line a page, those that change most first."""
    for one in sorted(found, key=lambda one: (-one.changes, one.url))[:_SHOWN]:
        group = "" if one.pattern.group is None else f", group {one.pattern.group}"
        yield printable(f"{one.url}  {_peak(one)} ({counted(one.pattern.captures, 'capture')}{group})")
    if len(found) > _SHOWN:
        yield f"... and {counted(len(found) - _SHOWN, 'more page')}; --json shows all"


def directories_in_words(found: Sequence[DirectoryHours]) -> Iterator[str]:
    """A line a directory, host by host; those where hardly anything changes in one."""
    yield "changes/day  pages  0h    6h    12h   18h     (of a page; by the hour of a workday, in the site's own time)"
    for host, of_host in groupby(found, key=lambda one: one.host):
        whole, *below = of_host
        yield f"{_rate(whole)}  {whole.bars}  {printable(host)}"
        told = sorted((one for one in below if one.said != "quiet"), key=lambda one: -one.per_day * one.pages)
        for one in told[:_SHOWN]:
            bars = one.bars if one.said == "own" else "as the host".ljust(24)
            yield f"{_rate(one)}  {bars}  {printable(one.directory)}"
        if len(told) > _SHOWN:
            yield f"... and {counted(len(told) - _SHOWN, 'more directory', 'more directories')}; --json shows all"
        if still := [one for one in below if one.said == "quiet"]:
            names = ", ".join(one.directory for one in still[:_QUIET])
            more = f" and {len(still) - _QUIET} more" if len(still) > _QUIET else ""
            pages = counted(sum(one.pages for one in still), "page")
            yield printable(f"quiet: {names}{more} ({pages})")


def _rate(one: DirectoryHours) -> str:
    return f"{one.per_day:11.2f}{one.pages:7}"


def _peak(one: ShownPattern) -> str:
    if one.peak is None:
        return "changes at no time more than at others" if one.changes else seen_in_words(0.0, one.slight)
    kind = f" on a {one.peak[0]}," if one.pattern.cycle is Cycle.DAY else ""
    return f"most{kind} {_period(one, one.peak[1])}"


def _period(one: ShownPattern, number: int) -> str:
    """A period as people say it."""
    zone = one.pattern.zone
    days = {Cycle.DAY: 1, Cycle.WEEK: 7, Cycle.MONTH: 31}[one.pattern.cycle]
    minutes = round(number * days * 1440 / one.periods)
    clock = f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
    if one.pattern.cycle is Cycle.WEEK:
        return f"on {_WEEKDAYS[minutes // 1440]} from {clock} {zone}"
    if one.pattern.cycle is Cycle.MONTH:
        return f"on day {minutes // 1440 + 1} from {clock} {zone}"
    return f"from {clock} {zone}"


def pattern_in_words(one: ShownPattern) -> Iterator[str]:
    """One page: its pattern kind by kind."""
    yield printable(f"{one.url}  {_peak(one)}")
    numbers = f"{counted(one.pattern.captures, 'capture')}, about {counted(round(one.changes), 'change')}"
    yield f"  {numbers}; index threshold {one.pattern.threshold:.4f}"
    known = [value for values in one.pattern.kinds.values() for value in values if value is not None]
    top = max(known, default=0.0)
    for kind, values in one.pattern.kinds.items():
        bars = "".join(
            _UNSEEN if value is None else _BARS[0 if top == 0 else round(8 * value / top)] for value in values
        )
        yield f"  {kind:8} |{bars}|"
    if any(value is None for values in one.pattern.kinds.values() for value in values):
        yield f"  {_UNSEEN} never watched at that time"


def groups_in_words(
    groups: Sequence[Mapping[str, Any]], found: Sequence[ShownPattern], trust: TrustBook
) -> Iterator[str]:
    """Pages that keep the same hours, and who may be believed about times."""
    for group in groups:
        members = [one.url for one in found if one.pattern.group == group["number"]]
        shown = ", ".join(members[:3]) + (", ..." if len(members) > 3 else "")
        yield printable(f"group {group['number']}: {counted(group['pages'], 'page')} with the same hours: {shown}")
    for row in trust.as_data():
        verdict = "believed" if row["trusted"] else "not believed"
        yield printable(
            f"{row['source']} of {row['host']}: {verdict} (claims real {row['precision']:.0%}, "
            f"changes claimed {row['recall']:.0%})"
        )


def classes_in_words(found: ShownClasses) -> Iterator[str]:
    """The classes, then the pages of each."""
    if found.groups is not None:
        for one in found.groups.as_data():
            yield f"class {one['class']}: {counted(one['pages'], 'page')}, {one['name']}"
    for page in found.pages[:_SHOWN]:
        seen = page.rate.rate
        by = "at first sight " if seen is None else ""
        rate = page.rate.expected if seen is None else seen
        number = "-" if page.number is None else page.number
        later = page.rate.visits
        changed = f"{page.rate.changes} of {counted(later, 'later capture')} changed" if later else "captured once"
        changed += f", {page.slight} slightly" if page.slight else ""
        yield printable(f"  [{number}] {page.url}  {by}{seen_in_words(rate, page.slight)} ({changed})")
    if len(found.pages) > _SHOWN:
        yield f"  ... and {counted(len(found.pages) - _SHOWN, 'more page')}; --json shows all"
    if found.about["moved"]:
        yield "the first-sight table was moved by this archive's own captures"


def tree_data(tree: ClassTree) -> dict[str, object]:
    """For JSON."""
    return {
        "pages": tree.pages,
        "error": tree.error,
        "error_without_links": tree.error_without,
        "error_by_majority": tree.error_by_majority,
        "importance": tree.importance,
        "text": tree.text,
    }


def tree_in_words(tree: ClassTree) -> Iterator[str]:
    """The tree, and how far it can be trusted."""
    yield f"class at first sight, by a decision tree over {counted(tree.pages, 'page')}:"
    yield from (f"  {line}" for line in tree.text.rstrip().splitlines())
    yield (
        f"it misplaces {tree.error:.0%} of the pages it was not grown from; without in-links and PageRank "
        f"{tree.error_without:.0%}; by taking the largest class for all {tree.error_by_majority:.0%}"
    )
    used = sorted(((share, name) for name, share in tree.importance.items() if share > 0), reverse=True)
    yield "it looks at " + (", ".join(f"{name} ({share:.0%})" for share, name in used) or "nothing")
