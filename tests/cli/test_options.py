"""`--collection` and `--tag` of the commands that list."""

import json

import pytest

from cli.two_versions import URL, import_two_versions
from journeys.command import here, strandline


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = import_two_versions(tmp_path_factory.mktemp("narrow"), "archive")
    here("collection", "add", folder, "rules", "title=House rules")
    here("collection", "assign", folder, "rules", "library.org")
    here("collection", "add", folder, "nothing")
    here("tag", folder, URL, "prices", "--at", "20260302120000")
    return folder


@pytest.mark.parametrize("words", [("changes",), ("search", "card")])
def test_lists_are_narrowed(folder, words):
    name, *rest = words
    for narrow, found in (
        (("--collection", "rules"), True),
        (("--tag", "prices"), True),
        (("--collection", "nothing"), False),
        (("--tag", "colours"), False),
    ):
        lines = here(name, folder, *rest, *narrow, "--json").stdout.splitlines()
        assert bool(lines) == found, (words, narrow)
        assert {json.loads(line)["url"] for line in lines} <= {URL}


def test_feeds_and_quality_of_a_collection(folder):
    feed = json.loads(here("feed", folder, "--collection", "rules", "--min-importance", "0", "--json").stdout)
    assert feed["title"].startswith("House rules (") and len(feed["entries"]) == 1
    other = json.loads(here("feed", folder, "--tag", "colours", "--min-importance", "0", "--json").stdout)
    assert other["entries"] == [] and other["key"] != feed["key"]
    told = json.loads(here("quality", folder, "--collection", "rules", "--json").stdout)
    assert list(told) == ["rules"] and told["rules"]["pages"] == 1
    assert strandline("quality", folder, "--collection", "nothing").code == 2
    assert strandline("quality", folder, "--collection", "rules", "--site", "library.org").code == 2
    assert "no collection 'x'" in strandline("changes", folder, "--collection", "x").err
