"""Forms, contraries and names."""

from strandline.core.changes.edits.sentence_meaning import read_sentence
from strandline.core.changes.edits.word_forms import denies, is_form, names_among
from strandline.core.changes.words.language_rules import language_rules


def names(text, language):
    read = read_sentence(text, language)
    found = names_among(read.content, read.content, read.text, read.rules, read.headline)
    return [token.text for token in found]


def test_spellings_and_forms_of_a_word():
    assert is_form("organiser", "organizer")
    assert is_form("member", "members")
    assert not is_form("butter", "margarine")
    assert not is_form("cat", "cats")  # too short to tell


def test_negative_prefixes():
    assert denies("possible", "impossible", language_rules("en"))
    assert not denies("possible", "likely", language_rules("en"))


def test_names_have_a_capital_inside_a_sentence():
    assert names("The laws of Ireland apply.", "en") == ["Ireland"]
    assert names("Yesterday the mayor spoke.", "en") == []


def test_german_names_are_two_words():
    assert names("Das Amt leitet Dora Maas.", "de") == ["Dora", "Maas"]
