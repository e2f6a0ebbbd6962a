"""Answers that are no content: the empty shell of an application, and the form of a login wall.

Both come with status 200 and look captured; replayed, the one is a white page and the other asks for a password. Told
from the bytes alone, without running scripts:

    shell    scripts, hardly any text, nothing else to look at, and an empty place that scripts would fill, or no more
             said than that it is being filled
    login    a form that asks for a password, and little text beside it

Text inside `noscript`, `template`, scripts and styles is not what a reader is shown; but a page that says all it has to
say inside `noscript`, as many forums do, has content. So have a page with a login box beside its articles, a photograph
with a counter, a short notice with a tracking script.
"""

import re
from typing import Final

SHELL: Final = "empty shell"
LOGIN: Final = "login form"
SAME: Final = "same page"
REFUSED: Final = "refused"
MARK: Final = "hollow: "
"""Begins what is noted with a page whose last answer was hollow."""
REFUSALS: Final = (401, 403, 407)
"""Answers that refuse a page to whoever did not log in. Origin: RFC 9110."""
SHARED_BY, SHARED_PART = 5, 0.5
"""A page is the same as others when so many addresses of its site, and this part of them, give the same bytes.
Origin: a guess."""

_MOST_BYTES: Final = 512 * 2**10
"""Bytes of a page that are looked at. Origin: a bound on time."""
_SHELL_TEXT: Final = 120
"""Letters and digits up to which a page says nothing: a title line, "Loading", a cookie notice. Origin: a guess."""
_LOGIN_TEXT: Final = 700
"""Letters and digits up to which a page with a password field is a login form. Origin: a guess."""
_FEW_LINKS: Final = 3
"""Links from which on a page is no empty shell. Origin: a guess."""
_MARKS: Final = re.compile(rb"<!--|-->|<(/?)(script|style|title|noscript|template|svg|select)\b", re.IGNORECASE)
_TAG: Final = re.compile(rb"<[^<>]*>")
_SAID: Final = re.compile(r"[^\W_]")
_PASSWORD: Final = re.compile(rb"<input\b[^<>]*\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_SHOWN: Final = re.compile(
    rb"<(?:img|picture|video|audio|iframe|frame|object|embed|canvas|form)\b|<meta[^<>]+http-equiv\s*=\s*[\"']?refresh",
    re.IGNORECASE,
)
_LINK: Final = re.compile(rb"<a\b[^<>]*\bhref\b", re.IGNORECASE)
_EMPTY: Final = re.compile(
    rb"<(div|main|section|span)\b[^<>]{0,200}\b(?:id|class)\s{0,9}=[^<>]{0,200}>\s*</\1\s*>"
    rb"|<([a-z]\w{0,30}-[\w-]{1,30})\b[^<>]{0,200}>\s*</\2\s*>",
    re.IGNORECASE,
)

_WAITS: Final = re.compile(
    r"\W*(?:(?:now |still |page |is |app )*loading|(?:please )?wait|(?:one|just a) moment(?:,? please)?"
    r"|(?:die seite )?(?:wird geladen|l[aä]dt|laden)|bitte warten|einen moment(?:,? bitte)?|chargement(?: en cours)?"
    r"|cargando|caricamento(?: in corso)?|bezig met laden|even geduld)\W*\Z",
    re.IGNORECASE,
)  # all that is said


def hollow(page: bytes) -> str:
    """What an HTML page is instead of content; empty when it is content.

    >>> hollow(b'<title>App</title><div id="root"></div><script src="app.js"></script>')
    'empty shell'
    >>> hollow(b'<h1>Sign in</h1><form><input name=user><input type="password" name=p></form>')
    'login form'
    >>> hollow(b'<p>Closed on Monday.</p><script src="count.js"></script>')
    ''
    """
    scripted, asking = b"<script" in page or b"<SCRIPT" in page, _PASSWORD.search(page) is not None
    if len(page) > _MOST_BYTES or not (scripted or asking):
        return ""
    found = _found(page, scripted, asking)
    return "" if found and _letters(_without_scripts(page)) > _LOGIN_TEXT else found


def _found(page: bytes, scripted: bool, asking: bool) -> str:
    shown = read_by_people(page)
    text = _letters(shown)
    if asking and text <= _LOGIN_TEXT:
        return LOGIN
    bare = text <= _SHELL_TEXT and not _SHOWN.search(shown) and len(_LINK.findall(shown)) < _FEW_LINKS
    waits = bare and (text == 0 or _EMPTY.search(shown) or _WAITS.match(_said(shown)))
    return SHELL if scripted and waits else ""


def _said(part: bytes) -> str:
    return _TAG.sub(b" ", part).decode("utf-8", "replace")


def _letters(part: bytes) -> int:
    return len(_SAID.findall(_said(part)))


def _without_scripts(page: bytes) -> bytes:
    """What is shown to those whose browser runs no scripts."""
    parts = page.lower().split(b"<noscript")[1:]
    return b" ".join(part.partition(b">")[2].partition(b"</noscript")[0] for part in parts)


def read_by_people(page: bytes) -> bytes:
    """The page without scripts, styles and whatever else is not shown; in time that grows with its length."""
    kept, begin, inside = [], 0, b""
    for mark in _MARKS.finditer(page):
        if inside:
            closing = mark[0] == inside if inside == b"-->" else mark[1] == b"/" and mark[2].lower() == inside
            if closing:
                begin, inside = mark.end(), b""
        elif mark[0] == b"<!--" or mark[1] == b"":
            kept.append(page[begin : mark.start()])
            inside = b"-->" if mark[0] == b"<!--" else mark[2].lower()
    return b" ".join(kept if inside else [*kept, page[begin:]])


def noted(detail: str, status: int | None) -> str:
    """What the catalog knows of a page's last answer: its kind of hollowness, or empty.

    >>> noted("hollow: login form", None), noted("", 403), noted("timed out", 503)
    ('login form', 'refused', '')
    """
    if detail.startswith(MARK):
        return detail.removeprefix(MARK)
    return REFUSED if status in REFUSALS else ""
