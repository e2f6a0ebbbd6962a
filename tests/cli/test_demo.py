"""The command `demo`, in a quarter of a day of its site's time."""

import json

from journeys.command import strandline


def test_a_short_demonstration_tells_what_was_caught_and_leaves_a_sound_archive(tmp_path):
    folder = tmp_path / "demo"
    done = strandline("demo", "--archive", folder, "--days", "0.25", "--no-serve", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["ok"] and told["captures"] > 100
    assert 0.0 <= told["watch"]["completeness"] <= 1.0
    assert strandline("verify", folder, "--json").lines[0]["captures"] == told["captures"]
