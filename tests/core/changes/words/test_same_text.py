"""What stays of a text is told without what moves with the clock, which stays by chance."""

import pytest

from strandline.core.changes.words.same_text import is_same_text, is_slot, kept_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Seen by 12 on 3 March 2026, 09:10", "Seen by 17 on 3 March 2026, 11:31"),
        ("Placed 4 min ago, notice 68", "Placed yesterday, notice 91"),
        ("Fecha actual: 12/03/2026 04:49:02, en sala: 7", "Fecha actual: 13/03/2026 04:31:02, en sala: 9"),
    ],
)
def test_dates_times_and_ages_are_no_words_that_stay(one, other):
    moved = other.replace("17", "19").replace("91", "93").replace("9", "8")
    assert kept_words(one, other) == kept_words(other, moved)


def test_numbers_of_a_sentence_are_no_words_that_stay_and_those_of_a_row_are():
    one, other = "It is cold: 18 boats are in, 7 are out.", "It is cold: 18 boats are in, 9 are out."
    assert "18" not in kept_words(one, other).split()
    assert "18" in kept_words("Boat 18 | 7 €", "Boat 18 | 9 €").split()


def test_a_slot_is_of_few_words_besides_ages_and_clocks():
    assert is_slot("It is 08:11 in Bern, 57 lamps are lit", "It is 10:28 in Lyon, 11 lamps are lit")
    assert is_slot("Placed by Ann 4 min ago", "Placed by Tom yesterday")


def test_a_text_edited_is_the_same_and_another_in_its_place_is_not():
    assert is_same_text("The notice is 30 days.", "The notice is 60 days.")
    assert not is_same_text("Storm hits the coast", "Council opens a school")
    assert is_slot("Your reference: abc", "Your reference: xyz")
