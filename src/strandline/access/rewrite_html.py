"""Addresses in pages, changed in place: a tokenizer finds tags and attributes, everything else stays byte for byte.

Text is read by the tokenizer rules of the HTML standard as far as they decide where a tag, an attribute, a comment
or the text of a script ends. Nothing is parsed into a tree and nothing is repaired, so a broken page stays broken in
its own way. A page is text in which each character is one byte (or UTF-16 read as such): see `rewrite.py`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from html.entities import html5

from strandline.access.rewrite_css import rewrite_css
from strandline.access.rewrite_js import rewrite_import_map, rewrite_js
from strandline.access.rewrite_links import Links

_W = r"[\t\n\f\r ]"
_VALUE = r"""(?>"[^"]*+"|'[^']*+'|(?!["'])[^\t\n\f\r >]++)"""
_ATTRIBUTES = rf"(?>[\t\n\f\r /]++|(?:[^\t\n\f\r />=]++|=[^\t\n\f\r />=]*+)(?:{_W}*+={_W}*+(?:{_VALUE}|(?=>)))?+)*+"
_RAW_NAMES = "script|style|textarea|title|xmp|iframe|noembed|noframes"
_TOKEN = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))|[!?][^>]*+(?:>|\Z)|plaintext(?=[\t\n\f\r />]).*"
    rf"|(?P<raw>{_RAW_NAMES})(?=[\t\n\f\r />])(?P<inside>{_ATTRIBUTES})(?P<open>>|\Z)"
    rf"(?P<text>(?:[^<]++|<(?!/(?P=raw)[\t\n\f\r />]))*+)"
    rf"|(?P<name>[a-zA-Z][^\t\n\f\r />]*+)(?P<attributes>{_ATTRIBUTES})(?P<end>>|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    rf"(?P<lead>[\t\n\f\r /]*+)(?P<name>[^\t\n\f\r />=]++|=[^\t\n\f\r />=]*+)"
    rf"(?:(?P<equals>{_W}*+={_W}*+)(?P<value>{_VALUE}))?+"
)
_SCRIPT_TYPE = re.compile(r"(?:|module|(?:text|application)/(?:x-)?(?:java|ecma|live|j)script[0-9.]*)\Z", re.IGNORECASE)
_REFRESH = re.compile(
    rf"""(?P<start>{_W}*[0-9.]*{_W}*[;,]?{_W}*(?:url{_W}*={_W}*)?["']?)(?P<url>[^"']*)(?P<end>.*)\Z""", re.I | re.S
)
_CANDIDATE = re.compile(r"(?P<space>[\t\n\f\r ,]*)(?P<url>[^\t\n\f\r ]+)(?P<rest>(?:[^,(]|\([^)]*\))*)")

_REFERENCE = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,7};?|[a-zA-Z][a-zA-Z0-9]{1,40}(?:;|(?![=a-zA-Z0-9])))")
_DEEPEST = 5
"""Documents written inside one another; deeper ones are emptied."""

_JAVASCRIPT = re.compile(r"[\x00- ]*javascript:", re.IGNORECASE)
_KEPT_APART = ("integrity", "nonce", "csp", "attributionsrc", "manifest")
"""Sums of the original bytes, policies and requests of the original server: kept for reading only."""

_LINKS = {"action": "mp_", "formaction": "mp_", "cite": "mp_"}
_EMBEDDED = {
    "poster": "im_",
    "background": "im_",
    "data": "if_",
    "xlink:href": "im_",
    "longdesc": "mp_",
    "lowsrc": "im_",
}
_SRC_MODS = {"script": "js_", "iframe": "if_", "frame": "if_", "embed": "if_"}
_PLUGGED = ("embed", "object")
_NO_OBJECT = '<object style="display:none!important">'
_MEDIA = ("video", "audio")
"""What has captions, which a page without an origin of its own is given only when it asks for them across origins."""
_CROSSORIGIN = re.compile(r"crossorigin", re.IGNORECASE)
_TARGETED = ("a", "area", "form", "base")
_INTERESTING = re.compile(
    r"(?:href|src|srcset|action|cite|poster|background|data|longdesc|ping|style|content|http-equiv|integrity|target"
    r"|manifest|on[a-z]{1,40}|srcdoc|nonce|type|rel|csp|attributionsrc)[\t\n\f\r ]*=",
    re.IGNORECASE,
)


class _Tag:
    """A start tag whose attributes are being rewritten."""

    __slots__ = ("_charset", "_text", "_values", "name")

    def __init__(self, name: str, text: str, charset: str) -> None:
        self.name = name
        self._text = text
        self._charset = charset
        self._values: dict[str, str] | None = None

    def value(self, name: str) -> str:
        """Value of an attribute, empty when absent; the first of a name counts."""
        if self._values is None:
            self._values = {}
            for match in _ATTRIBUTE.finditer(self._text):
                self._values.setdefault(match["name"].lower(), _plain(match["value"] or "", self._charset))
        return self._values.get(name, "")


