"""Conditions of a CDX query: `[!][=|~]field:value`, where a plain value is looked for anywhere, `=` is the whole and
`~` a regular expression for the whole.

Expressions come from strangers and Python's engine can be made to run for ever, so only those are taken whose cost
is bounded: no repeated groups, no back references or look-around, at most two repetitions.
"""

import re
from collections.abc import Callable, Mapping

_LONGEST = 200
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?|\)[*+{]|[*+{]|.", re.DOTALL)

Condition = Callable[[Mapping[str, str]], bool]


def condition(text: str) -> Condition:
    """Read one filter; ValueError says what is wrong with it.

    >>> condition("!status:404")({"status": "200"}), condition("~mime:text/.*")({"mime": "image/png"})
    (True, False)
    """
    inverted = text.startswith("!")
    rest = text[1:] if inverted else text
    kind, rest = (rest[0], rest[1:]) if rest[:1] in ("=", "~") else ("", rest)
    field, found, value = rest.partition(":")
    if not found:
        raise ValueError(f"filter is [!][=|~]field:value, not {text[:80]!r}")
    test = _test(kind, value)
    return lambda row: test(row.get(field, "")) is not inverted


def _test(kind: str, value: str) -> Callable[[str], bool]:
    if kind == "=":
        return lambda held: held == value
    if kind == "~":
        expression = safe_expression(value)
        return lambda held: expression.match(held[:2083]) is not None
    return lambda held: value in held


def safe_expression(text: str) -> re.Pattern[str]:
    """Compile an expression whose cost is bounded; ValueError for others.

    >>> safe_expression("(a+)+$")
    Traceback (most recent call last):
    ValueError: expression with a repeated group
    """
    if len(text) > _LONGEST:
        raise ValueError(f"expression longer than {_LONGEST} characters")
    pieces = _PIECE.findall(text)
    if any(piece[0] == ")" and len(piece) > 1 for piece in pieces):
        raise ValueError("expression with a repeated group")
    if any(piece == "(?" or (piece[0] == "\\" and piece[1:].isdigit()) for piece in pieces):
        raise ValueError("expression with a back reference or look-around")
    if sum(piece in ("*", "+", "{") for piece in pieces) > 2:
        raise ValueError("expression with more than two repetitions")
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as fault:
        raise ValueError(f"not a regular expression: {fault}") from None
