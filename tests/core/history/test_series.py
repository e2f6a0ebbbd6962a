import datetime as dt
import json
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strandline.core.history.calendar import Cycle, LocalCalendar, Periods
from strandline.core.history.series import PageSeries, Sighting, day_series, only_days_looked_at, spread_over

MONDAY = dt.datetime(2025, 1, 6, tzinfo=dt.UTC).timestamp()


def local(zone: str, *date: int) -> float:
    return dt.datetime(*date, tzinfo=ZoneInfo(zone)).timestamp()


def watch(periods: Periods, sightings) -> PageSeries:
    series, calendar = PageSeries.empty(periods), LocalCalendar(periods)
    series.observe_all(calendar, sightings)
    return series


importances = st.floats(0, 1, allow_subnormal=False)
gaps = st.lists(
    st.tuples(st.integers(0, 5_000_000), importances, st.booleans()), min_size=0, max_size=25
)  # seconds, importance, time known


def captures(steps, start=MONDAY):
    time, found = start, []
    for seconds, importance, known in steps:
        time += seconds
        found.append(Sighting(time, importance, time - seconds / 3 if known else None))
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([2, 4, 24]), st.lists(importances, min_size=1, max_size=200), st.sampled_from(["UTC", "Asia/Tokyo"])
)
def test_with_a_capture_at_every_period_the_sums_are_the_papers(count, amounts, zone):
    """Every period observed: mean of period k = sum over days of mu_k / number of days, per kind of day."""
    periods = Periods(zone, count=count)
    start, step = local(zone, 2025, 1, 6), 86_400 // count
    days = -(-len(amounts) // count)
    amounts = amounts + [0.0] * (days * count - len(amounts))
    series = watch(periods, [Sighting(start), *(Sighting(start + (i + 1) * step, a) for i, a in enumerate(amounts))])
    kinds = ["workday" if (i % 7) < 5 else ("saturday", "sunday")[i % 7 - 5] for i in range(days)]
    for number, kind in enumerate(periods.kinds):
        rows = [amounts[d * count : (d + 1) * count] for d in range(days) if kinds[d] == kind]
        if not rows:
            assert series.observed[number].sum() == 0
            continue
        np.testing.assert_allclose(
            series.importance[number] / series.observed[number], np.mean(rows, axis=0), atol=1e-9
        )


@settings(max_examples=60, deadline=None)
@given(gaps, st.sampled_from(["UTC", "Europe/Paris", "America/Havana"]), st.sampled_from(list(Cycle)))
def test_nothing_is_lost_and_nothing_is_booked_outside_its_gap(steps, zone, cycle):
    periods = Periods(zone, cycle=cycle, count=12)
    calendar, series = LocalCalendar(periods), PageSeries.empty(periods)
    for i, sighting in enumerate(captures(steps)):
        before, last = series.importance.copy(), series.last
        series.observe(calendar, sighting)
        booked = series.importance - before
        assert booked.sum() == pytest.approx(sighting.importance if i else 0.0)
        if i:
            inside = calendar.observed(last, sighting.time)
            here = calendar.place(sighting.time)
            allowed = inside > 0
            allowed[here] |= sighting.time == last
            assert (booked[~allowed] == 0).all()
    times = [s.time for s in captures(steps)]
    assert series.observed.sum() * periods.seconds == pytest.approx((times[-1] - times[0]) if times else 0)


@settings(max_examples=60, deadline=None)
@given(gaps, gaps)
def test_a_batch_gives_the_same_sums_as_one_by_one(first, second):
    periods = Periods("Europe/Paris", "FR")
    calendar = LocalCalendar(periods)
    one, many = PageSeries.empty(periods), PageSeries.empty(periods)
    early = captures(first)
    late = captures(second, early[-1].time if early else MONDAY)
    for sighting in early + late:
        one.observe(calendar, sighting)
    many.observe_all(calendar, early)
    many.observe_all(calendar, late)
    for name in ("importance", "changes", "observed"):
        np.testing.assert_allclose(getattr(one, name), getattr(many, name), atol=1e-7)
    assert (one.last, one.captures) == (many.last, many.captures)


@settings(max_examples=30, deadline=None)
@given(st.integers(-11, 12), st.lists(st.tuples(st.integers(0, 27 * 24), importances), max_size=20))
def test_patterns_of_a_shifted_zone_shift(hours, events):
    """Four whole weeks seen hour by hour: three hours further east, the week's pattern is three hours later."""
    amounts = np.zeros(28 * 24)
    for hour, amount in events:
        amounts[hour] += amount
    sightings = [Sighting(MONDAY), *(Sighting(MONDAY + (i + 1) * 3600, a) for i, a in enumerate(amounts))]
    zone = f"Etc/GMT{-hours:+d}" if hours else "UTC"
    here = watch(Periods("UTC", cycle=Cycle.WEEK, count=168), sightings)
    there = watch(Periods(zone, cycle=Cycle.WEEK, count=168), sightings)
    np.testing.assert_allclose(np.roll(here.importance, hours), there.importance, atol=1e-9)


def test_a_change_after_a_long_gap_is_not_booked_on_the_last_period():
    start = local("Europe/Paris", 2025, 1, 6, 0)
    series = watch(Periods("Europe/Paris"), [Sighting(start), Sighting(start + 8 * 3600, 0.8)])
    np.testing.assert_allclose(series.importance[0], [0.1] * 8 + [0.0] * 16)
    np.testing.assert_allclose(series.changes[0].sum(), 1.0)


def test_a_known_time_is_booked_where_it_happened():
    start = local("Europe/Paris", 2025, 1, 6, 0)
    known = Sighting(start + 8 * 3600, 0.8, start + 5.5 * 3600)
    series = watch(Periods("Europe/Paris"), [Sighting(start), known])
    assert np.flatnonzero(series.importance[0]).tolist() == [5]
    assert series.observed[0].sum() == pytest.approx(8)


def test_a_known_time_outside_the_gap_is_moved_to_its_edge():
    series = watch(Periods(), [Sighting(MONDAY + 3600), Sighting(MONDAY + 3 * 3600, 1.0, MONDAY - 5)])
    assert np.flatnonzero(series.importance[0]).tolist() == [1]


def test_all_of_a_25_hour_day_is_kept():
    start, end = local("Europe/Paris", 2025, 10, 26), local("Europe/Paris", 2025, 10, 27)
    hourly = [Sighting(start + i * 3600, 0.1 if i else 0.0) for i in range(26)]
    series = watch(Periods("Europe/Paris", "FR"), hourly)
    assert hourly[-1].time == end
    assert series.importance.sum() == pytest.approx(2.5)
    np.testing.assert_allclose(series.importance[2] / series.observed[2], [0.1] * 24)


def test_a_shape_bends_the_spreading_and_cannot_forbid_a_change():
    gap = np.array([[1.0, 1.0, 0.0]])
    assert spread_over(gap, np.array([[1.0, 3.0, 9.0]])).tolist() == [[0.25, 0.75, 0.0]]
    assert spread_over(gap, np.zeros((1, 3))).tolist() == [[0.5, 0.5, 0.0]]
    with pytest.raises(ValueError, match="without any time"):
        spread_over(np.zeros((1, 3)))
    series = PageSeries.empty(Periods())
    shape = np.zeros((4, 24))
    shape[0, 2] = 1.0
    series.observe(LocalCalendar(Periods()), Sighting(MONDAY), shape)
    series.observe(LocalCalendar(Periods()), Sighting(MONDAY + 6 * 3600, 0.5), shape)
    assert series.importance[0, 2] == pytest.approx(0.5)


def test_edges_empty_one_capture_same_instant():
    empty = watch(Periods(), [])
    empty.observe_all(LocalCalendar(Periods()), [])
    assert (empty.captures, empty.last, empty.importance.sum()) == (0, None, 0.0)
    one = watch(Periods(), [Sighting(MONDAY, 0.9)])
    assert one.importance.sum() == one.observed.sum() == 0.0
    instant = watch(Periods(), [Sighting(MONDAY), *[Sighting(MONDAY, 0.25)] * 4])
    assert instant.importance[0, 0] == pytest.approx(1.0)
    assert instant.observed.sum() == 0.0


def test_what_cannot_be_is_said_clearly():
    calendar, series = LocalCalendar(Periods()), PageSeries.empty(Periods())
    series.observe(calendar, Sighting(MONDAY))
    with pytest.raises(ValueError, match="comes before the last one"):
        series.observe(calendar, Sighting(MONDAY - 1))
    with pytest.raises(ValueError, match="comes before the last one"):
        series.observe_all(calendar, [Sighting(MONDAY + 9), Sighting(MONDAY + 8)])
    for nonsense in (-0.1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="importance must be a number"):
            series.observe(calendar, Sighting(MONDAY + 9, nonsense))
    with pytest.raises(ValueError, match="cuts time differently"):
        series.observe(LocalCalendar(Periods(count=12)), Sighting(MONDAY + 9))
    assert series.captures == 1


@settings(max_examples=20, deadline=None)
@given(gaps, st.sampled_from(list(Cycle)))
def test_state_survives_json(steps, cycle):
    series = watch(Periods("Europe/Paris", "FR", cycle, 12), captures(steps))
    back = PageSeries.from_data(json.loads(json.dumps(series.as_data())))
    assert back.as_data() == series.as_data()
    assert back.periods == series.periods


@settings(max_examples=30, deadline=None)
@given(gaps)
def test_day_series_add_up_to_the_page_series(steps):
    steps = [(min(seconds, 400_000), amount, False) for seconds, amount, _ in steps]
    periods = Periods("Europe/Paris", "FR", count=6)
    calendar, seen = LocalCalendar(periods), captures(steps)
    total = watch(periods, seen)
    days = day_series(calendar, [s.time for s in seen], [s.importance for s in seen])
    for number, kind in enumerate(periods.kinds):
        importance = sum((day.importance for day in days if day.kind == kind), np.zeros(6))
        observed = sum((day.observed for day in days if day.kind == kind), np.zeros(6))
        np.testing.assert_allclose(observed, total.observed[number], atol=1e-7)
        np.testing.assert_allclose(importance, total.importance[number], atol=1e-6)


def test_day_series_of_captures_in_the_same_second():
    calendar = LocalCalendar(Periods())
    midnight = day_series(calendar, [MONDAY] * 3, [0.0, 0.5, 0.25])
    assert [(day.date.isoformat(), day.importance[0], day.observed.sum()) for day in midnight] == [
        ("2025-01-06", 0.75, 0.0)
    ]
    later = day_series(calendar, [MONDAY, MONDAY + 86_400, MONDAY + 86_400], [0.0, 0.0, 0.5])
    assert [(day.date.day, day.importance.sum()) for day in later] == [(6, 0.0), (7, 0.5)]


def test_day_series_of_nonsense():
    calendar = LocalCalendar(Periods())
    assert day_series(calendar, [], []) == []
    assert day_series(calendar, [MONDAY], [0.5]) == []
    with pytest.raises(ValueError, match="order of time"):
        day_series(calendar, [MONDAY + 1, MONDAY], [0, 0])
    with pytest.raises(ValueError, match="needs an importance"):
        day_series(calendar, [MONDAY, MONDAY + 1], [0])
    with pytest.raises(ValueError, match="calendar of days"):
        day_series(LocalCalendar(Periods(cycle=Cycle.WEEK)), [MONDAY], [0])


@pytest.mark.parametrize(("cycle", "count"), [(Cycle.WEEK, 168), (Cycle.WEEK, 7), (Cycle.WEEK, 14), (Cycle.MONTH, 31)])
def test_days_without_a_capture_are_not_shown_as_observed(cycle, count):
    calendar = LocalCalendar(Periods("Europe/Vienna", cycle=cycle, count=count))
    first = dt.datetime(2026, 8, 3, tzinfo=ZoneInfo("Europe/Vienna"))  # a Monday
    days = [first + dt.timedelta(days=7 * week + day) for week in range(4) for day in (0, 1)]
    times = [(day + dt.timedelta(hours=hour)).timestamp() for day in days for hour in (1, 9, 17)]
    series = PageSeries.empty(calendar.periods)
    series.observe_all(calendar, [Sighting(time, 0.3) for time in times])
    shown = only_days_looked_at(series, calendar, times)
    seen = shown.observed[0].reshape(cycle.days, -1).any(axis=1)
    if cycle is Cycle.WEEK:
        assert series.observed.all(), "every day of the week lay in some gap"
        assert seen.tolist() == [True, True, *[False] * 5]
    else:
        assert np.flatnonzero(seen).tolist() == sorted({day.day - 1 for day in days})
    kept = shown.observed > 0
    assert (shown.importance[kept] == series.importance[kept]).all()
    assert not shown.importance[~kept].any()
    assert not shown.changes[~kept].any()


def test_kinds_of_days_without_a_capture_are_not_shown_as_observed():
    calendar = LocalCalendar(Periods())
    times = [MONDAY + day * 86_400 + hour * 3600 for day in (0, 1, 7, 8) for hour in (8, 12)]
    series = PageSeries.empty(calendar.periods)
    series.observe_all(calendar, [Sighting(time, 0.3) for time in times])
    assert series.observed[1].all()
    assert only_days_looked_at(series, calendar, times).observed.any(axis=1).tolist() == [True, False, False, False]
