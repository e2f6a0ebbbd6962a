"""Sitemaps and feeds whose word is good take a part of the requests together, however many they are."""

import pytest

from strandline.core.capture import Kind
from strandline.watch.parts_again import PartsAgain


def again(parts, page, kind=Kind.FEED, unchanged_for=0.0, tells=True, an_hour=60.0):
    return parts.hours(kind, page, unchanged_for=unchanged_for, tells=tells, an_hour=an_hour)


@pytest.mark.parametrize(("unchanged_for", "share"), [(0.0, 0.1), (5.0, 0.05)])
@pytest.mark.parametrize("feeds", [1, 30, 60])
def test_many_feeds_share_what_one_may_take(feeds, unchanged_for, share):
    parts = PartsAgain()
    for page in range(feeds):
        again(parts, page)
    requests = sum(1.0 / again(parts, page, unchanged_for=unchanged_for) for page in range(feeds))
    assert requests <= share * 60.0 + 1e-9, "an hour"
    assert feeds == 1 or requests == pytest.approx(share * 60.0), "all of it, where one is not asked every hour"


def test_what_tells_well_is_asked_sooner_than_what_only_changes_and_never_within_the_hour():
    parts = PartsAgain()
    assert again(parts, 1) == 1.0
    assert again(parts, 2, tells=False) == 2.0
    assert again(parts, 3, kind=Kind.SITEMAP, tells=False, unchanged_for=30.0) == 30.0
    assert again(parts, 3, kind=Kind.SITEMAP, tells=False, unchanged_for=300.0) == 96.0


def test_a_feed_that_is_believed_no_more_leaves_its_share_to_others():
    parts = PartsAgain()
    again(parts, 1, an_hour=5.0)
    assert again(parts, 2, an_hour=5.0) == 4.0
    again(parts, 1, tells=False, an_hour=5.0)
    assert again(parts, 2, an_hour=5.0) == 2.0


def test_scarce_requests_are_no_reason_to_ask_more_rarely_than_without_trust():
    parts = PartsAgain()
    assert again(parts, 1, an_hour=0.1) == 24.0
    assert again(parts, 1, an_hour=0.0) == 24.0
