"""`strandline collections`, `collection` as a keeper uses them."""

import json

import pytest

from journeys.command import here, strandline
from web.archives import Builder


@pytest.fixture
def folder(tmp_path):
    made = Builder(tmp_path)
    for hour in range(2):
        made.add("http://site.test/a.html", f"at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    return made.archive().folder


def test_add_fill_describe_put_aside_and_remove(folder):
    assert here("collections", folder).stdout.startswith("no collections yet")
    said = here("collection", "add", folder, "votes", "title=Votes 2026", "subject=elections; towns").stdout
    assert said == "votes: added (0 sites, 0 pages)\n"
    assert "(1 site, 1 page)" in here("collection", "assign", folder, "votes", "site.test", "http://b.test/*").stdout
    here("collection", "describe", folder, "votes", "rights=CC BY 4.0", "weight=2", "budget=9/day")
    table = here("collections", folder).stdout
    assert "votes       active      1      1         1         2  2026-03-01  Votes 2026" in table
    shown = here("collection", "show", folder, "votes").stdout
    for line in (
        "votes: active",
        "subject: elections; towns",
        "weight: 2",
        "site site.test",
        "holds 2 captures of 1 address",
    ):
        assert line in shown
    assert here("collection", "aside", folder, "votes").stdout.startswith("votes: put aside")
    assert "put aside" in here("collection", "show", folder, "votes").stdout
    here("collection", "unassign", folder, "votes", "http://b.test/*")
    here("collection", "resume", folder, "votes")
    here("collection", "rename", folder, "votes", "votes-2026")
    told = json.loads(here("collection", "show", folder, "votes-2026", "--json").stdout)
    assert told == json.loads(here("collections", folder, "--json").stdout)
    assert (told["state"], told["pages"], told["captures"]) == ("active", [], 2)
    done = json.loads(here("collection", "remove", folder, "votes-2026", "--json").stdout)
    assert done == {"event": "removed", "collection": "votes-2026", "sites": ["site.test"], "pages": []}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "x"), "no collection 'x'"),
        (("add", "x", "title"), "write KEY=VALUE"),
        (("add", "x", "colour=red"), "cannot be said of a collection"),
        (("assign", "x", "a.test"), "no collection 'x'"),
    ],
)
def test_wrong_use_is_told(folder, words, said):
    done = strandline("collection", words[0], folder, *words[1:])
    assert done.code == 2 and said in done.err
