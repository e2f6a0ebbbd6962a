"""Where in a script a name is bound: the stretches between braces in which it is not the page's own.

Script is not parsed. Strings, comments, templates and regular expressions are passed over as far as that takes no
grammar; braces are counted. When they do not come out even, something was read wrongly, and nothing is said.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`"""
    r"""|(?<=[=(,:;!&|?{}+\n])[ \t]*/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"""
    r"""|return[ ]?/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*|[{}`]""",
    re.DOTALL,
)


def scopes_around(text: str, places: Sequence[int]) -> list[tuple[int, int]] | None:
    """For each place where a name was bound, the stretch in which that holds; None when braces do not come out even.

    A name bound inside braces holds between them, one bound as a parameter in the body of its function, and one that is
    in no braces in all of the script.

    >>> text = "function f(location){location.x}location.y"
    >>> [text[start:end] for start, end in scopes_around(text, [19])]
    ['{location.x}']
    """
    pairs = _pairs(text)
    if pairs is None:
        return None
    starts = [start for start, _ in pairs]
    return [_scope(text, pairs, starts, place) for place in places]


def _pairs(text: str) -> list[tuple[int, int]] | None:
    """Beginnings and ends of what stands in braces, by beginning."""
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, str]] = []
    position = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        sign = match[0]
        if sign == "`":  # a template with values in it: its text is gone through up to the next value
            position = _template(text, position, waiting)
            if position < 0:
                return None
        elif sign == "{":
            waiting.append((match.start(), "{"))
        elif sign == "}":
            if not waiting:
                return None
            start, kind = waiting.pop()
            if kind == "$":
                position = _template(text, position, waiting)
                if position < 0:
                    return None
            else:
                found.append((start, match.end()))
    return None if waiting else sorted(found)


_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)


def _template(text: str, position: int, waiting: list[tuple[int, str]]) -> int:
    """Go on behind the text of a template; -1 when it does not end."""
    match = _TEMPLATE.match(text, position)
    if match is None:
        return -1
    if match[1] == "${":
        waiting.append((match.end(), "$"))
    return match.end()


_PATTERN_ENDED = re.compile(r"[;(]|\b(?:var|let|const|function|return)\b")
_BODY = re.compile(r"[^{};()]{0,300}\)\s*(?:=>\s*)?(?=\{)")
_NEXT = re.compile(r"\s*(?=\{)")


def _scope(text: str, pairs: list[tuple[int, int]], starts: list[int], place: int) -> tuple[int, int]:
    at = bisect_right(starts, place - 1)
    if text[place - 1] == "{":
        return pairs[at - 1]
    around = [pair for pair in pairs[:at] if pair[1] > place]
    whole = (0, len(text))
    # `{a, location}` of names: it is bound in the body that follows, or around the pattern.
    if around and not _PATTERN_ENDED.search(text, around[-1][0], place):
        end = around.pop()[1]
        body = _BODY.match(text, end)
    else:
        body = _NEXT.match(text, place) if text[place - 1] == ">" else _BODY.match(text, place)
    if body is not None:
        return pairs[bisect_right(starts, body.end()) - 1]
    return around[-1] if around else whole
