"""Quotations with a name behind them."""

import pytest

from strandline.core.changes.words.voices import is_voice


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
