"""`strandline tag` and `strandline note` as people use them."""

import json

import pytest

from journeys.command import here, strandline
from web.archives import Builder

URL = "http://site.test/a.html"


@pytest.fixture
def folder(tmp_path):
    made = Builder(tmp_path)
    for hour in range(2):
        made.add(URL, f"at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    return made.archive().folder


def test_tags_and_notes_are_written_listed_and_taken_back(folder):
    assert here("tag", folder).stdout == "no tags\n"
    here("tag", folder, URL, "prices", "--by", "A. Keeper")
    here("tag", folder, URL, "prices", "--at", "20260301110000")
    assert here("tag", folder, "--all").stdout == "     2 prices\n"
    assert json.loads(here("tag", folder, "--all", "--json").stdout) == {"tag": "prices", "count": 2}
    told = [json.loads(line) for line in here("tag", folder, URL, "--json").stdout.splitlines()]
    assert [(one["text"], one["capture"], one["author"]) for one in told] == [
        ("prices", "2026-03-01T11:00:00.000Z", ""),
        ("prices", None, "A. Keeper"),
    ]
    note = json.loads(here("note", folder, URL, "why\nit \x1b[31mmatters", "--json").stdout)
    assert note["text"] == "why\nit [31mmatters"
    listed = here("note", folder).stdout
    assert note["key"] in listed and "    why\n    it " in listed
    assert here("note", folder, "--remove", note["key"]).stdout.startswith("removed: note")
    assert here("note", folder, URL).stdout == "no notes\n"
    assert here("tag", folder, URL, "prices", "--remove").stdout == f"{URL}: not prices\n"
    assert here("tag", folder, "--all").stdout == "     1 prices\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tag", "http://site.test/x", "y"), "nothing was captured"),
        (("tag", URL, "--remove"), "name the page and the tag"),
        (("note", URL, "x" * 10_001), "at most 10000"),
        (("note", "--remove", "7"), "no tag or note"),
    ],
)
def test_wrong_use_is_told(folder, words, said):
    done = strandline(words[0], folder, *words[1:])
    assert done.code == 2 and said in done.err
