"""Evidence that the parts of a page were live together."""

import pytest

from strandline.access.memento import closest
from strandline.access.together import most_coherent, together
from web.archives import Builder

PAGE = "http://site.test/"


def at(minute: int) -> str:
    return f"2026-03-01T{12 + minute // 60:02}:{minute % 60:02}:00Z"


@pytest.fixture
def holdings(tmp_path):
    made = Builder(tmp_path)
    body = "<img src=/steady.png><img src=/close.png><img src=/changing.png><img src=/never.png>"
    for minute in (60, 120, 180):
        made.add(PAGE, f"{body}<p>{minute}</p>", when=at(minute))
    made.add("http://site.test/steady.png", b"s", "image/png", when=at(0))
    made.add("http://site.test/steady.png", b"s", "image/png", when=at(240))
    made.add("http://site.test/close.png", b"c", "image/png", when=at(61))
    made.add("http://site.test/changing.png", b"1", "image/png", when=at(30))
    made.add("http://site.test/changing.png", b"2", "image/png", when=at(130))
    made.add("http://site.test/changing.png", b"2", "image/png", when=at(200))
    return made.holdings()


def test_each_part_by_its_evidence(holdings):
    found = together(holdings, closest(holdings.index, PAGE, 1_772_370_000.0), 86_400.0)
    assert dict(zip((part.url.rpartition("/")[2] for part in found.parts.parts), found.evidence, strict=True)) == {
        "steady.png": "certain",
        "close.png": "close",
        "changing.png": "open",
        "never.png": "missing",
    }
    assert (found.known, found.verdict) == (2, "patchwork")
    assert (found.first, found.last) == (1_772_366_400.0, 1_772_370_060.0)


def test_at_the_most_coherent_moment_most_parts_are_expected_to_fit(holdings):
    first = closest(holdings.index, PAGE, 1_772_370_000.0)
    # The changing picture is known to have changed between 12:30 and 14:10: at 14:00 what is shown of it is likelier.
    assert most_coherent(holdings, first, 3600.0).time == first.capture.time + 3600.0
    late = closest(holdings.index, PAGE, 1_772_377_200.0)
    assert late.capture.time - first.capture.time == 7200.0
    # At 15:00 the changing picture is certain, and the other, seen two hours before, hardly ever changes.
    assert most_coherent(holdings, late, 3600.0).time == late.capture.time


def test_a_picture_that_was_certain_wins_over_one_that_keeps_changing(tmp_path):
    made = Builder(tmp_path)
    for minute in (0, 60):
        made.add(PAGE, f"<img src=/a.png><p>{minute}</p>", when=at(minute))
    for minute, body in ((-30, b"1"), (20, b"2"), (50, b"3"), (70, b"3")):
        made.add("http://site.test/a.png", body, "image/png", when=at(minute))
    held = made.holdings()
    assert most_coherent(held, closest(held.index, PAGE, 1_772_366_400.0)).time == 1_772_370_000.0


def test_a_page_without_parts_stands_alone(tmp_path):
    made = Builder(tmp_path)
    made.add(PAGE, "<p>words</p>", when=at(0))
    held = made.holdings()
    found = together(held, closest(held.index, PAGE, None), 1.0)
    assert (found.verdict, found.evidence) == ("alone", ())
    assert most_coherent(held, closest(held.index, PAGE, None)).time == found.first
