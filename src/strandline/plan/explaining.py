"""Every reason for one page, on one screen: is it known, may it be fetched, what was learned, when is its turn?"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from strandline.core.capture import Kind
from strandline.core.quality.hollow import noted
from strandline.core.urls import origin
from strandline.core.wording import counted
from strandline.learn.learned_pages import learned_reasons
from strandline.learn.learning import Lore
from strandline.learn.observations import matters
from strandline.plan.browser_reason import browser_reason
from strandline.plan.directory_hours import days_seen
from strandline.plan.feed_hubs import told_feeds
from strandline.plan.next_visits import Belief
from strandline.plan.part_hints import read_hints
from strandline.plan.planning import Planning, address
from strandline.store.standing import Standing

LOOK_AHEAD = 168.0
"""Hours within which the next visit is looked for; a day for large archives. Origin: a unit."""
LARGE = 30_000
"""Pages from which on an archive is large. Origin: a bound on time."""
_DAYS = ("workdays", "weekends")
_PARTS = {
    Kind.REQUISITE: "a part of pages (a picture, a style, a script): fetched with the pages that show it",
    Kind.ROBOTS: "the rules of a host: asked for before its pages, and again when they are a day old",
    Kind.SITEMAP: "a list of pages: read again from time to time, to learn of new and changed ones",
    Kind.FEED: "a list of news: read again from time to time, to learn of new and changed pages",
}


@dataclass
class Why:
    """The verdict in a sentence, and the answers behind it in reading order."""

    url: str
    known: bool
    verdict: str = ""
    due: float | None = None
    urgency: float | None = None
    answers: dict[str, str] = field(default_factory=dict)


def why(planning: Planning, url: str) -> Why:
    """All about one address."""
    place = address(url)
    standing = planning.reading.standing(place)
    if standing is None:
        return _unknown(planning, place)
    found = Why(place, known=True)
    found.answers["page"] = _page(standing)
    found.answers["scope"] = _scope(planning, place, standing.hops)
    found.answers["robots"] = _robots(planning, place)
    found.answers["captures"] = _captures(planning, place, standing)
    found.answers["last visit"] = _last_visit(standing)
    if kind := noted(standing.detail, standing.status):
        found.answers["content"] = f"none: {kind}; what was captured does not count as content"
    found.answers["back-off"] = _back_off(planning, standing)
    if standing.kind != Kind.PAGE:
        found.verdict = f"{_PARTS[Kind(standing.kind)]}; not planned by itself"
        if says := read_hints(planning.reading, standing.site).says(place):
            found.answers["its word"] = says
        if told := told_feeds(planning.reading, planning.now, standing.site).get(place):
            found.answers["its hub"] = told
        return found
    if browser := browser_reason(planning, place):
        found.answers["browser"] = browser
    maker = planning.maker
    barred = maker.barring.why(standing, planning.now) or maker.quiet(standing, planning.now)[0]
    barred = barred or maker.supplied(standing, planning.now)
    if planning.few:
        _ = planning.outlook  # asked for below, too: now it is opened once for both
    belief = planning.planner.about(standing.page, planning.now)
    lore = Lore(planning.archive)
    small = sum(one.changed and not matters(one) for one in lore.reading.visits_of(standing.page))
    found.answers["changes"] = _changes(planning, standing, belief, small)
    if learned := learned_reasons(lore, place):
        found.answers["learned"] = "; ".join(learned)
    found.answers["weight"] = f"{belief.weight:.3g}" + (", given by you" if standing.weight_given else "")
    found.answers["what counts"] = belief.objective
    found.answers["campaign"] = ", ".join(belief.campaigns) or "none runs for it"
    if barred:
        found.verdict = f"not fetched: {barred}"
        return found
    found.answers["now"] = belief.reason or f"chosen by {planning.planner.strategy.name}"
    _next_visit(planning, standing, found)
    return found


def _unknown(planning: Planning, url: str) -> Why:
    found = Why(url, known=False)
    found.verdict = "not known: no page, sitemap, feed or seed has named this address; crawl it with --seeds"
    found.answers["scope"] = _scope(planning, url, 0)
    found.answers["robots"] = _robots(planning, url)
    refused = next((one for one in planning.reading.refusals() if one.url == url), None)
    if refused is not None:
        found.verdict = f"not known: it was named, and refused: {refused.reason}"
    return found


def _page(one: Standing) -> str:
    if one.kind in (Kind.REQUISITE, Kind.ROBOTS):
        how = "needed by pages" if one.kind == Kind.REQUISITE else "asked of every host"
        return f"{how}, {one.evidence} since {moment(one.since)}" if one.since else f"{how}, not seen yet"
    hops = f"{counted(one.hops, 'hop')} from a seed"
    how = "known from WARC files (import, reindex)" if one.via == "archive" else f"found by {one.via}, {hops}"
    state = "not seen yet" if one.evidence == "unknown" else one.evidence
    since = f" since {moment(one.since)}" if one.since else ""
    return f"{how}, {state}{since}"


def _scope(planning: Planning, url: str, hops: int) -> str:
    scope = planning.maker.barring.scope
    if scope is None:
        return "no seeds are set: every known page belongs to the archive"
    return scope.refuses(url, Kind.PAGE, hops) or "inside"


def _robots(planning: Planning, url: str) -> str:
    if planning.settings.politeness.robots != "obey":
        return "not obeyed, by setting"
    scheme, _, host = origin(url).partition("://")
    state = planning.reading.host(host, scheme)
    if not state.robots_time:
        return f"robots.txt of {origin(url)} was not asked for yet"
    rules = planning.maker.barring.robots(origin(url), planning.now)
    verdict = "allowed" if rules is None or rules.allows(url) else "forbidden"
    reason = f"status {state.robots_status}" if rules is None else rules.reason
    return f"{verdict} ({reason}, fetched {moment(state.robots_time)})"


def _captures(planning: Planning, url: str, one: Standing) -> str:
    if not one.captures:
        return "never fetched"
    last = planning.reading.captures(url)[-3:]
    told = "; ".join(f"{moment(c.time)} {c.status}{' unchanged' if c.revisit else ''}" for c in reversed(last))
    return f"{one.captures}, last {told}"


def _last_visit(one: Standing) -> str:
    if not one.outcome:
        return "none by this archive"
    when = f" {moment(one.visited)}" if one.visited else ""
    detail = f": {one.detail}" if one.detail else ""
    failures = f", {one.attempts} failures in a row" if one.attempts else ""
    return f"{one.outcome}{when}{detail}{failures}"


def _back_off(planning: Planning, one: Standing) -> str:
    told = []
    if one.not_before > planning.now:
        told.append(f"the page is left alone until {moment(one.not_before)}")
    if one.host_not_before > planning.now:
        told.append(f"{one.host} is left alone until {moment(one.host_not_before)}")
    return "; ".join(told) or "none"


def _changes(planning: Planning, one: Standing, belief: Belief, small: int) -> str:
    row = planning.planner.row_of(one.page)
    learned = planning.learned
    span = (learned.last[row] - learned.first[row]) / 24.0
    spread = f"{_often(belief.rate)} ({_number(belief.rate_low)} to {_number(belief.rate_high)} a day)"
    if not span > 0:
        return f"{spread}, expected from its address and its site: it was not seen twice yet"
    found = f"{learned.found[row]:.0f} seen in {_span(span)}"
    if small:
        found += f" and {small} too small to count (a clock, advertising, a number)"
    seen = days_seen(learned, np.array([row]), int(planning.planner.table.shift[row]))
    return f"{spread}, {found}; usual importance {belief.importance:.2f}{_pattern(belief, seen)}"


def _pattern(belief: Belief, days: Iterable[int]) -> str:
    """When changes are most likely on days that were seen, when that is worth saying."""
    hours = belief.hours
    if len(hours) != 48 or not hours.mean() > 0:
        return "; at any hour"
    seen = [24 * day + hour for day in days for hour in range(24)]
    best = max(seen, key=lambda hour: float(hours[hour]))
    ratio = float(hours[best] / hours[seen].mean())
    if not ratio >= 1.3:
        return "; at any hour"
    return f"; most at {best % 24}-{best % 24 + 1} h on {_DAYS[best // 24]} ({ratio:.1f} times the mean, {belief.zone})"


def _next_visit(planning: Planning, one: Standing, found: Why) -> None:
    hours = LOOK_AHEAD if len(planning.pages) <= LARGE else 24.0
    planning.let_go(measures=True)
    visit = next((visit for visit in planning.coming.ahead(hours) if visit.page == one.page), None)
    budget = planning.settings.plan.budget
    if visit is None:
        found.verdict = f"skipped: not fetched within {hours / 24:.0f} days at {budget}; others are worth more"
        found.answers["due"] = "later than looked ahead"
        return
    found.due, found.urgency = visit.due, visit.urgency
    wait = (visit.due - planning.now) / planning.hour_seconds
    if wait <= 1.0:
        found.answers["now"] = visit.reason
    when = "due within the hour" if wait <= 1.0 else f"waits: due in {_number(wait)} hours"
    found.verdict = f"{when}, at {budget}"
    found.answers["due"] = moment(visit.due) if wait <= 1.0 else f"{moment(visit.due)}: {visit.reason}"


def _often(per_day: float) -> str:
    if per_day >= 1.0:
        return f"about {_number(per_day)} changes a day"
    return f"a change about every {_number(1.0 / max(per_day, 1e-9))} days"


def _span(days: float) -> str:
    """How long, in a unit that fits."""
    for unit, length in (("days", 1.0), ("hours", 1.0 / 24.0), ("minutes", 1.0 / 1440.0)):
        if days >= 2.0 * length:
            return f"{_number(days / length)} {unit}"
    return f"{86_400.0 * days:.0f} seconds"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def moment(time: float) -> str:
    """UTC time to the minute."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%MZ")
