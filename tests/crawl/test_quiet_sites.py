"""Passes over a site that is known: what is left out, what is missed, and how a wrong rule is found and given up."""

import copy
import shutil
from contextlib import closing

import pytest

from crawl.scripted import SITE, Workshop, answer
from strandline.crawl.skipping import skips_of
from strandline.learn.learning import _keep, from_history
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
