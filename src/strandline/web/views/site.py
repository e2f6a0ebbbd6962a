"""A site: its directories by size and change, its days, its rules, and what is new, changed and gone."""

import time
from dataclasses import dataclass
from typing import Any

from strandline.app.browsing import Branch, ChangesWanted, ListedPage
from strandline.core.mining.learned import SiteRules
from strandline.core.urls import path_segments, surt_key
from strandline.errors import UsageError
from strandline.plan.feed_hubs import told_feeds
from strandline.web.desk import Desk
from strandline.web.drawings import Box, treemap
from strandline.web.texts import say
from strandline.web.views.days import DayView, days
from strandline.web.views.health import open_alarms
from strandline.web.views.overview import SiteCard, site_card
from strandline.web.views.values import DAY, IMPORTANT, Moment, level

TREE = (960.0, 380.0)
"""Width and height of the treemap, in units of its drawing."""
_REPORT_DAYS = 7.0
_SHARES = (0.05, 0.2, 0.4, 0.7)
"""Shares of the most at which the colour of a branch changes."""
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class BranchView:
    """A directory, or a page, one step below where the tree stands."""

    name: str
    key: str
    url: str
    pages: int
    changes: float
    """Visible changes a page had, as a mean."""
    importance: float
    """Of a change, as a mean."""
    level: int
    """Colour: importance of the change an average page had in all, against the branch that had most."""
    folder: bool
    skipped: str
    """Why it is left out of visits: `rule`, `dormant`, or empty."""
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """One level of a site's directories."""

    site: str
    key: str
    crumbs: list[tuple[str, str]]
    """Names and keys of the directories above."""
    branches: list[BranchView]
    """Largest first."""
    height: float = TREE[1]
    """Of its drawing, which is 960 wide."""


@dataclass(frozen=True, slots=True)
class RuleView:
    """Directories whose change tells that another one is not worth a visit."""

    when: list[str]
    skip: str
    frequency: float
    """How often the directories of the condition changed together."""
    correlation: float
    """Of their change with that of the directory that is skipped."""
    confidence: float


@dataclass(frozen=True, slots=True)
class RulesView:
    """What was learned about the directories of a site, with the evidence it rests on."""

    site: str
    versions: int
    captures: int
    first: Moment
    last: Moment
    chosen: bool
    bypass_ratio: float | None
    change_recall: float | None
    thresholds: dict[str, float | None]
    rules: list[RuleView]
    skipped: list[dict[str, Any]]
    """Directories that are left out: path, pages, changes a week, and by what."""
    dormant: list[str]


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page in a list."""

    url: str
    captures: int
    evidence: str
    since: Moment
    visited: Moment
    changes: int
    importance: float


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A page that changed, with its weightiest change of the time asked about."""

    url: str
    by: Moment
    after: Moment
    importance: float
    level: int
    changes: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is new, changed and gone since a time."""

    site: str
    since: Moment
    new: list[PageRow]
    changed: list[ChangedPage]
    gone: list[PageRow]
    dead: list[PageRow]
    """Dead links: addresses under which there never was a page."""
    whole: bool
    """False: there is more than is listed."""


@dataclass(frozen=True, slots=True)
class SiteView:
    """A site in full."""

    card: SiteCard
    tree: Tree
    days: list[DayView]
    rules: RulesView | None
    report: Report
    hubs: dict[str, str]
    """Feeds that name a hub, and how each stands with it, in a sentence."""


@dataclass(frozen=True, slots=True)
class PagesPage:
    """Some pages of a site, by address."""

    site: str
    pages: list[PageRow]
    after: str | None
    """Give this as `after` to go on; None at the end."""


def site_view(desk: Desk, site: str, key: str = "", since: float | None = None) -> SiteView:
    """A site; UsageError when nothing of it is known."""
    row = desk.reading.site_row(site)
    if row is None:
        raise UsageError(say("no_site", site=site))
    rules = site_rules(desk, site)
    return SiteView(
        card=site_card(desk, row, open_alarms(desk)),
        tree=tree(desk, site, key, rules),
        days=days(desk, site),
        rules=rules,
        report=report(desk, site, since),
        hubs=_hubs(desk, site),
    )


def _hubs(desk: Desk, site: str) -> dict[str, str]:
    """Feeds that name a hub, without those that are taken down."""
    hidden, told = desk.reading.hidden, told_feeds(desk.reading, time.time(), site)
    return {feed: said for feed, said in told.items() if not (hidden and hidden.hides(surt_key(feed)))}


def tree(desk: Desk, site: str, key: str = "", rules: RulesView | None = None) -> Tree:
    """One level of a site's directories, as boxes of a treemap; UsageError for a place outside of the site."""
    spans = desk.reading.spans(site)
    inside = next(((low, high) for _, low, high in spans if low <= key < high), None)
    if key and inside is None:
        raise UsageError(say("no_directory", directory=key, site=site))
    if not key and len(spans) > 1:
        branches = [desk.reading.host_branch(host, low, high) for host, low, high in spans]
        return _tree(site, "", [], _boxed(branches, rules))
    low = key or (spans[0][1] if spans else "")
    branches = list(desk.reading.branches(low)) if low else []
    return _tree(site, low, _crumbs(low, spans), _boxed(branches, rules))


def _tree(site: str, key: str, crumbs: list[tuple[str, str]], branches: list[BranchView]) -> Tree:
    return Tree(site, key, crumbs, branches, _height(len(branches)))


