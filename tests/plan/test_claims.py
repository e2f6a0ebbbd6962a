"""What sitemaps and feeds say of pages is acted on as far as it was right before."""

import json

import pytest

from strandline.plan.claims import GOOD, MOST_OPEN, Claims
from strandline.store.studies import Seen

SITE = "a.example"


def test_a_claim_is_open_until_its_page_is_visited():
    claims = Claims()
    claims.tell(1, 100.0)
    claims.tell(1, 90.0)
    claims.visited(1, SITE, 95.0, changed=True)
    assert list(claims.open_pages()) == [(1, 100.0)], "visited before what is claimed"
    claims.visited(1, SITE, 101.0, changed=True)
    assert list(claims.open_pages()) == []
    claims.visited(1, SITE, 102.0, changed=False)
    assert claims.trust(SITE) == pytest.approx(2 / 3), "only visits with an open claim count"


def test_what_was_said_of_a_time_to_come_is_taken_back_by_the_next_word():
    claims = Claims()
    claims.tell(1, 900.0, said=100.0)
    claims.tell(1, 150.0, said=200.0)
    assert list(claims.open_pages()) == [(1, 150.0)]
    claims.tell(1, 140.0, said=210.0)
    assert list(claims.open_pages()) == [(1, 150.0)], "another source, about an earlier change"


def test_a_date_of_today_that_is_tomorrow_in_utc_is_a_change_all_the_same():
    evening = 20 * 3600.0
    claims = Claims()
    claims.tell(1, 86_400.0, said=evening)
    claims.tell(2, 86_401.0, said=evening)
    claims.tell(3, 2 * 86_400.0, said=evening)
    assert dict(claims.open_pages()) == {1: evening, 2: 86_401.0, 3: 2 * 86_400.0}


def test_a_site_that_calls_everything_new_is_soon_not_believed():
    claims = Claims()
    assert claims.trust(SITE) == 0.5
    for moment in range(10):
        claims.tell(1, float(moment))
        claims.visited(1, SITE, moment + 0.5, changed=moment % 5 == 0)
    assert claims.trust(SITE) == pytest.approx(3 / 12)
    assert claims.trust("b.example") == 0.5 < GOOD


def test_claims_are_not_kept_without_end():
    claims = Claims()
    for page in range(MOST_OPEN + 5):
        claims.tell(page, 1.0)
    pages = [page for page, _ in claims.open_pages()]
    assert len(pages) == MOST_OPEN
    assert pages[0] == 5, "the oldest are forgotten"


def test_the_word_of_a_site_is_remembered_as_it_was_kept():
    def seen(page, moment, changed):
        return Seen(page, f"http://a.example/{page}", "a.example", moment, 200, changed, 0.5, 0.5, False, False)

    told = [(1, 90.0, 100.0), (2, 95.0, 100.0), (3, 190.0, 200.0), (4, 1.0, 200.0)]
    claims = Claims()
    claims.relive([seen(1, 120.0, True), seen(2, 130.0, False), seen(3, 150.0, True)], told, 50.0)
    assert list(claims.open_pages()) == [(3, 190.0)], "said after the visit; what is long past is of no interest"
    assert claims.trust("a.example") == pytest.approx(0.5)
    kept = Claims.from_data(json.loads(json.dumps(claims.as_data())))
    assert list(kept.open_pages()) == [(3, 190.0)] and kept.trust("a.example") == claims.trust("a.example")
