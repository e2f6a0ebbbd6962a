"""Notices that something said before was wrong, as pages put them up."""

from collections.abc import Iterable
from functools import cache

from strandline.core.changes.words.language_rules import (
    ENOUGH,
    LANGUAGES,
    language_of,
    language_rules,
    plain_notice,
)


def is_correction(text: str, language: str = "") -> bool:
    """True for a notice that something said before was wrong.

    >>> is_correction("Correction: the cost is two million.", "en")
    True
    >>> is_correction("The correction of the river took ten years.", "en")
    False
    """
    said = plain_notice(text[:ENOUGH])
    if language:
        return _corrects(said, language_rules(language).corrections)
    return _corrects(said, _all_corrections()) and _corrects(said, language_rules(language_of(text)).corrections)


def _corrects(said: str, notices: Iterable[str]) -> bool:
    for notice in notices:  # noqa: SIM110 - a generator takes twice as long
        if notice in said and (notice[-1] != ":" or said.startswith(notice)):
            return True
    return False


@cache
def _all_corrections() -> tuple[str, ...]:
    return tuple({notice for code in LANGUAGES for notice in language_rules(code).corrections})
