"""How long feeds and sitemaps ask to be left alone, and whether they are believed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.discovery.hints import BELIEVED, LONGEST, SiteHints, feed_period, max_age

HOUR = 3600.0


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("max-age=0", 0.0),
        ("MAX-AGE=60, must-revalidate", 60.0),
        ('private,max-age="120"', 120.0),
        ("max-age=10, max-age=20", 10.0),
        ("no-store, max-age=600", 0.0),
        ("proxy-max-age=5", 0.0),
        ("max-age=later", 0.0),
        ("max-age=" + "9" * 400, 999_999_999.0),
    ],
)
def test_how_long_an_answer_may_be_kept(written, seconds):
    assert max_age(written) == seconds


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        (("15", "daily", "2"), 900.0),
        (("0", "daily", "2"), 43_200.0),
        (("", "Weekly", ""), 604_800.0),
        (("", "hourly", "0"), 3600.0),
        (("an hour", "sometimes", "3"), 0.0),
        (("٣", "", ""), 0.0),
        (("9" * 40, "", ""), 0.0),
    ],
)
def test_how_often_a_feed_is_updated(said, seconds):
    assert feed_period(*said) == seconds


def live(changes_every, asks, hours=400, own=2.0):
    """A feed that changes every so many hours and says it does every so many; how often it is asked, and how late its
    changes are seen in the mean."""
    site, now, seen, looks, late = SiteHints(), 0.0, 0, 0, []
    while now < hours * HOUR:
        version = int(now // (changes_every * HOUR))
        late += [now / HOUR - changes_every * number for number in range(seen + 1, version + 1)]
        wait = site.looked("/feed", now, asks * HOUR, version != seen)
        seen, looks = version, looks + 1
        now += max(wait, own * HOUR)
    return looks, sum(late) / max(len(late), 1), site


def test_who_speaks_the_truth_is_asked_less_often_and_seen_nearly_as_soon():
    unasked, usual, _ = live(12.0, 0.0)
    looks, late, site = live(12.0, 12.0)
    assert looks < 0.5 * unasked
    assert late < usual + 12.0 and site.trust >= BELIEVED


def test_who_is_wrong_is_asked_as_if_nothing_were_said():
    unasked, usual, _ = live(3.0, 0.0)
    looks, late, site = live(3.0, 365 * 24.0)
    assert site.trust < BELIEVED
    assert looks > 0.8 * unasked and late < 1.5 * usual


def test_a_site_that_begins_to_be_wrong_is_found_out():
    site, now = SiteHints(), 0.0
    for _ in range(20):
        now += max(site.looked("/feed", now, 6 * HOUR, changed=False), HOUR)
    assert site.trust >= BELIEVED
    looks = 0
    while site.trust >= BELIEVED and looks < 100:
        now += max(site.looked("/feed", now, 6 * HOUR, changed=True), HOUR)
        looks += 1
    assert looks < 100


def test_nobody_is_left_alone_for_longer_than_a_day_or_without_a_word():
    site = SiteHints(watched=50.0)
    waits = [site.looked("/map", 600.0 * number, 1e9, changed=False) for number in range(6)]
    assert set(waits) == {LONGEST, 0.0} and waits[4] == 0.0, "every fifth look does not care"
    assert site.looked("/map", 9000.0, 0.0, changed=False) == LONGEST, "an answer 304 says nothing: as before"
    assert site.looked("/other", 0.0, 0.0, changed=False) == 0.0
    assert "/other" not in site.parts


def test_what_is_told_of_it():
    site = SiteHints()
    assert site.says("/feed") == ""
    site.looked("/feed", 0.0, 7200.0, changed=False)
    assert site.says("/feed").startswith("asks to be left alone for 2 hours; whether")
    site.looked("/feed", 720.0, 7200.0, changed=True)
    assert site.says("/feed").endswith("found 1 changes in 0.1 times as long on its site, so it is not followed")
    for number in range(1, 9):
        site.looked("/feed", 720.0 + 3600.0 * number, 7200.0, changed=False)
    assert site.says("/feed").endswith("so it is followed")


@given(st.lists(st.tuples(st.integers(0, 1200), st.floats(0, 1e6), st.floats(0, 1e7), st.booleans()), max_size=40))
def test_what_is_kept_is_what_was_known(looks):
    site = SiteHints()
    for number, time, asks, changed in sorted(looks, key=lambda one: one[1]):
        wait = site.looked(f"/{number}", time, asks, changed)
        assert 0.0 <= wait <= LONGEST and (asks or wait == 0.0 or f"/{number}" in site.parts)
    assert SiteHints.from_data(json.loads(json.dumps(site.as_data()))) == site
