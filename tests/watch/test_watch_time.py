"""How the hours of watches run."""

import time

from strandline.archive.folder import create
from strandline.archive.wall_clock import SystemClock
from strandline.demo.clock import SiteClock
from strandline.learn.known_pages import HOUR
from strandline.store.watching import TimePiece
from strandline.watch.watch_time import ClockSteps, count_hours_from, time_of

NOW = 1_000_000.0


def test_hours_are_those_of_the_clock_until_others_are_asked_for(tmp_path):
    archive = create(tmp_path / "archive")
    with archive.writing("test") as catalog:
        assert time_of(catalog, 0.0, NOW) is None
        assert time_of(catalog, 5.0, NOW) == TimePiece(NOW, 0.0, 5.0)
        assert time_of(catalog, 0.0, NOW + 50.0) == TimePiece(NOW, 0.0, 5.0), "the archive remembers"
        assert time_of(catalog, 10.0, NOW + 50.0) == TimePiece(NOW + 50.0, 10.0, 10.0), "and goes on counting"


def test_a_watch_may_count_its_hours_from_a_moment(tmp_path):
    archive = create(tmp_path / "archive")
    count_hours_from(archive, NOW)
    with archive.writing("test") as catalog:
        assert time_of(catalog, 0.0, NOW + 7 * HOUR) == TimePiece(NOW, 0.0, HOUR)


class SetClock(SystemClock):
    """A clock on the wall that somebody sets."""

    beside = 0.0

    def now(self):
        return super().now() + self.beside


def test_what_was_spent_goes_on_to_count_when_the_clock_is_set_while_a_watch_runs(tmp_path):
    said = []
    with create(tmp_path / "archive").writing("test") as catalog:
        clock = SetClock()
        steps = ClockSteps(catalog, clock, said.append)
        catalog.watch.begun(1, clock.now(), 1.0)
        steps.look()
        assert not said
        for beside, words in ((7200.0, "forward by 7200 seconds"), (-600.0, "back by 7800 seconds")):
            clock.beside = beside
            steps.look()
            assert said.pop() == f"the clock was set {words}"
            [(when, _)] = catalog.watch.reading.spent_since(clock.now() - 60.0)
            assert abs(when - clock.now()) < 60.0


def test_also_over_a_new_start_but_not_of_another_machine(tmp_path):
    said = []
    with create(tmp_path / "archive").writing("test") as catalog:
        clock = SetClock()
        before = ClockSteps(catalog, clock, said.append)
        catalog.watch.begun(1, clock.now(), 1.0)
        catalog.watch.stands(0.0, clock.now(), "stopped", {"clock": before.mark})
        clock.beside = 86_400.0
        ClockSteps(catalog, clock, said.append)
        assert said == ["the clock was set forward by 86400 seconds"]
        assert len(catalog.watch.reading.spent_since(clock.now() - 60.0)) == 1
        other = before.mark._replace(boot="another")
        catalog.watch.stands(0.0, clock.now(), "stopped", {"clock": other})
        ClockSteps(catalog, clock, said.append)
        assert len(said) == 1, "what another machine's clock said tells nothing"


def test_a_site_with_a_time_of_its_own_sets_no_clock(tmp_path):
    said = []
    with create(tmp_path / "archive").writing("test") as catalog:
        clock = SiteClock(time.time())
        steps = ClockSteps(catalog, clock, said.append)
        clock.sleep(1000.0)
        steps.look()
        assert not said and steps.mark is None


def test_a_busy_machine_sets_no_clock(tmp_path, monkeypatch):
    said, ups = [], iter([10.0, 10.0, 11.0, 15.0, 16.0, 16.0])
    with create(tmp_path / "archive").writing("test") as catalog:
        monkeypatch.setattr("strandline.watch.watch_time._up", lambda: next(ups))
        clock = SetClock()
        monkeypatch.setattr(clock, "now", lambda: 1000.0)
        steps = ClockSteps(catalog, clock, said.append)
        monkeypatch.setattr(clock, "now", lambda: 1001.0)
        steps.look()  # four seconds between one clock and the other
        assert not said and steps.mark.up == 10.0
        monkeypatch.setattr(clock, "now", lambda: 1006.0)
        steps.look()
        assert not said and steps.mark.up == 16.0
