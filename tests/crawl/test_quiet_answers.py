"""What one pass, plan or watch makes of what is known of a site, and of the answers it gets."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from crawl.scripted import SITE, task
from strandline.core.mining.page_forecasts import in_every_memory
from strandline.core.mining.site_state import Price, SiteState
from strandline.core.skip.retests import Retests
from strandline.crawl.quiet_sites import Noticed, QuietPlan, QuietSites, QuietWatch, SiteKnowledge, SitePass
from strandline.learn.rules import RuleWish, learn_rules
from strandline.ports import Batch

WEEK = 7 * 86_400.0


def known_site(_method, restless=(), **about):
    """A site of two directories with twenty pages each, learned from ten whole versions, a week ago."""
    urls = [f"{SITE}/{name}/{n}" for name in ("old", "busy") for n in range(20)]
    pages = np.arange(1, 41)
    state = SiteState(
        period=WEEK,
        whole=10,
        pages=pages,
        counts=in_every_memory(np.where(pages > 20, 9.0, 0.0), np.full(40, 10.0)),
        restless=np.isin(pages, restless),
        price=Price(0.3, 0.5, 0.95, 6),
    )
    rules = replace(learn_rules("h.example", [], RuleWish()).learned, versions=10, dormant=("h.example/old",))
    nothing = np.zeros(40, dtype=np.bool_)
    return SiteKnowledge(pages, urls, np.full(40, 9 * WEEK), ~nothing, nothing, rules, state, **about)


def site_pass(method, restless=(), **about):
    return SitePass("h.example", method, known_site(method, restless, **about), 10 * WEEK)


def visit(one, page, **capture):
    facts = {"revisit": False, "status": 200, **capture}
    url = f"{SITE}/x" if page > 40 else f"{SITE}/{'old' if page <= 20 else 'busy'}/{(page - 1) % 20}"
    visited = SimpleNamespace(capture=SimpleNamespace(**facts), time=10 * WEEK + 5)
    one.visited(task(url, page=page), visited)


def record(one):
    (found,) = one.quiet.touched()
    return found.tests, found.failures, found.in_force


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_what_an_answer_says_about_a_quiet_directory(method):
    doubted = Retests("h.example", "h.example/old", method).failed_by(8 * WEEK, "a page had changed", 8 * WEEK)
    one = site_pass(method, records=(doubted,))
    refused = [page for page in range(1, 41) if one.refuses(task(page=page, hops=1))]
    assert len(refused) == (17 if method == "policy" else 18)  # a tenth of the requests go to the oldest
    assert max(refused) <= 20
    sampled = next(page for page in range(1, 21) if page not in refused)
    visit(one, sampled, status=301)
    visit(one, sampled, status=500)
    assert one.quiet.touched() == []
    visit(one, sampled, revisit=True)
    assert record(one) == (2, 1, True)
    visit(one, sampled, status=404)
    assert record(one) == (2, 2, False)
    assert set(one.pages_at(one.quiet.settle(idle=True))) == set(refused)
    assert not any(one.refuses(task(page=page, hops=1)) for page in range(1, 21))


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_bytes_of_a_restless_page_prove_nothing_until_study_has_looked(method):
    one = site_pass(method, restless=range(1, 21))
    visit(one, 3)
    assert record(one) == (1, 0, True)
    doubted = Retests("h.example", "h.example/old", method).failed_by(8 * WEEK, "a page had changed", 8 * WEEK)
    kept = doubted.tested(9 * WEEK)
    seen = (Noticed(3, f"{SITE}/old/2", 9 * WEEK + 5),)
    judged = site_pass(method, restless=range(1, 21), records=(kept,), noticed=seen)
    assert record(judged) == (2, 2, False)


def test_new_pages_where_nothing_is_expected_raise_the_chances_around_them():
    one = site_pass("policy")
    before = one.quiet.refuses(0)
    assert before
    for _ in range(3):
        visit(one, 99)
    one.quiet.settle(idle=True)
    assert one.quiet.refuses(0) != before


@pytest.mark.parametrize("method", ["policy", "near", "dormant"])
def test_too_little_knowledge_skips_nothing(method):
    nothing = SiteKnowledge(np.arange(1), [f"{SITE}/a"], np.zeros(1), np.ones(1, np.bool_), np.zeros(1, np.bool_))
    one = SitePass("h.example", method, nothing, 1.0)
    assert one.refuses(task(page=0, hops=1)) == ""


class Shelf:
    """A library of one site; remembers for which times it was asked."""

    def __init__(self):
        self.asked = []

    def site(self, name, method, pass_start):
        self.asked.append(pass_start)
        return known_site(method) if name == "h.example" else None


def test_a_plan_leaves_out_what_is_quiet_and_tests_other_pages_in_other_periods():
    shelf = Shelf()
    plan = QuietPlan("dormant", shelf, WEEK)
    answers = [plan.ask("h.example", page, 10.5 * WEEK) for page in range(1, 41)]
    left_out = [page for page, (quiet, _) in enumerate(answers, 1) if quiet.startswith("quiet directory h.example/old")]
    tests = [page for page, (_, directory) in enumerate(answers, 1) if directory == "h.example/old"]
    assert len(left_out) == 18
    assert len(tests) == 2
    assert plan.ask("other.example", 1, 10.6 * WEEK) == ("", "")
    assert not plan.renew(10.9 * WEEK)
    assert plan.renew(11.0 * WEEK)
    assert shelf.asked == [10 * WEEK, 10 * WEEK]


@pytest.mark.parametrize("visited", [9.05, 9.5, 9.95])
@pytest.mark.parametrize("moment", [10.0, 10.5, 10.99])
def test_whenever_a_busy_page_was_visited_in_the_last_period_it_is_planned_in_this_one(visited, moment):
    class Recent:
        def site(self, name, method, pass_start):
            return replace(known_site(method), visited=np.full(40, visited * WEEK))

    plan = QuietPlan("policy", Recent(), WEEK)
    answers = [plan.ask("h.example", page, moment * WEEK)[0] for page in range(1, 41)]
    assert not any(answers[20:])
    assert sum(answer != "" for answer in answers[:20]) == 17


def test_a_watch_books_one_test_a_period_and_records_all_of_them():
    watch = QuietWatch("dormant", Shelf(), WEEK)
    watch.begin(10.2 * WEEK)
    page = task(f"{SITE}/old/0", page=1)
    assert watch.refuses(page) == ""
    for moment in (10.3, 10.4, 11.5):
        watch.visited(page, SimpleNamespace(capture=SimpleNamespace(revisit=True, status=200), time=moment * WEEK))
    batch = Batch()
    watch.book(batch, idle=False)
    assert [one.last_pass for one in batch.retests] == [10 * WEEK, 11 * WEEK]
    assert not batch.skipped


def test_a_test_that_failed_just_before_a_period_ended_is_not_forgotten():
    watch = QuietWatch("dormant", Shelf(), WEEK)
    watch.begin(10.2 * WEEK)
    page = task(f"{SITE}/old/0", page=1)
    for moment, same in ((10.99, False), (11.01, True)):
        watch.visited(page, SimpleNamespace(capture=SimpleNamespace(revisit=same, status=200), time=moment * WEEK))
    batch = Batch()
    watch.book(batch, idle=False)
    assert [(one.tests, one.failures) for one in batch.retests] == [(1, 1), (2, 1)]


def test_a_watch_goes_on_testing_when_the_clock_is_set_back():
    watch = QuietWatch("dormant", Shelf(), WEEK)
    watch.begin(60.0 * WEEK)
    page = task(f"{SITE}/old/0", page=1)
    for moment in (60.1, 59.9, 10.3, 11.5):
        watch.visited(page, SimpleNamespace(capture=SimpleNamespace(revisit=True, status=200), time=moment * WEEK))
    batch = Batch()
    watch.book(batch, idle=False)
    assert [one.last_pass for one in batch.retests] == [60 * WEEK, 10 * WEEK, 11 * WEEK]


def test_there_are_three_methods():
    with pytest.raises(ValueError, match="there are policy, near, dormant"):
        QuietSites("guess", None)


def test_a_change_is_held_against_the_test_that_met_it_and_no_later_one():
    """A directory that is tested no more must not make changes of others count again in every pass."""
    waiting = Retests("h.example", "h.example/gone", "dormant").tested(5 * WEEK)
    doubted = Retests("h.example", "h.example/old", "dormant").failed_by(5 * WEEK, "/old/2 had changed", 6 * WEEK)
    kept = doubted.tested(9 * WEEK)
    seen = (Noticed(3, f"{SITE}/old/2", 5 * WEEK + 5),)
    judged = site_pass("dormant", records=(waiting, kept), noticed=seen)
    assert judged.quiet.touched() == []


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_a_page_never_captured_is_asked_for_though_its_twin_under_http_was(method):
    known = known_site(method)
    twins = SiteKnowledge(
        pages=np.arange(1, 81),
        urls=[*known.urls, *(url.replace("http://", "https://") for url in known.urls)],
        visited=np.append(known.visited, np.zeros(40)),
        captured=np.arange(80) < 40,
        absent=np.zeros(80, dtype=np.bool_),
        rules=known.rules,
        state=known.state,
    )
    one = SitePass("h.example", method, twins, 10 * WEEK)
    refused = [page for page in range(1, 81) if one.refuses(task(page=page, hops=1))]
    assert refused
    assert max(refused) <= 20
    assert one.told(41) == ("", "")
    visit(one, 41)  # its first capture shows no change
    assert one.quiet.touched() == []
