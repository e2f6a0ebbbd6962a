"""Passes over a site that is known: what is left out, what is missed, and how a wrong rule is found and given up."""

import copy
import shutil
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from crawl.scripted import SITE, Workshop, answer, task
from strandline.app.learning import _keep, from_history
from strandline.app.skipping import skips_of
from strandline.core.learn.site_state import Price, SiteState
from strandline.core.plan.retests import Retests
from strandline.crawl.learn_rules import RuleWish, learn_rules
from strandline.crawl.quiet_sites import Noticed, QuietPlan, QuietSites, QuietWatch, SiteLore, SitePass
from strandline.ports import Batch
from strandline.settings.schema import LearnSettings
from strandline.store.catalog import DATABASE
from strandline.store.learned import LearnedWriter
from strandline.store.skipping import SkipReading

WEEK = 7 * 86_400.0
NEWS = [f"/news/{n}.html" for n in range(8)]
DOCS = [f"/docs/{n}.html" for n in range(60)]
OLD = [f"/old/{n}.html" for n in range(40)]
HOME = ["/", "/news/", "/docs/", "/old/"]


class Site:
    """News change each week, documents and old pages do not, until they are told to."""

    def __init__(self):
        self.clock = None
        names = {"/": HOME[1:], "/news/": list(NEWS), "/docs/": DOCS, "/old/": OLD}
        self.versions = dict.fromkeys((*HOME, *NEWS, *DOCS, *OLD), 0)
        self.pages = {SITE + path: self._reply(path, names.get(path, [])) for path in self.versions}
        self.names = names

    def _reply(self, path, links):
        def reply(request):
            body = "".join(f'<a href="{link}">x</a>' for link in links) + f"{path} {self.versions[path]}"
            return answer(request, body.encode(), started=self.clock.time)

        return reply

    def add(self, path, hub):
        self.versions[path] = 0
        self.names[hub].append(path)
        self.pages[SITE + path] = self._reply(path, [])
        self.versions[hub] += 1

    def change(self, *paths):
        for path in paths:
            self.versions[path] += 1


class Years:
    """One archive, crawled every week."""

    def __init__(self, folder):
        self.folder = folder
        self.site = Site()
        self.week = 0

    def crawl(self, method="none", **orders):
        work = Workshop(self.folder, self.site.pages, later=self.week * WEEK, **orders)
        if method != "none":
            work.skips = skips_of(method, self.folder / DATABASE)
        self.site.clock = work.clock
        try:
            self.tally = work.run()
        finally:
            self.asked = [url.removeprefix(SITE) for url in work.web.asked]
            self.week += 1
        return self.asked

    def learn(self):
        with closing(LearnedWriter.open(self.folder / DATABASE)) as writer:
            settings = LearnSettings()
            _keep(writer, from_history(writer.reading, settings, ("rules",), lambda _: None), settings)

    def records(self, method):
        return {one.directory: one for one in SkipReading.open(self.folder / DATABASE).retests(method=method)}

    def detail(self, path):
        reading = SkipReading.open(self.folder / DATABASE)
        row = reading._row("SELECT outcome, detail FROM pages WHERE url = ?", SITE + path)
        return row


@pytest.fixture(scope="module")
def eight_weeks(tmp_path_factory):
    """Eight whole crawls; two of the news change each week, one document in the third."""
    archive = Years(tmp_path_factory.mktemp("weekly") / "archive")
    archive.folder.mkdir()
    for week in range(8):
        archive.site.change(NEWS[week % 8], NEWS[(week + 3) % 8], "/news/")
        if week == 3:
            archive.site.change(DOCS[5])
        archive.crawl()
    return archive


@pytest.fixture
def years(eight_weeks, tmp_path):
    """The same, to go on with."""
    archive = Years(tmp_path / "archive")
    shutil.copytree(eight_weeks.folder, archive.folder)
    archive.site.versions = copy.deepcopy(eight_weeks.site.versions)
    archive.week = eight_weeks.week
    return archive


def all_pages(asked):
    return [path for path in asked if path != "/robots.txt"]


def test_without_knowledge_nothing_is_skipped(years):
    for method in ("policy", "near", "dormant"):
        assert len(all_pages(years.crawl(method))) == 112


