"""Addresses in style sheets: `url(...)` and `@import`, outside comments."""

import re
from collections.abc import Iterator

# A string that is never closed ends with its line.
_STRING = r"""(?:"(?:[^"\\\n]|\\.)*+"?+|'(?:[^'\\\n]|\\.)*+'?+)"""
_TOKEN = re.compile(
    rf"""/\*.*?(?:\*/|\Z)
      | @import\s*+(?P<named>{_STRING})
      | \burl\(\s*+(?:(?P<quoted>{_STRING})|(?P<bare>[^\s"'()]*+))\s*+\)
      | {_STRING}""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|\n|(.))", re.DOTALL)


def addresses(css: str) -> Iterator[str]:
    """Addresses as they are written; inline data and fragments left out."""
    for match in _TOKEN.finditer(css):
        written = match["named"] or match["quoted"]
        text = written[1:].removesuffix(written[0]) if written else match["bare"] or ""
        if text and not text.startswith(("#", "data:")):
            yield _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"
    return match[2] or ""
