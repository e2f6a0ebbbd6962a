"""The world made of what an archive saw."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from strandline.core.keeping.collections import Members
from strandline.core.plan.budget import Allowance
from strandline.lab import own_history
from strandline.plan.wishes import Aim, Wishes


def archive_of(monkeypatch, seen, changed):
    """An archive of one page, seen at these hours of its watch."""
    count = len(seen)
    past = SimpleNamespace(
        row=np.zeros(count, dtype=np.int64),
        time=np.array(seen, dtype=float),
        changed=np.array(changed),
        last_change=np.full(count, np.nan),
        importance=np.full(count, 0.5),
    )
    planning = SimpleNamespace(
        past=past,
        pages=[SimpleNamespace(url="https://example.org/", shift=0.0)],
        facts=SimpleNamespace(weight=np.ones(1)),
        reading=SimpleNamespace(last_capture=lambda: (count, 0.0)),
        wishes=Wishes(Allowance(1.0, 1.0), aims=(Aim("all", "page", Members(["example.org"])),)),
    )
    monkeypatch.setattr(own_history, "Planning", lambda _archive, _now: planning)
    return SimpleNamespace(folder=Path("archive"))


def test_hours_are_those_of_the_watch_and_count_from_its_first_capture(monkeypatch):
    archive = archive_of(monkeypatch, [150.0, 152.0, 154.0, 160.0], [False, True, False, True])
    world = own_history.archive_world(archive)
    assert world.time.tolist() == pytest.approx([151.0, 157.0])
    assert world.scored_from == pytest.approx(150.0)
    assert world.periods == 158
    assert (world.aim.tolist(), world.aims) == ([0], ("page",)), "what counts in its collections counts there, too"


def test_a_first_capture_in_an_earlier_week_than_the_first_change_leaves_nothing_out(monkeypatch):
    archive = archive_of(monkeypatch, [10.0, 180.0, 190.0, 200.0], [False, False, True, True])
    world = own_history.archive_world(archive)
    assert world.time.tolist() == pytest.approx([17.0, 27.0])
    assert world.scored_from == 0.0
