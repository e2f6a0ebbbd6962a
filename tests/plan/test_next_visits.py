"""Planning over plain pages and sightings: no archive, no clock."""

from copy import deepcopy

import numpy as np
import pytest

from learn.sighting import Sighting
from strandline.core.plan.budget import Allowance
from strandline.core.rivals.catalogue import STRATEGIES
from strandline.learn.experience import Learned, history, learn
from strandline.learn.known_pages import Hours, Known
from strandline.plan.next_visits import Planner
from strandline.plan.wishes import Boost, Wishes

NOW = 1_763_000_000.0
DAY = 86_400.0
HOT, QUIET, NEW = range(1, 9), range(9, 41), range(41, 45)


def pages(count=44):
    places = ("daily.org", "museum.fr", "city.de")
    return [
        Known(n, f"https://www.{places[n % 3]}/{'abcd'[n % 4]}/{n}.html", places[n % 3], f"www.{places[n % 3]}")
        for n in range(1, count + 1)
    ]


def sightings(days=14, hours=6):
    rng = np.random.default_rng(3)
    for n in (*HOT, *QUIET):
        chance = -np.expm1(-hours * (6.0 if n in HOT else 0.05) / 24.0)
        for step in range(int(days * 24 / hours)):
            changed = step > 0 and bool(rng.random() < chance)
            yield Sighting(n, NOW - days * DAY + step * hours * 3600.0, changed, 0.4 if changed else 0.0)


@pytest.fixture(scope="module")
def past():
    hours = Hours.since(NOW - 14 * DAY)
    return hours, history(pages(), sightings(), hours)


def planner(past, wishes=None, known=None):
    hours, story = past
    known = known or pages()
    return Planner(known, learn(known, story, hours), wishes or Wishes(Allowance(500, 24)), lambda: story)


def hour_of(plan, now):
    """As many visits as the allowance holds in the hour that begins now, in the order of time."""
    start = plan.hours.at(now)
    count = Allowance(plan.visits_per_hour(), 1.0).whole(start, start + 1.0)
    return sorted(plan.next(count, now), key=lambda visit: visit.due) if count else []


def ahead(plan, hours):
    """Hour by hour, as if every visit were made."""
    other = deepcopy(plan)
    for step in range(int(hours)):
        for visit in hour_of(other, NOW + step * 3600.0):
            other.visited(visit.page, visit.due)
            yield visit


def test_hot_pages_are_wanted_before_quiet_ones_and_new_ones_first(past):
    found = planner(past, Wishes(Allowance(500, 24), objective="pool")).next(12, NOW)
    assert {visit.page for visit in found[:4]} == set(NEW)
    assert {visit.page for visit in found[4:]} == set(HOT)
    assert [visit.urgency for visit in found] == sorted((v.urgency for v in found), reverse=True)
    assert all(visit.reason and NOW <= visit.due <= NOW + 3600.0 for visit in found)
    assert "hours" in found[-1].reason


@pytest.mark.parametrize("name", [*STRATEGIES, "freshness-learned"])
def test_every_strategy_plans_on_what_was_learned(past, name):
    plan = planner(past, Wishes(Allowance(240, 24), strategy=name))
    assert len({visit.page for visit in plan.next(10, NOW)}) == 10
    later = list(ahead(plan, 6.0))
    assert len(later) == 60
    assert [visit.due for visit in later] == sorted(visit.due for visit in later)
    assert max(visit.due for visit in later) <= NOW + 6 * 3600.0


def test_learned_rates_tell_hot_from_quiet(past):
    plan = planner(past)
    hot, quiet, new = (plan.about(page, NOW) for page in (HOT[0], QUIET[0], NEW[0]))
    assert 3.0 < hot.rate < 9.0
    assert quiet.rate < 0.3
    assert hot.rate_low <= hot.rate <= hot.rate_high
    assert 0.0 < new.rate < hot.rate
    assert "never fetched" in new.reason
    assert hot.hours.shape == (48,)


def test_state_survives_as_bytes_and_takes_in_new_pages(past):
    hours, story = past
    known = pages()
    learned = learn(known, story, hours)
    kept = Learned.from_state(*deepcopy(learned.state()))
    assert kept.hours == hours
    rows = np.arange(len(known))
    assert np.array_equal(kept.learner.estimate(rows).rate, learned.learner.estimate(rows).rate)
    more = pages(50)
    again = Planner(more, kept, Wishes(Allowance(24, 24)), lambda: story)
    assert {visit.page for visit in again.next(10, NOW)} == {*NEW, *range(45, 51)}