@pytest.mark.parametrize("method", ["policy", "near", "dormant"])
def test_a_known_site_costs_far_fewer_requests_and_little_is_missed(years, method):
    years.learn()
    years.site.change(NEWS[1], NEWS[4], "/news/")
    years.site.add("/news/new.html", "/news/")
    asked = years.crawl(method)
    assert len(asked) < 80
    assert {NEWS[1], NEWS[4], "/news/", "/news/new.html"} <= set(asked)
    assert years.tally.skipped == years.tally.refusals["quiet directory"] > 30
    assert years.tally.ended == "complete"
    skipped = next(path for path in OLD if path not in asked)
    outcome, detail = years.detail(skipped)
    assert outcome == "skipped"
    assert detail.startswith("quiet directory h.example/old: ")


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_a_directory_that_wakes_up_is_found_by_samples_given_up_and_crawled(years, method):
    years.learn()
    years.crawl(method)
    record = years.records(method)["h.example/old"]
    assert (record.tests, record.failures, record.in_force) == (1, 0, True)
    for _ in range(4):
        years.site.change(*OLD, "/old/")
        asked = years.crawl(method)
        if set(OLD) <= set(asked):
            break
    else:
        pytest.fail("the directory was never crawled")
    record = years.records(method)["h.example/old"]
    assert record.failures > 0
    if method == "dormant":
        assert not record.in_force
        assert "had changed" in record.why
        assert "re-tests failed" in record.why


def test_rules_learned_again_after_a_retirement_start_afresh(years):
    years.learn()
    for _ in range(4):
        years.site.change(*OLD)
        years.crawl("dormant")
    assert not years.records("dormant")["h.example/old"].in_force
    years.learn()
    assert "h.example/old" not in years.records("dormant")
    years.site.change(OLD[3])
    assert OLD[3] in years.crawl("dormant")


def test_a_pass_that_was_stopped_goes_on_with_the_same_samples(years):
    years.learn()
    work = Workshop(years.folder, years.site.pages, later=years.week * WEEK, commit_captures=1)
    work.skips = skips_of("dormant", years.folder / DATABASE)
    years.site.clock = work.clock
    stopped = []

    def stop_soon(crawl):
        captured = work._report

        def report(capture):
            captured(capture)
            stopped.append(capture)
            if len(stopped) == 40:
                raise KeyboardInterrupt

        crawl._reporter = type(crawl._reporter)(report, lambda tally: None)

    with pytest.raises(KeyboardInterrupt):
        work.run(stop_soon)
    first = [url.removeprefix(SITE) for url in work.web.asked]
    second = years.crawl("dormant")
    sampled = [path for path in (*first, *second) if path in OLD]
    assert len(set(sampled)) <= 3
    assert years.records("dormant")["h.example/old"].tests == 1


def test_a_site_that_never_changes_is_left_out_but_for_samples_or_not_at_all(tmp_path):
    archive = Years(tmp_path)
    for _ in range(6):
        archive.crawl()
    archive.learn()
    assert len(all_pages(archive.crawl("dormant"))) < 15
    # Without a single change there is nothing to fit a price on.
    assert len(all_pages(archive.crawl("policy"))) == 112


def known_lore(_method, restless=(), **about):
    """A site of two directories with twenty pages each, learned from ten whole versions, a week ago."""
    urls = [f"{SITE}/{name}/{n}" for name in ("old", "busy") for n in range(20)]
    pages = np.arange(1, 41)
    state = SiteState(
        period=WEEK,
        whole=10,
        pages=pages,
        changes=np.where(pages > 20, 9.0, 0.0),
        weeks=np.full(40, 10.0),
        restless=np.isin(pages, restless),
        price=Price(0.3, 0.5, 0.95, 6),
    )
    rules = replace(learn_rules("h.example", [], RuleWish()).learned, versions=10, dormant=("h.example/old",))
    nothing = np.zeros(40, dtype=np.bool_)
    return SiteLore(pages, urls, np.full(40, 9 * WEEK), ~nothing, nothing, rules, state, **about)


