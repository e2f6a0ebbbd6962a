"""One address inside a document, made to point into the archive.

Only http and https addresses are changed; `data:`, `mailto:`, fragments and whatever cannot be read stay as they
are, byte for byte (the policy sent with every answer keeps a browser from following those to the live web).
Documents are handled as text in which each character is one byte, so an address may hold the raw bytes of any
charset: its path is read in the charset of the document and sent as UTF-8, its query is sent as it is, as browsers do.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import quote

import ada_url

from strandline.core.content import text_of
from strandline.core.urls import origin

_PLAIN_ABSOLUTE = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/(?:(?!/\.)[!-~])*)?\Z")
_PLAIN_ROOTED = re.compile(r"/(?![/\\.])(?:(?!/\.)[!-~])*\Z")
_EDGES = "".join(map(chr, range(0x21)))
_URL_SAFE = "".join(map(chr, range(0x21, 0x7F)))


@dataclass(slots=True)
class Links:
    """Rewrites the addresses of one document and remembers which ones the page needs to be whole."""

    url: str
    """Address of the document; changes when a `base` element is met."""
    stem: str
    """What goes before the mod: path prefix, `/web/` and the timestamp of the document."""
    charset: str = "utf-8"
    parts: dict[str, str] = field(default_factory=dict)
    """Rewritten addresses of embedded files, and the mod each is asked for with."""
    remember: bool = False
    _seen: dict[tuple[str, str], str] = field(default_factory=dict)
    _origin: str = ""

    def __post_init__(self) -> None:
        self._origin = origin(self.url)

    def to_archive(self, value: str, mod: str) -> str:
        """The address inside the archive, or the value unchanged when it is not a web address.

        >>> links = Links("http://example.com/a/b", "/web/20260101000000")
        >>> links.to_archive("../c.png", "im_"), links.to_archive("data:,x", "im_")
        ('/web/20260101000000im_/http://example.com/c.png', 'data:,x')
        """
        known = self._seen.get((value, mod))
        if known is None:
            known = self._seen[value, mod] = self._rewritten(value, mod)
        return known

    def _rewritten(self, value: str, mod: str) -> str:
        target = self.absolute(value)
        if not target:
            return value
        if self.remember and mod not in ("mp_", ""):
            self.parts.setdefault(target.partition("#")[0], mod)
        return f"{self.stem}{mod}/{target}"

    def absolute(self, value: str) -> str:
        """The absolute web address a value names, empty when it names none or stays inside the document."""
        bare = value.strip(_EDGES)
        if not bare or bare.startswith("#") or bare.startswith(self.stem):
            return ""
        if _PLAIN_ABSOLUTE.match(bare):
            return bare
        if _PLAIN_ROOTED.match(bare):
            return self._origin + bare
        try:
            joined = ada_url.join_url(self.url, self._readable(bare))
        except ValueError:
            return ""
        return joined if joined.startswith(("http://", "https://")) else ""

    def _readable(self, value: str) -> str:
        if value.isascii() or self.charset.startswith("utf-16"):
            return value
        path, mark, query = value.partition("?")
        raw = query.encode("latin-1", "replace")
        return text_of(path.encode("latin-1", "replace"), self.charset) + mark + quote(raw, safe=_URL_SAFE)

    def rebase(self, value: str) -> str:
        """A `base` element: later addresses are relative to it. Returns its rewritten address."""
        target = self.absolute(value)
        if not target:
            return value
        self.url = target.partition("#")[0]
        self._origin = origin(self.url)
        self._seen.clear()
        return f"{self.stem}mp_/{target}"
