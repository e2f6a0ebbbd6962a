import datetime as dt
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history.calendar import DAY, Cycle, LocalCalendar, Periods, public_holidays
from strandline.core.history.zones import ZONE_OF_COUNTRY, guess_zone

# Zones with odd clocks: half-hour summer time, midnight changes, a lost day, no changes at all.
ZONES = ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana",
         "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca"]  # fmt: skip
COUNTS = [1, 2, 5, 7, 24, 48]


def epoch(*date: int, zone: str = "UTC") -> float:
    return dt.datetime(*date, tzinfo=ZoneInfo(zone)).timestamp()


def minute_by_minute(zone: str, since: int, minutes: int, count: int) -> np.ndarray:
    """Slow reference: every minute is looked up on the wall clock of the zone."""
    seen = np.zeros((4, count))
    for i in range(minutes):
        at = dt.datetime.fromtimestamp(since + 60 * i, ZoneInfo(zone))
        kind = {5: 1, 6: 2}.get(at.weekday(), 0)
        seen[kind, (at.hour * 60 + at.minute) * count // 1440] += count / 1440
    return seen


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(ZONES), st.sampled_from([1, 2, 6, 24, 48]), st.integers(0, 400), st.integers(0, 4000))
def test_observed_time_equals_a_walk_along_the_wall_clock(zone, count, days, minutes):
    since = int(epoch(2011, 1, 1)) + days * DAY
    ours = LocalCalendar(Periods(zone, count=count)).observed(since, since + 60 * minutes)
    np.testing.assert_allclose(ours, minute_by_minute(zone, since, minutes, count), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ZONES), st.sampled_from(list(Cycle)), st.sampled_from(COUNTS), st.integers(0, 10**9),
    st.floats(0, 10**8),
)  # fmt: skip
def test_no_second_is_lost_or_invented(zone, cycle, count, since, length):
    calendar = LocalCalendar(Periods(zone, cycle=cycle, count=count))
    seen = calendar.observed(since, since + length)
    assert seen.sum() * calendar.periods.seconds == pytest.approx(length, abs=1e-3)
    assert (seen >= 0).all()


def test_days_have_23_24_or_25_hours():
    paris = LocalCalendar(Periods("Europe/Paris", "FR"))
    days = paris.days(epoch(2025, 1, 1, zone="Europe/Paris"), epoch(2026, 1, 1, zone="Europe/Paris"))
    assert len(days) == 365
    lengths = {day.date: (day.end - day.start) / 3600 for day in days}
    assert {date for date, hours in lengths.items() if hours == 23} == {dt.date(2025, 3, 30)}
    assert {date for date, hours in lengths.items() if hours == 25} == {dt.date(2025, 10, 26)}
    assert sum(lengths.values()) == 365 * 24


def test_the_skipped_hour_is_empty_and_the_doubled_hour_counts_twice():
    paris = LocalCalendar(Periods("Europe/Paris"))
    spring = paris.observed(epoch(2025, 3, 30, zone="Europe/Paris"), epoch(2025, 3, 31, zone="Europe/Paris"))[2]
    autumn = paris.observed(epoch(2025, 10, 26, zone="Europe/Paris"), epoch(2025, 10, 27, zone="Europe/Paris"))[2]
    assert spring.tolist() == [1, 1, 0, *[1] * 21]
    assert autumn.tolist() == [1, 1, 2, *[1] * 21]


def test_samoa_skipped_a_day():
    samoa = LocalCalendar(Periods("Pacific/Apia"))
    dates = [day.date.day for day in samoa.days(epoch(2011, 12, 29), epoch(2012, 1, 1))]
    assert 30 not in dates
    assert {29, 31} <= set(dates)


def test_holidays_come_before_weekdays():
    paris = LocalCalendar(Periods("Europe/Paris", "FR"))
    assert paris.day_kind(dt.date(2025, 7, 14)) == "holiday"
    assert paris.day_kind(dt.date(2025, 7, 15)) == "workday"
    assert paris.day_kind(dt.date(2025, 7, 19)) == "saturday"
    assert paris.day_kind(dt.date(2025, 11, 1)) == "holiday"  # a Saturday
    assert LocalCalendar(Periods("Europe/Paris")).day_kind(dt.date(2025, 7, 14)) == "workday"
    assert public_holidays("XX", 2025) == frozenset()


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(ZONES), st.sampled_from(list(Cycle)), st.sampled_from(COUNTS), st.integers(0, 10**9))
def test_a_place_is_where_the_next_second_is_observed(zone, cycle, count, time):
    calendar = LocalCalendar(Periods(zone, cycle=cycle, count=count))
    kind, period = calendar.place(float(time))
    assert calendar.observed(time, time + 1)[kind, period] > 0


