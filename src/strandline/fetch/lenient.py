"""A second try for answers libcurl will not read, on a connection libcurl made.

libcurl gives up on header lines without a colon, on NUL and CR inside a line, on two Location fields. Browsers show
such pages, so an archive has to keep them. Libcurl still makes the connection (checked address, TLS); the request is
sent again as it was, and the answer is read here line by line, to the same limits. It costs one more request and is
tried only after libcurl has refused an answer. Connections are not used twice.
"""

import pycurl

from strandline.core.capture import Outcome
from strandline.core.chunks import Dechunker
from strandline.fetch.options import FetchOptions
from strandline.fetch.transfer import Opened, Target, Transfer
from strandline.fetch.verdict import Verdict, is_chunked, lengths, status_of

AVAILABLE = hasattr(pycurl.Curl, "recv")
"""Older pycurl cannot talk on a bare connection."""


class LenientTransfer(Transfer):
    """One exchange on a bare connection. `connected` starts it, `readable` goes on until it says True."""

    def __init__(self, options: FetchOptions, opened: Opened) -> None:
        super().__init__(options, opened)
        self.curl.setopt(pycurl.CONNECT_ONLY, 1)

    def begin(self, target: Target) -> None:
        """Get ready to connect."""
        super().begin(target)
        self._line = bytearray()
        self._in_body = False
        self._chunks: Dechunker | None = None
        self._left: int | None = None
        self.code = pycurl.E_OK
        self.message = ""

    def connected(self) -> int:
        """The connection is there: send the request; the socket to wait for is given back."""
        self._on_debug(pycurl.INFOTYPE_HEADER_OUT, self.target.head)
        sent = self.curl.send(self.target.head)
        if sent != len(self.target.head):
            raise pycurl.error(pycurl.E_SEND_ERROR, "request not sent whole")
        return int(self.curl.getinfo(pycurl.ACTIVESOCKET))

    def overdue(self, now: float) -> Verdict | None:
        """The limit that is exceeded; libcurl's own clock stopped when the connection was made."""
        if now - self.began > self._limits.total:
            outcome = Outcome.TRUNCATED if self._head_complete else Outcome.TIMEOUT
            return Verdict(outcome, "time" if self._head_complete else "", "cut at the limit for the whole exchange")
        return super().overdue(now)

    def readable(self) -> bool:
        """Read what is there. True when the exchange is over; `code` and `message` then say how."""
        while True:
            try:
                data = self.curl.recv(64 * 1024)
            except BlockingIOError:
                return False
            except pycurl.error as fault:
                self.code, self.message = fault.args[0], str(fault.args[-1])
                return True
            if not data:
                if not self._in_body or self._chunks is not None or self._left is not None:
                    self.code, self.message = pycurl.E_PARTIAL_FILE, "connection ended before the answer did"
                return True
            if self._take(data):
                return True

    def _take(self, data: bytes) -> bool:
        """Take bytes in; True when the answer is whole or beyond a limit."""
        if self._in_body:
            return self._take_body(data)
        self._line += data
        if not self._head_bytes and not self._line.startswith(b"HTTP/"[: len(self._line)]):
            self._in_body = True  # no status line: whatever it is, it is kept
        while not self._in_body:
            end = self._line.find(b"\n")
            if end < 0 and len(self._line) <= self._limits.header_line:
                return False
            line = bytes(self._line[: end + 1] if end >= 0 else self._line)
            del self._line[: len(line)]
            if self._on_header(line) is not None:
                return True
            if self._head_complete and status_of(bytes(self._head)) >= 200:
                self._in_body = True
                if self._begin_body():
                    return True
        rest, self._line = bytes(self._line), bytearray()
        return bool(rest) and self._take_body(rest)

    def _begin_body(self) -> bool:
        head = bytes(self._head)
        announced = lengths(head)
        if is_chunked(head):
            self._chunks = Dechunker()
        elif len(announced) == 1 and min(announced).isdigit():
            self._left = int(min(announced)[:30])  # Python reads no number of thousands of digits
        return status_of(head) in (204, 304) or self._left == 0

    def _take_body(self, data: bytes) -> bool:
        if self._left is not None:
            self._excess = max(0, len(data) - self._left)
            data = data[: self._left]
            self._left -= len(data)
        elif self._chunks is not None:
            self._chunks.feed(data)
            data = data[: len(data) - len(self._chunks.rest)]
        self._burst = 0  # there is nobody to keep bytes back for us here
        if self._on_body(data) is not None:
            return True
        if self._chunks is not None and self._chunks.problem:
            self.code, self.message = pycurl.E_RECV_ERROR, self._chunks.problem
            return True
        return self._left == 0 or (self._chunks is not None and self._chunks.done)
