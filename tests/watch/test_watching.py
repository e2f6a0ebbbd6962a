"""When a watch ends by itself, what it takes of settings that changed while it started, and what it forgets."""

from dataclasses import replace
from types import SimpleNamespace

from strandline.archive.folder import create
from strandline.archive.wall_clock import SystemClock
from strandline.crawl.orders import Limits
from strandline.settings.schema import Settings
from strandline.watch.hour_figures import HourFigures
from strandline.watch.watch_plan import WatchPlan
from strandline.watch.watching import Hooks, Watch, WatchRequest

SETTINGS = replace(
    Settings(),
    scope=replace(Settings().scope, seeds=("http://127.0.0.1:9/",)),
    fetch=replace(Settings().fetch, allow_address=("127.0.0.1/32",)),
)
OTHER = replace(SETTINGS, plan=replace(SETTINGS.plan, budget="7/hour"))


def test_the_earlier_of_two_ends_counts():
    both = WatchRequest(hours=2.0, limits=Limits(captures=7, seconds=60.0, octets=9))
    assert both.until(3600.0) == Limits(7, 60.0, 9)
    assert both.until(5.0) == Limits(7, 10.0, 9), "two hours of five seconds"


def test_one_end_or_none():
    assert WatchRequest(hours=2.0).until(3600.0) == Limits(seconds=7200.0)
    assert WatchRequest(limits=Limits(seconds=60.0)).until(3600.0) == Limits(seconds=60.0)
    assert WatchRequest().until(3600.0) == Limits()


def test_settings_that_changed_while_a_watch_started_are_taken(tmp_path):
    for file, told in ((SETTINGS, []), (OTHER, ["settings taken anew: plan.budget"])):
        said = []
        with create(tmp_path / f"archive-{len(told)}").writing("watch") as catalog:
            hooks = Hooks(said=said.append, settings=lambda file=file: file)
            watch = Watch(catalog.path.parent, SETTINGS, WatchRequest(hooks=hooks), catalog)
            for _ in range(2):
                watch._step()
            assert said == told, "read once more, and told only what is new"
            assert watch.document()["budget"] == file.plan.budget


def test_what_counts_no_more_is_forgotten_while_a_watch_runs(tmp_path):
    with create(tmp_path / "archive").writing("watch") as catalog:
        watch = Watch(catalog.path.parent, SETTINGS, WatchRequest(), catalog)
        now = watch._clock.now()
        catalog.watch.begun(1, now - 25 * 3600.0, 1.0)
        catalog.watch.begun(2, now - 23 * 3600.0, 1.0)
        watch._hour_ended(HourFigures(7, now, 500.0))
        assert len(catalog.watch.reading.spent_since(0.0)) == 1


class SetClock(SystemClock):
    """A clock that somebody sets, and a minute that passes."""

    beside = later = 0.0

    def now(self):
        return super().now() + self.beside + self.later

    def monotonic(self):
        return super().monotonic() + self.later


def test_what_was_spent_in_a_day_is_told_anew_each_minute_also_when_the_clock_is_set_back(tmp_path):
    with create(tmp_path / "archive").writing("watch") as catalog:
        clock = SetClock()
        watch = Watch(catalog.path.parent, SETTINGS, WatchRequest(clock=clock), catalog)
        assert watch.document()["spent_day"] == 0.0
        clock.beside, clock.later = -7200.0, 61.0
        catalog.watch.begun(1, clock.now(), 1.0)
        assert watch.document()["spent_day"] == 1.0


def test_a_site_that_is_away_does_not_make_the_budget_too_large():
    """Its pages wait, so politeness allowed no request at all: the alarm on the budget opened in every outage."""
    plan, allowed = WatchPlan.__new__(WatchPlan), iter([40.0, 0.0, 10.0])
    planner = SimpleNamespace(pages=["a page"], visits_per_hour=lambda: 25.0, most_per_hour=0.0)
    plan._opening, plan._plan = None, SimpleNamespace(opened=SimpleNamespace(planner=planner))
    plan._prepared = SimpleNamespace(settings=SimpleNamespace(plan=SimpleNamespace(budget="25/hour")))
    plan._note, plan._most = SimpleNamespace(hour=0), {}
    assert plan.remark() == "", "nothing may be asked for: that is no matter of budgets"
    for plan._note.hour in (1, 2, 3):
        planner.most_per_hour = next(allowed)
        assert plan.remark() == ""
    plan._note.hour = 26
    assert "25/hour is more than politeness allows" in plan.remark(), "for a day by now"
