"""Addresses of mementos: `/web/<timestamp><mod>/<url>`, as Wayback machines have written them since 2001.

The mod says what the address is used for, and so how the answer is prepared:

    (none)  the memento as a person opens it        mp_  a page inside the replay frame
    id_     the payload as it was captured          if_  a page inside an inner frame
    js_  cs_  im_   script, style sheet, image or other embedded file
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from strandline.access.timestamps import moment, timestamp
from strandline.core.request_keys import keyed
from strandline.core.urls import canonical

MODS = ("", "mp_", "id_", "js_", "cs_", "im_", "if_")
_MEMENTO = re.compile(r"([0-9]{4,17})((?:[a-z]{2}_)?)/(.+)\Z", re.DOTALL)
_ONLY_MOD = re.compile(r"((?:mp|id|js|cs|im|if)_)/(.+)\Z", re.DOTALL)
_SCHEME = re.compile(r"(https?):/*", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?![0-9])")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an address below `/web/` asks for."""

    url: str
    """Canonical address of the original."""
    time: float | None
    """None asks for the latest, or for what Accept-Datetime says."""
    mod: str
    query: str = ""
    """What the method and the body of the request add to the address in the index; empty for GET."""

    @property
    def keyed(self) -> str:
        """The address under which what was asked for is indexed."""
        return keyed(self.url, self.query)


def parse(path: str) -> Wanted:
    """Read what stands after `/web/`, query included; ValueError says what is wrong with it.

    >>> parse("20260101000000mp_/http://example.com/a?b=1")
    Wanted(url='http://example.com/a?b=1', time=1767225600.0, mod='mp_')
    >>> parse("example.com").url
    'http://example.com/'
    """
    time, mod, rest = None, "", path
    if match := _MEMENTO.match(path):
        time, mod, rest = moment(match[1]), match[2], match[3]
        if mod not in MODS:
            # A use this server does not tell apart (`oe_`, `fw_`...): prepared like any embedded file.
            mod = "im_"
    elif match := _ONLY_MOD.match(path):
        mod, rest = match[1], match[2]
    return Wanted(original(rest), time, mod)


def original(text: str) -> str:
    """The canonical address a person or a link meant; scheme and slashes are completed.

    >>> original("http:/example.com"), original("https%3A%2F%2Fexample.com%2F")
    ('http://example.com/', 'https://example.com/')
    """
    if re.match(r"https?%3a", text, re.IGNORECASE):
        text = unquote(text)
    if match := _SCHEME.match(text):
        text = f"{match[1]}://{text[match.end() :]}"
    elif not _OTHER_SCHEME.match(text):
        text = "http://" + text.lstrip("/")
    return canonical(text)


@dataclass(frozen=True, slots=True)
class Base:
    """Where mementos are served: `root` is the origin with a path prefix, or the path prefix alone."""

    root: str = ""

    def memento(self, url: str, time: float, mod: str = "") -> str:
        """Address of a memento."""
        return f"{self.root}/web/{timestamp(time)}{mod}/{url}"

    def timegate(self, url: str) -> str:
        """Address that negotiates the time."""
        return f"{self.root}/web/{url}"

    def timemap(self, url: str, form: str = "link") -> str:
        """Address of the list of mementos."""
        return f"{self.root}/web/timemap/{form}/{url}"