def _is_pdf(tag: _Tag) -> bool:
    address = tag.value("data" if tag.name == "object" else "src")
    kind, path = tag.value("type").strip().lower(), address.partition("#")[0].partition("?")[0].lower()
    return bool(address) and (kind == "application/pdf" or (not kind and path.endswith(".pdf")))


def _as_frame(attribute: re.Match[str]) -> str:
    """An attribute of an object, for a frame in its place."""
    lead, name, equals, written = attribute.groups()
    kept = {"data": "src", "src": "data-archive-src"}.get(name.lower(), name)
    return f"{lead}{kept}{equals or ''}{written or ''}"


@dataclass(slots=True)
class PageRewriter:
    """Rewrites one page."""

    links: Links
    client: str = ""
    """Markup that loads `replay.js`, placed before anything that can run: at the start of the page if the page itself
    runs, and at the start of documents written inside it."""
    runs: bool = True
    depth: int = 0
    """How many documents this one is written inside of (`srcdoc`)."""
    _placed: bool = False
    _based: bool = False
    _seen: dict[str, str] = field(default_factory=dict)
    """Start tags already rewritten: pages repeat themselves."""

    def rewrite(self, text: str) -> str:
        """The page with its addresses inside the archive."""
        self._placed = not self.runs
        out = _TOKEN.sub(self._token, text)
        return out if self._placed else out + self.client

    def _token(self, match: re.Match[str]) -> str:
        whole = match[0]
        known = self._seen.get(whole)
        if known is not None:
            return known
        name, raw = match["name"], match["raw"]
        if name is not None:
            lower = name.lower()
            out = f"<{name}{self._attributes(lower, match['attributes'])}{match['end']}"
            if lower in _PLUGGED and _is_pdf(_Tag(lower, match["attributes"], self.links.charset)):
                out = self._framed(lower, match["attributes"])
            if self._placed and lower != "base":
                self._seen[whole] = out
        elif raw is not None:
            lower = raw.lower()
            tag = _Tag(lower, match["inside"], self.links.charset)
            text = self._raw_text(tag, match["text"])
            out = f"<{raw}{self._attributes(lower, match['inside'])}{match['open']}{text}"
        else:
            return whole
        return out if self._placed else self._with_client(lower, out)

    def _framed(self, name: str, attributes: str) -> str:
        """A file for a plug-in: the policy of replay lets none in; a frame says what the file is, and offers it. What
        an object would show where there is no plug-in is hidden: the frame stands for it.
        """
        inside = self._attributes(name, attributes)
        if name == "embed":
            return f"<iframe{inside}></iframe>"
        return f"<iframe{_ATTRIBUTE.sub(_as_frame, inside)}></iframe>{_NO_OBJECT}"

    def _with_client(self, name: str, out: str) -> str:
        """The first element of the page: the client side goes into its head, or before it."""
        if name == "html":
            return out
        self._placed = True
        return out + self.client if name == "head" else self.client + out

    def _raw_text(self, tag: _Tag, text: str) -> str:
        if tag.name == "style":
            return rewrite_css(text, self.links)
        if tag.name != "script":
            return text
        kind = tag.value("type").strip().lower()
        if _SCRIPT_TYPE.match(kind):
            return rewrite_js(text, self.links)
        if kind == "importmap":
            return rewrite_import_map(text, self.links)
        return "{}" if kind == "speculationrules" else text

    def _attributes(self, name: str, text: str) -> str:
        if name in _MEDIA and not _CROSSORIGIN.search(text):
            text = f' crossorigin="anonymous"{text}'
        if not text or not _INTERESTING.search(text):
            return text
        tag = _Tag(name, text, self.links.charset)
        seen: set[str] = set()

        def one(match: re.Match[str]) -> str:
            lead, name, equals, written = match.groups()
            lower = name.lower()
            if lower in seen:
                return match[0]
            seen.add(lower)
            if lower in _KEPT_APART:
                return f"{lead}data-archive-{name}{equals or ''}{written or ''}"
            if written is None:
                return match[0]
            if lower == "http-equiv":
                return self._http_equiv(tag, match)
            value = _plain(written, self.links.charset)
            changed = self._value(tag, lower, value)
            if changed is None or changed == value:
                return match[0]
            return f"{lead}{name}{equals}{_quoted(changed, written)}"

        return _ATTRIBUTE.sub(one, text)

    def _http_equiv(self, tag: _Tag, match: re.Match[str]) -> str:
        kind = tag.value("http-equiv").strip().lower()
        if kind in ("refresh", "content-type", "content-language", "default-style", "x-ua-compatible"):
            return match[0]
        return f"{match['lead']}data-archive-{match['name']}{match['equals']}{match['value']}"

    def _value(self, tag: _Tag, name: str, value: str) -> str | None:
        """The new value of an attribute; None leaves it alone."""
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, tag, value)
        if name.startswith("on"):
            return rewrite_js(value, self.links)
        if name == "src":
            return self._address(value, _SRC_MODS.get(tag.name, "im_"))
        if name in _EMBEDDED:
            return self._address(value, _EMBEDDED[name]) if name != "data" or tag.name == "object" else None
        return self._address(value, _LINKS[name]) if name in _LINKS else None

    def _address(self, value: str, mod: str) -> str:
        if match := _JAVASCRIPT.match(value):
            return match[0] + rewrite_js(value[match.end() :], self.links)
        return self.links.to_archive(value, mod)

    def _href(self, tag: _Tag, value: str) -> str | None:
        if tag.name == "base":
            if self._based:
                return None
            self._based = True
            self._seen.clear()
            return self.links.rebase(value)
        if tag.name == "link":
            return self._link_href(tag, value)
        if tag.name in ("image", "use", "feimage", "script", "pattern", "mpath"):
            return self._address(value, "js_" if tag.name == "script" else "im_")
        return self._address(value, "mp_")

    def _link_href(self, tag: _Tag, value: str) -> str | None:
        roles = tag.value("rel").lower().split()
        if roles == ["canonical"]:
            return None
        if "stylesheet" in roles or tag.value("as").lower() == "style":
            return self._address(value, "cs_")
        if "modulepreload" in roles or tag.value("as").lower() == "script":
            return self._address(value, "js_")
        embedded = {"icon", "preload", "prefetch", "apple-touch-icon", "mask-icon", "manifest", "image_src"} & set(
            roles
        )
        return self._address(value, "im_" if embedded else "mp_")

    def _srcset(self, tag: _Tag, value: str) -> str:
        return _CANDIDATE.sub(self._candidate, value)

    def _candidate(self, match: re.Match[str]) -> str:
        url = match["url"]
        bare = url.rstrip(",")
        if bare != url:  # a comma at the end of an address ends the candidate
            tail = url[len(bare) :]
            return f"{match['space']}{self._address(bare, 'im_')}{tail}" + self._srcset_rest(match["rest"])
        return f"{match['space']}{self._address(url, 'im_')}{match['rest']}"

    def _srcset_rest(self, rest: str) -> str:
        return _CANDIDATE.sub(self._candidate, rest) if rest.strip() else rest

    def _style(self, tag: _Tag, value: str) -> str:
        return rewrite_css(value, self.links)

    def _srcdoc(self, tag: _Tag, value: str) -> str:
        # The inner document resolves against this one, and needs its own copy of the client side.
        if self.depth >= _DEEPEST:
            return ""
        return PageRewriter(self.links, self.client, depth=self.depth + 1, _based=True).rewrite(value)

    def _content(self, tag: _Tag, value: str) -> str | None:
        if tag.name != "meta" or tag.value("http-equiv").strip().lower() != "refresh":
            return None
        match = _REFRESH.match(value)
        if match is None or not match["url"].strip():
            return None
        return f"{match['start']}{self._address(match['url'], 'mp_')}{match['end']}"

    def _ping(self, tag: _Tag, value: str) -> str:
        return " ".join(self.links.to_archive(url, "mp_") for url in value.split())

    def _target(self, tag: _Tag, value: str) -> str | None:
        # The frame may neither open windows nor navigate the page around it.
        outside = tag.name in _TARGETED and value.strip().lower() in ("_blank", "_top", "_parent", "_new")
        return "_self" if outside else None


