"""The plan of a large archive is opened beside the crawl: the same plan, and nothing waits for it."""

import contextlib
import threading
import time
from types import SimpleNamespace

import pytest

from made.random_history import HOUR, Page, Story
from plan.test_coming_visits import Clock, told
from strandline.crawl.preparing import CrawlRequest, from_known_seeds, prepare_crawl
from strandline.plan.archive_plan import ArchivePlan
from strandline.plan.due import Due
from strandline.plan.hour_note import HourNote
from strandline.store.catalog import open_catalog
from strandline.watch import watch_plan
from strandline.watch.beside import Beside
from strandline.watch.watch_plan import WatchPlan

STORY = Story(
    tuple(Page(n % 2, n % 3, (1.0, 2.5, 6.0)[n % 3], n % 5, "seen", n % 2 == 0) for n in range(9)), 60.2, "6/hour", True
)


def wait_for(condition):
    end = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextlib.contextmanager
def planned(archive, **more):
    """The plan of a watch that is started, and its catalog."""
    watch_plan.warm_up()  # where no machine code fits, nothing would be planned before it is compiled
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        catalog.plan_visited()
        request = from_known_seeds(archive.settings, CrawlRequest(**more), catalog)
        plan = WatchPlan(prepare_crawl(archive.settings, request), None, catalog, STORY.now)
        with contextlib.closing(plan):
            yield plan, catalog


@pytest.fixture
def archive(tmp_path):
    return told(STORY, tmp_path / "archive")


@pytest.fixture
def large(monkeypatch):
    """Every archive is a large one. Its plan is opened when the gate is."""
    monkeypatch.setattr(watch_plan, "AT_ONCE", 0)
    gate, visits = threading.Event(), ArchivePlan.visits

    def slowly(self, hour, number, most):
        assert gate.wait(120.0)
        return visits(self, hour, number, most)

    monkeypatch.setattr(ArchivePlan, "visits", slowly)
    yield gate
    gate.set()


def test_work_is_done_and_what_went_wrong_is_told():
    done, said = threading.Event(), []
    work = Beside(done.wait)
    work.afterwards(lambda: said.append("done"))
    assert work.running and not said
    done.set()
    assert work.result() is True
    wait_for(lambda: said == ["done"])
    assert not work.running
    with pytest.raises(ZeroDivisionError):
        Beside(lambda: 1 // 0).result()


def test_a_plan_that_is_opened_beside_the_crawl_is_the_same(archive, large, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(watch_plan, "AT_ONCE", 1_000)
        large.set()
        with planned(archive) as (plan, _):
            hour = int(plan.hour(STORY.now))
            expected = plan.plan(hour, 6, 6.0)
            assert plan.pages == 9 and not plan.ready
        large.clear()
    with planned(archive) as (plan, catalog):
        catalog.note("plan-hour", [("", None)])
        assert plan.plan(hour, 6, 6.0) == [] and not plan.ready
        assert (plan.pages, plan.remark(), plan.longest_gap) == (0, "", None), "nothing is known yet"
        large.set()
        wait_for(lambda: plan.ready)
        assert plan.plan(hour, 6, 6.0) == expected
        assert plan.pages == 9 and not plan.ready


def test_with_a_clock_of_its_own_a_watch_waits_for_its_plan(archive, large):
    large.set()
    with planned(archive, clock=Clock(STORY.now)) as (plan, _):
        assert plan.plan(int(plan.hour(STORY.now)), 6, 6.0), "its hours may pass in no time"
        assert plan.pages == 9


def test_meanwhile_a_watch_goes_on_with_what_the_hour_has_left(archive, large):
    with planned(archive) as (plan, catalog):
        hour = int(plan.hour(STORY.now))
        begun = STORY.now // HOUR * HOUR
        note = HourNote()
        note.add(hour, [Due(page, STORY.url(page - 1), 0.0, "as before", begun + page) for page in (3, 1, 2)])
        catalog.note(*note.to_keep())
        catalog._connection.execute("UPDATE pages SET visited = ? WHERE page = 1", (begun + 1.0,))
        catalog._connection.execute("UPDATE pages SET visited = ? WHERE page > 1", (begun - 1.0,))
        assert [visit.page for visit in plan.plan(hour, 6, 6.0)] == [2, 3], "the first was visited in this hour"
        assert plan.plan(hour + 1, 6, 6.0) == [], "that of another hour says nothing"
        plan.touched([2])
        found = SimpleNamespace(url=STORY.url(4), lastmod=STORY.now - 60.0, due=STORY.now, via="feed")
        plan.told([found])
        large.set()
        wait_for(lambda: plan.ready)
        chosen = plan.plan(hour, 6, 6.0)
        assert chosen and 2 not in [visit.page for visit in chosen], "visited meanwhile"
        page = catalog.page(found.url).page
        assert plan._plan.opened.claims.told_of(page).time == found.lastmod, "heard meanwhile"


def test_what_goes_wrong_beside_the_crawl_ends_the_watch(archive, large, monkeypatch):
    def fails(*_):
        raise RuntimeError("damaged")

    monkeypatch.setattr(ArchivePlan, "visits", fails)
    with planned(archive) as (plan, _):
        assert plan.plan(1, 6, 6.0) == []
        wait_for(lambda: plan.ready)
        with pytest.raises(RuntimeError, match="damaged"):
            plan.plan(1, 6, 6.0)


def test_a_watch_that_ends_does_not_wait_for_its_plan(archive, large):
    with planned(archive) as (plan, _):
        plan.plan(1, 6, 6.0)
    assert plan._opening[1].running
    assert plan._reading.newest_page() == 9, "its catalog is open still"
    large.set()
    wait_for(lambda: not plan._opening[1].running)
