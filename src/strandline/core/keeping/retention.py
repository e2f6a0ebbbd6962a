"""Which captures are kept in the long run, by rules somebody wrote.

    example.org: older 90d, keep weekly
    *: older 1y, keep monthly, importance 0.3
    *: older 30d, above 500 GB, keep important
    collection elections: older 1y, keep daily

The first rule whose site or collection fits a page, and whose age a capture has reached, decides on it; with `above`,
only while the archive is larger than that. Of the captures it decides on are kept

- every important version: the capture that shows a change of at least that importance, and the one before the change;
- the first and the last capture of a page, and those later visits build on;
- one a day, week or month (UTC; the last of each), or with `important` none of the rest;
- what a capture that is kept refers to, because it was the same as before;
- of the parts of pages (pictures, styles, scripts) whatever replay would show in a page that is kept.

What was not studied yet is kept: nobody knows how important it is.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from strandline.core.keeping.collections import Members

Keep = Literal["daily", "weekly", "monthly", "important"]
IMPORTANT: Final = 0.1
"""Importance from which on a version is important, unless a rule says otherwise; as the interface calls it."""
_DAY: Final = 86_400.0
_UNITS: Final = {"h": 3600.0, "d": _DAY, "w": 7 * _DAY, "m": 30 * _DAY, "y": 365 * _DAY}
_SIZES: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_AGE: Final = re.compile(r"older (\d+)\s*([hdwmy])")
_ABOVE: Final = re.compile(r"above (\d+(?:\.\d+)?)\s*([kmgt]?)b?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to the captures of a site from an age on."""

    site: str
    """A registered domain or a host; `*` for all."""
    older: float
    keep: Keep
    importance: float = IMPORTANT
    above: float = 0.0
    """Bytes of WARC files the archive must have; 0: always."""
    text: str = ""
    members: Members | None = field(default=None, compare=False)
    """What belongs to the collection it is for; None for a rule of a site."""

    @property
    def collection(self) -> str:
        """The name of the collection a rule is for; empty for a rule of a site."""
        word, _, name = self.site.partition(" ")
        return name.strip() if word == "collection" else ""

    def fits(self, site: str, host: str, key: str = "") -> bool:
        """Whether a rule is for a page of a host, with this SURT key."""
        if self.collection:
            return self.members is not None and bool(key) and self.members.has_key(key)
        return self.site in ("*", site, host)


def rule_of(text: str) -> Rule:
    """A rule as people write it; ValueError says what is wrong.

    >>> rule_of("example.org: older 90d, keep weekly, importance 0.3").importance
    0.3
    """
    site, colon, rest = text.partition(":")
    if not colon or not site.strip():
        raise ValueError(f"a rule begins with a site, a collection, or *, and a colon: {text!r}")
    older: float | None = None
    keep: Keep | None = None
    importance, above = IMPORTANT, 0.0
    for part in (part.strip() for part in rest.split(",")):
        if found := _AGE.fullmatch(part):
            older = int(found[1]) * _UNITS[found[2]]
        elif found := _ABOVE.fullmatch(part):
            above = float(found[1]) * _SIZES[found[2].lower()]
        elif part in ("keep daily", "keep weekly", "keep monthly", "keep important"):
            keep = part.removeprefix("keep ")  # type: ignore[assignment]
        elif found := re.fullmatch(r"importance (0?\.\d+|[01](?:\.0+)?)", part):
            importance = float(found[1])
        else:
            raise ValueError(
                f"not understood in a rule: {part!r} (older 90d, keep weekly, importance 0.1, above 500 GB)"
            )
    if older is None or keep is None:
        raise ValueError(f"a rule says from what age on, and what is kept: {text!r}")
    return Rule(site.strip(), older, keep, importance, above, text)


@dataclass(frozen=True, slots=True)
class Kept:
    """A capture as retention sees it."""

    seq: int
    time: float
    size: int
    importance: float = 0.0
    """Of the change that it shows; 0 for none."""
    before: int = 0
    """The capture before that change; 0 for none."""
    refers: int = 0
    """The capture that holds its content; 0 when it holds it itself."""
    studied: bool = True


@dataclass(frozen=True, slots=True)
class PageCaptures:
    """All captures of a page in time order."""

    page: int
    site: str
    host: str
    requisite: bool
    captures: Sequence[Kept]
    needed: frozenset[int] = frozenset()
    """Captures that later visits build on."""
    key: str = ""
    """Its SURT key."""


@dataclass(slots=True)
class Choice:
    """What goes, and what an important version is."""

    dropped: set[int] = field(default_factory=set)
    important: set[int] = field(default_factory=set)
    """Captures that belong to an important version, by the rule of their page; none of them is dropped."""


