"""Questions about an archive count in the hours its watch lived by."""

from contextlib import closing

import pytest

from strandline.archive.folder import create
from strandline.errors import UsageError
from strandline.plan.planning import Planning
from strandline.store.catalog import open_catalog
from strandline.store.watching import TimePiece

START = 1_790_000_000.0


def test_without_a_watch_hours_are_those_of_the_clock(tmp_path):
    planning = Planning(create(tmp_path / "a"), START)
    assert planning.hour_seconds == 3600
    assert planning.hours.at(START + 3600) - planning.hours.at(START) == 1


def test_hours_of_the_last_watch(tmp_path):
    archive = create(tmp_path / "a")
    with closing(open_catalog(tmp_path / "a")) as catalog:
        catalog.watch.set_time(TimePiece(START - 1000, 0.0, 3600.0))
        catalog.watch.set_time(TimePiece(START, 30.0, 2.0))
    planning = Planning(archive, START + 20)
    assert planning.hour_seconds == 2
    assert planning.hours.at(START) == 30
    assert planning.hours.at(START + 20) == 40


def test_other_hours_can_be_asked_for(tmp_path):
    archive = create(tmp_path / "a")
    with closing(open_catalog(tmp_path / "a")) as catalog:
        catalog.watch.set_time(TimePiece(START, 30.0, 2.0))
    assert Planning(archive, START, hour_seconds=10.0).hour_seconds == 10
    with pytest.raises(UsageError, match="3600"):
        Planning(archive, START, hour_seconds=-1)


def test_a_running_watch_is_asked_with_what_it_was_given(tmp_path):
    archive = create(tmp_path / "a")
    given = {"budget": "40/hour", "strategy": "round-robin", "objective": "page", "planned": 3}
    with closing(open_catalog(tmp_path / "a")) as catalog:
        catalog.watch.stands(START, START + 10, "", given)
    plan = Planning(archive, START + 20).settings.plan
    assert (plan.budget, plan.strategy, plan.objective) == ("40/hour", "round-robin", "page")
    assert Planning(archive, START + 20, archive.settings.plan).settings.plan.budget == "500/day", "asked for"
    assert Planning(archive, START + 9_000).settings.plan.budget == "500/day", "it is not heard of any more"
    with closing(open_catalog(tmp_path / "a")) as catalog:
        catalog.watch.stands(START, START + 30, "ended", given)
    assert Planning(archive, START + 40).settings.plan.budget == "500/day"
