"""Headlines of lists without their counters, on kinds of lists as they are found."""

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.page import own_order
from strandline.core.changes.score.importance import importance
from strandline.core.changes.told.sentences import told
from strandline.core.changes.words import bylines
from strandline.core.changes.words.bylines import without_byline
from strandline.core.changes.words.small_letters import like_digits
from strandline.dom.html import blocks

TITLE = "Storm breaks the harbour wall"


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE} 339 points 22 hours ago",
        f"{TITLE} 339 points by ann 22 hours ago | hide | 120 comments",
        f"{TITLE} – 12 replies, 1,204 views",
        f"{TITLE} · 5 min ago",
        f"{TITLE} vor 3 Stunden · 14 Kommentare",
        f"{TITLE} il y a 2 heures (31 commentaires)",
        f"{TITLE} (1.2k views) yesterday",
        TITLE,
    ],
)
def test_counters_and_ages_behind_a_headline_are_left_out(text):
    assert without_byline(text) == TITLE


@pytest.mark.parametrize(
    "text",
    [
        "Lawmakers need 300 votes for a bridge",
        "Film passes 3000 views on its first day",
        "Yesterday the council of the town voted for the new bridge over the river at last",
        "A town that was founded 300 years ago by monks celebrates its harbour with boats and fireworks",
    ],
)
def test_headlines_that_count_something_keep_it(text):
    assert without_byline(text) == text


@pytest.mark.parametrize("text", ["339 points 22 hours ago", "12 points by ann 3 hours ago | 45 comments"])
def test_a_byline_alone_is_no_headline(text):
    assert without_byline(text) == ""


def listed(*titles):
    entries = "".join(
        f"<li><a href='/{place}'>{title}</a> {300 - 7 * place} points {place + 2} hours ago | {place} comments</li>"
        for place, title in enumerate(titles)
    )
    return blocks(f"<html><body><main><ol>{entries}</ol></main>".encode())


def test_the_lead_of_a_list_is_told_without_its_counters():
    old = [f"Story of the {thing} told by the river" for thing in ["mill", "boat", "bridge", "tower", "ferry", "gate"]]
    delta = compare(listed(*old), listed(TITLE, *old))
    sentence = told(delta, importance(delta, NoiseState())).sentence
    assert TITLE in sentence
    assert "points" not in sentence
    assert "ago" not in sentence


def test_the_language_a_page_calls_itself_decides_by_which_rules_it_is_read():
    old, new = (blocks(f"<main><p>Le prix est de {price} EUR. No refunds.</p></main>".encode()) for price in (4, 5))
    for language in ("fr", "en", ""):
        delta = compare(old, new, language=language)
        assert delta.language == language
        assert importance(delta, NoiseState()).value > 0.5
    old, new = (blocks(f"<main><p>Habitación {word} desayuno</p></main>".encode()) for word in ("con", "sin"))
    spanish, english = (importance(compare(old, new, language=code), NoiseState()).value for code in ("es", "en"))
    assert spanish > 0.5 > english


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE} 339 points by ann 22 hours ago | hide | 120 comments", f"{TITLE} 14 Kommentare", "12 May 2026",
        "12 posts, joined 2019", "9 days ago", "Updated 12 May 2026", "38", "5 MB", "12 Mill Street", "Needs 300 votes",
    ],
)  # fmt: skip
def test_other_numbers_make_no_other_headline(text):
    """What is known of a text is known of all that differ in their digits only."""
    asked = bylines._head.__wrapped__, bylines._is_count.__wrapped__, own_order._names_something.__wrapped__
    for ask in asked:
        assert ask(like_digits(text)) == ask(text)
