"""`strandline schedule`, once."""

import json

from journeys.command import here, strandline
from strandline.python_archive import create_folder


def test_one_look_hands_over_a_plan(tmp_path):
    create_folder(tmp_path / "archive", contact="https://library.example/bot", seeds=("http://a.example/",))
    for name in ("plans", "results"):
        (tmp_path / name).mkdir()
    given = ("--crawler", "heritrix", "--plans", tmp_path / "plans", "--results", tmp_path / "results")
    done = json.loads(here("schedule", tmp_path / "archive", *given, "--once", "--json").stdout)
    assert (done["event"], done["visits"]) == ("fed", 1)
    assert (tmp_path / "plans" / done["plan"]).read_text() == "F+ http://a.example/\n"
    assert strandline("schedule", tmp_path / "archive", *given, "--every", "soon").code == 2
