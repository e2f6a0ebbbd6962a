"""What ticks is told by its form and the words beside it."""

import pytest

from strandline.core.changes.words import ticking


@pytest.mark.parametrize(
    ("before", "after", "form"),
    [
        ("100 messages", "120 messages", "counter"),
        ("Actualizado hace 4 min · 11 votos", "Actualizado ahora mismo · 58 votos", "counter"),
        ("libero 4 min fa", "libero adesso", "age"),
        ("21.00", "0 – 0", ""),
        ("Your address: 10.1.1.9", "Your address: 10.1.2.10", "identifier"),
        ("Water 10.1 °C, nu 18 bezoekers in het bad.", "Water 23.3 °C, nu 31 bezoekers in het bad.", "counter"),
        ("Regen um @, 10.1 °C im Schatten bei der Halle.", "Regen um @, 7.1 °C im Schatten bei der Halle.", "reading"),
        ("The maximum waiting time is 20 minutes.", "The maximum waiting time is 40 minutes.", ""),
        ("Quedan 32 entradas; última compra hace 4 días.", "Quedan 39 entradas; última compra ayer.", "counter"),
        ("Die Milch wird bei 10.1 °C im Keller gekühlt.", "Die Milch wird bei 7.1 °C im Keller gekühlt.", ""),
        ("Diese Seite wurde 1241 Mal abgerufen.", "Diese Seite wurde 1278 Mal abgerufen.", "counter"),
        ("41 downloads · mirror 682 · good for 11 min", "52 downloads · mirror 969 · good for 58 min", "time"),
        ("41 downloads · room 682", "52 downloads · room 969", ""),
        ("41 downloads · build 68", "52 downloads · build 69", ""),
        ("Mirror 682 · opens at 7", "Mirror 969 · opens at 7", ""),
        ("41 downloads · Price: 682", "52 downloads · Price: 969", ""),
        ("Viewed 1,204 times", "Viewed 1,311 times", "counter"),
        ("Downloaded 1,204 times", "Downloaded 1,311 times", "counter"),
        ("This page was visited 1204 times since 2001.", "This page was visited 1311 times since 2001.", "counter"),
        ("It must be visited 12 times a year.", "It must be visited 4 times a year.", ""),
        ("You can send 100 messages a day.", "You can send 50 messages a day.", ""),
        ("requests per day: 1000", "requests per day: 200", ""),
        ("Up to 10 guests", "Up to 8 guests", ""),
        ("7 people have signed", "8 people have signed", "counter"),
        ("Now: 7 °C, rain", "Now: 8 °C, rain", "reading"),
        ("Store below 7 °C", "Store below 8 °C", ""),
        ("Reference ab12cd34ef", "Reference ab15cd39ef", "identifier"),
        ("etag: 1869f", "etag: 30d3e", "identifier"),
        ("Model XR2000", "Model XR3000", ""),
        ("anna7 days ago", "anna8 days ago", "age"),
        ("1204 parcels have come in, the last 3 days ago.", "1241 parcels have come in, the last just now.", "counter"),
        ("300 parcels have come in, the last 3 days ago.", "900 parcels have come in, the last just now.", ""),
        ("1204 parcels have come in since we began.", "1241 parcels have come in since we began.", ""),
        ("Himmel zurzeit: Wolken 11 %, 21.5 °C", "Himmel zurzeit: Wolken 58 %, 10.1 °C", "reading"),
        ("4.5 out of 5 (1,204 reviews)", "4.6 out of 5 (1,231 reviews)", "counter"),
        ("4,5 von 5 Sternen (1204 Bewertungen)", "4,4 von 5 Sternen (1231 Bewertungen)", "counter"),
        ("4.5 (120)", "4.6 (131)", "counter"),
        ("(12)", "(13)", "counter"),
        ("Please note that the fee is 4.50 per month.", "Please note that the fee is 4.75 per month.", ""),
        ("Note: interest is 4.75", "Note: interest is 4.95", ""),
        ("Rated power 4.5 kW", "Rated power 4.8 kW", ""),
        ("Clause 4.5 (12)", "Clause 4.6 (12)", ""),
        ("Size 4.5 (wide)", "Size 4.6 (wide)", ""),
        ("4.50 € (12 reviews)", "4.60 € (12 reviews)", ""),
        ("Plus que 17 en stock !", "Plus que 32 en stock !", "counter"),
        ("Jetzt 20 % Rabatt", "Jetzt 30 % Rabatt", ""),
        ("21.5 °C in the lake", "10.1 °C in the lake", "reading"),
        ("Wash at 30 °C", "Wash at 60 °C", ""),
        ("57 persone guardano questa pagina", "11 persone guardano questa pagina", "counter"),
        ("42 personnes participent", "43 personnes participent", "counter"),
    ],
)
def test_forms_of_numbers_by_the_words_beside_them(before, after, form):
    assert ticking.tick_form(before, after) == form


def test_a_length_or_weight_that_rises_a_little_is_no_counter():
    for unit in ("metres", "km", "kg", "litres", "hectares"):
        assert ticking.tick_form(f"A fence of 102 {unit} is built.", f"A fence of 103 {unit} is built.") == "", unit
    assert ticking.tick_form("Read by 1,204 people", "Read by 1,205 people") == "counter"
