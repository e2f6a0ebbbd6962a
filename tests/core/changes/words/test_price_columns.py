"""Columns of prices, told by what stands above them."""

from strandline.core.changes.words.price_columns import heads_prices, is_price_cell

TABLE = ["No.", "Part", "Price", "1", "Hinge", "12.50", "2", "Lock", "33.00", "3", "Bolt", "7.80"]


def with_cell(place, text):
    return [*TABLE[:place], text, *TABLE[place + 1 :]]


def test_a_price_is_another():
    assert is_price_cell(TABLE, with_cell(5, "14.50"), "12.50", "14.50")


def test_a_number_of_another_column_is_none():
    assert not is_price_cell(TABLE, with_cell(3, "4"), "1", "4")


def test_a_column_that_moves_as_a_whole_is_a_ticker():
    moved = [text.replace(".", ".1") if "." in text[1:-1] else text for text in TABLE]
    assert not is_price_cell(TABLE, moved, "12.50", "12.150")


def test_counts_are_no_prices():
    views = ["Views" if text == "Price" else text for text in TABLE]
    assert not is_price_cell(views, [*views[:5], "14.50", *views[6:]], "12.50", "14.50")


def test_a_table_with_another_number_of_cells_is_not_judged():
    assert not is_price_cell(TABLE, [*TABLE, "more"], "12.50", "14.50")
    assert not is_price_cell([], [], "12.50", "14.50")


def test_headings_in_six_languages():
    for text in (
        "Price",
        "Preis in EUR",
        "Prix",
        "Precio",
        "Prezzo",
        "Prijs",
        "EUR",
        "Fee",
        "Rate",
        "Rate (EUR)",
        "Stundensatz",
        "Taux",
    ):
        assert heads_prices(text), text
    for text in ("Views", "No.", "Price of 2024", "", "How prices are made in a small workshop", "Heart rate"):
        assert not heads_prices(text), text
