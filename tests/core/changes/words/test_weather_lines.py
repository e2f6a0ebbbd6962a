"""Lines that tell the weather, told from what is cooked, stored or said."""

import pytest

from strandline.core.changes.words.weather_lines import is_weather_line, tells_weather


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("12°C, cloudy", "9°C, fog", True),
        ("heiter, −3,5 °C", "Schnee, 1,0 °C", True),
        ("Monday, sunny 21 °C", "Tuesday, rain 14 °C", True),
        ("12°C, cloudy", "9°C, cloudy", False),
        ("Bake at 180 °C, fan", "Bake at 200 °C, grill", False),
        ("12 °C, cloudy", "Market moves to the hall", False),
        ("It was 12 °C in March.", "It was 15 °C in April.", False),
        ("From 4 °C to 8 °C, dark", "From 2 °C to 6 °C, dry", False),
    ],
)
def test_two_states_of_a_line(before, after, told):
    assert is_weather_line(before, after) is told


def test_one_line():
    assert tells_weather("9 °C, fog")
    assert not tells_weather("90 °C, wash")
    assert not tells_weather("9 km, fog")
