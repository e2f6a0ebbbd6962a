"""Page, Capture, Version: the words for what was asked of the web, what it answered, and what was kept.

A *page* is an address that is watched. An *exchange* is one request and what came back, still in memory or a
spool file. A *capture* is an exchange that is kept as a WARC record. A *version* is a run of captures with the
same content.
"""

from collections.abc import Iterator
from dataclasses import field
from enum import StrEnum
from typing import BinaryIO, Final

from strandline.core.quick_dataclass import dataclass

GONE: Final = frozenset({404, 410})
"""Answers that say a page is not there."""


class Kind(StrEnum):
    """Why an address is fetched."""

    PAGE = "page"
    REQUISITE = "requisite"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    FEED = "feed"


class Outcome(StrEnum):
    """How one exchange ended. Everything but ANSWERED is a failure of the web, recorded as data."""

    ANSWERED = "answered"
    """A whole HTTP answer, whatever its status."""
    TRUNCATED = "truncated"
    """An answer cut by one of our limits (size, time); what came is kept and marked."""
    SHORT = "short"
    """The connection ended before the announced length: never stored as complete, retried."""
    BAD_ADDRESS = "bad-address"
    """The name resolves to an address, or the port is one, that must not be connected to."""
    BAD_URL = "bad-url"
    NO_SUCH_HOST = "no-such-host"
    CONNECT = "connect-failed"
    TLS = "tls-failed"
    TIMEOUT = "timeout"
    TOO_SLOW = "too-slow"
    BIG_HEADERS = "headers-too-large"
    PROTOCOL = "protocol-error"
    """What came is not HTTP, or its framing contradicts itself."""
    RESET = "reset"
    OFFLINE = "offline"
    """The fault is on our side (no network at all): never counted against the page."""


class Evidence(StrEnum):
    """What is known about a page's existence. A failed fetch is never a deletion."""

    UNKNOWN = "unknown"
    PRESENT = "present"
    ABSENT = "absent"
    """Answered 404 or 410 (or a soft 404); `since` is the first such answer in a row."""
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask for. `ticket` is the caller's own number and comes back with the exchange."""

    url: str
    ticket: int
    kind: Kind = Kind.PAGE
    etag: str = ""
    last_modified: str = ""
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    """More header fields, as a page that is shown in a browser wants them sent."""
    body: bytes = b""
    seconds: float = 0.0
    """Cut after so long, whatever the limits of the fetcher; 0 for those alone."""
    own_cookies: bool = False
    """Its cookies are in `headers`, none are added: a browser knows best which it sends."""


def whole_milliseconds(moment: float) -> float:
    """A moment as a WARC date tells it: an exchange is dated so from the start, that index and files agree.

    >>> whole_milliseconds(1794962203.2734), whole_milliseconds(5.0)
    (1794962203.273, 5.0)
    """
    return round(moment * 1000) / 1000


@dataclass(slots=True)
class Exchange:
    """One request and what came back, byte for byte.

    `request_head` and `response_head` are the header blocks as sent and received, with the empty line that ends
    them; `body` is the undecoded body with its transfer coding, rewound by whoever reads it.
    """

    request: Request
    started: float
    """UTC epoch seconds."""
    seconds: float
    outcome: Outcome
    detail: str
    address: str
    request_head: bytes
    response_head: bytes
    body: BinaryIO
    body_length: int
    truncated: str = ""
    """WARC's words: length, time, disconnect, unspecified; empty when whole."""
    status: int = 0
    cookies_set: tuple[str, ...] = field(default=(), repr=False)
    """Set-Cookie fields of an answer to a login, as they came: the head has them without values."""

    _fields: tuple[tuple[str, str], ...] | None = field(default=None, init=False, repr=False, compare=False)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Header fields in order, names lower-cased, obsolete folding undone, bytes read as Latin-1."""
        if self._fields is None:
            self._fields = tuple(_header_fields(self.response_head))
        return self._fields

    def header(self, wanted: str) -> str:
        """First value of a header field, empty when absent."""
        for name, value in self.headers():
            if name == wanted:
                return value
        return ""

    @property
    def mime(self) -> str:
        """Media type without parameters, lower-cased."""
        return self.header("content-type").split(";")[0].strip().lower()


def _header_fields(head: bytes) -> Iterator[tuple[str, str]]:
    name, value = "", ""
    for line in head.decode("latin-1").replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in (" ", "\t") and name:
            value = f"{value} {line.strip()}"
            continue
        if name:
            yield name, value
        name, found, value = line.partition(":")
        name, value = (name.strip().lower(), value.strip()) if found else ("", "")
    if name:
        yield name, value


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies: file name inside `archive/`, byte offset and length of its gzip member."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Original:
    """The capture a revisit record refers to."""

    url: str
    time: float
    digest: str
    record_id: str = ""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The document a browser made of an answer: a record of its own, in the file of the answer."""

    digest: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Capture:
    """One fetch, one WARC record."""

    url: str
    time: float
    """WARC-Date as UTC epoch seconds, whole milliseconds."""
    status: int
    mime: str
    digest: str
    """WARC-Payload-Digest, for example `sha1:...`."""
    place: Place
    revisit: bool = False
    truncated: str = ""
    redirect: str = ""
    """Absolute target of a redirect, empty otherwise."""
    record_id: str = ""
    entity: str = ""
    """Digest of the body without transfer coding: what is compared to find an unchanged answer."""
    original: Original | None = field(default=None)
    """What a revisit refers to."""
    rendering: Rendering | None = field(default=None)
    """What a browser made of it, where that stands for the page in study, search and comparison."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A visit that brought no answer, as its WARC record tells."""

    url: str
    time: float
    outcome: Outcome
    detail: str
    kind: Kind


def evidence_of(status: int, truncated: str = "") -> Evidence:
    """What an answer says about its page: it is there, it is gone, or nothing (an error, a refusal, a torn answer).

    >>> [str(evidence_of(status)) for status in (200, 410, 503)], str(evidence_of(200, "disconnect"))
    (['present', 'absent', 'unreachable'], 'unreachable')
    """
    if truncated in ("disconnect", "time"):
        return Evidence.UNREACHABLE
    if status in GONE:
        return Evidence.ABSENT
    return Evidence.PRESENT if 200 <= status < 400 else Evidence.UNREACHABLE


def shows_page(capture: Capture) -> bool:
    """Whether an answer says what the page is: errors, refusals and answers that were cut do not."""
    return (capture.status == 0 or 200 <= capture.status < 400) and not capture.truncated


def identity_of(capture: Capture) -> str:
    """What makes two answers the same without reading them."""
    if capture.rendering is not None:
        return capture.rendering.digest
    return f"redirect {capture.redirect}" if capture.redirect else capture.digest
