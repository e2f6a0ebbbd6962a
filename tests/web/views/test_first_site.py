"""What is proposed for what was found, and the first comparison as it is shown."""

import dataclasses

import pytest

from strandline.settings.file import with_overrides
from strandline.settings.schema import Settings
from strandline.study.comparing import compare
from strandline.study.surveying import RobotsFound, Survey
from strandline.web.views.first_site import choices_of, preview_of

SEEN = Survey("http://site.test/", 100.0, RobotsFound("robots.txt", True), 200)


def _found(**pages):
    return dataclasses.replace(SEEN, pages=pages)


@pytest.mark.parametrize(
    ("pages", "scopes"),
    [
        ({"page": 1, "prefix": 1, "host": 1, "domain": 1}, ["page", "host"]),
        ({"page": 1, "prefix": 9, "host": 9, "domain": 9}, ["page", "host"]),
        ({"page": 1, "prefix": 4, "host": 9, "domain": 9}, ["page", "prefix", "host"]),
        ({"page": 1, "prefix": 4, "host": 9, "domain": 12}, ["page", "prefix", "host", "domain"]),
        ({}, ["page", "host"]),
    ],
)
def test_only_scopes_that_differ_are_offered(pages, scopes):
    made = choices_of(_found(**pages), Settings(), chromium=True)
    assert [reach for reach, _ in made.scopes] == scopes
    assert made.scope == "host"


def test_the_pace_sees_every_page_once_a_day_within_bounds():
    paces = [choices_of(_found(host=count), Settings(), chromium=True).pace for count in (1, 24 * 100, 10**7)]
    assert paces == [60, 100, 1200]


def test_a_browser_is_proposed_where_it_seems_needed_and_there_is_one():
    shell, always = dataclasses.replace(SEEN, browser="yes"), with_overrides(Settings(), ["capture.browser=always"])
    assert choices_of(SEEN, Settings(), chromium=True).browser == "never"
    assert choices_of(shell, Settings(), chromium=True).browser == "auto"
    assert choices_of(shell, Settings(), chromium=False).browser == "never"
    assert choices_of(shell, always, chromium=True).browser == "always"


def test_what_differs_comes_first_by_importance_and_the_rest_is_counted():
    old = "<main><h1>Harbour</h1><p>Seven boats left before the storm came in.</p></main><footer>Imprint</footer>"
    made = preview_of(compare(old, old.replace("Seven", "Nine")), 130.0, SEEN)
    assert (made.between, made.state, len(made.blocks)) == (30.0, "changed", 1)
    assert [(piece.mark, piece.text.strip()) for piece in made.blocks[0].pieces if piece.mark != "same"] == [
        ("gone", "Seven"),
        ("new", "Nine"),
    ]
    same = preview_of(compare(old, old), 130.0, SEEN)
    assert (same.state, same.blocks, same.sentence) == ("same", [], "") and same.same > 0
