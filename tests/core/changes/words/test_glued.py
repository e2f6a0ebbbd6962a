"""Labels and values without a blank between them."""

import pytest

from strandline.core.changes.words.glued import parted


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("BackupsDaily", "BackupsWeekly", "Backups Weekly"),
        ("Sign in with two factorsRequired", "Sign in with two factorsOptional", "Sign in with two factors Optional"),
        ("Seats12", "Seats5", "Seats 5"),
    ],
)
def test_a_label_is_parted_from_its_value(before, after, value):
    assert parted(before, after)[1] == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Backups daily", "Backups weekly"),
        ("McDonald sings", "McDonald dances"),
        ("One", "Two"),
        ("GitHub is up", "GitHub is down"),
        ("", "New"),
        ("Same", "Same"),
    ],
)
def test_other_texts_stay_as_they_are(before, after):
    assert parted(before, after) == (before, after)
