"""A change of nothing but the currency counts as the other price it is."""

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.edits.edit_texts import edit_text
from strandline.core.changes.edits.meaning import edit_weight
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.core.changes.words.currencies import holds_price, is_converted, other_currency
from strandline.dom.html import blocks

PAIRS = (
    ("$20", "€20"),
    ("14,95 €", "14,95 $"),
    ("£ 1,200 per month", "€ 1,200 per month"),
    ("Price: 20 USD", "Price: 20 EUR"),
    ("Price in USD", "Price in EUR"),
    ("USD", "CHF"),
    ("Der Beitrag beträgt 20 EUR im Monat.", "Der Beitrag beträgt 20 CHF im Monat."),
)


def score(before: str, after: str, captures: int = 0) -> float:
    def page(price: str) -> bytes:
        text = "<h1>A kettle of copper</h1><p>It holds two litres and sings when the water is hot enough for tea.</p>"
        return f"<body><main>{text}<p>{price}</p><p>Sent within two days from our house.</p></main></body>".encode()

    noise = NoiseState()
    old = blocks(page(before))
    for _ in range(captures):
        noise.learn(compare(old, blocks(page(before))))
    return importance(compare(old, blocks(page(after))), noise).value


@pytest.mark.parametrize(("before", "after"), PAIRS)
@pytest.mark.parametrize("captures", [0, 20])
def test_another_currency_counts_like_another_price(before: str, after: str, captures: int) -> None:
    assert other_currency(before, after)
    assert score(before, after, captures) > 0.5
    assert score(after, before, captures) > 0.5


@pytest.mark.parametrize(
    ("before", "after"), [("20 $", "20 USD"), ("$20", "US$20"), ("Price: 20 EUR", "Price: 20 €"), ("€20", "20 €")]
)
def test_the_same_currency_otherwise_written_does_not(before: str, after: str) -> None:
    assert not other_currency(before, after)
    assert score(before, after) < 0.1


def test_sentence_says_both_sums() -> None:
    assert edit_text(edit_weight("The fee is 20 USD.", "The fee is 20 EUR.")) == (
        "“20 EUR” replaced “20 USD” in: “The fee is 20 EUR.”"
    )
    assert edit_text(edit_weight("$20 per month", "€20 per month")) == "“€20” replaced “$20” in: “€20 per month”"
    assert edit_text(edit_weight("20 EUR", "20 $")) == "“20 $” replaced “20 EUR”"


def test_other_words_or_numbers_are_no_matter_of_currency() -> None:
    assert not other_currency("$20", "€25")
    assert not other_currency("20 days", "20 weeks")
    assert not other_currency("", "€20")
    assert not other_currency("$20 " * 200, "€20 " * 200)


def test_a_price_is_a_sum_of_money():
    assert all(map(holds_price, ("39.00 €", "Teapot 24,50 EUR", "$5 off")))
    assert not any(map(holds_price, ("39.00", "in €", "")))


def test_a_converted_price_moves_with_the_rate_and_its_own_stays():
    assert is_converted("24.50 € (about $26.12)", "24.50 € (about $26.31)")
    assert is_converted("CHF 1,200.00, ca. EUR 1,250.10", "CHF 1,200.00, ca. EUR 1,249.80")
    assert not is_converted("24.50 € (about $26.12)", "24.50 € (about $36.12)"), "no rate moves so far"
    assert not is_converted("24.50 €, before 26.12 €", "24.50 €, before 26.31 €"), "the same currency"
    assert not is_converted("24.50 € (about $26.12)", "24.50 € (only $26.31)")
