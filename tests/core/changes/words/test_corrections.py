"""Notices of corrections are told by how they begin, in the languages that are known."""

import pytest

from strandline.core.changes.words.corrections import is_correction


@pytest.mark.parametrize(
    "text",
    [
        "Correction: the bridge cost two million, not three.",
        "Korrektur: Die Brücke kostete zwei Millionen.",
        "Rectificación: el puente costó dos millones.",
    ],
)
def test_a_notice_that_something_was_wrong(text):
    assert is_correction(text)


@pytest.mark.parametrize("text", ["The correction of the river took ten years.", "Die Korrektur des Flusses dauerte."])
def test_what_only_speaks_of_one_is_none(text):
    assert not is_correction(text)
