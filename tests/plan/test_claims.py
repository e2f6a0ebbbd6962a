"""What sitemaps and feeds say of pages is acted on as far as it was right before."""

import json

import pytest

from strandline.plan.claims import GOOD, MOST_OPEN, Claims
from strandline.store.studies import Seen

SITE = "a.example"


def open_claims(claims):
    """Pages of which something is said that nobody looked into yet, and when they are said to have changed."""
    return [(page, time) for page, time, *_ in claims.as_data()["open"]]


def test_a_claim_is_open_until_its_page_is_visited():
    claims = Claims()
    claims.tell(1, 100.0)
    claims.tell(1, 90.0)
    claims.visited(1, SITE, 95.0, changed=True)
    assert open_claims(claims) == [(1, 100.0)], "visited before what is claimed"
    claims.visited(1, SITE, 101.0, changed=True)
    assert open_claims(claims) == []
    claims.visited(1, SITE, 102.0, changed=False)
    assert claims.trust(SITE) == pytest.approx(2 / 3), "only visits with an open claim count"


def test_what_was_said_of_a_time_to_come_is_taken_back_by_the_next_word():
    claims = Claims()
    claims.tell(1, 900.0, said=100.0)
    claims.tell(1, 150.0, said=200.0)
    assert open_claims(claims) == [(1, 150.0)]
    claims.tell(1, 140.0, said=210.0)
    assert open_claims(claims) == [(1, 150.0)], "another source, about an earlier change"


def test_a_date_of_today_that_is_tomorrow_in_utc_is_a_change_all_the_same():
    evening = 20 * 3600.0
    claims = Claims()
    claims.tell(1, 86_400.0, said=evening)
    claims.tell(2, 86_401.0, said=evening)
    claims.tell(3, 2 * 86_400.0, said=evening)
    assert dict(open_claims(claims)) == {1: evening, 2: 86_401.0, 3: 2 * 86_400.0}


def test_a_site_that_calls_everything_new_is_soon_not_believed():
    claims = Claims()
    assert claims.trust(SITE) == 0.5
    for moment in range(10):
        claims.tell(1, float(moment))
        claims.visited(1, SITE, moment + 0.5, changed=moment % 5 == 0)
    assert claims.trust(SITE) == pytest.approx(3 / 12)
    assert claims.trust("b.example") == 0.5 < GOOD


def test_several_changes_that_are_told_of_are_each_a_claim():
    claims = Claims()
    for time in (100.0, 110.0, 110.0, 105.0, 120.0):
        claims.tell(1, time)
    assert claims.told_of(1) == (120.0, 0, (3.0, 0.0)), "the same again, and what was before, is nothing new"
    claims.visited(1, SITE, 130.0, changed=False)
    assert claims.trust(SITE) == pytest.approx(1 / 5)
    claims.tell(1, 120.0, said=140.0, visited=130.0)
    assert open_claims(claims) == [], "said again of what was seen"


def test_where_pages_change_often_a_change_proves_little():
    claims = {often: Claims() for often in (0.0, 3.0)}
    for unsaid, one in claims.items():
        for moment in range(20):
            one.tell(1, float(moment))
            one.visited(1, SITE, moment + 0.5, changed=True, unsaid=unsaid)
    assert claims[0.0].trust(SITE) > 0.9 > 0.7 > claims[3.0].trust(SITE)


def test_silence_counts_for_pages_whose_last_change_was_told():
    claims = Claims()
    claims.visited(1, SITE, 10.0, changed=True)
    assert claims.of(SITE, 0) is None and not claims.listens_for(1)
    claims.tell(1, 20.0)
    claims.visited(1, SITE, 30.0, changed=True)
    claims.visited(1, SITE, 40.0, changed=False)
    recall = claims.of(SITE, 0).recall
    assert claims.listens_for(1) and recall == pytest.approx(1 / 2)
    claims.visited(1, SITE, 50.0, changed=True)
    assert not claims.listens_for(1) and claims.of(SITE, 0).recall < recall, "it was not told"
    claims.visited(1, SITE, 60.0, changed=True)
    assert claims.of(SITE, 0).recall == pytest.approx(1 / 3), "counted once"


