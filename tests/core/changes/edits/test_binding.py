"""Sentences that bind, wherever they stand."""

import pytest

from strandline.core.changes.edits.binding import (
    is_choice,
    is_contract,
    is_ingredient,
    other_limit,
    other_sum,
    sentence_weight,
)


@pytest.mark.parametrize("title", ["Terms of hire", "AGB", "Conditions générales", "Contrato de alquiler",
                                   "Condizioni d'uso", "Algemene voorwaarden", "Privacy"])  # fmt: skip
def test_contracts_are_told_by_their_heading(title):
    assert is_contract(["", title])


def test_other_pages_are_none():
    assert not is_contract(["Ten gardens worth a detour", ""])
    assert not is_contract([])
    assert not is_contract(["The long story of how two sisters broke the contract with their aunt in a small town"])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lender bears the cost of repairs.", "en"),
        ("Die Kaution wird verzinst.", "de"),
        ("Les retours sont gratuits.", "fr"),
        ("El vendedor paga el envío.", "es"),
        ("Il venditore paga la spedizione.", "it"),
        ("De verkoper betaalt de verzending.", "nl"),
    ],
)
def test_a_sentence_of_a_contract_weighs_more_than_another(text, language):
    assert sentence_weight(text, language, True) >= 0.35
    assert sentence_weight(text, language, True) > sentence_weight(text, language, False)


def test_what_a_thing_contains_weighs_everywhere():
    assert sentence_weight("Contains nuts.", "en", False) == 0.5
    assert sentence_weight("Kann Spuren von Erdnüssen enthalten.", "", False) == 0.5


def test_what_binds_nobody_weighs_nothing():
    assert sentence_weight("Thank you for reading.", "en", True) == 0.0
    assert sentence_weight("Contact us", "en", True) == 0.0
    assert sentence_weight("Long " * 100 + "text.", "en", True) == 0.0
    assert sentence_weight("", "en", True) == 0.0


def test_ingredients_stand_below_a_heading():
    recipe = ["Pesto", "Zutaten", "Basilikum", "Pinienkerne", "Alles mischen.", "Teller"]
    assert is_ingredient(recipe, "Pinienkerne")
    assert not is_ingredient(recipe, "Teller")
    assert not is_ingredient(recipe, "Zutaten")
    assert not is_ingredient(recipe, "not there")


@pytest.mark.parametrize(
    ("before", "after", "limit"),
    [
        ("Files of at most 25 MB.", "Files of at most 5 MB.", True),
        ("Versand ab 50 € frei", "Versand ab 90 € frei", True),
        ("Livraison offerte à partir de 50 €", "Livraison offerte à partir de 90 €", True),
        ("512 guests, at most 812 today", "498 guests, at most 830 today", False),
        ("Memory: 12 MB of at most 128 MB", "Memory: 13 MB of at most 128 MB", False),
        ("At most 5 MB", "At most 5 GB", False),
        ("Same", "Same", False),
    ],
)
def test_limits(before, after, limit):
    assert other_limit(before, after, "") is limit


def test_sums_of_money():
    assert other_sum("Express, 9.90 €", "Express, 14.90 €")
    assert not other_sum("Yes 41 %", "Yes 43 %")
    assert not other_sum("3 + 4 =", "8 + 1 =")


def test_choices_of_a_form_are_numbers_in_order_of_which_one_is_another():
    hours = ["Duration", "1", "2", "4", "8", "Book"]
    assert is_choice(hours, ["Duration", "1", "2", "4", "6", "Book"], "8", "6")
    assert is_choice(hours[::-1], ["Book", "8", "5", "2", "1", "Duration"], "4", "5")
    assert not is_choice(hours, ["Duration", "1", "2", "4", "3", "Book"], "8", "3"), "not in order"
    assert not is_choice(hours, ["Duration", "2", "3", "4", "8", "Book"], "1", "2"), "two of them are others"
    assert not is_choice(["Yes", "41", "No", "57"], ["Yes", "42", "No", "57"], "41", "42"), "votes"
    assert not is_choice(["What is", "3", "+", "4"], ["What is", "5", "+", "4"], "3", "5"), "a riddle"
    assert not is_choice(hours, [*hours, "more"], "8", "6")
