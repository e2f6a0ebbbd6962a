"""Hours in which something is open are told from clocks, scores and pages, in the forms people write them in."""

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.core.changes.told.sentences import told
from strandline.core.changes.words.opening_hours import hours_of, other_hours
from strandline.core.changes.words.ticking import tick_form
from strandline.dom import html

HOURS = ["9:00–18:00", "9:00 - 18:00", "10 am to 2 pm", "10am-2pm", "9.00 bis 17.00 Uhr", "9 h à 18 h", "9h00–18h00",
         "09:30 till 12:00", "10:00 a 14:00", "9:00 tot 17:00"]  # fmt: skip
NO_HOURS = ["09:05", "Updated 10:15", "pages 9-18", "2:1", "2 - 1", "12.05.2026 - 14.05.2026", "2019-2026", "1.5 to 2"]


@pytest.mark.parametrize("text", HOURS)
def test_these_are(text):
    assert hours_of(f"Monday {text}") == [text]
    assert hours_of(f"We are open {text}, also in winter.") == [text]


@pytest.mark.parametrize("text", NO_HOURS)
def test_these_are_not(text):
    assert hours_of(text) == []


def page(monday):
    return html.blocks(
        f"<main><h1>Library</h1><dl><dt>Monday<dd>{monday}<dt>Tuesday<dd>9:00–18:00</dl></main>".encode()
    )


def test_other_hours_are_news_at_their_first_change_and_a_clock_is_not():
    delta = compare(page("9:00–18:00"), page("10:00–16:00"))
    found = importance(delta, NoiseState())
    assert found.value > 0.5
    assert told(delta, found).sentence == "Monday: “10:00–16:00” replaced “9:00–18:00”"
    clock = compare(page("9:00"), page("9:10"))
    assert importance(clock, NoiseState()).value < 0.01
    assert tick_form("Open 9:00–18:00", "Open 9:00–17:00") == "" and tick_form("9:00", "9:01") == "clock"
    assert not other_hours("Open 9:00–18:00, now 10:15", "Open 9:00–18:00, now 10:16")
