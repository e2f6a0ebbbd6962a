"""What sitemaps and feeds say of pages is acted on as far as it was right before."""

import pytest

from strandline.plan.claims import GOOD, MOST_OPEN, Claims

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