def test_pages_that_may_not_be_fetched_are_left_out(past):
    known = pages()
    known[0] = known[0]._replace(barred="robots: robots.txt")
    known[1] = known[1]._replace(not_before=NOW + 3 * 3600.0)
    plan = planner(past, Wishes(Allowance(44 * 24, 24)), known)
    assert {1, 2}.isdisjoint(visit.page for visit in plan.next(44, NOW))
    later = [visit for visit in ahead(plan, 5.0) if visit.page in (1, 2)]
    assert {visit.page for visit in later} == {2}
    assert min(visit.due for visit in later) >= NOW + 3 * 3600.0


def test_campaigns_lift_pages_and_end_by_themselves(past):
    boost = Boost("floods", "https://www.museum.fr/", NOW - DAY, NOW + 2 * 3600.0, 1000.0)
    wishes = Wishes(Allowance(4 * 24, 24), boosts=(boost,))
    found = planner(past, wishes).next(20, NOW)
    lifted = [visit for visit in found if "museum.fr" in visit.url and visit.page not in NEW]
    assert len(lifted) >= 10
    assert all(visit.reason.startswith("campaign floods: ") for visit in lifted)
    assert not [visit for visit in planner(past, wishes).next(20, NOW + DAY) if "campaign" in visit.reason]


def test_caps_of_politeness_hosts_and_sites_are_kept(past):
    slow = Wishes(Allowance(480, 24), pauses={"www.daily.org": 1800.0})
    for step in range(3):
        hour = [v for v in planner(past, slow).next(20, NOW + step * 3600.0) if "daily.org" in v.url]
        assert len(hour) <= 2
    capped = Wishes(Allowance(480, 24), site_allowances={"museum.fr": Allowance(24, 24)})
    assert len([v for v in ahead(planner(past, capped), 10.0) if "museum.fr" in v.url]) <= 11
    assert planner(past, slow).most_per_hour == pytest.approx(2 + 1200 + 1200)


def test_budgets_in_bytes_are_spent_by_size(past):
    known = [page._replace(size=10_000.0) for page in pages()]
    plan = planner(past, Wishes(Allowance(2.4e6, 24, in_bytes=True)), known)
    assert plan.visits_per_hour() == pytest.approx(10.0)
    assert len(list(ahead(plan, 3.0))) == 30


def test_a_clock_set_back_and_an_empty_archive_give_sane_plans(past):
    assert len(planner(past).next(5, NOW - 40 * DAY)) == 5
    hours, _ = past
    nothing = history([], [], hours)
    empty = Planner([], learn([], nothing, hours), Wishes(Allowance(24, 24)), lambda: nothing)
    assert empty.next(5, NOW) == []
    assert list(ahead(empty, 24.0)) == []


def test_impossible_wishes_are_told(past):
    with pytest.raises(ValueError, match="at least one visit"):
        planner(past).next(0, NOW)
    with pytest.raises(ValueError, match="no strategy 'best'"):
        planner(past, Wishes(Allowance(24, 24), strategy="best"))


def test_failures_and_unbelieved_changes_teach_nothing():
    hours = Hours.since(NOW)
    seen = [
        Sighting(1, NOW),
        Sighting(1, NOW + 60.0, True, 0.5, held=True),
        Sighting(1, NOW + 120.0, status=503),
        Sighting(1, NOW + 180.0, True, 0.5, status=404),
        Sighting(99, NOW + 200.0),
    ]
    story = history(pages(1), seen, hours)
    assert story.time.tolist() == [hours.at(NOW), hours.at(NOW + 180.0)]
    assert story.changed.tolist() == [False, True]


def test_what_differs_at_every_look_is_no_change_to_plan_for():
    hours = Hours.since(NOW)
    clock = [Sighting(1, NOW + hour * 3600.0, True, 0.012) for hour in range(1, 25)]
    story = history(pages(1), [Sighting(1, NOW), *clock], hours)
    assert not story.changed.any()
    assert story.importance.max() == 0.0
    rate = learn(pages(1), story, hours).learner.estimate(np.array([0])).mean_rate[0]
    assert rate * 24.0 < 1.0, "a clock on a page is no reason to come every hour"
    gone = history(pages(1), [Sighting(1, NOW), Sighting(1, NOW + 60.0, True, 0.012, status=404)], hours)
    assert gone.time.tolist() == [hours.at(NOW)], "a failure that shows nothing new teaches nothing"


