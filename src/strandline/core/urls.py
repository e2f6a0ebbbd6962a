"""Addresses: one parser for check and fetch (WHATWG), one key for look-up (SURT), and where a page lies in its site.

Every address is brought into canonical form once, when it enters (`canonical`), and is compared, checked, stored
and fetched in that form. The fragment is dropped: it never reaches a server. Credentials in an address are
refused: they would end up in the archive.
"""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

import ada_url

if TYPE_CHECKING:
    from tldextract import TLDExtract

LONGEST = 2083
"""Longer addresses are refused, as most servers and browsers do."""

_SCHEMES = ("http:", "https:")
_NUMERIC = re.compile(r"[0-9.]+|\[.*\]")
_WWW = re.compile(r"www\d*\.")
# Addresses whose key is plain to see: no escapes, session ids, doubled slashes or odd hosts.
_PLAIN = re.compile(
    r"https?://([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(:\d+)?"
    r"""(/(?:[!"$&')-.0->@-~]+/)*[!"$&')-.0->@-~]*)(?:\?([!"$&-~]*))?"""
)
# Addresses that the parser gives back as they are: a name, no port, nothing to escape, no `.` or `..` in the path.
_AS_IS = re.compile(
    r"https?://(?:(?!xn--)[a-z0-9_][a-z0-9_-]*\.)*(?!xn--)[a-z][a-z0-9_-]*"
    r"(?:/(?:[\w~!$&'()*+,;=:@-][\w~!$&'()*+,;=:@%.-]*)?)+(?:\?[\w~!$&()*+,;=:@%./?-]+)?",
    re.ASCII,
)
_SESSION = re.compile(r"sid=|sessionid|cfid=", re.I)
_UNESCAPED = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PATH_SESSIONS = (
    re.compile(r"^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$", re.I),
    re.compile(r"^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$", re.I),
)
_QUERY_SESSIONS = tuple(
    re.compile(rf"^(.*)(?:{name})(?:&(.*))?$", re.I)
    for name in (
        "jsessionid=[0-9a-zA-Z]{32}",
        "phpsessid=[0-9a-zA-Z]{32}",
        "sid=[0-9a-zA-Z]{32}",
        "ASPSESSIONID[a-zA-Z]{8}=[a-zA-Z]{24}",
        "cfid=[^&]+&cftoken=[^&]+",
    )
)


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
    parsed = _parsed(url, base)
    if parsed.username or parsed.password:
        raise ValueError("an address must not carry a user name or password")
    if parsed.hash or parsed.href.endswith("#"):
        parsed.hash = ""
    href: str = parsed.href
    if len(href) > LONGEST:
        raise ValueError(f"address longer than {LONGEST} characters: {href[:80]}...")
    return href


def archived(url: str) -> str:
    """The address of an archived record as `canonical` writes it, also one that no crawl would ask for: user names and
    passwords are dropped, its length does not matter. ValueError for what is no web address (`dns:`, `urn:`).

    >>> archived("http://someone:secret@Example.com:80/a b.html#top")
    'http://example.com/a%20b.html'
    """
    if _AS_IS.fullmatch(url):  # nearly all, of millions that an audit asks for
        return url
    parsed = _parsed(url)
    parsed.username = parsed.password = parsed.hash = ""
    href: str = parsed.href
    return href


def _parsed(url: str, base: str = "") -> ada_url.URL:
    try:
        parsed = ada_url.URL(url, base) if base else ada_url.URL(url)
    except ValueError:
        raise ValueError(f"not a web address: {url[:200]!r}") from None
    if parsed.protocol not in _SCHEMES or not parsed.hostname:
        raise ValueError(f"not a web address: {url[:200]!r}")
    return parsed


