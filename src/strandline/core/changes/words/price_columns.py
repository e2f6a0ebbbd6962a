"""Columns of prices in tables whose cells are bare numbers, told by what stands above them.

In a table of numbers a figure that moves says little until the table is known to stand still. Below "Price", "Fee" or
"EUR" it is a price; where most of the column moves, the prices are those of a ticker, and their past has to tell.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from strandline.core.changes.words.currencies import CURRENCIES
from strandline.core.changes.words.labels import names_price

HEADING: Final = 30
"""Letters of the heading of a column. Origin: a guess."""
MOST_COLUMNS: Final = 12
"""Columns of a table. Origin: a guess."""
FEWEST: Final = 2
"""Rows of a table. Origin: a definition."""
_RATES: Final = frozenset(("rate", "rates", "satz", "stundensatz", "tagessatz", "taux", "tasa", "tasso", "aliquota"))
"""What may be a price or another share, and is as much worth knowing: nothing else stands in such a heading."""
_PIECES: Final = re.compile(r"[^\W\d_]+|[€$£¥]")
_FIGURE: Final = re.compile(r"\W{0,3}\d[\d.,' ]*\W{0,3}")


@lru_cache(maxsize=1 << 9)
def heads_prices(text: str) -> bool:
    """Whether a short text is the heading of a column of prices.

    >>> heads_prices("Price (EUR)"), heads_prices("€"), heads_prices("Price history"), heads_prices("Views")
    (True, True, False, False)
    >>> heads_prices("Rate"), heads_prices("Heart rate")
    (True, False)
    """
    if len(text) > HEADING or any(map(str.isdigit, text)):
        return False
    pieces = [piece.casefold() for piece in _PIECES.findall(text)]
    named = [piece for piece in pieces if piece not in CURRENCIES and len(piece) > 2]
    if names_price(named) or (len(named) == 1 and named[0] in _RATES):
        return True
    return bool(pieces) and CURRENCIES.issuperset(pieces)


def is_price_cell(old: Sequence[str], new: Sequence[str], before: str, after: str) -> bool:
    """Whether a text is a cell of a column of prices most of which stay, given the texts of its block before and after.

    >>> table = ["No.", "Part", "Price", "1", "Hinge", "12.50", "2", "Lock", "33.00"]
    >>> is_price_cell(table, [*table[:5], "14.50", *table[6:]], "12.50", "14.50")
    True
    >>> is_price_cell(table, [*table[:5], "14.50", "2", "Lock", "34.00"], "12.50", "14.50")
    False
    """
    if len(old) != len(new) or not _FIGURE.fullmatch(after):
        return False
    pairs = enumerate(zip(old, new, strict=True))
    here = next((place for place, pair in pairs if pair == (before, after)), -1)
    heads = [place for place in range(here) if heads_prices(new[place])]
    for head in heads[::-1]:
        for width in range(2, MOST_COLUMNS + 1):
            column = range(head + width, len(new), width)
            if here not in column or len(column) < FEWEST:
                continue
            if all(_FIGURE.fullmatch(new[place]) for place in column):
                return 2 * sum(old[place] != new[place] for place in column) <= len(column)
    return False
