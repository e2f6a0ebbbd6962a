"""When what pages share is learned anew."""

from strandline.core.plan.renewal import Renewal


def times(renewal, hours):
    return [hour for hour in hours if renewal.due(float(hour))]


def test_it_is_learned_anew_often_at_first_and_later_once_a_day():
    renewal = Renewal(24)
    found = times(renewal, range(240))
    assert found[:6] == [0, 1, 2, 3, 4, 5]
    assert [hour for hour in found if hour >= 120] == [120, 144, 168, 192, 216]
    assert renewal.count == len(found) and renewal.day == 9


def test_days_are_learned_from_day_by_day():
    assert times(Renewal(1), range(6)) == [0, 1, 2, 3, 4, 5]


def test_it_is_time_whenever_somebody_asks_and_after_a_clock_was_set_back():
    renewal = Renewal(24)
    assert renewal.due(500.0) and not renewal.due(500.5)
    renewal.ask()
    assert renewal.due(500.6) and not renewal.due(500.7)
    assert renewal.due(100.0) and not renewal.due(100.5) and renewal.due(101.0)
