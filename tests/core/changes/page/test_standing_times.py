from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
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
