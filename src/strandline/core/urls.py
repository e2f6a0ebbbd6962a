"""Addresses: one parser for check and fetch (WHATWG), one key for look-up (SURT), and where a page lies in its site.

Every address is brought into canonical form once, when it enters (`canonical`), and is compared, checked, stored
and fetched in that form. The fragment is dropped: it never reaches a server. Credentials in an address are
refused: they would end up in the archive.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import ada_url

if TYPE_CHECKING:
    from tldextract import TLDExtract

LONGEST = 2083
"""Longer addresses are refused, as most servers and browsers do."""

_SCHEMES = ("http:", "https:")
_NUMERIC = re.compile(r"[0-9.]+|\[.*\]")
_WWW = re.compile(r"www\d*\.")
# Addresses whose key is plain to see: no escapes, session ids, doubled slashes or odd hosts.
_PLAIN = re.compile(r"https?://([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(:\d+)?(/(?:[^/?%(]+/)*[^/?%(]*)(?:\?([^%]*))?")
_SESSION = re.compile(r"sid=|sessionid|cfid=", re.I)
_LETTER = re.compile(r"[a-z_-]")


def canonical(url: str, base: str = "") -> str:
    """The absolute address in WHATWG form, without fragment; ValueError says why it is none.

    >>> canonical("HTTP://Example.com:80/a/../b?x=1#top")
    'http://example.com/b?x=1'
    >>> canonical("../e", base="http://example.com/c/d")
    'http://example.com/e'
    >>> canonical("mailto:someone@example.com")
    Traceback (most recent call last):
    ValueError: not a web address: 'mailto:someone@example.com'
    """
    try:
        parsed = ada_url.URL(url, base) if base else ada_url.URL(url)
    except ValueError:
        raise ValueError(f"not a web address: {url[:200]!r}") from None
    if parsed.protocol not in _SCHEMES or not parsed.hostname:
        raise ValueError(f"not a web address: {url[:200]!r}")
    if parsed.username or parsed.password:
        raise ValueError("an address must not carry a user name or password")
    if parsed.hash or parsed.href.endswith("#"):
        parsed.hash = ""
    href: str = parsed.href
    if len(href) > LONGEST:
        raise ValueError(f"address longer than {LONGEST} characters: {href[:80]}...")
    return href


def surt_key(url: str) -> str:
    """The key under which indexes sort a page: host reversed, `www` and the scheme dropped, query sorted.

    Exactly what the `surt` package says. It is asked only where the answer takes more than a glance, because loading it
    takes longer than a small crawl.

    >>> surt_key("https://www.example.com/b?z=1&a=2"), surt_key("http://127.0.0.1:8000/A/")
    ('com,example)/b?a=2&z=1', '1,0,0,127:8000)/a')
    """
    plain = _PLAIN.fullmatch(url)
    if plain is None:
        return _surt_of_package(url)
    host, port, path, query = plain.groups()
    if (query and _SESSION.search(query)) or not (_LETTER.search(host) or host.count(".") == 3):
        return _surt_of_package(url)
    www = _WWW.match(host)
    labels = (host[www.end() :] if www else host).split(".")
    labels.reverse()
    lowered = path.lower()
    if len(lowered) > 1 and lowered.endswith("/"):
        lowered = lowered[:-1]
    key = f"{','.join(labels)}{port or ''}){lowered}"
    if not query:
        return key
    return f"{key}?{'&'.join('='.join(pair) for pair in sorted(arg.split('=', 1) for arg in query.lower().split('&')))}"


def _surt_of_package(url: str) -> str:
    import surt  # noqa: PLC0415 - loads an HTTP client: a quarter of a second most crawls never need

    return str(surt.surt(url))


def authority(url: str) -> str:
    """Host and, where it is not the usual one, port of a canonical address: what politeness is owed to.

    >>> authority("http://example.com:8080/x")
    'example.com:8080'
    """
    return url.split("/", 3)[2]


def origin(url: str) -> str:
    """Scheme, host and port of a canonical address, the unit robots.txt speaks for.

    >>> origin("http://example.com:8080/x")
    'http://example.com:8080'
    """
    return "/".join(url.split("/", 3)[:3])


@lru_cache(maxsize=65536)
def site_of_host(host: str) -> str:
    """Registered domain of a host name (public-suffix aware); the host itself for addresses and single names."""
    if "." not in host or _NUMERIC.fullmatch(host):
        return host
    return _suffixes()(host).top_domain_under_public_suffix or host


@cache
def _suffixes() -> "TLDExtract":
    """The list of public suffixes that is bundled with the package: no look-up on the network, ever."""
    import tldextract  # noqa: PLC0415 - loads an HTTP client: a quarter of a second

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def site(url: str) -> str:
    """The site a page belongs to: its registered domain, with the port where it is not the usual one.

    >>> site("https://news.example.co.uk/a"), site("http://127.0.0.1:8000/x")
    ('example.co.uk', '127.0.0.1:8000')
    """
    host, _, port = authority(url).rpartition(":") if _has_port(authority(url)) else (authority(url), "", "")
    name = site_of_host(host)
    return f"{name}:{port}" if port else name


def _has_port(place: str) -> bool:
    """Whether host:port; an IPv6 address keeps its colons inside brackets."""
    return place.rpartition(":")[2].isdigit() and (not place.startswith("[") or "]:" in place)


def path_segments(url: str) -> tuple[str, ...]:
    """Segments of the path, host first; the last one is the page's own name, query included.

    >>> path_segments("http://example.com/a/b/c.html?x=1")
    ('example.com', 'a', 'b', 'c.html?x=1')
    >>> path_segments("http://example.com/a/")
    ('example.com', 'a', '')
    """
    parts = urlsplit(url)
    name = f"?{parts.query}" if parts.query else ""
    return (parts.netloc, *(parts.path or "/")[1:].split("/")[:-1], parts.path.rpartition("/")[2] + name)


def directory(url: str) -> str:
    """The directory a page lies in, host first, without a slash at the end.

    >>> directory("http://example.com/a/b/c.html"), directory("http://example.com/")
    ('example.com/a/b', 'example.com')
    """
    return "/".join(path_segments(url)[:-1])
