"""Saving searches: in the settings, by name."""

import pytest

from strandline.archive.deployment import FolderPlace
from strandline.errors import UsageError
from strandline.keeping.searches import forget_search, save_search, searches_of
from strandline.python_archive import create_folder


def test_searches_are_saved_replaced_and_forgotten(tmp_path):
    create_folder(tmp_path / "a")
    place = FolderPlace(tmp_path / "a")
    save_search(place, " prices ", '"new price" OR Ermäßigung -"not yet"')
    save_search(place, "other", "harbour \\ 'x'")
    save_search(place, "other", "harbour")
    assert searches_of(place.settings()) == {"prices": '"new price" OR Ermäßigung -"not yet"', "other": "harbour"}
    forget_search(place, "prices")
    assert searches_of(place.settings()) == {"other": "harbour"}
    with pytest.raises(UsageError, match="no saved search 'prices'; there are: other"):
        forget_search(place, "prices")


@pytest.mark.parametrize(
    ("name", "words"), [("", "a"), ("a", ""), ("a", "-b"), ("a", "--"), ("a", "b\nc"), ("[a]", "b")]
)
def test_what_is_no_search_is_refused(tmp_path, name, words):
    create_folder(tmp_path / "a")
    with pytest.raises(UsageError):
        save_search(FolderPlace(tmp_path / "a"), name, words)
