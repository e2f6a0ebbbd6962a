"""One exchange under way: a libcurl handle, what came through it so far, and the limits it is held to.

Header bytes and body are taken as they arrive and never decoded. Two things libcurl does to a header block cannot be
undone: lines folded in the obsolete manner reach us joined, and interim answers (100, 103) are not kept. The clock is
looked at from outside (`overdue`), because a timer per read never ends on a server that sends a byte now and then.
"""

import errno
import os
import socket
from collections.abc import Callable
from io import BytesIO
from time import monotonic
from typing import Any, BinaryIO, Final

import pycurl

from strandline.core.capture import Exchange, Kind, Outcome, Request, whole_milliseconds
from strandline.core.quick_dataclass import dataclass
from strandline.core.urls import authority, with_query
from strandline.fetch.options import FetchOptions, trusted_certificates
from strandline.fetch.spool import Spool
from strandline.fetch.verdict import Ending, Verdict, status_of

_TEXT, _HEADER_OUT = pycurl.INFOTYPE_TEXT, pycurl.INFOTYPE_HEADER_OUT
_EXCESS: Final = b"excess found writing body"
_SECRET: Final = (b"cookie:", b"authorization:", b"proxy-authorization:")
ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ACCEPT_ENCODING: Final = "gzip, br"
"""Not zstd, although we read it: captures are for decades and other replay tools know these two. Not deflate: servers
disagree on what it means."""


@dataclass(slots=True)
class Target:
    """A request with its address taken apart by one parser, for the check and for the connection alike."""

    request: Request
    url: str
    host: str
    """ASCII name or numeric address, without brackets."""
    port: int
    addresses: tuple[str, ...] = ()
    unverified: str = ""
    """Why the certificate is not to be trusted, when the exchange goes on all the same."""
    since: float = 0.0
    """Monotonic time of `start`."""
    not_before: float = 0.0
    head: bytes = b""
    """The request as it was sent, for a second try on a bare connection."""


Opened = Callable[[socket.socket], None]
"""Told of each socket made for libcurl, which works on a duplicate of its own."""


def recorded_head(sent: bytes, secret: bytes = b"") -> bytes:
    r"""The request head as it may be kept: without secret fields, and without the secret end of the address.

    >>> recorded_head(b"GET / HTTP/1.1\r\nHost: a\r\nCookie: k=v\r\nAccept: */*\r\n\r\n")
    b'GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n'
    >>> recorded_head(b"GET /a?x=1&token=77 HTTP/1.1\r\n\r\n", b"&token=77")
    b'GET /a?x=1 HTTP/1.1\r\n\r\n'
    """
    if secret:
        line, end, rest = sent.partition(b"\r\n")
        sent = line.replace(secret + b" ", b" ", 1) + end + rest
    return b"".join(line for line in sent.splitlines(keepends=True) if not line.lower().startswith(_SECRET))


def without_cookies(head: bytes) -> tuple[bytes, tuple[str, ...]]:
    r"""The head of an answer with crosses in place of the values of cookies, and its Set-Cookie fields as they came.

    >>> without_cookies(b"HTTP/1.1 200 OK\r\nSet-Cookie: s=abc; Path=/\r\n\r\n")
    (b'HTTP/1.1 200 OK\r\nSet-Cookie: s=xxx; Path=/\r\n\r\n', ('s=abc; Path=/',))
    """
    lines, found = head.splitlines(keepends=True), []
    for number, line in enumerate(lines):
        if line[:11].lower() == b"set-cookie:":
            pair, semicolon, rest = line[11:].partition(b";")
            name, sign, value = pair.partition(b"=")
            told, end = value.rstrip(b"\r\n"), value[len(value.rstrip(b"\r\n")) :]
            found.append(line[11:].strip().decode("latin-1"))
            lines[number] = line[:11] + name + sign + b"x" * len(told) + end + semicolon + rest
    return b"".join(lines), tuple(found)


