"""Start tags of an HTML text in order, in linear time, whatever the nesting.

The tree builder of lexbor takes time (and with unclosed formatting elements memory) quadratic in nesting and in
attributes of one tag. Documents that are large or look like that are read here instead: comments and the raw text of
scripts are stepped over as a browser would, the rest is tags and attributes. Only repairs of the tree are lost, which
move links but do not make them.
"""

import re
from collections.abc import Iterator
from html.entities import html5

_TOKEN = re.compile(
    r"""<(?:
        !--(?:-?>|.*?(?:--!?>|\Z))                                    # comment
      | [!?/][^>]*+>?                                                 # doctype, end tag, bogus comment
      | (?P<name>[a-zA-Z][^\s/>]*+)
        (?P<attributes>(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+)(?P<end>>?+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(?P<name>[^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"(?P<d>[^"]*+)"|'(?P<s>[^']*+)'|(?P<u>[^\s>]*+)))?+"""
)
_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_REFERENCE = re.compile(r"&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*)(;?)(?=(=?))")
_ATTRIBUTES = 2_000
"""Attributes of one tag that are looked at."""


def start_tags(text: str, wanted: frozenset[str]) -> Iterator[tuple[str, dict[str, str], str]]:
    """Name, attributes and raw content (of elements such as style and title) of each start tag that is wanted."""
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        name = (token["name"] or "").lower()
        if not name:
            continue
        if name == "plaintext" or not token["end"]:
            # The rest is text, or a tag that never ends: a browser drops both.
            return
        content = ""
        if name in _RAW:
            end = _RAW[name].search(text, position)
            stop = len(text) if end is None else end.start()
            content = text[position:stop]
            position = stop
        written = token["attributes"]
        if name in wanted or "style" in written or "background" in written:
            yield name, attributes(written), content


def attributes(written: str) -> dict[str, str]:
    """Attributes of a tag; of two with the same name the first counts."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(written):
        name = match["name"].lower()
        if name not in found:
            found[name] = unescaped(match["d"] or match["s"] or match["u"] or "")
        if len(found) >= _ATTRIBUTES:
            break
    return found


def unescaped(value: str) -> str:
    """An attribute value with character references replaced; `&copy=1` in an address is no copyright sign."""
    return _REFERENCE.sub(_character, value) if "&" in value else value


def _character(match: re.Match[str]) -> str:
    name, end, equals = match.groups()
    if name[0] != "#":
        if not end and (equals or name not in html5):
            return match[0]
        return html5.get(name + end, match[0])
    try:
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        return "\ufffd" if code == 0 or 0xD800 <= code < 0xE000 else chr(code)
    except (ValueError, OverflowError):
        return "\ufffd"