def test_a_first_capture_proves_nothing_right_or_wrong():
    def seen(page, moment):
        return Seen(page, f"http://a.example/{page}", SITE, moment, 200, False, 0.0, 0.0, False, True)

    claims = Claims()
    claims.relive([seen(1, 120.0), seen(2, 120.0)], [(1, 90.0, 100.0, "feed"), (2, 130.0, 100.0, "feed")], 50.0)
    assert open_claims(claims) == [(2, 130.0)] and claims.of(SITE, 0) is None


def test_what_the_head_of_a_page_says_called_nobody():
    """`Last-Modified` is read with the page itself: neither right nor told in time, however true."""

    def seen(moment):
        return Seen(1, "http://a.example/1", SITE, moment, 200, True, 0.5, 0.5, False, False)

    claims = Claims()
    looks = [seen(100.0 * look) for look in range(1, 9)]
    claims.relive(looks, [(1, look.time - 10.0, look.time, "last-modified") for look in looks], 1_000.0)
    assert not claims and not claims.listens_for(1)
    claims.relive(looks, [(1, look.time - 10.0, look.time - 5.0, "sitemap") for look in looks], 1_000.0)
    assert claims.trust(SITE) > 0.8 and claims.listens_for(1) == {0}


def test_what_was_told_already_is_no_news_from_another_source():
    claims = Claims()
    claims.tell(1, 100.0, source="feed")
    claims.tell(1, 100.0, source="sitemap")
    assert claims.told_of(1) == (100.0, 1, (0.0, 1.0))
    claims.tell(1, 120.0, source="sitemap")
    assert claims.told_of(1) == (120.0, 0, (1.0, 1.0))
    claims.visited(1, SITE, 110.0, changed=True)
    assert claims.told_of(1) == (120.0, 0, (1.0, 0.0)), "what was said of times before is settled"


def test_silence_is_that_of_the_source_that_told():
    claims = Claims()
    for look in range(6):
        claims.tell(1, 100.0 * look, source="feed")
        claims.visited(1, SITE, 100.0 * look + 50.0, changed=True)
    assert claims.listens_for(1) == {1} and claims.of(SITE, 0) is None
    before = claims.of(SITE, 1).recall
    claims.tell(1, 700.0, source="sitemap")
    claims.visited(1, SITE, 750.0, changed=True)
    assert claims.of(SITE, 1).recall < before, "the feed said nothing"
    assert claims.listens_for(1) == {0}


def test_what_an_older_release_kept_is_understood():
    kept = {"open": [[3, 190.0, 2.0]], "listened": [3], "sites": {SITE: [5.0, 2.0, 1.0, 1.0]}, "read": {SITE: 180.0}}
    claims = Claims.from_data(kept)
    assert claims.told_of(3) == (190.0, 0, (2.0, 0.0)) and claims.take_news() == [3]
    assert claims.trust(SITE, "sitemap") == claims.trust(SITE, "feed") == pytest.approx(5 / 7)
    assert claims.listens_for(3) == {0, 1} and claims.read_last(SITE, 1) == 180.0


def test_claims_are_not_kept_without_end():
    claims = Claims()
    for page in range(MOST_OPEN + 5):
        claims.tell(page, 1.0)
    pages = [page for page, _ in open_claims(claims)]
    assert len(pages) == MOST_OPEN
    assert pages[0] == 5, "the oldest are forgotten"


def test_the_word_of_a_site_is_remembered_as_it_was_kept():
    def seen(page, moment, changed):
        return Seen(page, f"http://a.example/{page}", "a.example", moment, 200, changed, 0.5, 0.5, False, False)

    told = [(page, time, said, "feed") for page, time, said in
            ((1, 90.0, 100.0), (2, 95.0, 100.0), (3, 190.0, 200.0), (4, 1.0, 200.0))]  # fmt: skip
    claims = Claims()
    first = [seen(page, 40.0 + page, False) for page in (1, 2, 3)]
    claims.relive([*first, seen(1, 120.0, True), seen(2, 130.0, False), seen(3, 150.0, True)], told, 50.0)
    assert open_claims(claims) == [(3, 190.0)], "said after the visit; what is long past is of no interest"
    assert claims.trust("a.example") == pytest.approx(0.5)
    kept = Claims.from_data(json.loads(json.dumps(claims.as_data())))
    assert open_claims(kept) == [(3, 190.0)] and kept.of("a.example", 1) == claims.of("a.example", 1)
    assert kept.listens_for(1) and not kept.listens_for(2)
    assert kept.as_data() == claims.as_data()
