"""Addresses in style sheets: `url(...)`, `@import`, `image-set(...)`. Everything else is left byte for byte."""

import re

from strandline.access.rewrite_links import Links

_STRING = r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
_TOKEN = re.compile(
    rf"""/\*.*?(?:\*/|\Z)
       | (?P<open>url\(\s*)(?:(?P<quoted>{_STRING})|(?P<bare>(?:[^"'()\\\s]|\\.)(?:[^()\\\s"']|\\.)*+))(?=\s*\))
       | (?P<rule>@import\s*)(?P<sheet>{_STRING}|url\((?:\s*{_STRING}\s*|[^)]{{0,4096}}+)\))
       | (?P<set>(?:-webkit-)?image-set\((?:[^()"']|{_STRING}|\([^()]{{0,4096}}+\)){{0,4096}}+\))
       | {_STRING}""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_HAS_ADDRESS = re.compile(r"url\(|@import|image-set\(", re.IGNORECASE)
_IN_SET = re.compile(rf"(?P<skip>type\([^()]*\)|url\((?:{_STRING}|[^()]*)\))|(?P<image>{_STRING})", re.DOTALL | re.I)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(\n)|(.))", re.DOTALL)


def rewrite_css(text: str, links: Links) -> str:
    """The style sheet with its addresses inside the archive.

    >>> rewrite_css("a{background:url( 'x.png' )}", Links("http://e.org/d/", "/web/2026"))
    "a{background:url( '/web/2026im_/http://e.org/d/x.png' )}"
    """
    if not _HAS_ADDRESS.search(text):
        return text

    def token(match: re.Match[str]) -> str:
        if match["open"]:
            return match["open"] + _address(match["quoted"] or match["bare"], links, "im_")
        if match["rule"]:
            sheet = match["sheet"]
            if sheet[0] in "\"'":
                return match["rule"] + _address(sheet, links, "cs_")
            start = 4 + len(sheet[4:]) - len(sheet[4:].lstrip())
            inner = sheet[start:-1].rstrip()
            return match["rule"] + sheet[:start] + _address(inner, links, "cs_") + sheet[start + len(inner) :]
        if match["set"]:
            return _IN_SET.sub(lambda part: _set_part(part, links), match["set"])
        return match[0]

    return _TOKEN.sub(token, text)


def _set_part(part: re.Match[str], links: Links) -> str:
    if part["image"]:
        return _address(part["image"], links, "im_")
    return rewrite_css(part[0], links) if part[0][:4].lower() == "url(" else part[0]


def _address(written: str, links: Links, mod: str) -> str:
    """A CSS string or bare address, rewritten; the spelling is kept where nothing changes."""
    quote = written[0] if written[:1] in ('"', "'") else ""
    value = written[1:-1] if quote else written
    plain = _ESCAPE.sub(_unescape, value) if "\\" in value else value
    target = links.to_archive(plain, mod)
    if target == plain:
        return written
    escaped = target.replace("\\", "\\\\").replace("\n", "\\a ")
    return (
        f"{quote}{escaped.replace(quote, chr(92) + quote)}{quote}"
        if quote
        else re.sub(r"""([()"'\s])""", r"\\\1", escaped)
    )


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return match[3] or ""
