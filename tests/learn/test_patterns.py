"""Learning from plain sightings: patterns, trust, rates and rules against direct counts."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.beliefs.evidence import Source, TrustBook
from strandline.core.beliefs.features import PageSummary
from strandline.core.beliefs.first_sight import COEFFICIENTS
from strandline.core.history.calendar import LocalCalendar, Periods
from strandline.core.history.rates import change_rate
from strandline.core.mining.learned import PageRate, SiteRules
from strandline.core.mining.site_looks import SiteLooks
from strandline.learn.observations import NOISE
from strandline.learn.patterns import (
    OnlineLearner,
    Patterns,
    claims_in_force,
    gathered,
    learn_trust,
    page_series,
    that_matter,
)
from strandline.learn.rates import SitePages, learn_rates
from strandline.learn.rules import NEGLIGIBLE, GivenThresholds, RuleWish, learn_rules

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0
MONDAY = 1_767_571_200.0  # 2026-01-05 00:00 UTC
SITE = "https://example.org"


@dataclass(frozen=True)
class Seen:
    page: int
    url: str
    time: float
    changed: bool = False
    importance: float = 0.0
    status: int = 200
    held: bool = False
    site: str = "example.org"


@dataclass(frozen=True)
class Said:
    source: str
    time: float
    seen: float


def page(number, path, changed, every=DAY, importance=0.3):
    """Captures at equal distances; `changed` says which of them had changed."""
    return [
        Seen(number, f"{SITE}{path}", MONDAY + i * every, bool(c), importance * bool(c)) for i, c in enumerate(changed)
    ]


def visits(*pages):
    return list(gathered(one for some in pages for one in some))


def test_held_captures_errors_and_impossible_dates_are_left_out():
    rows = [
        Seen(1, SITE, MONDAY, changed=True, importance=0.5),
        Seen(1, SITE, MONDAY + HOUR, changed=True, importance=0.5, held=True),
        Seen(1, SITE, MONDAY + 2 * HOUR, status=503),
        Seen(1, SITE, MONDAY + 3 * HOUR, status=301),
        Seen(1, SITE, MONDAY + 4 * HOUR, changed=True, importance=0.5),
        Seen(1, SITE, -5.0),
        Seen(2, SITE + "/b", MONDAY, status=500),
        Seen(3, SITE + "/c", MONDAY, status=404),
    ]
    first, third = gathered(rows)
    assert (first.page, third.page) == (1, 3)
    assert (first.times - MONDAY).tolist() == [0.0, 4 * HOUR]
    assert first.changed.tolist() == [False, True]  # the first capture is compared with nothing
    assert first.importance.tolist() == [0.0, 0.5]
    assert third.gone.tolist() == [True]


def test_the_claim_in_force_is_the_newest_that_had_been_read():
    said = [Said("feed", 50.0, 60.0), Said("sitemap", DAY, 70.0), Said("feed", 90.0, 100.0), Said("rumour", 1.0, 1.0)]
    before, between, after = claims_in_force(said, [10.0, 80.0, 100.0])
    assert before == []
    assert {(one.source, one.time, one.precision) for one in between} == {
        (Source.FEED, 50.0, 1.0),
        (Source.SITEMAP, DAY, DAY),
    }
    assert {one.time for one in after} == {90.0, DAY}


def test_a_claim_of_a_time_still_to_come_is_worth_nothing_then_and_later():
    """A feed that dates everything a day ahead is in no gap right, however many changes are found; a date is a day."""
    [looks] = visits(page(1, "/a", [False, *[True] * 8]))
    times = looks.times.tolist()
    ahead = [Said("feed", time + 0.6 * DAY, time) for time in times]
    assert all(one.time == np.inf for now in claims_in_force(ahead, times) for one in now)
    book = TrustBook()
    learn_trust(book, [looks], {1: ahead})
    assert not book.entries["example.org", Source.FEED].trusted
    assert book.entries["example.org", Source.FEED].confirmed == 0.0
    told = [Said("feed", time - 0.4 * DAY, time) for time in times]
    learn_trust(book := TrustBook(), [looks], {1: told})
    assert book.entries["example.org", Source.FEED].trusted
    [[today]] = claims_in_force([Said("sitemap", 2 * DAY, 1.9 * DAY)], [2 * DAY])
    assert today.time == 2 * DAY, "written as a date, east of Greenwich"


def test_a_trusted_time_says_where_in_the_gap_a_change_was():
    changed = [False, *[True] * 8]
    told = [Said("last-modified", MONDAY + i * DAY - 9 * HOUR, MONDAY + i * DAY) for i in range(1, 9)]
    pages = visits(page(1, "/", changed))
    periods = Periods()
    learned = Patterns()
    learned.judge(pages, {1: told})
    learned.add(pages, {1: told}, LocalCalendar(periods))
    assert learned.trust.entries["example.org", Source.LAST_MODIFIED].trusted
    series = learned.series[1]
    assert series.changes.sum(axis=0).nonzero()[0].tolist() == [15]  # nine hours before midnight
    untold = page_series(pages[0], LocalCalendar(periods))
    assert np.count_nonzero(untold.changes.sum(axis=0)) == 24


def test_pages_that_keep_the_same_hours_are_one_group_and_quiet_pages_in_none():
    hours = range(24 * 28)
    morning = [i % 24 == 9 for i in hours]
    night = [i % 24 == 22 for i in hours]
    rows = [page(n, f"/{n}", morning if n < 4 else night, HOUR) for n in range(8)]
    rows.append(page(8, "/quiet", [False] * 100, HOUR))
    learned = Patterns()
    learned.add(visits(*rows), {}, LocalCalendar(Periods()))
    learned.share()
    numbers = learned.numbers()
    assert len({numbers[n] for n in range(4)}) == len({numbers[n] for n in range(4, 8)}) == 1
    assert numbers[0] != numbers[5]
    assert 8 not in numbers


def test_unchanged_pages_together_are_the_same_as_one_by_one():
    pages = visits(*(page(n, f"/{n}", [False] * (n + 1), 5 * HOUR) for n in range(5)))
    calendar = LocalCalendar(Periods("Europe/Paris", "FR"))
    learned = Patterns()
    learned.add(pages, {}, calendar)
    assert len(learned.series) == 5
    assert list(learned.series) == [visit.page for visit in pages]
    assert {number: series.as_data() for number, series in learned.series.items()} == {
        visit.page: page_series(visit, calendar).as_data() for visit in pages
    }
    assert learned.series[3].as_data() == page_series(pages[3], calendar).as_data()
    assert 99 not in learned.series


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(60.0, 5 * DAY), st.booleans(), st.sampled_from([200, 304, 404, 500])), max_size=30))
def test_captures_one_by_one_teach_the_same_as_all_at_once(steps):
    rows, time = [], MONDAY
    for wait, changed, status in steps:
        time += wait
        rows.append(Seen(7, SITE, time, changed, 0.25 * changed, status))
    periods = Periods("Europe/Paris", "FR")
    online = OnlineLearner(lambda page: None, lambda site: periods, prior=0.01)
    told = [online.observe(row) for row in rows]
    assert sum(told) == sum(row.status != 500 for row in rows)
    together = visits(rows)
    if not together:
        assert online.pages == {}
        return
    series, rate, last = online.pages[7]
    whole = page_series(together[0], LocalCalendar(periods))
    assert np.allclose(series.importance, whole.importance)
    assert np.allclose(series.observed, whole.observed)
    assert (rate.visits, rate.changes) == (together[0].times.size - 1, together[0].changed.sum())
    assert last == together[0].times[-1] == whole.last


def test_a_capture_older_than_the_last_is_not_added():
    online = OnlineLearner(lambda page: None, lambda site: Periods(), prior=0.01)
    assert online.observe(Seen(1, SITE, MONDAY))
    assert not online.observe(Seen(1, SITE, MONDAY - HOUR))
    assert not online.observe(Seen(1, SITE, MONDAY + HOUR, held=True))
    assert online.pages[1][2] == MONDAY


def test_what_was_known_is_gone_on_with_and_a_trusted_time_is_used():
    first = OnlineLearner(lambda page: None, lambda site: Periods(), prior=0.01)
    first.observe(Seen(1, SITE, MONDAY))
    second = OnlineLearner(first.pages.get, lambda site: Periods("Asia/Tokyo"), prior=0.5)
    asked = []
    second.observe(Seen(1, SITE, MONDAY + DAY, True, 0.5), lambda since: asked.append(since) or MONDAY + 5.5 * HOUR)
    series, rate, _ = second.pages[1]
    assert asked == [MONDAY]
    assert series.importance[0].nonzero()[0].tolist() == [5]
    assert (rate.prior, rate.changes) == (0.01, 1)


def test_the_rate_of_regular_visits_is_the_papers_estimator():
    rate = PageRate()
    assert rate.rate is None
    for i in range(10):
        rate.observe(2.0, i % 2 == 0)
    assert rate.rate == pytest.approx(float(change_rate(10, 5)) / 2.0)


def rates_of(pages, summaries, classes):
    return learn_rates({"example.org": SitePages.of(pages, summaries)}, {"example.org": pages}, classes)


def test_rates_order_pages_and_one_capture_is_judged_at_first_sight():
    days = 60
    rows = [
        page(1, "/", [True] * days),
        page(2, "/news/a.html", [i % 7 == 0 for i in range(days)]),
        page(3, "/old/b.html", [False] * days),
        page(4, "/news/new.html", [False]),
    ]
    found = rates_of(visits(*rows), {1: PageSummary(900, 10, 2)}, 3)
    rates = {number: found.pages[number].rate for number in (1, 2, 3, 4)}
    assert rates[1] > rates[2] > rates[3] == 0.0
    assert rates[4] is None
    assert found.pages[4].expected == pytest.approx(found.pages[4].prior)
    assert found.groups.assign([rates[1], rates[2], rates[3]]).tolist() == [0, 1, 2]
    assert found.levels["example.org"] > 0
    assert np.array_equal(found.coefficients, COEFFICIENTS)
    assert not found.moved


def test_enough_own_captures_move_the_first_sight_table():
    pages = [page(n, f"/{n}.html", [n % 2 == 0 and i % 5 == 0 for i in range(60)]) for n in range(300)]
    summaries = {n: PageSummary(50_000 if n % 2 else 100, 3, 1) for n in range(300)}
    found = rates_of(visits(*pages), summaries, 4)
    assert found.moved
    assert found.coefficients[0] < COEFFICIENTS[0]  # here it is the short pages that change


def test_no_pages_no_rates():
    found = learn_rates({}, {}, 4)
    assert found.pages == {}
    assert found.groups is None
    assert found.base > 0


def quiet_and_busy(weeks=12):
    busy = [[False] + [True] * (weeks - 1)] * 3
    rows = [page(n, f"/busy/{n}.html", changed, WEEK) for n, changed in enumerate(busy)]
    rows += [page(10 + n, f"/quiet/{n}.html", [False] * weeks, WEEK) for n in range(3)]
    return visits(*rows)


def test_the_quiet_directory_is_skipped_dormant_and_least_likely():
    mined = learn_rules("example.org", quiet_and_busy(), RuleWish())
    learned = mined.learned
    assert (learned.versions, learned.captures, learned.chosen) == (12, 72, True)
    assert learned.dormant == ("example.org/quiet",)
    assert [rule.skip for rule in learned.rules] == ["example.org/quiet"]
    assert learned.change_recall == 1.0
    assert learned.bypass_ratio == pytest.approx(0.5)
    last = learned.directories[-1]
    assert (last.path, last.near, last.dormant, last.changed, last.pages) == ("example.org/quiet", True, True, 0, 3)
    assert learned.directories[0].changes_a_week > last.changes_a_week
    assert SiteRules.from_data(learned.as_data()) == learned


def test_a_change_counts_by_its_importance_unless_every_page_counts_the_same():
    pages = quiet_and_busy()
    looks = SiteLooks.of(pages, WEEK)
    assert looks.history().changes[1].importance is None
    assert looks.history(NEGLIGIBLE).changes[1].importance.tolist() == pytest.approx([0.3] * 3)
    strict = RuleWish(given=GivenThresholds(alpha=0.2, beta=0.5, theta=0.9))
    assert learn_rules("x", pages, strict).learned.rules == ()  # a tenth of the site, by importance
    plain = RuleWish(given=strict.given, weighted=False)
    assert [rule.skip for rule in learn_rules("x", pages, plain).learned.rules] == ["example.org/quiet"]


def test_what_hardly_matters_is_no_change_for_rules_yet_not_dormant():
    clock = page(20, "/clock/now.html", [False] + [True] * 11, WEEK, importance=0.001)
    learned = learn_rules("example.org", [*quiet_and_busy(), *visits(clock)], RuleWish()).learned
    assert {rule.skip for rule in learned.rules} == {"example.org/quiet", "example.org/clock"}
    assert learned.dormant == ("example.org/quiet",)
    assert learned.change_recall == 1.0
    (view,) = [one for one in learned.directories if one.path == "example.org/clock"]
    assert (view.near, view.dormant, view.changed) == (True, False, 11)


def test_a_page_that_is_gone_leaves_the_history_and_http_and_https_are_one():
    rows = page(1, "/a/x.html", [False] * 3, WEEK)
    gone = [Seen(2, f"{SITE}/a/y.html", MONDAY + i * WEEK, status=404 if i == 2 else 200) for i in range(3)]
    twin = [Seen(3, "http://example.org/a/x.html", MONDAY, changed=True)]
    history = SiteLooks.of(visits(rows, gone, twin), WEEK).history()
    assert [len(one) for one in history.changes] == [2, 0, 1]
    assert history.index.page_path(int(history.changes[2].deleted[0])) == "example.org/a/y.html"


@pytest.mark.parametrize("pages", [[], [page(1, "/a.html", [False])]])
def test_nothing_or_one_capture_gives_no_rules(pages):
    learned = learn_rules("example.org", visits(*pages), RuleWish()).learned
    assert learned.rules == learned.dormant == ()
    assert learned.versions == len(pages)


def test_an_empty_book_believes_nobody():
    assert TrustBook().changed_at("example.org", [], 0.0, 1.0) is None


def test_what_is_no_change_to_plan_for_is_none_for_patterns_and_rates():
    """A clock, a page with one real change among such, and a page that changes."""
    clock = page(1, "/clock.html", [False] + [True] * 9, importance=0.5 * NOISE)
    mixed = page(2, "/mixed.html", [False] + [True] * 9, importance=0.5 * NOISE)
    mixed[4] = replace(mixed[4], importance=0.4)
    news = page(3, "/news.html", [False] + [True] * 9)
    every = visits(clock, mixed, news)
    telling = that_matter(every)
    assert [int(one.changed.sum()) for one in every] == [9, 9, 9]
    assert [int(one.changed.sum()) for one in telling] == [0, 1, 9]
    assert [float(one.importance.sum()) for one in telling] == pytest.approx([0.0, 0.4, 2.7])
    assert telling[2] is every[2]
    online = OnlineLearner(lambda page: None, lambda site: Periods(), prior=0.01)
    for row in (*clock, *mixed, *news):
        online.observe(row)
    for one in telling:
        series, rate, _ = online.pages[one.page]
        assert rate.changes == one.changed.sum()
        assert series.importance.sum() == pytest.approx(one.importance.sum())
    assert online.pages[1][0].changes.sum() == 0.0