def test_visits_that_a_feed_called_for_teach_what_its_silence_before_tells():
    """Four changes a day, each visited within two hours; the feed is read every hour."""
    hours, rng = Hours.since(NOW), np.random.default_rng(2)
    times = np.cumsum(rng.exponential(6.0, 200))
    visits = np.unique(np.ceil(times) + 0.5)
    found = np.diff(np.searchsorted(times, visits), prepend=0) > 0
    seen = [Sighting(1, NOW + 3600.0 * at, bool(new), 0.4) for at, new in zip(visits, found, strict=True)]
    told = [(1, NOW + 3600.0 * at, NOW + 3600.0 * at) for at in times]
    story = history(pages(1), [Sighting(1, NOW), *seen], hours, told)
    first = np.array([times[np.searchsorted(times, begin, side="right")] for begin in [0.0, *visits[:-1]]])
    silent = np.zeros(len(first), np.int64), hours.at(NOW) + np.floor(first)
    fooled, knowing = (
        24.0 * float(learn(pages(1), story, hours, silent=told).learner.estimate(np.array([0])).mean_rate[0])
        for told in (None, silent)
    )
    assert 3.0 < knowing < 6.0 < 8.0 < fooled
    assert story.with_silent(*silent).time.size == story.time.size + len(first)


def test_a_claim_counts_only_where_captures_saw_a_change():
    hours = Hours.since(NOW)
    seen = [Sighting(1, NOW), Sighting(1, NOW + DAY), Sighting(1, NOW + 2 * DAY, True, 0.5)]
    late = NOW + 2 * DAY + 1.0
    times = [(1, NOW + DAY / 2), (1, NOW + 1.5 * DAY), (2, NOW)]
    claims = [*((page, time, time) for page, time in times), (1, NOW + 1.8 * DAY, late), (1, late, NOW)]
    hints = history(pages(1), seen, hours, claims).last_change
    assert np.isnan(hints[:2]).all()
    assert hints[2] == pytest.approx(hours.at(NOW + 1.5 * DAY))


# A planner at work ----------------------------------------------------------------------------------------------


def found_by(plan, now, count=10):
    return {visit.page for visit in plan.next(count, now)}


@pytest.mark.parametrize("scanned", [True, False])
def test_a_planner_at_work_learns_and_grows(past, monkeypatch, scanned):
    """Captures and new pages are taken in one by one; new pages come first, fetched ones rest, hot ones return."""
    monkeypatch.setattr("strandline.plan.next_visits.SCAN_UP_TO", 5000 if scanned else 5)
    plan = planner(past, Wishes(Allowance(240, 24), objective="pool"))
    now = NOW
    assert set(NEW) <= found_by(plan, now)
    plan.observe([Sighting(page, now + 60.0) for page in NEW])
    assert set(NEW).isdisjoint(found_by(plan, now + 3600.0, len(HOT)))
    plan.grow(pages(60)[44:])
    assert len(plan.table) == 60
    assert found_by(plan, now + 3600.0, 16) == set(range(45, 61))
    visited = dict.fromkeys(range(1, 61), 0)
    hottest = set(range(45, 49))
    for hour in range(1, 200):
        now = NOW + hour * 3600.0
        for visit in hour_of(plan, now):
            visited[visit.page] += hour > 100
            changed = visit.page in hottest
            plan.observe([Sighting(visit.page, visit.due, changed, 0.5 if changed else 0.0)])
    hot = np.mean([visited[page] for page in hottest])
    # Every hour, as often as can be; the others, those that were hot before among them, share evenly what is left.
    assert hot > 4 * np.mean([visited[page] for page in range(49, 61)])
    assert plan.about(45, now).rate > 5 * plan.about(50, now).rate
    assert "last fetched" in plan.about(45, now).reason


@pytest.mark.parametrize("kept", [False, True])
def test_a_page_found_while_watching_is_believed_to_be_like_its_directory(kept):
    hours = Hours.since(NOW - 14 * DAY)
    known = [
        Known(n, f"https://www.city.de/{'news' if n <= 12 else 'law'}/{n}.html", "city.de", "www.city.de")
        for n in range(1, 25)
    ]
    seen = [Sighting(n, NOW - 14 * DAY + k * DAY, k > 0 and n <= 12, 0.4) for k in range(14) for n in range(1, 25)]
    learned = learn(known, history(known, sorted(seen, key=lambda one: one.time), hours), hours)
    if kept:
        learned = Learned.from_state(*deepcopy(learned.state()))
    plan = Planner(known, learned, Wishes(Allowance(240, 24)), lambda: history(known, [], hours))
    rows = [(101, "www.city.de/news/x.html"), (102, "www.city.de/law/x.html"), (103, "www.new.org/")]
    plan.grow([Known(n, f"https://{url}", url.split("/")[0][4:], url.split("/")[0]) for n, url in rows])
    news, law, new = (plan.about(n, NOW).rate for n, _ in rows)
    assert news > 3 * law, "a new page of a busy directory is expected to be busy"
    assert law < new < news, "a site nobody knows is expected to be like the others"


