"""Numbers of accounts: somebody who pays by another one pays somebody else, so it never ticks.

An IBAN proves itself: its check digits fit one number in 97, and what a server makes up for every visitor hardly ever
has its form as well. An address of a purse (`bc1...`) is told by its beginning and its letters.
"""

import re
from collections.abc import Iterator
from typing import Final

LEAST: Final = 15
"""Letters and digits of an account. Origin: a standard, ISO 13616."""
MOST: Final = 34
"""The same, at most. Origin: a standard, ISO 13616."""
_IBAN: Final = re.compile(r"(?<![^\W_])[A-Z]{2}\d\d(?:[ \u00a0]?[A-Z\d]{4}){2,7}(?:[ \u00a0]?[A-Z\d]{1,4})?(?![^\W_])")
_PURSE: Final = re.compile(r"\bbc1[02-9ac-hj-np-z]{30,70}\b")
MAY_HOLD: Final = re.compile(r"[A-Zb](?:(?<!b)[A-Z]\d\d|(?<!\wb)(?<=b)c\d)")  # what most texts have not


def accounts(text: str) -> Iterator[str]:
    """Numbers of accounts, as a text has them.

    >>> list(accounts("IBAN DE89 3704 0044 0532 0130 00, BIC COBADEFFXXX")), list(accounts("Session DE9A 3704 0C44"))
    (['DE89 3704 0044 0532 0130 00'], [])
    """
    for found in _IBAN.finditer(text):
        said = found[0]
        while said and not _is_iban(plain := "".join(said.split())):  # a word in capitals may stand behind it
            said = said.rpartition(" ")[0] if len(plain) > LEAST else ""
        if said:
            yield said
    yield from (found[0] for found in _PURSE.finditer(text))


def _is_iban(number: str) -> bool:
    """Whether the check digits of a number fit.

    >>> _is_iban("DE89370400440532013000"), _is_iban("DE88370400440532013000")
    (True, False)
    """
    if not LEAST <= len(number) <= MOST:
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1