def _height(branches: int) -> float:
    """A few boxes need less room."""
    return min(TREE[1], 100.0 * max(1, branches))


def _boxed(branches: list[Branch], rules: RulesView | None) -> list[BranchView]:
    branches = sorted(branches, key=lambda one: (-one.pages, one.name))
    boxes = treemap([float(one.pages) for one in branches], TREE[0], _height(len(branches)))
    most = max((one.changes * one.importance for one in branches), default=0.0)
    skipped = {row["path"].strip("/"): row["by"] for row in rules.skipped} if rules else {}
    return [
        BranchView(
            name=one.name,
            key=one.key + "/" if one.folder and not one.key.endswith("/") else one.key,
            url=one.url,
            pages=one.pages,
            changes=one.changes,
            importance=one.importance,
            level=_shade(one.changes * one.importance, most),
            folder=one.folder,
            skipped=skipped.get(_directory(one), "") if one.folder else "",
            box=box,
        )
        for one, box in zip(branches, boxes, strict=True)
    ]


def _directory(branch: Branch) -> str:
    """A branch as rules name it: the host and the directories down to it."""
    depth = branch.key.partition(")/")[2].strip("/").count("/") + 2
    return "/".join(path_segments(branch.url)[:depth])


def _shade(importance: float, most: float) -> int:
    """Colour of a branch from 0 (never changed) to 5; even the most is light as long as it is not one important change.

    >>> [_shade(x, 2.0) for x in (0.0, 0.01, 0.3, 0.8, 2.0)], _shade(0.02, 0.02)
    ([0, 1, 2, 4, 5], 2)
    """
    share = importance / max(most, IMPORTANT)
    return 1 + sum(share >= least for least in _SHARES) if importance > 0 else 0


def _crumbs(key: str, spans: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    host, root = next(((name, low) for name, low, _ in spans if key.startswith(low)), ("", key))
    crumbs = [(host or key, root)]
    for name in key[len(root) :].strip("/").split("/"):
        if name:
            crumbs.append((name, crumbs[-1][1] + name + "/"))
    return crumbs


def site_rules(desk: Desk, site: str) -> RulesView | None:
    """Directory rules of a site; None when none were learned."""
    found = next(desk.reading.site_rules(site), None)
    return None if found is None else rules_view(found)


def rules_view(found: SiteRules) -> RulesView:
    """Directory rules as they are shown."""
    skipped = [
        {
            "path": one.path,
            "pages": one.pages,
            "changes_a_week": one.changes_a_week,
            "changed": one.changed,
            "by": "rule" if one.near else "dormant",
        }
        for one in found.directories
        if one.near or one.dormant
    ]
    return RulesView(
        site=found.site,
        versions=found.versions,
        captures=found.captures,
        first=found.first,
        last=found.last,
        chosen=found.chosen,
        bypass_ratio=found.bypass_ratio,
        change_recall=found.change_recall,
        thresholds={name: getattr(found.thresholds, name) for name in ("alpha", "beta", "gamma", "theta")},
        rules=[
            RuleView(list(rule.if_changed), rule.skip, rule.foc, rule.coc, rule.confidence)
            for rule in found.rules[:200]
        ],
        skipped=skipped[:200],
        dormant=list(found.dormant[:200]),
    )


def report(desk: Desk, site: str, since: float | None = None) -> Report:
    """What is new, changed and gone; by default in the last week of the site's captures."""
    row = desk.reading.site_row(site)
    last = row.last if row is not None and row.last is not None else time.time()
    start = max(0.0, last - _REPORT_DAYS * DAY) if since is None else since
    wanted = ChangesWanted(site=site, since=start, min_importance=0.0)
    changes, more = desk.reading.latest_changes(wanted, 4 * MOST_LISTED)
    pages: dict[str, ChangedPage] = {}
    for one in changes:
        best = pages.get(one.url)
        count = 1 + (best.changes if best else 0)
        if best is None or one.importance > best.importance:
            best = ChangedPage(one.url, one.by, one.after, one.importance, level(one.importance), count)
        pages[one.url] = ChangedPage(best.url, best.by, best.after, best.importance, best.level, count)
    changed = sorted(pages.values(), key=lambda one: (-one.importance, one.url))
    new = [page_row(one) for one, _ in desk.reading.new_pages(site, start, MOST_LISTED)]
    gone = [page_row(one) for one in desk.reading.gone_pages(site, start, MOST_LISTED)]
    dead = [page_row(one) for one in desk.reading.dead_links(site, start, MOST_LISTED)]
    whole = more is None and len(changed) <= MOST_LISTED and max(len(new), len(gone), len(dead)) < MOST_LISTED
    return Report(site, start, new, changed[:MOST_LISTED], gone, dead, whole)


def page_row(one: ListedPage) -> PageRow:
    """A page in a list."""
    return PageRow(one.url, one.captures, one.evidence, one.since, one.visited, one.changes, one.importance)


def pages_of(desk: Desk, site: str, after: str = "", limit: int = 100) -> PagesPage:
    """Captured pages of a site by address; UsageError when nothing of it is known."""
    spans = sorted(desk.reading.spans(site), key=lambda one: one[1])
    if not spans:
        raise UsageError(say("no_site", site=site))
    found: list[ListedPage] = []
    for _, low, high in spans:
        if after < high and len(found) <= limit:
            start = max(low[:-1], after)
            found += desk.reading.listed_pages(start, high, limit + 1 - len(found))
    more = found[limit - 1].surt if len(found) > limit else None
    return PagesPage(site, [page_row(one) for one in found[:limit]], more)
