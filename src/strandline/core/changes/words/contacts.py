"""Addresses for mail, numbers to call, numbers of accounts: they name somebody, and never count or tick."""

import re
from functools import lru_cache
from typing import Final

from strandline.core.changes.words.accounts import MAY_HOLD, accounts
from strandline.core.changes.words.small_letters import like_digits

_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# From a plus or a zero on, in groups, or as written in America; without groups only behind a word that says what it is.
_PHONE: Final = re.compile(
    r"(?<![\w.,:/+-])(?:\+\d|\(?0\d)[\d()]*(?:[ \u00a0/.-]\(?\d[\d()]*)+(?![\w%€$£])|"
    r"(?<![\w.,:/+-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w%€$£])|"
    r"\b(?:tel|phone|call|fax|mobile|telefon|telefono|telefoon|téléphone|teléfono)\b"
    r"[^\w\n]{0,3}(\+?\d[\d ]{5,})",
    re.IGNORECASE,
)
_SIGN: Final = re.compile(  # one of few letters, and then what it begins: a search passes over all others
    r"[+\dTtPpCcFfMm](?:(?<=\+)\d|(?<=\d)[-.]\d{4}|(?<=0)(?<!\d0)\d|(?<=[Tt])[Ee\u00e9][Ll]|(?<=[Pp])hone|(?<=[Cc])all|"
    r"(?<=[Ff])ax|(?<=[Mm])obile)"
)
_CALLED: Final = re.compile(r"\d(?:[() \u00a0/.-]*+\d){5}")  # so many digits, as groups of them may stand
FEWEST: Final = 6
"""Digits of a number to call. Origin: a guess."""


def contacts(text: str) -> tuple[str, ...]:
    """Addresses for mail, numbers of accounts and numbers to call, each in their order.

    >>> contacts("Call 040 123 456 or write to desk@made.example."), contacts("Since 03/05/2026, 0.5 %")
    (('desk@made.example', '040 123 456'), ())
    >>> contacts("Ask the desk at (248) 796-5119 or 248-796-5110"), contacts("Since 03-05-2026, 2024-2026")
    (('(248) 796-5119', '248-796-5110'), ())
    """
    return _contacts(text) if _may_hold(like_digits(text)) else ()


@lru_cache(maxsize=1 << 10)
def _may_hold(alike: str) -> bool:
    """False for most texts, whatever their digits."""
    return "@" in alike or MAY_HOLD.search(alike) is not None or _CALLED.search(alike) is not None


@lru_cache(maxsize=1 << 9)
def _contacts(text: str) -> tuple[str, ...]:
    found = [mail[0] for mail in _MAIL.finditer(text)] if "@" in text else []
    if MAY_HOLD.search(text):
        found += accounts(text)
        for account in found:
            text = text.replace(account, "")  # no part of it is a number to call
    if _CALLED.search(text) and _SIGN.search(text):  # most texts have none, and cost little
        numbers = ((phone[1] or phone[0]).strip() for phone in _PHONE.finditer(text))
        found += [number for number in numbers if _may_be_called(number)]
    return tuple(found)


def _may_be_called(number: str) -> bool:
    """False for a date and for what is too short."""
    groups = re.findall(r"\d+", number)
    dated = len(groups) == 3 and {len(group) for group in groups} <= {1, 2, 4}
    return sum(map(len, groups)) >= FEWEST and not dated