def surt_key(url: str) -> str:
    """The key under which indexes sort a page: host reversed, `www` and the scheme dropped, query sorted.

    The same key the `surt` package makes, which other tools use; tests compare. Most addresses are plain to see; the
    others (escapes, session ids, doubled slashes) take the long way.

    >>> surt_key("https://www.example.com/b?z=1&a=2"), surt_key("http://127.0.0.1:8000/A/")
    ('com,example)/b?a=2&z=1', '1,0,0,127:8000)/a')
    """
    plain = _PLAIN.fullmatch(url)
    if plain is not None:
        host, port, path, query = plain.groups()
        if not query or not _SESSION.search(query):
            return _key(host, port or "", path.lower(), (query or "").lower())
    parts = urlsplit(url)
    host = _unescaped(parts.hostname or "").decode("utf-8", "replace").replace("..", ".").strip(".")
    number = f":{parts.port}" if parts.port else ""
    path = _escaped(_one_slash(_unescaped(parts.path))).lower()
    for pattern in _PATH_SESSIONS:
        path = pattern.sub(r"\1\2", path)
    query = _escaped(_unescaped(parts.query))
    for pattern in _QUERY_SESSIONS:
        query = pattern.sub(lambda found: found[1] + (found[2] or ""), query)
    return _key(host, number, path, query.lower())


def _key(host: str, port: str, path: str, query: str) -> str:
    www = _WWW.match(host)
    labels = (host[www.end() :] if www else host).split(".")
    labels.reverse()
    key = f"{','.join(labels)}{port}){path[:-1] if len(path) > 1 and path.endswith('/') else path}"
    if not query:
        return key
    pairs = sorted(argument.split("=", 1) for argument in query.split("&")) if len(query) > 1 else [[query]]
    return f"{key}?{'&'.join('='.join(pair) for pair in pairs)}"


def _unescaped(text: str) -> bytes:
    """Percent escapes undone until none is left."""
    data = text.encode("utf-8", "surrogatepass")
    while (once := unquote_to_bytes(data)) != data:
        data = once
    return data


def _escaped(data: bytes) -> str:
    return quote_from_bytes(data, safe=_UNESCAPED)


def _one_slash(path: bytes) -> bytes:
    """Dots resolved and repeated slashes made one; an empty path is the root."""
    kept: list[bytes] = []
    for part in path.split(b"/")[1:]:
        if part == b".." and kept:
            kept.pop()
        elif part != b".":
            kept.append(part)
    return b"/" + b"/".join([part for part in kept[:-1] if part] + kept[-1:])


def without_keys(url: str, keys: frozenset[str]) -> str:
    """The address without the arguments of its query that go by one of these names (in lower case).

    >>> [without_keys(url, frozenset({"token"})) for url in ("http://h/a?x=1&Token=77&y=2", "http://h/a?token=77")]
    ['http://h/a?x=1&y=2', 'http://h/a']
    """
    path, mark, query = url.partition("?")
    if not mark or not keys:
        return url
    kept = [
        one
        for one in query.split("&")
        if _unescaped(one.split("=", 1)[0]).decode("utf-8", "replace").lower() not in keys
    ]
    if len(kept) == query.count("&") + 1:
        return url
    return f"{path}?{'&'.join(kept)}" if kept else path


def with_query(url: str, query: str) -> str:
    """The address with more arguments.

    >>> with_query("http://h/a", "token=77"), with_query("http://h/a?x=1", "token=77")
    ('http://h/a?token=77', 'http://h/a?x=1&token=77')
    """
    return f"{url}{'&' if '?' in url else '?'}{query}"


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


def site_path(url: str) -> str:
    """The path of a page in the tree of its site, host first. A slash in the query makes no directory.

    >>> site_path("http://example.com/a/b.html"), site_path("http://example.com/?from=/a/")
    ('example.com/a/b.html', 'example.com/?from=%2Fa%2F')
    """
    *above, name = path_segments(url)
    return "/".join((*above, name.replace("/", "%2F")))


def directory_of(url: str) -> str:
    """The directory a page is a member of, host first. An index page stands for its directory, so it is a member of the
    one above: where every address ends in a slash, pages have neighbours, too.

    >>> directory_of("https://example.org/a/b/c.html"), directory_of("https://example.org/a/b/")
    ('example.org/a/b', 'example.org/a')
    >>> directory_of("https://example.org/"), directory_of("https://example.org/a/?page=2")
    ('example.org', 'example.org/a')
    """
    path, asked, _ = (url.partition("://")[2] or url).partition("?")
    above, _, name = path.rpartition("/")
    if "/" in above and not asked and (not name or name.startswith("index.")):
        return above.rpartition("/")[0]
    return above or path