def lore(method, restless=(), **about):
    return SitePass("h.example", method, known_lore(method, restless, **about), 10 * WEEK)


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
    one = lore(method, records=(doubted,))
    refused = [page for page in range(1, 41) if one.refuses(task(page=page, hops=1))]
    assert len(refused) == (17 if method == "policy" else 19)  # a tenth of the requests go to the oldest
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
    one = lore(method, restless=range(1, 21))
    visit(one, 3)
    assert record(one) == (1, 0, True)
    doubted = Retests("h.example", "h.example/old", method).failed_by(8 * WEEK, "a page had changed", 8 * WEEK)
    kept = doubted.tested(9 * WEEK)
    seen = (Noticed(3, f"{SITE}/old/2", 9 * WEEK + 5),)
    judged = lore(method, restless=range(1, 21), records=(kept,), noticed=seen)
    assert record(judged) == (2, 2, False)


def test_new_pages_where_nothing_is_expected_raise_the_chances_around_them():
    one = lore("policy")
    before = one.quiet.refuses(0)
    assert before
    for _ in range(3):
        visit(one, 99)
    one.quiet.settle(idle=True)
    assert one.quiet.refuses(0) != before


@pytest.mark.parametrize("method", ["policy", "near", "dormant"])
def test_too_little_knowledge_skips_nothing(method):
    nothing = SiteLore(np.arange(1), [f"{SITE}/a"], np.zeros(1), np.ones(1, np.bool_), np.zeros(1, np.bool_))
    one = SitePass("h.example", method, nothing, 1.0)
    assert one.refuses(task(page=0, hops=1)) == ""


class Shelf:
    """A library of one site; remembers for which times it was asked."""

    def __init__(self):
        self.asked = []

    def site(self, name, method, pass_start):
        self.asked.append(pass_start)
        return known_lore(method) if name == "h.example" else None


def test_a_plan_leaves_out_what_is_quiet_and_tests_other_pages_in_other_periods():
    shelf = Shelf()
    plan = QuietPlan("dormant", shelf, WEEK)
    answers = [plan.ask("h.example", page, 10.5 * WEEK) for page in range(1, 41)]
    left_out = [page for page, (quiet, _) in enumerate(answers, 1) if quiet.startswith("quiet directory h.example/old")]
    tests = [page for page, (_, directory) in enumerate(answers, 1) if directory == "h.example/old"]
    assert len(left_out) == 19
    assert len(tests) == 1
    assert plan.ask("other.example", 1, 10.6 * WEEK) == ("", "")
    assert not plan.renew(10.9 * WEEK)
    assert plan.renew(11.0 * WEEK)
    assert shelf.asked == [10 * WEEK, 10 * WEEK]


@pytest.mark.parametrize("visited", [9.05, 9.5, 9.95])
@pytest.mark.parametrize("moment", [10.0, 10.5, 10.99])
def test_whenever_a_busy_page_was_visited_in_the_last_period_it_is_planned_in_this_one(visited, moment):
    class Recent:
        def site(self, name, method, pass_start):
            return replace(known_lore(method), visited=np.full(40, visited * WEEK))

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
    judged = lore("dormant", records=(waiting, kept), noticed=seen)
    assert judged.quiet.touched() == []


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_a_page_never_captured_is_asked_for_though_its_twin_under_http_was(method):
    known = known_lore(method)
    twins = SiteLore(
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


@pytest.mark.parametrize("method", ["policy", "dormant"])
def test_a_page_new_in_a_pass_that_was_stopped_is_no_change_when_it_goes_on(years, method):
    years.learn()
    for name in ("a", "b", "c", "d"):
        years.site.add(f"/old/new-{name}", "/news/")
    work = Workshop(years.folder, years.site.pages, later=years.week * WEEK, commit_captures=1)
    work.skips = skips_of(method, years.folder / DATABASE)
    years.site.clock = work.clock

    def stop_soon(crawl):
        captured = work._report

        def report(capture):
            captured(capture)
            if "/old/new-" in capture.url:
                raise KeyboardInterrupt

        crawl._reporter = type(crawl._reporter)(report, lambda tally: None)

    with pytest.raises(KeyboardInterrupt):
        work.run(stop_soon)
    assert any("/old/new-" in path for path in years.crawl(method))
    record = years.records(method)["h.example/old"]
    assert (record.tests, record.failures) == (1, 0)


def test_a_crawl_whose_clock_was_ahead_takes_nothing_from_those_that_follow(years):
    years.week = 60
    assert len(all_pages(years.crawl())) == 112
    years.week = 9
    assert len(all_pages(years.crawl())) == 112
    years.learn()
    assert 10 < len(all_pages(years.crawl("dormant"))) < 80
    assert all(one.in_force for one in years.records("dormant").values())
