"""What edits say: how much that weighs, and whether it may tick."""

import pytest

from strandline.core.changes.edits.said import DECISIVE, is_label, is_turned, said, says_another


@pytest.mark.parametrize(
    ("before", "after", "kind", "lasting"),
    [
        ("14.95 €", "15.95 €", "money", True),
        ("Open 9:00–18:00", "Open 9:00–16:00", "time", True),
        ("Notice of 14 days", "Notice of 90 days", "number", True),
        ("The council meets at 19:30.", "The council meets at 18:00.", "time", False),
        ("L'ultima corsa torna alle 21.48.", "L'ultima corsa torna alle 21.18.", "time", False),
        ("Ingredients: oats, sunflower oil, salt.", "Ingredients: oats, palm oil, salt.", "ingredient", True),
        ("Es gilt das Recht der Schweiz.", "Es gilt das Recht der Türkei.", "name", False),
    ],
)
def test_what_decides(before, after, kind, lasting):
    found, weight, lasts = said(before, after, "")
    assert (found, lasts) == (kind, lasting)
    assert weight >= DECISIVE


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("Section 4 Notice", "§ 4 Notice", "renumbered"),
        ("A crunchy snack for the road.", "A crispy treat for the road.", "wording"),
        ("Dora Maas", "Bea Klein", "name"),  # labels are often written so
    ],
)
def test_what_does_not(before, after, kind):
    assert said(before, after, "") == (kind, 0.0, False)


@pytest.mark.parametrize(("language", "weight"), [("es", 0.7), ("it", 0.7), ("de", 0.0), ("en", 0.0)])
def test_two_words_with_capitals_are_a_name_where_labels_have_none(language, weight):
    assert said("Luis Ferrer", "Beatriz Alcaraz", language) == ("name", weight, False)


def test_labels():
    assert is_label("In stock")
    assert not is_label("This is no label")
    assert says_another(["upload", "operational"], ["upload", "down"])
    assert not says_another(["upload", "down"], ["upload", "down"])


def test_short_texts_that_may_say_the_contrary():
    assert is_turned("Yes, dogs may come in", "Yes, nobody has to pay")
    assert not is_turned("Storm hits the coast of Wales", "Council opens two new schools")
