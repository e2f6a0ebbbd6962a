"""`strandline takedown` as a keeper uses it."""

import json

import pytest

from journeys.command import here, strandline
from web.archives import Builder

PAGE = "http://site.test/a/one.html"


@pytest.fixture
def folder(tmp_path):
    made = Builder(tmp_path)
    for hour in range(2):
        made.add(PAGE, f"at {hour}", when=f"2026-03-01T1{hour}:00:00Z")
    return made.archive().folder


def test_hide_list_and_lift(folder):
    assert "would be hidden: 2 captures of 1 address" in here("takedown", folder, PAGE, "--dry-run").stdout
    assert here("versions", folder, PAGE).stdout
    done = here("takedown", folder, PAGE, "--reason", "Request 17", "--by", "The keeper").stdout
    assert done.startswith(f"act 1: {PAGE} is hidden: 2 captures of 1 address")
    refused = strandline("versions", folder, PAGE)
    assert refused.code == 2
    assert "Request 17" in refused.err
    listed = here("takedown", folder, "--list").stdout
    assert PAGE in listed
    assert "The keeper: Request 17" in listed
    assert here("takedown", folder, "--lift", "1").stdout == f"act 1 is lifted: {PAGE} is shown again\n"
    assert here("takedown", folder, "--list").stdout == "nothing is taken down\n"
    history = json.loads(here("takedown", folder, "--history", "--json").stdout)
    assert [act["act"] for act in history["acts"]] == ["block", "lift"]
    assert len(history["last"]) == 64


def test_an_embargo_ends_by_its_date(folder):
    said = json.loads(here("takedown", folder, PAGE, "--reason", "x", "--until", "2100-01-01", "--json").stdout)
    assert (said["act"], said["captures"]) == (1, 2)
    over = strandline("takedown", folder, PAGE, "--reason", "x", "--until", "2001-01-01")
    assert (over.code, "is over" in over.err) == (2, True)


def test_wrong_use_is_told(folder):
    assert strandline("takedown", folder).code == 2
    assert strandline("takedown", folder, PAGE).code == 2
    assert strandline("takedown", folder, PAGE, "--list").code == 2
