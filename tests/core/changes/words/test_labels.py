"""Labels in front of numbers, in the words of six languages."""

import pytest

from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.changes.words.labels import is_labelled, is_price_label


@pytest.mark.parametrize(
    "label", ["Price", "monthly price", "Preis", "Miete", "Prix", "loyer", "Precio", "Prezzo", "Huur"]
)
def test_a_price_is_a_price_however_little_it_moves(label):
    assert is_price_label(f"{label}: ")
    edit = edit_weight(f"{label}: 1450", f"{label}: 1460", "en")
    assert (edit.kind, edit.weight >= 0.9) == ("money", True)


@pytest.mark.parametrize("text", ["Prices rise", "at 7:30", "12: 30", "Price history: ", "views: "])
def test_other_labels_are_none(text):
    assert not is_price_label(text)


def test_a_unit_in_the_label_is_that_of_the_number():
    edit = edit_weight("notice days: 14", "notice days: 90")
    assert (edit.kind, edit.unit, edit.weight) == ("number", "days", 0.9)
    assert edit_weight("notice weeks: 2", "notice days: 14").weight < 0.5
    assert is_labelled("notice days: 14")
    assert not is_labelled("14 days: notice")