def choose(
    pages: Iterable[PageCaptures], rules: Sequence[Rule], now: float, serves: Mapping[str, Collection[str]]
) -> Choice:
    """Which captures go. `serves`: for each site that gives parts to pages, the sites of those pages."""
    pages = list(pages)
    choice = Choice()
    kept_times: dict[str, list[float]] = {}
    for page in pages:
        fitting = _fitting(page, rules)
        if fitting:
            choice.important |= important_of(page, min(rule.importance for rule in fitting))
        if page.requisite:
            continue
        gone = _thinned(page, fitting, now) if fitting else set()
        choice.dropped |= gone
        kept_times.setdefault(page.site, []).extend(one.time for one in page.captures if one.seq not in gone)
    ordered = {site: sorted(times) for site, times in kept_times.items()}
    for page in pages:
        fitting = _fitting(page, rules)
        if page.requisite and fitting:
            shown = [ordered[site] for site in {page.site, *serves.get(page.site, ())} if site in ordered]
            choice.dropped |= _unneeded(page, fitting, now, shown)
    keep_originals(pages, choice.dropped)
    return choice


def _fitting(page: PageCaptures, rules: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.fits(page.site, page.host, page.key)]


def important_of(page: PageCaptures, least: float) -> set[int]:
    """Captures that show an important version, or the last state before one."""
    found: set[int] = set()
    for one in page.captures:
        if one.importance >= least:
            found |= {one.seq, one.before} - {0}
    return found


def _kept_anyway(page: PageCaptures, rules: Sequence[Rule], now: float) -> set[int]:
    kept = set(page.needed) | important_of(page, min(rule.importance for rule in rules))
    youngest = min(rule.older for rule in rules)
    kept |= {one.seq for one in page.captures if now - one.time < youngest or not one.studied}
    if page.captures:
        kept |= {page.captures[0].seq, page.captures[-1].seq}
    return kept


def _thinned(page: PageCaptures, rules: Sequence[Rule], now: float) -> set[int]:
    kept = _kept_anyway(page, rules, now)
    for rule in rules:
        if rule.keep == "important":
            continue
        last = set({_period(one.time, rule.keep): one.seq for one in page.captures}.values())
        kept |= {one.seq for one in page.captures if one.seq in last and _deciding(one, rules, now) is rule}
    return {one.seq for one in page.captures} - kept


def _deciding(capture: Kept, rules: Sequence[Rule], now: float) -> Rule | None:
    """The first rule whose age a capture has reached."""
    return next((rule for rule in rules if now - capture.time >= rule.older), None)


def _period(time: float, keep: Keep) -> int:
    day = int(time // _DAY)
    if keep == "daily":
        return day
    if keep == "weekly":
        return (day + 3) // 7  # 1 January 1970 was a Thursday: weeks begin on Mondays
    year = 1970 + (day * 400 + 200) // 146_097
    for candidate in (year + 1, year, year - 1):
        start = _year_start(candidate)
        if day >= start:
            lengths = (31, 29 if _leap(candidate) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
            left, month = day - start, 0
            while month < 11 and left >= lengths[month]:
                left -= lengths[month]
                month += 1
            return candidate * 12 + month
    return 0


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _year_start(year: int) -> int:
    """Days from 1 January 1970 to 1 January of a year."""
    before = year - 1
    return 365 * (year - 1970) + (before // 4 - 492) - (before // 100 - 19) + (before // 400 - 4)


def _unneeded(page: PageCaptures, rules: Sequence[Rule], now: float, shown: Sequence[Sequence[float]]) -> set[int]:
    """Captures of a part of pages that replay shows in no page that is kept; it shows the one closest in time."""
    if not shown:
        return set()  # which pages it is part of is not known
    kept = _kept_anyway(page, rules, now)
    times = [one.time for one in page.captures]
    for number, one in enumerate(page.captures):
        low = -float("inf") if number == 0 else (times[number - 1] + times[number]) / 2 - 1
        high = float("inf") if number == len(times) - 1 else (times[number] + times[number + 1]) / 2 + 1
        if any(bisect_left(moments, low) < bisect_right(moments, high) for moments in shown):
            kept.add(one.seq)
    return {one.seq for one in page.captures} - kept


def keep_originals(pages: Sequence[PageCaptures], dropped: set[int]) -> None:
    """What a kept capture refers to stays."""
    for page in pages:
        dropped -= {one.refers for one in page.captures if one.refers and one.seq not in dropped}
