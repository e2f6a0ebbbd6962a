"""The little that has to change in script before it runs in the archive; the rest is done by `replay.js` in the page.

A page cannot be given another `location`, `top` or `import`, so the places where script names these are changed to
names that `replay.js` defines:

    location.href = x       ->  __replay_location.href = x
    window.top              ->  window.__replay_top
    import(x)               ->  __replay_import("address of this script", x)
    import a from "/b.js"   ->  import a from "/web/<time>js_/http://site/b.js"

Script is not parsed: what is matched are the spellings that matter, and a script that binds `location` itself keeps
its own. What slips through cannot reach the live web: the policy and the sandbox of the frame hold it.
"""

import json
import re

from strandline.access.js_scopes import scopes_around
from strandline.access.rewrite_links import Links

_WORTH_IT = re.compile(r"\b(?:location|import|export|top|parent)\b")
_OWNERS = r"window|self|globalThis|document|this|top|parent|frames|opener"
_OWN_LOCATION = re.compile(
    r"(?:\b(?:var|let|const|class|function)\s+location\b"
    r"|\b(?:var|let|const)\b[^;=\n]{0,200},\s*location\b"
    r"|[({,]\s*location\s*(?:,[^;{}]{0,200})?\)\s*(?:=>|\{)"
    r"|\blocation\s*=>"
    r"|\bfunction\b[^({]{0,80}\([^)]{0,300}\blocation\b"
    r"|\b(?:var|let|const)\s*\{[^}]{0,300}\blocation\b"
    r"|[(,]\s*\{[^{}]{0,200}(?<![\w$.])location(?=\s*[,}=]))"
)
_OWNED = re.compile(
    rf"(?<![\w$.])((?:{_OWNERS})(?:\s*\.\s*(?:window|self|top|parent|document))*\s*\.\s*)location\b(?!\s*:)"
)
_BARE = re.compile(
    r"(?<![\w$.'\"/-])location(?=\s*(?:=(?![=>])|\.\s*[a-zA-Z_$]|\[))"
    r"|(?<=[(,=!])location(?=\s*[,)])(?!\s*\)\s*(?:=>|\{))|(?<=[(,=] )location(?=\s*[,)])(?!\s*\)\s*(?:=>|\{))"
)
_TAKEN_OUT = re.compile(
    r"\{([^{}]{0,300}\blocation\b[^{}]{0,300})\}(\s*=\s*(?:window|self|globalThis|document)\b(?!\s*[.\[(]))"
)
_TAKEN = re.compile(r"(?<![\w$.:])(\s*)location\b(\s*:)?")
_FRAME = re.compile(r"(?<![\w$.])((?:window|self|globalThis)\s*\.\s*)(top|parent)\b(?!\s*=(?!=))")
_TOP_AGAINST_SELF = re.compile(
    r"(?<![\w$.])(top|parent)(?=\s*[!=]==?\s*(?:self|window|this)\b|\s*\.\s*(?:__replay_location|document|frames)\b)"
)
_SELF_AGAINST_TOP = re.compile(r"(\b(?:self|window|this)\s*[!=]==?\s*)(top|parent)\b(?![\w$.(])")
_DYNAMIC_IMPORT = re.compile(r"(?<![\w$.#])import\s*\((?!\s*\))")
_METHOD_IMPORT = re.compile(r"\bimport\s*\([^()]*\)\s*\{")
_STATIC_IMPORT = re.compile(r"""(?<![\w$.])((?:from|import)\s{0,20})(["'])((?:https?:|\.{0,2}/)[^"'\\\n]*)\2""")


def rewrite_js(text: str, links: Links) -> str:
    """Script with the names that a page cannot redefine changed to those of `replay.js`.

    >>> links = Links("http://e.org/a.js", "/web/2026")
    >>> rewrite_js("window.location.href = '/x'", links)
    "window.__replay_location.href = '/x'"
    """
    if not _WORTH_IT.search(text):
        return text
    if "location" in text:
        text = _OWNED.sub(r"\1__replay_location", text)
        text = _TAKEN_OUT.sub(_taken_out, text)
        text = _bare(text)
    if "top" in text or "parent" in text:
        text = _FRAME.sub(r"\1__replay_\2", text)
        text = _TOP_AGAINST_SELF.sub(r"__replay_\1", text)
        text = _SELF_AGAINST_TOP.sub(r"\1__replay_\2", text)
    if "import" in text or "export" in text:
        text = _imports(text, links)
    return text


def _taken_out(match: re.Match[str]) -> str:
    """`const {history, location} = window`, as routers write it."""
    inside = _TAKEN.sub(lambda name: f"{name[1]}__replay_location{name[2] or ': location'}", match[1])
    return f"{{{inside}}}{match[2]}"


def _bare(text: str) -> str:
    """`location` by itself, but not where a script has bound the name; nowhere in it when that cannot be told."""
    own = [match.end() for match in _OWN_LOCATION.finditer(text)]
    if not own:
        return _BARE.sub("__replay_location", text)
    scopes = scopes_around(text, own)
    if scopes is None:
        return text

    def outside(match: re.Match[str]) -> str:
        inner = any(start <= match.start() < end for start, end in scopes)
        return match[0] if inner else "__replay_location"

    return _BARE.sub(outside, text)


def _imports(text: str, links: Links) -> str:
    if not _METHOD_IMPORT.search(text):
        base = json.dumps(links.url)
        text = _DYNAMIC_IMPORT.sub(f"__replay_import({base}, ", text)

    def static(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}{links.to_archive(match[3], 'js_')}{match[2]}"

    return _STATIC_IMPORT.sub(static, text)


def rewrite_import_map(text: str, links: Links) -> str:
    """An import map with its addresses inside the archive; left alone when it is not JSON."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_mapped(found, links)).replace("<", "\\u003c") if isinstance(found, dict) else text


def _mapped(value: object, links: Links) -> object:
    if isinstance(value, dict):
        return {_key(key, links): _mapped(item, links) for key, item in value.items()}
    return links.to_archive(value, "js_") if isinstance(value, str) else value


def _key(key: str, links: Links) -> str:
    """Keys that are addresses name the rewritten script; bare names stay."""
    return links.to_archive(key, "js_") if key.startswith(("/", "./", "../", "http:", "https:")) else key
