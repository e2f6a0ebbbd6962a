"""Quotations with a name behind them."""

import pytest

from strandline.core.changes.words.voices import is_taker, is_voice


@pytest.mark.parametrize(
    "text",
    ["„Gern wieder.“ Tom H., Gera", "« Simple et rapide. » — Raj S.", '"Quick and simple." R. Singh, CEO of Mill'],
)
def test_a_quotation_with_a_name_is_a_voice(text):
    assert is_voice(text)


@pytest.mark.parametrize(
    "text", ["“We never knew,” said Anna Vogt.", "Anna Vogt: “We never knew.”", "“Open today”", ""]
)
def test_a_sentence_that_quotes_is_none(text):
    assert not is_voice(text)


@pytest.mark.parametrize(
    "text", ["Léa M. 3 days ago", "Paul V. il y a 5 minutes", "Anna-Lena K.", "Hugo R., yesterday"]
)
def test_a_first_name_and_a_letter_is_one_who_took_part(text):
    assert is_taker(text)


@pytest.mark.parametrize(
    "text", ["Anna Vogt 3 days ago", "Plan B. It failed.", "Hepatitis A. 3 days ago it broke out", ""]
)
def test_a_name_or_a_sentence_is_none(text):
    assert not is_taker(text)
