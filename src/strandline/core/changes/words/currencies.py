"""Whether all that changed in a text is the currency: "$20" and "€20", "Price in USD" and "Price in EUR".

To whoever pays that is another price. By its words such an edit is nothing, or one code for another.
"""

import re
from functools import lru_cache
from typing import Final

LONGEST: Final = 300
"""Letters of a text that is looked at. Origin: a bound on time."""
_OF_SIGN: Final = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY",
                   "₴": "UAH", "₫": "VND", "₪": "ILS", "₱": "PHP", "₦": "NGN", "US$": "USD", "C$": "CAD",
                   "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "R$": "BRL", "HK$": "HKD", "S$": "SGD",
                   "MX$": "MXN"}  # fmt: skip
_CODES: Final = (
    "EUR USD GBP CHF JPY CNY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF RON TRY BRL MXN ZAR RUB KRW UAH VND ILS PHP NGN "
    "HKD SGD"
)
CURRENCY: Final = re.compile(  # each begins with its letter, and only then looks back: so a search passes over others
    "|".join(map(re.escape, sorted(_OF_SIGN, key=len, reverse=True)))
    + "".join(rf"|{code[0]}(?<!\w{code[0]}){code[1:]}\b" for code in _CODES.split())
)
"""The sign or code of a currency. Origin: a standard, ISO 4217."""
CURRENCIES: Final = frozenset((*_OF_SIGN, *_CODES.casefold().split()))
"""Signs and codes, these in small letters."""
RATE: Final = 0.1
"""Part by which a rate of exchange moves at most between two looks. Origin: a guess."""
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_BEFORE: Final = re.compile(rf"({CURRENCY.pattern})\s?\Z")
_BEHIND: Final = re.compile(rf"\s?({CURRENCY.pattern})")


@lru_cache(maxsize=1 << 10)
def other_currency(before: str, after: str) -> bool:
    """True for two texts that differ in nothing but the currency.

    >>> other_currency("$20 a month", "€20 a month"), other_currency("Price in USD", "Price in EUR")
    (True, True)
    >>> other_currency("20 $", "20 USD"), other_currency("$20", "€25"), other_currency("20 days", "20 weeks")
    (False, False, False)
    """
    if max(len(before), len(after)) > LONGEST or CURRENCY.sub("¤", before) != CURRENCY.sub("¤", after):
        return False
    return _codes(before) != _codes(after)


def holds_price(text: str) -> bool:
    """True for a text with a sum of money.

    >>> holds_price("Teapot 24.50 €"), holds_price("Prices in €"), holds_price("24.50")
    (True, False, False)
    """
    return CURRENCY.search(text) is not None and any(map(str.isdigit, text))


def is_converted(before: str, after: str) -> bool:
    """True for two texts that differ in a sum in another currency only, which stands behind one that stays and moved
    as little as rates of exchange do.

    >>> is_converted("24.50 € (about $26.12)", "24.50 € (about $26.31)")
    True
    >>> is_converted("24.50 € (about $26.12)", "27.50 € (about $29.31)"), is_converted("$24.50", "$24.90")
    (False, False)
    """
    if max(len(before), len(after)) > LONGEST or not _holds_two_sums(after):
        return False
    old, new = _sums(before), _sums(after)
    if len(old) != len(new) or len(new) <= 1 or old[0] != new[0] or _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return False
    moved = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    own = new[0][0]
    return bool(moved) and all(code != own and abs(amount - was) <= RATE * was for (_, was), (code, amount) in moved)


def _holds_two_sums(text: str) -> bool:
    first = CURRENCY.search(text)
    return first is not None and CURRENCY.search(text, first.end()) is not None


def _sums(text: str) -> list[tuple[str, float]]:
    """The sums of a text with their currencies, in order."""
    found = []
    for number in _NUMBER.finditer(text):
        sign = _BEFORE.search(text, 0, number.start()) or _BEHIND.match(text, number.end())
        if sign:
            amount = number[0].replace(",", ".") if number[0].count(",") + number[0].count(".") == 1 else ""
            found.append((_OF_SIGN.get(sign[1], sign[1]), float(amount or number[0].replace(",", "").replace(".", ""))))
    return found


def _codes(text: str) -> list[str]:
    return [_OF_SIGN.get(mark, mark) for mark in CURRENCY.findall(text)]
