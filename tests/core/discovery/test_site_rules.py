from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.discovery.site_rules import DAYS, ByHost, SiteRule, SiteRules, covers, is_open, windows_of

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def _clock(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}"


@given(
    st.sets(st.sampled_from(range(7)), min_size=1),
    st.integers(0, 1439),
    st.integers(0, 1440),
    st.integers(0, 7 * 1440 - 1),
)
def test_hours_are_those_a_person_reads(days, first, last, asked):
    if first == last:
        return
    windows = windows_of(f"{','.join(DAYS[day] for day in sorted(days))} {_clock(first)}-{_clock(last)}")
    day, minute = divmod(asked, 1440)
    ends_same_day = first < last
    slow = day in days and (first <= minute < last if ends_same_day else minute >= first)
    slow = slow or (not ends_same_day and (day - 1) % 7 in days and minute < last)
    assert is_open(windows, "UTC", (MONDAY + timedelta(minutes=asked)).timestamp()) == slow


def test_hours_are_those_of_the_zone():
    windows = windows_of("22:00-06:00")
    for hour, open_ in ((20, False), (21, True), (4, True), (5, False)):  # one hour behind Berlin in winter
        now = MONDAY.replace(hour=hour).timestamp()
        assert datetime.fromtimestamp(now, ZoneInfo("Europe/Berlin")).hour == (hour + 1) % 24
        assert is_open(windows, "Europe/Berlin", now) is open_


@pytest.mark.parametrize("text", ["", "9", "25:00-26:00", "08:00-08:00", "xyz 08:00-09:00", "08:61-09:00", "8-9"])
def test_what_are_no_hours_is_told(text):
    with pytest.raises(ValueError, match=r"hours|day"):
        windows_of(text)


def test_the_longest_name_wins():
    rules = [SiteRule("example.org", "paused"), SiteRule("news.example.org")]
    found = SiteRules(rules)
    assert found.why_not("www.example.org", 0.0) == "the site is paused"
    assert found.why_not("news.example.org", 0.0) == found.why_not("a.news.example.org", 0.0) == ""
    assert found.why_not("example.com", 0.0) == ""
    assert ByHost(rules).of("other.example") is None
    assert not covers("example.org", "notexample.org")
