from dataclasses import replace

import pytest

from strandline.archive.known_collections import known_collection, members_of, narrowed
from strandline.errors import UsageError
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import Settings
from strandline.store.narrowing import EVERYTHING, Narrow

SETTINGS = replace(Settings(), collection=(CollectionSettings("press", sites=("a.example",)),))


def test_a_collection_is_found_by_name_and_narrows():
    assert known_collection(SETTINGS, "press").sites == ("a.example",)
    assert members_of(SETTINGS, "press").has("http://a.example/x")
    assert narrowed(SETTINGS) is EVERYTHING
    assert narrowed(SETTINGS, tag=" a  b ") == Narrow(None, "a b")
    assert narrowed(SETTINGS, "press", "x").stretches == members_of(SETTINGS, "press").stretches


def test_one_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(UsageError, match="no collection 'x' in this archive; there are press"):
        narrowed(SETTINGS, "x")
    with pytest.raises(UsageError, match="none yet"):
        known_collection(Settings(), "press")
    with pytest.raises(UsageError, match="a tag has"):
        narrowed(SETTINGS, tag="-")
