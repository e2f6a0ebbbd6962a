"""What people say about changes: it holds on pages made alike, is scored by from then on, and can be taken back."""

import json

import pytest

import strandline
from journeys.command import here
from strandline.errors import UsageError
from strandline.study.rating import given_ratings, rate, taught, unrate

PAGES = ("https://paper.example/one", "https://paper.example/two")
HTML = """<html><body><main><h1>{title}</h1><p>{text}</p></main>
<div class="offers"><p>{offer}</p></div></body></html>"""
OFFERS = (
    "Buy two lamps and pay for one.",
    "Rent a boat in March.",
    "Free chairs for teachers.",
    "Cheap tickets to Oslo.",
)


def versions(folder, name, numbers):
    rows = [
        {
            "url": url,
            "time": 1.76e9 + 86_400 * n,
            "html": HTML.format(title="Tides", text="The tide comes twice a day.", offer=OFFERS[n]),
        }
        for url in PAGES
        for n in numbers
    ]
    (folder / name).write_text("\n".join(map(json.dumps, rows)))
    return folder / name


@pytest.fixture
def archive(tmp_path):
    made = strandline.create(tmp_path / "archive")
    made.bring_in(versions(tmp_path, "first.jsonl", (0, 1)))
    return made


def last(archive, url):
    return list(archive.studies.changes_of(url))[-1].importance


def test_a_rating_on_one_page_is_scored_by_on_the_other(archive, tmp_path):
    assert last(archive, PAGES[1]) > 0
    (path,) = rate(archive, PAGES[0], "noise")
    assert {one.reach for one in taught(archive, PAGES[1]).values()} == {"site"}
    archive.bring_in(versions(tmp_path, "second.jsonl", (2,)))
    assert last(archive, PAGES[0]) == last(archive, PAGES[1]) == 0
    assert unrate(archive, PAGES[0], path) == (path,)
    archive.bring_in(versions(tmp_path, "third.jsonl", (3,)))
    assert last(archive, PAGES[1]) > 0, "what was taken back no longer holds"
    assert given_ratings(archive) == []


def test_nothing_said_is_nothing_to_take_back(archive):
    with pytest.raises(UsageError, match="nothing was said"):
        unrate(archive, PAGES[0])


def test_the_command_lists_and_takes_back(archive):
    here("rate", archive.folder, PAGES[0], "matters")
    (said,) = map(json.loads, here("rate", archive.folder, "--json").stdout.splitlines())
    assert (said["url"], said["rating"], said["reach"]) == (PAGES[0], "matters", "page")
    (held,) = map(json.loads, here("rate", archive.folder, PAGES[1], "--json").stdout.splitlines())
    assert (held["url"], held["reach"]) == (PAGES[0], "site")
    here("rate", archive.folder, PAGES[0], "undo")
    assert here("rate", archive.folder).stdout == ""
