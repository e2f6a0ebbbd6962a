"""Takes the address of a request apart, once, by the rules of browsers: for the check and for the connection alike.

The pages of a site mostly differ in plain paths only, so scheme and authority are parsed once for all of them. What is
not provably in canonical form is parsed as a whole; a test holds both ways against each other.
"""

import re
from functools import lru_cache
from ipaddress import ip_address
from time import monotonic
from typing import Final

import ada_url

from strandline.core.capture import Outcome, Request
from strandline.fetch.transfer import Target
from strandline.fetch.verdict import Verdict

_PORTS: Final = {"http:": 80, "https:": 443}
_PLAIN: Final = re.compile(
    r"(https?://[^/?#\\@]+)((?:/(?!\.{1,2}(?:[/?]|$))[\w~!$&()*+,;=:@.-]*+)++(?:\?[\w.~!$&()*+,;=:@/?-]*+)?+)", re.ASCII
)
"""An address whose path and query no step of the URL standard changes."""


@lru_cache(maxsize=4096)
def _place(origin: str) -> tuple[str, int] | None:
    """Host and port of scheme and authority as written in canonical form; None for any other form."""
    try:
        url = ada_url.URL(f"{origin}/")
    except ValueError:
        return None
    host = url.hostname.strip("[]")
    if url.href != f"{origin}/" or url.username or url.password or not 0 < len(host) <= 253:
        return None
    return host, int(url.port) if url.port else _PORTS[url.protocol]


def target_of(request: Request) -> Target | Verdict:
    """The target of a request, or why it has none."""
    plain = _PLAIN.fullmatch(request.url)
    place = _place(plain[1]) if plain else None
    if place is not None:
        return Target(request, request.url, *place, since=monotonic())
    return _parsed(request)


def _parsed(request: Request) -> Target | Verdict:
    try:
        url = ada_url.URL(request.url)
    except ValueError:
        return Verdict(Outcome.BAD_URL, "", "not a URL")
    if url.protocol not in _PORTS:
        return Verdict(Outcome.BAD_URL, "", f"scheme {url.protocol[:20]} is not fetched")
    host = url.hostname.strip("[]")
    if not host or len(host) > 253:
        return Verdict(Outcome.BAD_URL if not host else Outcome.NO_SUCH_HOST, "", "host name empty or too long")
    port = int(url.port) if url.port else _PORTS[url.protocol]
    return Target(request, url.href, host, port, since=monotonic())


@lru_cache(maxsize=4096)
def is_address(host: str) -> bool:
    """Whether a host is a numeric address, which needs no name server."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
