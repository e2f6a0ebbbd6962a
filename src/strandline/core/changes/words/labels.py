"""What the label in front of a number says it is: "Price: 14.95", as shops, tables and JSON have it.

Without a currency such a number looks like any other. A price or a sum counts however little and often it moves.
"""

import re
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 60
"""Letters of a label. Origin: a guess."""
_NAMES: Final = (
    "price prices cost costs fee fees rent amount fare salary wage wages premium deposit tax interest discount charge",
    "tariff preis preise kosten gebühr gebühren miete betrag gehalt lohn kaution zins zinsen steuer rabatt",
    "prix coût coûts frais loyer montant tarif salaire caution taxe remise",
    "precio precios coste costo tarifa alquiler importe salario depósito impuesto descuento",
    "prezzo prezzi tariffa affitto importo stipendio cauzione tassa sconto",
    "prijs prijzen tarief huur bedrag salaris borg belasting korting",
)
_PRICES: Final = frozenset(word for names in _NAMES for word in names.split())
_CURRENCY: Final = 3
"""Letters of the code of a currency: "price EUR". Origin: a standard, ISO 4217."""
_LABEL: Final = re.compile(rf"\W*([^\d:\n]{{1,{LONGEST}}}):\s")
_WORDS: Final = re.compile(r"[^\W\d_]+")


def is_labelled(text: str) -> bool:
    """True for a text that begins with what its value is called.

    >>> is_labelled("notice days: 14"), is_labelled("14 days"), is_labelled("At 7:30")
    (True, False, False)
    """
    return _LABEL.match(text) is not None


def names_price(words: Sequence[str]) -> bool:
    """Whether the words of a label name a price or a sum.

    >>> names_price(["monthly", "price"]), names_price(["price", "eur"]), names_price(["price", "history"])
    (True, True, False)
    """
    named = words[-2:-1] if words and len(words[-1]) == _CURRENCY and words[-1] not in _PRICES else words[-1:]
    return any(word in _PRICES for word in named)


def is_price_label(text: str) -> bool:
    """Whether a text, up to a number, ends with the label of a price.

    >>> is_price_label("deposit: "), is_price_label("Price: €"), is_price_label("The price rose by ")
    (True, True, False)
    """
    label = text.rstrip("€$£¥ \t\u00a0")
    return label.endswith(":") and names_price([word.casefold() for word in _WORDS.findall(label)])
