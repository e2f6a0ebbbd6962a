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
_TOKEN = re.compile(
    rf"<(?:!--(?:-?>|.*?(?:--!?>|\Z))"
    rf"|(?P<close>/?)(?P<name>[a-zA-Z][^\t\n\f\r />]*+)(?P<attributes>{_ATTRIBUTES})(?P<end>>|\Z)"
    rf"|[!?/][^>]*+(?:>|\Z))",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rf"(?P<lead>[\t\n\f\r /]*+)(?P<name>[^\t\n\f\r />=]++|=[^\t\n\f\r />=]*+)"
    rf"(?:(?P<equals>{_W}*+={_W}*+)(?P<value>{_VALUE}))?+"
)
_RAW_TEXT = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
_RAW_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE) for name in _RAW_TEXT}
_SCRIPT_TYPE = re.compile(r"(?:|module|(?:text|application)/(?:x-)?(?:java|ecma|live|j)script[0-9.]*)\Z", re.IGNORECASE)
_REFRESH = re.compile(
    rf"""(?P<start>{_W}*[0-9.]*{_W}*[;,]?{_W}*(?:url{_W}*={_W}*)?["']?)(?P<url>[^"']*)(?P<end>.*)\Z""", re.I | re.S
)
_CANDIDATE = re.compile(r"(?P<space>[\t\n\f\r ,]*)(?P<url>[^\t\n\f\r ]+)(?P<rest>(?:[^,(]|\([^)]*\))*)")

_REFERENCE = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,7};?|[a-zA-Z][a-zA-Z0-9]{1,40}(?:;|(?![=a-zA-Z0-9])))")
_DEEPEST = 5
"""Documents written inside one another; deeper ones are emptied."""

_LINKS = {"href": "mp_", "src": "im_", "action": "mp_", "formaction": "mp_", "cite": "mp_"}
_EMBEDDED = {
    "poster": "im_",
    "background": "im_",
    "data": "if_",
    "xlink:href": "im_",
    "longdesc": "mp_",
    "lowsrc": "im_",
}
_SRC_MODS = {"script": "js_", "iframe": "if_", "frame": "if_", "embed": "if_"}
_TARGETED = ("a", "area", "form", "base")
_INTERESTING = re.compile(
    r"(?:href|src|srcset|action|cite|poster|background|data|longdesc|ping|style|content|http-equiv|integrity|target"
    r"|manifest|on[a-z]{1,40}|srcdoc|nonce|type|rel|csp|attributionsrc)[\t\n\f\r ]*=",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Tag:
    """A start tag whose attributes are being rewritten."""

    name: str
    attributes: dict[str, str]
    """Values by lower-case name, character references resolved; the first of a name counts."""


@dataclass(slots=True)
class PageRewriter:
    """Rewrites one page."""

    links: Links
    client: str = ""
    """Markup that loads `replay.js`, placed before anything of the page's own can run."""
    depth: int = 0
    """How many documents this one is written inside of (`srcdoc`)."""
    _placed: bool = False
    _based: bool = False
    _out: list[str] = field(default_factory=list)

    def rewrite(self, text: str) -> str:
        """The page with its addresses inside the archive."""
        out, position, end = self._out, 0, len(text)
        search = _TOKEN.search
        while position < end:
            match = search(text, position)
            if match is None:
                break
            out.append(text[position : match.start()])
            position = match.end()
            name = match["name"]
            if name is None or match["close"]:
                out.append(match[0])
                continue
            position = self._start_tag(text, match, name.lower(), position)
        out.append(text[position:])
        self._place_client()
        return "".join(out)

    def _place_client(self) -> None:
        if not self._placed:
            self._placed = True
            self._out.append(self.client)

    def _start_tag(self, text: str, match: re.Match[str], name: str, position: int) -> int:
        """Write one start tag, and the raw text after it; return where reading goes on."""
        if not self._placed and name not in ("html", "head"):
            self._place_client()
        attributes = match["attributes"]
        if attributes and _INTERESTING.search(attributes):
            tag = _Tag(name, _values(attributes, self.links.charset))
            self._out.append(f"<{match['name']}{self._attributes(tag, attributes)}{match['end']}")
        else:
            tag = _Tag(name, {})
            self._out.append(match[0])
        if name == "head":
            self._place_client()
        if name == "plaintext":
            self._out.append(text[position:])
            return len(text)
        if name not in _RAW_END:
            return position
        closing = _RAW_END[name].search(text, position)
        stop = closing.start() if closing else len(text)
        self._out.append(self._raw_text(tag, text[position:stop]))
        return stop

    def _raw_text(self, tag: _Tag, text: str) -> str:
        if tag.name == "style":
            return rewrite_css(text, self.links)
        if tag.name != "script":
            return text
        kind = tag.attributes.get("type", "").strip().lower()
        if _SCRIPT_TYPE.match(kind):
            return rewrite_js(text, self.links)
        if kind == "importmap":
            return rewrite_import_map(text, self.links)
        return "{}" if kind == "speculationrules" else text

    def _attributes(self, tag: _Tag, text: str) -> str:
        seen: set[str] = set()

        def one(match: re.Match[str]) -> str:
            name = match["name"].lower()
            if name in seen:
                return match[0]
            seen.add(name)
            if name in ("integrity", "nonce", "csp", "attributionsrc", "manifest"):
                # Sums of the original bytes, or a policy and requests of the original server: kept for reading only.
                return f"{match['lead']}data-archive-{match['name']}{match['equals'] or ''}{match['value'] or ''}"
            if match["value"] is None:
                return match[0]
            if name == "http-equiv":
                return self._http_equiv(tag, match)
            changed = self._value(tag, name, tag.attributes[name])
            if changed is None or changed == tag.attributes[name]:
                return match[0]
            return f"{match['lead']}{match['name']}{match['equals']}{_quoted(changed, match['value'])}"

        return _ATTRIBUTE.sub(one, text)

    def _http_equiv(self, tag: _Tag, match: re.Match[str]) -> str:
        kind = tag.attributes["http-equiv"].strip().lower()
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
        if value.lstrip("".join(map(chr, range(0x21))))[:11].lower() == "javascript:":
            start = value.index(":") + 1
            return value[:start] + rewrite_js(value[start:], self.links)
        return self.links.to_archive(value, mod)

    def _href(self, tag: _Tag, value: str) -> str | None:
        if tag.name == "base":
            if self._based:
                return None
            self._based = True
            return self.links.rebase(value)
        if tag.name == "link":
            return self._link_href(tag, value)
        if tag.name in ("image", "use", "feimage", "script", "pattern", "mpath"):
            return self._address(value, "js_" if tag.name == "script" else "im_")
        return self._address(value, "mp_")

    def _link_href(self, tag: _Tag, value: str) -> str | None:
        roles = tag.attributes.get("rel", "").lower().split()
        if roles == ["canonical"]:
            return None
        if "stylesheet" in roles or tag.attributes.get("as", "").lower() == "style":
            return self._address(value, "cs_")
        if "modulepreload" in roles or tag.attributes.get("as", "").lower() == "script":
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
        return PageRewriter(self.links, self.client, self.depth + 1, _based=True).rewrite(value)

    def _content(self, tag: _Tag, value: str) -> str | None:
        if tag.name != "meta" or tag.attributes.get("http-equiv", "").strip().lower() != "refresh":
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


def _values(text: str, charset: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = match["value"] or ""
        if value[:1] in ('"', "'"):
            value = value[1:-1]
        if "&" in value:
            value = _REFERENCE.sub(lambda reference: _resolved(reference[0], charset), value)
        found.setdefault(match["name"].lower(), value)
    return found


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