class Transfer:
    """A reusable libcurl handle with the callbacks that fill one exchange at a time."""

    def __init__(self, options: FetchOptions, opened: Opened) -> None:
        self._options = options
        self._limits = options.limits
        self._opened = opened
        self.curl: Any = pycurl.Curl()
        self._knows_whom_to_trust = False
        self._verifies: bool | None = None
        self._headers: list[bytes] = []
        self._method: tuple[str, bytes] = ("GET", b"")
        self._login: tuple[tuple[str, str], ...] = ()
        self._set_up()

    def _set_up(self) -> None:
        curl, options, limits = self.curl, self._options, self._limits
        fixed = {
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.FOLLOWLOCATION: 0,  # each hop is its own capture, checked by the caller
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,  # WARC holds HTTP/1.1 messages
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.HTTP_CONTENT_DECODING: 0,
            pycurl.HTTP09_ALLOWED: 1,  # what is no HTTP is kept as evidence too
            pycurl.PATH_AS_IS: 1,
            pycurl.NOSIGNAL: 1,
            pycurl.BUFFERSIZE: 64 * 1024,
            pycurl.TCP_NODELAY: 1,
            pycurl.CONNECTTIMEOUT_MS: int(limits.connect * 1000),
            pycurl.TIMEOUT_MS: int(limits.total * 1000),
            pycurl.PROXY: options.proxy,
            pycurl.PROXYPASSWORD: options.proxy_password,
            pycurl.USERAGENT: options.user_agent,
            pycurl.VERBOSE: 1,  # the only way to see the request as it was sent
            pycurl.DEBUGFUNCTION: self._on_debug,
            pycurl.HEADERFUNCTION: self._on_header,
            pycurl.WRITEFUNCTION: self._on_body,
            pycurl.OPENSOCKETFUNCTION: self._on_socket,
        }
        for option, value in fixed.items():
            curl.setopt(option, value)

    # -- one exchange ----------------------------------------------------------------------------------------------

    def begin(self, target: Target) -> None:
        """Get the handle ready for a target whose addresses are known and checked."""
        self.target = target
        self._body: BinaryIO = BytesIO()
        self.began = self._marked = monotonic()
        self.started = whole_milliseconds(self._options.now())
        self._asked = self._last = 0.0
        self._received = self._marked_bytes = 0
        self._head, self._head_complete = bytearray(), False
        self._head_bytes = self._lines = 0
        self._sent = b""
        self._spool = Spool(self._options.spool_folder, self._limits.memory)
        self._excess = self._burst = 0
        self._paused = False
        self.stopped: Verdict | None = None
        self.refused = ""
        self.local_fault: OSError | None = None
        curl = self.curl
        asked, self._secret = target.url, ""
        meant_for = self._options.secret_places
        if self._options.secret_query and target.request.kind is not Kind.ROBOTS and authority(target.url) in meant_for:
            asked = with_query(target.url, self._options.secret_query)
            self._secret = asked.removeprefix(target.url)
        curl.setopt(pycurl.URL, asked)
        self._ask(target.request)
        self._login = () if target.request.kind is Kind.ROBOTS else self._options.logins(target.url)
        headers = self._request_headers(target.request)
        if headers != self._headers:  # a handle keeps what it was told
            curl.setopt(pycurl.HTTPHEADER, headers)
            self._headers = headers
        if target.addresses != (target.host,):  # a numeric host needs no pin, and IPv6 ones cannot have any
            pinned = ",".join(f"[{ip}]" if ":" in ip else ip for ip in target.addresses)
            if pinned:
                curl.setopt(pycurl.RESOLVE, [f"+{target.host}:{target.port}:{pinned}"])
        if not self._knows_whom_to_trust and target.url.startswith("https:"):
            curl.setopt(pycurl.CAINFO, self._options.ca_file or trusted_certificates())
            self._knows_whom_to_trust = True
        trusted = not target.unverified
        if trusted is not self._verifies:
            curl.setopt(pycurl.SSL_VERIFYPEER, int(trusted))
            curl.setopt(pycurl.SSL_VERIFYHOST, 2 if trusted else 0)
            self._verifies = trusted

    def _ask(self, request: Request) -> None:
        """Set method and body; nearly always they are what they were."""
        asked = (request.method, request.body)
        if asked == self._method:
            return
        curl, self._method = self.curl, asked
        curl.setopt(pycurl.HTTPGET, 1)
        curl.unsetopt(pycurl.CUSTOMREQUEST)
        if request.method == "HEAD":
            curl.setopt(pycurl.NOBODY, 1)
        elif request.method != "GET":
            if request.body or request.method == "POST":
                curl.setopt(pycurl.POSTFIELDS, request.body)
            curl.setopt(pycurl.CUSTOMREQUEST, request.method)

    def _request_headers(self, request: Request) -> list[bytes]:
        wanted = {name.lower() for name, _ in request.headers}
        usual = [("Accept", ACCEPT), ("Accept-Encoding", ACCEPT_ENCODING), *self._options.headers]
        own = self._options.site_headers(authority(request.url))
        if own:
            named = {name.lower() for name, _ in own}
            usual = [*(field for field in usual if field[0].lower() not in named), *own]
        if self._login:
            named = {name.lower() for name, _ in self._login}
            usual = [*(field for field in usual if field[0].lower() not in named), *self._login]
        fields = [field for field in usual if field[0].lower() not in wanted] if wanted else usual
        if request.own_cookies:
            fields = [field for field in fields if field[0].lower() != "cookie"]
        fields = [*fields, *request.headers]
        if request.method != "GET":
            fields.append(("Expect", ""))  # libcurl would wait for leave to send a body
        if request.etag:
            fields.append(("If-None-Match", request.etag))
        if request.last_modified:
            fields.append(("If-Modified-Since", request.last_modified))
        # Validators come from the web: they must not become more than a value, and go back as the bytes they were.
        meant = [f"{name}: {value}" if value else f"{name}:" for name, value in fields if value.isprintable()]
        return [line.encode("latin-1") for line in meant if max(line) < "\u0100"]

    @property
    def sent(self) -> bytes:
        """The request as it went out, with everything."""
        return self._sent

    def overdue(self, now: float) -> Verdict | None:
        """The limit of time that is exceeded, if one is. Connecting and the total are libcurl's."""
        limits = self._limits
        mark = "time" if self._head_complete else ""
        own = self.target.request.seconds
        if own and now - self.began > own:
            return Verdict(Outcome.TRUNCATED if mark else Outcome.TIMEOUT, mark, f"cut after {own:g} s")
        if not self._asked:
            return None
        if not self._last:
            if now - self._asked > limits.first_byte:
                return Verdict(Outcome.TIMEOUT, "", f"no answer in {limits.first_byte:g} s")
            return None
        if now - self._last > limits.between_reads:
            return Verdict(Outcome.TIMEOUT, mark, f"silent for {limits.between_reads:g} s")
        if now - self._marked > limits.rate_after:
            if self._received - self._marked_bytes < limits.lowest_rate * limits.rate_after:
                return Verdict(Outcome.TOO_SLOW, mark, f"below {limits.lowest_rate} bytes per second")
            self._marked, self._marked_bytes = now, self._received
        return None

    def ending(self, code: int, message: str) -> Ending:
        """What came, for the verdict. The body is only lent."""
        self._body_length = self._spool.length
        if self._sent.startswith(b"CONNECT "):  # only the proxy spoke
            self._sent, self._head, self._head_complete = b"", bytearray(), False
        try:
            self._body = self._spool.hand_over()
        except OSError as fault:  # the last bytes found no room
            self.local_fault, self._body = fault, BytesIO()
        return Ending(
            code=code,
            message=message,
            os_error=self.curl.getinfo(pycurl.OS_ERRNO),
            sent=bool(self._sent),
            head=bytes(self._head),
            head_complete=self._head_complete,
            body=self._body,
            body_length=self._body_length,
            excess=self._excess,
            only_head=self.target.request.method == "HEAD",
        )

    def exchange(self, verdict: Verdict) -> Exchange:
        """The exchange, after `ending`."""
        self._body.seek(0)
        detail = verdict.detail
        if self.target.unverified:
            detail = "; ".join(filter(None, [detail, f"certificate not verified: {self.target.unverified}"]))
        head, cookies = without_cookies(bytes(self._head))
        if not self._login or self._options.keep_secrets:
            head, cookies = bytes(self._head), ()
        return Exchange(
            request=self.target.request,
            started=self.started,
            seconds=monotonic() - self.began,
            outcome=verdict.outcome,
            detail=detail,
            address=self.curl.getinfo(pycurl.PRIMARY_IP) or "",
            request_head=self._sent if self._options.keep_secrets else recorded_head(self._sent, self._secret.encode()),
            response_head=head,
            body=self._body,
            body_length=self._body_length,
            truncated=verdict.truncated,
            status=status_of(head),
            cookies_set=cookies,
        )

    def drop(self) -> None:
        """Forget what came."""
        self._spool.discard()

    # -- what libcurl calls ----------------------------------------------------------------------------------------

    def _on_socket(self, purpose: int, address: Any) -> Any:  # noqa: ANN401 - pycurl's own types
        family, kind, protocol, place = address
        if not self._options.proxy:
            # The last word on every connection, whatever name, redirect or name server led here.
            refusal = self._options.policy.check(place[0], place[1])
            if refusal:
                self.refused = refusal
                return pycurl.SOCKET_BAD
        try:
            made = socket.socket(family, kind, protocol)
            try:
                os.close(os.dup(made.fileno()))  # libcurl will work on a duplicate: is there room for it?
            except OSError:
                made.close()
                raise
        except OSError as fault:
            if fault.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                self.local_fault = fault
            return pycurl.SOCKET_BAD
        self._opened(made)
        return made

    def _on_debug(self, kind: int, data: bytes) -> None:
        if kind == _HEADER_OUT:
            self._asked = monotonic()
            first = data.startswith((f"{self.target.request.method} ".encode(), b"CONNECT "))
            self._sent = data if first else self._sent + data
        elif kind == _TEXT and data[:25].lower() == _EXCESS:
            digits = "".join(char if char.isdigit() else " " for char in data.decode("latin-1")).split()
            self._excess = int(digits[0]) if digits else 1

    def _arrived(self, size: int) -> None:
        now = monotonic()
        if not self._last:
            self._marked = now
        self._last = now
        self._received += size

    def _on_header(self, line: bytes) -> int | None:
        self._arrived(len(line))
        if self._head_complete:  # that was an interim answer (100, 103); the real one follows
            self._head, self._head_complete = bytearray(), False
        limits = self._limits
        room = limits.header_block - self._head_bytes
        self._head += line[: max(0, room)]
        self._head_bytes += len(line)  # interim answers count too, or they could go on for ever
        self._lines += 1
        if len(line) > min(room, limits.header_line) or self._lines > limits.header_fields + 2:
            self.stopped = Verdict(Outcome.BIG_HEADERS, "length", "header block beyond the limits")
            return -1
        self._head_complete = line in (b"\r\n", b"\n")
        return None

    def resume(self) -> None:
        """Begin the next span of time of a body that came faster than it may."""
        self._burst = 0
        if self._paused:
            self._paused = False
            self.curl.pause(pycurl.PAUSE_CONT)

    def _on_body(self, data: bytes) -> int | None:
        if self._burst > self._limits.burst:
            self._paused = True
            return int(pycurl.WRITEFUNC_PAUSE)  # libcurl keeps these bytes and brings them again
        self._burst += len(data)
        self._arrived(len(data))
        room = self._limits.body - self._spool.length
        try:
            self._spool.write(data if len(data) <= room else data[:room])
        except OSError as fault:
            self.local_fault = fault
            return -1
        if len(data) > room:
            self.stopped = Verdict(Outcome.TRUNCATED, "length", f"cut at {self._limits.body} bytes")
            return -1
        return None


def failed(request: Request, verdict: Verdict, now: float) -> Exchange:
    """An exchange that never reached the wire."""
    return Exchange(
        request=request,
        started=whole_milliseconds(now),
        seconds=0.0,
        outcome=verdict.outcome,
        detail=verdict.detail,
        address="",
        request_head=b"",
        response_head=b"",
        body=BytesIO(),
        body_length=0,
    )