_Special = Callable[[PageRewriter, _Tag, str], str | None]
_SPECIAL: dict[str, _Special] = {
    "href": PageRewriter._href,
    "srcset": PageRewriter._srcset,
    "imagesrcset": PageRewriter._srcset,
    "style": PageRewriter._style,
    "srcdoc": PageRewriter._srcdoc,
    "content": PageRewriter._content,
    "ping": PageRewriter._ping,
    "target": PageRewriter._target,
}


def _plain(written: str, charset: str) -> str:
    """An attribute's value without its quotes and character references."""
    value = written[1:-1] if written[:1] in ('"', "'") else written
    if "&" in value:
        return _REFERENCE.sub(lambda reference: _resolved(reference[0], charset), value)
    return value


def _resolved(reference: str, charset: str) -> str:
    """What a character reference in an attribute stands for, in the bytes of the document's charset."""
    if reference[1] != "#" and reference[1:] not in html5:
        return reference
    text = unescape(reference)
    if text.isascii() or charset.startswith("utf-16"):
        return text
    try:
        return text.encode(charset).decode("latin-1")
    except (LookupError, UnicodeEncodeError):
        return reference


def _quoted(value: str, before: str) -> str:
    """A value written with the quotes it had before; bare values get some."""
    value = value.replace("&", "&amp;")
    if before[:1] == "'":
        return "'" + value.replace("'", "&#39;") + "'"
    return '"' + value.replace('"', "&quot;") + '"'
