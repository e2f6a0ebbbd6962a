"""From an address as written in a document to the canonical one, quickly.

A page names hundreds of addresses and most are written plainly: `/news/a.html`, `b.html`, `https://example.com/c`.
For those, canonical form is the base and the text put together, which is fifty times cheaper than parsing. What is not
provably plain goes through `core.urls.canonical`; the tests hold both ways against each other.
"""

import re
from urllib.parse import quote

from strandline.core.urls import LONGEST, canonical, origin

# Path and query in characters that no step of the URL standard touches: no dot segments, escapes or backslashes.
_DOTS = r"(?!\.{1,2}(?:[/?]|$))"
_SIGN = r"[\w.~!$&()*+,;=:@-]"
_REST = rf"(?:{_DOTS}{_SIGN}++/)*+{_DOTS}{_SIGN}*+(?:\?[\w.~!$&()*+,;=:@/?-]*+)?+"
_PLAIN = re.compile(
    rf"""(?P<rooted>/{_REST})
       | (?P<whole>https?://(?!xn--|[^/]*\.xn--)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9]*/{_REST})
       | (?P<beside>(?![\w+.-]*:)(?=[\w~!$&()*+,;=@-]){_REST})""",
    re.ASCII | re.VERBOSE,
)
_OTHER_SCHEME = re.compile(r"\s*(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_BLANK = "\t\n\f\r "


class Resolver:
    """Makes the addresses of one document absolute."""

    def __init__(self, base: str, charset: str = "utf-8") -> None:
        self._base = base
        self.origin = origin(base)
        self.folder = base.partition("?")[0].rpartition("/")[0] + "/"
        self.charset = charset

    def __call__(self, written: str) -> str | None:
        """The canonical address, or None for what is none (other schemes, a mere fragment, nonsense)."""
        text = written.partition("#")[0].strip(_BLANK)
        if not text:
            return None
        plain = _PLAIN.fullmatch(text)
        if plain is not None:
            way = plain.lastgroup
            url = text if way == "whole" else (self.origin if way == "rooted" else self.folder) + text
            return url if len(url) <= LONGEST else None
        if len(text) > 2 * LONGEST or _OTHER_SCHEME.match(text):
            return None
        try:
            return canonical(self._encoded(text), self._base)
        except ValueError:
            return None

    def _encoded(self, text: str) -> str:
        """Browsers send the query in the charset of the document."""
        path, mark, query = text.partition("?")
        if self.charset in ("utf-8", "utf-16le", "utf-16be") or query.isascii():
            return text
        try:
            data = query.encode(self.charset, "xmlcharrefreplace")
        except LookupError:
            return text
        return path + mark + quote(data, safe="".join(map(chr, range(33, 127))))
