"""Other versions, told from other figures."""

import pytest

from strandline.core.changes.words.releases import other_release


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The stable release is 2.3.1.", "The stable release is 2.4.0."),
        ("Version 2.3", "Version 2.3.1"),
        ("Latest: v2.0-rc1", "Latest: v2.0"),
        ("Aktuelle Fassung: 4.1", "Aktuelle Fassung: 4.2"),
        ("Dernière version : 1.9", "Dernière version : 2.0"),
    ],
)
def test_another_version(before, after):
    assert other_release(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A walk of 2.3 km", "A walk of 2.4 km"),
        ("Version 2.3 is fast", "Version 2.4 is slow"),
        ("Section 2.3", "Section 2.4"),
        ("Version 2.3", "Version 2.3"),
    ],
)
def test_what_is_none(before, after):
    assert not other_release(before, after)
