"""Times, numbers, sizes and addresses as people read them."""

import re
import unicodedata
from datetime import UTC, datetime
from urllib.parse import unquote

_ESCAPED = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
_PUNYCODE = re.compile(r"(?<![^/.])xn--([a-z0-9-]{1,59})(?=[.:/]|$)")
_DISTINCT = frozenset(("ARABIC", "HEBREW", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "DEVANAGARI", "TAMIL"))
"""Scripts whose letters are not taken for Latin ones."""


def _at(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


def moment_text(time: float) -> str:
    """A moment for people: 15 November 2026, 04:05:06 UTC."""
    at = _at(time)
    return f"{at.day} {at:%B %Y, %H:%M:%S} UTC"


def minute_text(time: float) -> str:
    """A moment in little room: 15 Nov 2026, 04:05."""
    at = _at(time)
    return f"{at.day} {at:%b %Y, %H:%M}"


def date_text(time: float) -> str:
    """A date for people, without the day of the week."""
    at = _at(time)
    return f"{at.day} {at:%B %Y}"


def day_text(time: float) -> str:
    """A day for people."""
    at = _at(time)
    return f"{at:%A}, {at.day} {at:%B %Y}"


def clock_text(time: float) -> str:
    """A time of day for people, in UTC."""
    return f"{_at(time):%H:%M:%S}"


def percent_text(share: float) -> str:
    """A share for people.

    >>> percent_text(0.234), percent_text(0.9999), percent_text(0.0004)
    ('23 %', '> 99 %', '< 1 %')
    """
    if 0.0 < share < 0.01:
        return "< 1 %"
    if 0.99 < share < 1.0:
        return "> 99 %"
    return f"{100.0 * share:.0f} %"


def duration_text(seconds: float) -> str:
    """A stretch of time for people, in its largest unit.

    >>> duration_text(1), duration_text(100), duration_text(7200), duration_text(400_000)
    ('1 s', '2 min', '2 h', '5 days')
    """
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86_400:.0f} days"


def room_text(octets: float) -> str:
    """Bytes for people.

    >>> room_text(512), room_text(708_469), room_text(79_767_838_720)
    ('512 B', '692 KiB', '74.3 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if octets < 1024:
            return f"{octets:.0f} {unit}" if octets >= 100 or unit == "B" else f"{octets:.1f} {unit}"
        octets /= 1024
    return f"{octets:.1f} TiB"


def readable(url: str) -> str:
    """An address as people read it: escaped letters, and host names in scripts that look like no other, as letters.

    >>> readable("http://xn--mgbh0fb.test/%D8%A7%D9%84?q=%22%3E")
    'http://مثال.test/ال?q=%22%3E'
    >>> readable("http://xn--80ak6aa92e.test/%FF")
    'http://xn--80ak6aa92e.test/%FF'
    """
    return _PUNYCODE.sub(_host_letters, _ESCAPED.sub(_letters, url))


def brief(url: str, site: str = "") -> str:
    """An address where it stands among others: without its scheme, and without the site they all are of.

    >>> brief("https://example.org/%C3%A9t%C3%A9"), brief("https://example.org/a?b", "example.org")
    ('example.org/été', '/a?b')
    """
    text = readable(url).partition("://")[2] or readable(url)
    rest = text.removeprefix(readable(site))
    return rest if site and rest.startswith("/") else text


def marked(text: str, words: str) -> list[tuple[bool, str]]:
    """A text in pieces: whether each is one of the words that were looked for.

    >>> marked("The harbour, harbours.", "Harbour rescue")
    [(False, 'The '), (True, 'harbour'), (False, ', '), (True, 'harbour'), (False, 's.')]
    """
    looked_for = "|".join(re.escape(word) for word in words.split())
    pieces = re.split(f"({looked_for})", text, flags=re.IGNORECASE) if looked_for else [text]
    return [(number % 2 == 1, piece) for number, piece in enumerate(pieces) if piece]


def _letters(found: re.Match[str]) -> str:
    try:
        text = unquote(found[0], errors="strict")
    except UnicodeDecodeError:
        return found[0]
    return text if all(letter.isalnum() or unicodedata.combining(letter) for letter in text) else found[0]


def _host_letters(found: re.Match[str]) -> str:
    try:
        text = found[1].encode().decode("punycode")
    except UnicodeError:
        return found[0]
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in text}
    return text if len(scripts) == 1 and scripts <= _DISTINCT else found[0]
