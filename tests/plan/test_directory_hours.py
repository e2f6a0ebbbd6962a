"""Hours of directories are those the plan has of their pages, taken together."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from journeys.command import here
from made.random_history import Page, Story
from plan.test_coming_visits import told
from strandline.core.keeping.takedowns import Hidden
from strandline.core.urls import path_segments
from strandline.plan import directory_hours as module
from strandline.plan.directory_hours import directory_hours
from strandline.plan.planning import Planning

STORY = Story(
    tuple(Page(n % 2, n % 3, (1.0, 2.5, 6.0)[n % 3], n % 5, "seen", n % 2 == 0) for n in range(24)),
    60.2,
    "6/hour",
    True,
)


@pytest.fixture
def archive(tmp_path):
    return told(STORY, tmp_path / "archive")


@pytest.mark.parametrize("at_once", [10_000, 5])
def test_each_is_the_sum_of_its_pages(archive, monkeypatch, at_once):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    planning = Planning(archive, STORY.now)
    found = {(one.host, one.directory): one for one in directory_hours(planning)}
    learned, pages = planning.outlook.learned, planning.outlook.planner.pages
    believed = learned.learner.estimate(np.arange(len(learned)))
    members = {}
    for row, url in enumerate(pages.urls()):
        host, *inside, _ = path_segments(url)
        members.setdefault((host, ""), []).append(row)
        members.setdefault((host, "/".join(["", *inside, ""])), []).append(row)
    assert set(found) == {key for key, rows in members.items() if len(rows) > 1 or not key[1]}
    assert len({host for host, _ in found}) == 2 and any(directory for _, directory in found)
    for key, one in found.items():
        rows = members[key]
        hours = believed.rate[rows, :24].astype(float).sum(axis=0)
        assert one.hours == pytest.approx(hours / hours.sum()) and sum(one.hours) == pytest.approx(1.0)
        assert one.pages == len(rows) and one.visits == sum(learned.captures[rows]) > 0
        assert one.changes == sum(learned.found[rows])
        assert one.per_day == pytest.approx(24.0 * believed.mean_rate[rows].mean(), rel=1e-4)
        assert (one.said == "quiet") == (one.per_day <= module.QUIET) and len(one.bars) == 24
        data = one.as_data()
        assert data["hours"] == pytest.approx(list(one.hours), abs=1e-4) and json.dumps(data)


def test_of_one_site_and_without_what_is_taken_down(archive):
    planning = Planning(archive, STORY.now)
    every = directory_hours(planning)
    site = next(iter(planning.outlook.planner.pages.sites))
    some = directory_hours(planning, site)
    assert 0 < len(some) < len(every) and [one for one in every if one in some] == some

    class Everything(Hidden):
        def __bool__(self):
            return True

        def hides(self, key):
            return True

    assert module._summed(planning.outlook, "", Everything([], 0.0)).hosts() == {}


def test_days_that_were_not_watched_are_not_told_of():
    week = np.concatenate([np.tile(np.arange(24), 5), np.tile(np.arange(24, 48), 2)])

    def seen(first, last, shift=0):
        learned = SimpleNamespace(
            learner=SimpleNamespace(cycle=week), first=np.array([first, np.nan]), last=np.array([last, np.nan])
        )
        return module.days_seen(learned, np.array([0, 1]), shift)

    assert seen(3.2, 119.9) == [0] and seen(3.2, 120.0) == [0, 1] and seen(3.2, 119.9, 1) == [0, 1]
    assert seen(120.5, 160.0) == [1] and seen(120.5, 5000.0) == [0, 1]
    assert module.days_seen(SimpleNamespace(), np.array([], dtype=int), 0) == []


def test_as_a_command_tells_them(archive):
    lines = here("patterns", archive.folder, "--directories").output.splitlines()
    hosts = {one.host for one in directory_hours(Planning(archive, STORY.now))}
    assert lines[0].startswith("changes/day") and {line.split()[-1] for line in lines} >= hosts
    rows = json.loads(here("patterns", archive.folder, "--directories", "--json").output)
    assert {row["host"] for row in rows} == hosts and all(len(row["hours"]) == 24 for row in rows)