def test_a_decision_looks_at_as_many_pages_whatever_their_number(monkeypatch):
    monkeypatch.setattr("strandline.plan.next_visits.SCAN_UP_TO", 100)
    looked = {}
    for count in (1_000, 8_000):
        hours = Hours.since(NOW - 14 * DAY)
        known = pages(count)
        seen = [Sighting(n, NOW - 10 * DAY) for n in range(1, count + 1)]
        plan = planner((hours, history(known, seen, hours)), Wishes(Allowance(240, 24)), known)
        strategy, rows = plan.strategy, []
        evaluate = strategy._evaluate
        monkeypatch.setattr(
            strategy, "_evaluate", lambda pages, r, now, e=evaluate, n=rows: n.append(len(r)) or e(pages, r, now)
        )
        for hour in range(24):
            for visit in hour_of(plan, NOW + hour * 3600.0):
                plan.observe([Sighting(visit.page, visit.due)])
        looked[count] = sum(rows) / 24
    assert looked[8_000] < 1.5 * looked[1_000] + 60
    assert looked[8_000] < 200


def test_pages_held_back_return_and_forbidden_ones_go(past):
    plan = planner(past, Wishes(Allowance(44 * 24, 24)))
    page = pages()[40]
    plan.grow([page._replace(not_before=NOW + 2 * 3600.0)])
    assert page.page not in found_by(plan, NOW, 44)
    assert page.page in found_by(plan, NOW + 2 * 3600.0, 44)
    plan.grow([page._replace(barred="robots: Disallow: /")])
    assert page.page not in found_by(plan, NOW + 3 * 3600.0, 44)
    plan.grow([page, page._replace(page=99, url="https://www.new.org/1", site="new.org", host="www.new.org")])
    assert {page.page, 99} <= found_by(plan, NOW + 4 * 3600.0, 44)
    assert plan.most_per_hour == pytest.approx(4 * 1200)


def test_a_look_ahead_leaves_the_planner_as_it_is(past):
    plan = planner(past)
    before = plan.next(10, NOW)
    assert list(ahead(plan, 30.0)) == list(ahead(plan, 30.0))
    assert {visit.page for visit in before} == found_by(plan, NOW)


def test_a_claim_told_while_watching_places_the_change(past):
    plan = planner(past)
    plan.observe([Sighting(HOT[0], NOW + 100.0)])
    told = []
    plan.strategy.knowledge.learner.observe = lambda rows, findings: told.append(findings[3])
    plan.observe([Sighting(HOT[0], NOW + 7200.0, True, 0.4)], [(HOT[0], NOW + 3600.0, NOW + 3700.0)])
    assert told[0][0] == pytest.approx(plan.hours.at(NOW + 3600.0))


def test_patterns_are_those_of_the_place_a_page_lives_in():
    """Two sites change at nine in the morning, nine hours apart: one pattern serves both."""
    hours = Hours.since(NOW - 28 * DAY)
    tokyo = Known(1, "https://a.jp/", "a.jp", "a.jp", zone="Asia/Tokyo", shift=9)
    accra = Known(2, "https://a.gh/", "a.gh", "a.gh")
    seen = []
    for page in (tokyo, accra):
        for hour in range(1, 27 * 24):
            local = (hour + page.shift) % 24
            seen.append(Sighting(page.page, hours.seconds(hour + 0.5), local == 9, 0.5 if local == 9 else 0.0))
    plan = planner((hours, history([tokyo, accra], seen, hours)), known=[tokyo, accra])
    beliefs = [plan.about(page, NOW) for page in (1, 2)]
    assert [int(belief.hours[:24].argmax()) for belief in beliefs] == [9, 9]
    assert [belief.zone for belief in beliefs] == ["Asia/Tokyo", "UTC"]


def test_politeness_counts_in_real_seconds_when_hours_are_short(past):
    wishes = Wishes(Allowance(24, 24), pause=3.0, hour_seconds=30.0)
    assert planner(past, wishes).most_per_hour == pytest.approx(30.0)


def test_a_dearer_visit_must_be_worth_as_many_requests(past):
    """Of pages that change alike, those that take nine requests are visited less often, and the budget is kept."""
    dear = {n for n in HOT if n % 2}
    known = [one._replace(cost=9.0) if one.page in dear else one for one in pages()]
    plain, priced = planner(past), planner(past, known=known)
    assert priced.visits_per_hour() < plain.visits_per_hour() < 9 * priced.visits_per_hour()
    visits = list(ahead(priced, 48))
    cheap = [visit for visit in visits if visit.page in set(HOT) - dear]
    costly = [visit for visit in visits if visit.page in dear]
    assert len(costly) < len(cheap)
    assert all("in a browser, about 9.0 requests" in visit.reason for visit in costly)
    assert not any("browser" in visit.reason for visit in cheap)
    assert len(visits) + 8 * len(costly) <= 1.3 * 500 / 24 * 48
