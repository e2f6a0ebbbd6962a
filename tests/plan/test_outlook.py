"""What a watch expects: from a cold start it finds the pages that change, and leaves the others alone."""

from collections import Counter

import numpy as np
import pytest

from strandline.core.plan.budget import Allowance
from strandline.learn.experience import history, learn
from strandline.learn.known_pages import Hours, Known
from strandline.plan.budget_meter import Purse
from strandline.plan.due import Due
from strandline.plan.next_visits import Planner
from strandline.plan.outlook import WASTED, Outlook, Thrift
from strandline.plan.wishes import Wishes
from strandline.store.studies import Seen

HOUR = 3600.0
BUSY, QUIET = range(1, 21), range(21, 61)
PER_HOUR = Allowance(8.0, 1.0)


def known(page, visited):
    place = "busy" if page in BUSY else "quiet"
    url = f"http://a.example/{place}/{page}"
    return Known(page, url, "a.example", "a.example", visited=visited)


def seen(page, time, changed):
    importance = 0.3 if changed else 0.0
    return Seen(page, known(page, 0.0).url, "a.example", time, 200, changed, importance, importance, False, False)


def outlook(least_chance, look_after=1.0, allowance=PER_HOUR, **wished):
    hours = Hours(0.0)
    learned = learn([], history([], [], hours), hours)
    wishes = Wishes(allowance, **{"pause": 0.0, **wished})
    planner = Planner([], learned, wishes, lambda: history([], [], hours))
    return Outlook(planner, learned, Thrift(least_chance, look_after))


def watched(least_chance, hours=48, look_after=1.0):
    """Visits of each page when busy pages change every three hours and quiet ones never."""
    plan, visits = outlook(least_chance, look_after), []
    plan.grow([known(page, HOUR * 0.01 * page) for page in (*BUSY, *QUIET)])
    plan.observe([seen(page, HOUR * 0.01 * page, False) for page in (*BUSY, *QUIET)])
    last = {page: 0.01 * page for page in (*BUSY, *QUIET)}
    for hour in range(1, hours):
        found = []
        for due in plan.plan(hour, 8):
            moment = due.due / HOUR
            changed = due.page in BUSY and int(moment / 3) > int(last[due.page] / 3)
            last[due.page] = moment
            found.append(seen(due.page, due.due, changed))
            visits.append((hour, due.page))
        plan.observe(found)
    return visits


def test_visits_go_where_something_changes():
    late = [page for hour, page in watched(0.0) if hour >= 24]
    assert sum(page in BUSY for page in late) > 0.8 * len(late), "a third of the pages"


def test_what_will_find_nothing_is_left_out_but_for_a_few():
    visits = watched(0.3, look_after=1000.0)
    per_hour = Counter(hour for hour, _ in visits)
    assert max(per_hour.values()) <= 8
    assert len(visits) < len(watched(0.0))
    late = Counter(page in BUSY for hour, page in visits if hour >= 24)
    assert late[True] > 2 * late[False]
    assert set(per_hour) >= set(range(2, 48)), "somebody looks in every hour"


def test_nothing_is_planned_before_anything_is_known():
    assert outlook(0.1).plan(3, 5) == []


