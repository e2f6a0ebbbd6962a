"""How commands lay out what they say."""

import json
import sys

from strandline.cli.output import under
from strandline.cli.serving import tell_programs
from strandline.web.server import Addresses

TEXT = "pending change worth 0.4 against a price of 0.1; waiting gains nothing"


def test_a_long_answer_stays_beside_its_name_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    lines = under("  now     ", TEXT)
    assert lines[0].startswith("  now     pending")
    assert all(len(line) <= 40 for line in lines)
    assert all(line.startswith(" " * 10) for line in lines[1:])
    assert " ".join(line[10:] for line in lines) == TEXT


def test_a_program_reads_one_line(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert under("  now     ", TEXT) == ["  now     " + TEXT]


def test_programs_are_told_where_the_server_listens_and_people_the_token(capsys):
    tell_programs(Addresses("http://127.0.0.1:8080/", "http://127.0.0.1:8081/", "drawn-just-now"))
    told = capsys.readouterr()
    assert json.loads(told.out) == {
        "event": "ready",
        "interface": "http://127.0.0.1:8080/",
        "replay": "http://127.0.0.1:8081/",
    }
    assert "drawn-just-now" in told.err
