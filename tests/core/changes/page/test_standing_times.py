from itertools import pairwise

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance, study
from strandline.dom.html import blocks

CAPTURED = (1_772_435_000.0, 1_772_530_000.0)  # at the beginning of March 2026
PAGE = "<main><h1>Midwife</h1><dl><dt>Pay<dd>good<dt>{}<dd>{}</dl><p>We are a small team in the hills.</p></main>"


def worth(label, before, after, moments=CAPTURED):
    old, new = (blocks(PAGE.format(label, date).encode()) for date in (before, after))
    return importance(compare(old, new, moments=moments), NoiseState()).value


def test_a_date_to_come_is_no_date_of_the_page_itself():
    assert worth("Apply by", "30 April 2026", "31 May 2026") >= 0.5


def test_today_and_what_is_past_may_be():
    assert worth("Page made", "2 March 2026", "3 March 2026") < 0.015
    assert worth("Seen", "2 January 2026", "3 January 2026") < 0.015


def test_when_versions_were_captured_need_not_be_known():
    assert worth("Apply by", "30 April 2026", "31 May 2026", None) < 0.5


EVENT = (
    "<main><h1>Night of songs</h1><div>{}</div><p>Six choirs sing until the morning. {} people like this.</p></main>"
)


def moved(before, after, still):
    noise = NoiseState()
    trees = [
        blocks(EVENT.format(*shown).encode()) for shown in [*((before, 40 + n) for n in range(still + 1)), (after, 99)]
    ]
    return [study(compare(*pair, moments=CAPTURED), noise).value for pair in pairwise(trees)][-1]


def test_another_time_of_an_event_counts_once_it_stood_still():
    assert moved("20:00", "19:30", 1) > 0.5
    assert moved("20:00 Uhr", "19:30 Uhr", 9) > 0.5


def test_a_clock_does_not_and_neither_does_what_was_never_seen_to_stand():
    assert moved("20:01", "21:07", 9) < 0.015
    assert moved("Updated 20:00", "Updated 21:30", 9) < 0.015
    assert moved("20:00", "19:30", 0) < 0.015