def test_weeks_begin_on_monday_and_months_have_31_places():
    week = LocalCalendar(Periods(cycle=Cycle.WEEK, count=7))
    assert week.place(epoch(2025, 1, 6))[1] == 0
    assert week.place(epoch(2025, 1, 12))[1] == 6
    month = LocalCalendar(Periods(cycle=Cycle.MONTH, count=31))
    year = month.observed(epoch(2025, 1, 1), epoch(2026, 1, 1))[0]
    assert year.tolist() == [12.0] * 28 + [11.0] * 2 + [7.0]


def test_many_gaps_at_once_equal_one_by_one():
    calendar = LocalCalendar(Periods("America/Havana", "CU", count=6))
    since = epoch(2024, 2, 1) + np.arange(50) * 12_345.0
    until = since + np.linspace(0, 4e6, 50)
    together = calendar.observed(since, until)
    for i in range(50):
        np.testing.assert_array_equal(together[i], calendar.observed(since[i], until[i]))


def test_a_calendar_grows_with_what_it_is_asked():
    grown = LocalCalendar(Periods("Europe/Paris", "FR"))
    for year in (2015, 2011, 2020):
        fresh = LocalCalendar(Periods("Europe/Paris", "FR"))
        since, until = epoch(year, 3, 1), epoch(year, 11, 5, 7)
        np.testing.assert_allclose(grown.observed(since, until), fresh.observed(since, until), atol=1e-9)


def test_what_cannot_be_is_said_clearly():
    with pytest.raises(ValueError, match="unknown time zone 'Mars/Olympus'"):
        LocalCalendar(Periods("Mars/Olympus"))
    with pytest.raises(ValueError, match="at least one period"):
        Periods(count=0)
    with pytest.raises(ValueError, match="ends before it begins"):
        LocalCalendar(Periods()).observed(10, 5)
    for time in (float("nan"), -1.0, 1e12):
        with pytest.raises(ValueError, match="outside the years"):
            LocalCalendar(Periods()).place(time)


def test_nothing_asked_nothing_answered():
    calendar = LocalCalendar(Periods())
    assert calendar.observed([], []).shape == (0, 4, 24)
    assert calendar.place([])[0].size == 0
    assert calendar.observed(5.0, 5.0).sum() == 0


def test_every_guessed_zone_exists():
    assert set(ZONE_OF_COUNTRY.values()) <= available_timezones()


@pytest.mark.parametrize(
    ("host", "language", "zone"),
    [
        ("www.bbc.co.uk", None, "Europe/London"),
        ("www.nasa.gov:443", "fr", "America/New_York"),
        ("folha.uol.com.br", None, "America/Sao_Paulo"),
        ("example.com", "de", "Europe/Berlin"),
        ("example.com", "zh-Hant-TW", "Asia/Taipei"),
        ("example.org", "en", "UTC"),
        ("example.org", "en_NZ", "Pacific/Auckland"),
        ("[2001:db8::1]:80", "ja-JP", "Asia/Tokyo"),
        ("de", None, "UTC"),
        ("", None, "UTC"),
    ],
)
def test_zone_guesses(host, language, zone):
    assert guess_zone(host, language).zone == zone


def test_holidays_of_every_guessed_country_can_be_asked_for():
    known = [country for country in ZONE_OF_COUNTRY if public_holidays(country, 2025)]
    assert len(known) > 0.8 * len(ZONE_OF_COUNTRY)


def test_what_was_observed_does_not_depend_on_the_years_looked_at_before():
    """To the last bit: sites learned together and apart are told the same."""
    fresh, used = (LocalCalendar(Periods("Europe/Paris", "FR")) for _ in range(2))
    used.observed(0.0, 1.0)
    since = np.random.default_rng(3).uniform(1.6e9, 1.8e9, 200)
    until = since + np.random.default_rng(4).exponential(1e6, 200)
    assert np.array_equal(fresh.observed(since, until), used.observed(since, until))