def in_turns(plan, hours=range(1, 60), word=None):
    """Each page is visited every three hours, and every third visit finds a busy one changed; `word` says before which
    visits its site tells of a change.
    """
    pages = (*BUSY, *QUIET)
    for hour in hours:
        for place, page in enumerate(pages[hour % 3 :: 3]):
            moment = (hour + 0.01 * place) * HOUR
            new = page in BUSY and (hour // 3 + page) % 3 == 0
            if word is not None and word(hour, page, new):
                plan.tell(page, moment - 600.0, moment - 300.0, "feed")
            one = [seen(page, moment, new)]
            plan.relive(one, (), HOUR)
            plan.observe(one)
    return plan


def fresh(**wished):
    plan = outlook(0.25, **wished)
    plan.grow([known(page, HOUR * 0.01 * page) for page in (*BUSY, *QUIET)])
    plan.observe([seen(page, HOUR * 0.01 * page, False) for page in (*BUSY, *QUIET)])
    return plan


def test_pages_said_to_have_changed_are_visited_at_once_while_the_word_of_their_site_is_good():
    plan = in_turns(fresh(), word=lambda hour, page, new: new)
    assert plan.claims.trust("a.example") > 0.8
    usual = [due.page for due in plan.copy().plan(60, 8)]
    for page in (told := [30, 40, 50]):
        plan.tell(page, 59.98 * HOUR, 60 * HOUR, "feed")
    plan.tell(60, 1.0 * HOUR, 60 * HOUR, "feed")
    plan.tell(999, 59.98 * HOUR, 60 * HOUR, "feed")
    assert not set(told) & set(usual)
    visits = {due.page: due for due in plan.copy().plan(60, 8)}
    assert set(told) <= set(visits), "quiet for days, and now its site says so"
    assert all(visits[page].due == 60 * HOUR for page in told), "they wait for no minute of their own"
    assert "right 99%" in visits[30].reason and "says that it has changed since the last visit" in visits[30].reason
    assert "says that it has changed since the last visit" in plan.planner.about(30, 60.0 * HOUR).reason
    assert "says that" not in plan.planner.about(60, 60.0 * HOUR).reason, "visited since: nothing new is said"
    for page in told:
        plan.planner.visited(page, 60.1 * HOUR)
    assert not set(told) & {due.page for due in plan.plan(60, 8)}, "what was said is seen"


def test_a_page_that_is_said_to_have_changed_since_this_hours_visit_is_visited_once_more():
    plan = in_turns(fresh(), word=lambda hour, page, new: new)
    plan.planner.visited(30, 60.1 * HOUR)
    plan.tell(30, 60.3 * HOUR, 60.4 * HOUR, "feed")
    assert 30 in {due.page for due in plan.plan(60, 8)}
    plan.planner.visited(30, 60.5 * HOUR)
    assert 30 not in {due.page for due in plan.plan(60, 8)}


def test_a_word_that_is_mostly_wrong_changes_next_to_nothing():
    def plans(word):
        plan = in_turns(fresh(), word=word)
        usual = [due.page for due in plan.copy().plan(60, 8)]
        for page in (30, 40, 50):
            plan.tell(page, 59.98 * HOUR, 60 * HOUR, "feed")
        return plan, usual, [due.page for due in plan.plan(60, 8)]

    plan, usual, chosen = plans(lambda hour, page, new: page % 2 == 0 and page in QUIET)
    assert plan.claims.trust("a.example") < 0.1
    assert chosen == usual


def test_silence_of_a_site_that_tells_of_its_changes_makes_pages_younger():
    """Who is told of changes expects none while nobody tells of any, unless nobody could have told."""
    deaf, told = (in_turns(fresh(), word=word) for word in (None, lambda hour, page, new: new))
    told.claims.read("a.example", "feed", 66 * HOUR)
    busy = [Due(page, "", 0.0, "", 66 * HOUR) for page in BUSY]
    assert told.claims.listens_for(1) and not told.claims.listens_for(30)
    assert (told._chances(busy) < 0.7 * deaf._chances(busy)).all()
    assert "told of none since the last visit" in told.planner.about(1, 66 * HOUR).reason
    told.claims._read["a.example", 1] = 50 * HOUR
    assert told._chances(busy) == pytest.approx(deaf._chances(busy), abs=0.01), "nobody has asked the site since"
    assert "told of none" not in told.planner.about(1, 66 * HOUR).reason


def test_a_change_that_is_still_to_come_calls_for_no_visit_before_its_time():
    """Clocks of sites are wrong, and some announce: such a page would be visited in every hour until then."""
    plan = in_turns(fresh(), word=lambda hour, page, new: new)
    plan.tell(30, 62.5 * HOUR, 60 * HOUR, "feed")
    said, hours = "says that it has changed", (60, 61, 62, 63)
    assert [said in plan.planner.about(30, hour * HOUR).reason for hour in hours] == [False, False, True, True]


def test_visits_waste_at_most_a_part_of_what_taking_turns_would():
    plan = outlook(0.01)
    plan.grow([known(page, HOUR * 0.01 * page) for page in (*BUSY, *QUIET)])
    visits = np.arange(1, 9)
    turns = plan._wasted_in_turns(visits)
    assert (np.diff(turns) > 0).all(), "the more visits, the less each finds"
    chances = np.array([0.99, 0.95, 0.9, 0.5, 0.3, 0.2, 0.1, 0.05])
    least = plan._least_chance(chances)
    kept = chances[chances >= least]
    assert np.mean(1.0 - kept) <= WASTED * turns[len(kept) - 1]
    assert np.mean(1.0 - chances[: len(kept) + 1]) > WASTED * turns[len(kept)]
    assert outlook(0.0)._least_chance(chances) == 0.0, "the whole budget is wanted"


HANDBOOK = range(91, 101)


def handbook(budget, hours, **wished):
    """Who looks at a manual of 100 pages, ten of which change a fee every 20 hours: visits made, versions seen."""
    plan = outlook(0.25, **wished)
    last = {page: 0.001 * page for page in range(1, 101)}
    plan.grow([known(page, HOUR * last[page]) for page in last])
    plan.observe([seen(page, HOUR * last[page], False) for page in last])
    visits, caught = Counter(), set()
    for hour in range(1, hours):
        found = []
        for due in plan.plan(hour, budget):
            moment = due.due / HOUR
            changed = due.page in HANDBOOK and int(moment / 20) > int(last[due.page] / 20)
            last[due.page] = moment
            found.append(seen(due.page, due.due, changed))
            visits[hour] += 1
            caught |= {(due.page, int(moment / 20))} if due.page in HANDBOOK else set()
        plan.observe(found)
    return plan, visits, caught


def test_a_budget_that_is_left_goes_to_what_was_looked_at_least():
    plan, visits, caught = handbook(60, 121)
    assert min(visits.values()) >= 57, "the budget is spent"
    fees = {(page, fee) for page in HANDBOOK for fee in range(1, 6)}
    assert fees <= caught, f"{len(fees - caught)} of {len(fees)} fees were never seen"
    assert plan.looks > 0


def test_what_is_left_out_is_told_with_its_reason():
    plan, visits, _ = handbook(60, 40, look_after=10.0)
    assert max(visits[hour] for hour in range(12, 40)) < 60
    assert plan.left_out > 0 and plan.why_left_out == "every page was looked at within the last 10 hours"
    plan, visits, _ = handbook(60, 12, pause=360.0)
    assert set(visits.values()) == {10}
    assert plan.left_out == 50 and plan.why_left_out == "hosts are owed pauses, or have budgets of their own"
    plan, visits, _ = handbook(160, 4)
    assert plan.left_out == 60 and plan.why_left_out == "there are only 100 pages, and none is visited twice in an hour"


def first_day(budget, plans=1):
    """Visits of each page of a small site, in the day after a watch began at three in the afternoon; and the plan. The
    first page changes every two hours, as two days of captures had shown. An hour is planned so many times, each time
    after the first of its visits was made.
    """
    plan, purse, last = outlook(0.25, allowance=budget), Purse(budget, HOUR, 63 * HOUR), {}
    plan.grow([known(page, 62 * HOUR) for page in range(1, 9)])

    def visit(page, time):
        new = page == 1 and page in last and time // (2 * HOUR) > last[page] // (2 * HOUR)
        last[page] = time
        plan.observe([seen(page, time, new)])

    for hour in range(15, 63):
        for page in range(1, 9):
            visit(page, (hour + 0.01 * page) * HOUR)
    visits = Counter()
    for hour in range(63, 87):
        for nth in range(plans):
            now = (hour + nth / plans) * HOUR
            left = int(purse.for_hour(now / HOUR, now) - purse.spent(now, now % HOUR))
            left = min(left, purse.requests((hour + 1) * HOUR))
            for due in plan.plan(hour, left)[: 9 if nth == plans - 1 else 1]:
                visit(due.page, due.due)
                purse.begun(due.page)
                purse.ended(due.page, due.due, 1000.0, unchanged=False)
                visits[due.page] += 1
    return visits, plan


def test_what_the_hours_before_a_watch_left_is_not_spent_on_looks():
    """At three in the afternoon 15 visits of 24/day are left: all of them went to whatever was unseen, at once."""
    by_hour, _ = first_day(Allowance(1.0, 1.0))
    for plans in (1, 3):
        by_day, plan = first_day(Allowance(24.0, 24.0), plans)
        assert by_day[1] > 0.8 * by_hour[1] and by_day[1] >= 12, (plans, by_day, by_hour)
        assert by_day.total() >= 23, (plans, by_day, by_hour)
    plan.plan(88, 20)
    assert plan.why_left_out == "what the hours before left is kept for visits that are likely to find something"


def test_a_plan_that_is_made_anew_keeps_what_was_chosen_and_tests_no_more_quiet_pages():
    plan, _, _ = handbook(10, 40, look_after=1000.0)
    first = [due.page for due in plan.plan(40, 10)]
    assert [due.page for due in plan.plan(40, 10)] == first
    for made in first[:2]:
        plan.planner.visited(made, 40.2 * HOUR)
    assert {due.page for due in plan.plan(40, 10)} == set(first[2:])


def test_an_hour_holds_as_many_visits_as_its_requests_are_enough_for():
    """Busy pages of an even number take six requests each: all of them have their turn, and the budget is kept."""
    plan, visits, spent = outlook(0.25, allowance=Allowance(12.0, 1.0)), Counter(), 0.0
    costs = {page: 6.0 if page in BUSY and page % 2 == 0 else 1.0 for page in (*BUSY, *QUIET)}
    plan.grow([known(page, HOUR * 0.01 * page)._replace(cost=cost) for page, cost in costs.items()])
    plan.observe([seen(page, HOUR * 0.01 * page, False) for page in costs])
    last = dict.fromkeys(costs, 0)
    for hour in range(1, 72):
        chosen = plan.plan(hour, 12)
        taken = sum(costs[due.page] for due in chosen)
        assert taken <= 12 + 3, "at most half a visit more"
        spent += taken
        visits.update(due.page for due in chosen)
        found = [seen(due.page, due.due, due.page in BUSY and hour // 3 > last[due.page] // 3) for due in chosen]
        last |= {due.page: hour for due in chosen}
        plan.observe(found)
    assert 0.8 * 12 * 71 < spent < 1.1 * 12 * 71
    dear, cheap = (sum(visits[page] for page in BUSY if page % 2 == odd) for odd in (0, 1))
    assert 10 < dear < cheap


def test_where_no_visit_is_likely_to_find_something_they_go_where_most_is_expected():
    """Pages that change once in twelve days, each on a day of its own, among four times as many that never do."""
    plan, slow = outlook(0.25, allowance=PER_HOUR), range(1, 21)
    pages = range(1, 101)
    last = {page: 0.001 * page for page in pages}
    plan.grow([known(page, HOUR * last[page]) for page in pages])
    plan.observe([seen(page, HOUR * last[page], False) for page in pages])
    visits = Counter()
    for hour in range(1, 24 * 26):
        found = []
        for due in plan.plan(hour, 8):
            moment = due.due / HOUR
            version = [int((when + 14 * due.page) / 288) for when in (last[due.page], moment)]
            last[due.page] = moment
            found.append(seen(due.page, due.due, due.page in slow and version[0] < version[1]))
            visits[due.page in slow] += hour > 24 * 14
        plan.observe(found)
    assert visits[True] > 0.4 * visits[False], "a fifth of the pages; taking turns they would have a quarter as many"
    assert visits[False] > 0, "what is believed may be wrong"
