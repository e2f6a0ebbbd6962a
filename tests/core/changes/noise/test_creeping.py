from datetime import UTC, datetime

import pytest

from strandline.core.changes.noise.creeping import is_to_come, set_back

CAPTURED = (datetime(2026, 3, 2, 7, 12, tzinfo=UTC).timestamp(), datetime(2026, 3, 3, 9, 29, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Northgate 2 March 2026", "Northgate 3 March 2026"),
        ("Nordtor 2. März 2026", "Nordtor 3. März 2026"),
        ("Oggi è il 02/03/2026", "Oggi è il 03/03/2026"),
        ("Gemeten op 02.03.2026 om 08:11", "Gemeten op 03.03.2026 om 10:28"),
        ("made 2026-03-02T07:11:23Z", "made 2026-03-03T09:28:54Z"),
        ("Northgate08:11", "Northgate10:28"),
        ("as of 8:11 pm", "as of 10:28 pm"),
        ("March 1, 2026", "March 2, 2026"),  # west of the archive it is still the day before
    ],
)
def test_what_moves_with_the_clock_is_set_back(before, after):
    assert set_back(before, after, CAPTURED) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Meeting on 2 March 2026", "Meeting on 9 March 2026"),
        ("Closed until 17 March 2026", "Closed until 3 March 2026"),
        ("Doors open at 19:30", "Doors open at 21:45"),  # as far as the clock, but as people appoint times
        ("Train 08:11", "Train 08:31"),
        ("2 doors", "3 doors"),
    ],
)
def test_what_does_not_stays(before, after):
    assert set_back(before, after, CAPTURED) == after


def test_the_rest_of_a_text_is_as_it_is_now():
    assert set_back("188 cm at 08:11", "233 cm at 10:28", CAPTURED) == "233 cm at 08:11"


def test_dates_to_come():
    texts = ("30 April 2026", "15.05.2026", "2026-06-01", "3 March 2026", "1 May 2025", "31.02.2027", "soon")
    assert [is_to_come(text, CAPTURED[1]) for text in texts] == [True, True, True, False, False, False, False]
