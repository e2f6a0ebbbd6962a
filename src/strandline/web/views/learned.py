"""What was learned, to browse: directory rules, pattern groups, change classes."""

from dataclasses import dataclass

import numpy as np

from strandline.core.mining.classes import ChangeGroups, interval_in_words, seen_in_words
from strandline.learn.observations import NOISE
from strandline.web.desk import Desk
from strandline.web.views.site import RulesView, rules_view
from strandline.web.views.values import Data, Moment

_SITES = 20
_GROUPS = 24
_FELLOWS = 8
_SCANNED = 2000


@dataclass(frozen=True, slots=True)
class LearnedAbout:
    """The captures a part of the knowledge rests on."""

    captures: int
    pages: int
    first: Moment | None
    last: Moment | None
    behind: int
    """Captures made since."""


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Directory rules, site by site."""

    about: LearnedAbout | None
    sites: list[RulesView]
    more: int | None


@dataclass(frozen=True, slots=True)
class GroupView:
    """Pages that change at the same hours."""

    number: int
    pages: int
    changes: float
    shape: list[list[float]]
    """Change per kind of day and period, against the mean."""
    kinds: list[str]
    fellows: list[str]


@dataclass(frozen=True, slots=True)
class PatternsPage:
    """Pattern groups, the largest first."""

    about: LearnedAbout | None
    cycle: str
    groups: list[GroupView]
    more: int | None


@dataclass(frozen=True, slots=True)
class ClassView:
    """Pages that change about equally often."""

    number: int
    rate: float
    """Changes a day."""
    in_words: str
    pages: int
    share: float


@dataclass(frozen=True, slots=True)
class RatedPage:
    """How often a page changes."""

    url: str
    number: int | None
    rate: float
    in_words: str
    visits: int
    changes: int


@dataclass(frozen=True, slots=True)
class ClassesPage:
    """Change classes, fastest first, and some pages."""

    about: LearnedAbout | None
    classes: list[ClassView]
    pages: list[RatedPage]
    after: int | None


def learned_about(desk: Desk, part: str) -> LearnedAbout | None:
    """What a part of the knowledge rests on; None when it was never learned."""
    found = desk.reading.learned_from(part)
    if found is None:
        return None
    return LearnedAbout(found.captures, found.pages, found.first, found.last, desk.reading.newest() - found.seq)


def rules_page(desk: Desk, site: str = "", start: int = 0) -> RulesPage:
    """Directory rules of one site, or of several."""
    names = [site] if site else desk.reading.ruled_sites(_SITES + 1, start)
    found = [rules_view(rules) for name in names[:_SITES] for rules in desk.reading.site_rules(name)]
    return RulesPage(learned_about(desk, "rules"), found, start + _SITES if len(names) > _SITES else None)


def patterns_page(desk: Desk, start: int = 0) -> PatternsPage:
    """Pattern groups and some of their pages."""
    found = desk.reading.learned_from("patterns")
    data: Data = found.data if found else {}
    groups = sorted(data.get("groups", []), key=lambda one: -one["pages"])
    shown = [_group(desk, one) for one in groups[start : start + _GROUPS]]
    more = start + _GROUPS if len(groups) > start + _GROUPS else None
    return PatternsPage(learned_about(desk, "patterns"), str(data.get("cycle", "day")), shown, more)


def _group(desk: Desk, one: Data) -> GroupView:
    shape = np.atleast_2d(np.array(one["shape"], dtype=np.float64))
    mean = float(shape.mean()) if shape.size else 0.0
    rows = shape / mean if mean > 0 else shape
    kinds = ("workday", "saturday", "sunday", "holiday") if len(rows) == 4 else ("",) * len(rows)
    fellows = desk.reading.group_members(int(one["number"]), _FELLOWS)
    return GroupView(int(one["number"]), int(one["pages"]), float(one["changes"]), rows.tolist(), list(kinds), fellows)


def change_groups(desk: Desk) -> ChangeGroups | None:
    """The classes pages fall into; None while no page was seen twice."""
    found = desk.reading.learned_from("classes")
    if found is None or not found.data["rates"]:
        return None
    data = found.data
    return ChangeGroups(np.array(data["cuts"]), np.array(data["rates"]), np.array(data["sizes"]))


def classes_page(desk: Desk, number: int | None = None, after: int = 0, limit: int = 50) -> ClassesPage:
    """Classes, and some pages of all or of one of them; a bounded number of pages is looked at."""
    groups = change_groups(desk)
    sizes = [] if groups is None else groups.sizes.tolist()
    rates = [] if groups is None else groups.rates.tolist()
    total = max(1, sum(sizes))
    classes = [
        ClassView(place, rate, interval_in_words(rate), size, size / total)
        for place, (rate, size) in enumerate(zip(rates, sizes, strict=True))
    ]
    pages: list[RatedPage] = []
    scanned = desk.reading.some_rates(after, _SCANNED if number is not None else limit + 1)
    slight = desk.reading.slight_changes([page for page, _, rate in scanned if not rate.changes], NOISE)
    last = after
    for page, url, rate in scanned:
        if len(pages) == limit:
            return ClassesPage(learned_about(desk, "classes"), classes, pages, last)
        last = page
        shown = rate.expected if rate.rate is None else rate.rate
        of_class = None if groups is None else int(groups.assign(shown))
        if number is None or number == of_class:
            in_words = seen_in_words(shown, slight.get(page, 0))
            pages.append(RatedPage(url, of_class, shown, in_words, rate.visits, rate.changes))
    more = last if number is not None and len(scanned) == _SCANNED else None
    return ClassesPage(learned_about(desk, "classes"), classes, pages, more)
