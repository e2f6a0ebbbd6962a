"""How an exchange ended, from what libcurl says and from what came.

libcurl judges the connection; the framing is judged here once more, because a server that announces two lengths, or
sends more than it announced, has sent something nobody can call complete.
"""

import errno
from typing import BinaryIO, Final

import pycurl

from strandline.core.capture import Outcome
from strandline.core.chunks import Dechunker, begins_chunked
from strandline.core.quick_dataclass import dataclass

_TLS: Final = frozenset({35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98})
_NOT_TRUSTED: Final = frozenset({51, 60})
_OURS: Final = frozenset({errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL})
_RESET: Final = frozenset({pycurl.E_GOT_NOTHING, pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR})
_PLAIN: Final[dict[int, Outcome]] = {
    pycurl.E_URL_MALFORMAT: Outcome.BAD_URL,
    pycurl.E_COULDNT_RESOLVE_HOST: Outcome.NO_SUCH_HOST,
    pycurl.E_COULDNT_RESOLVE_PROXY: Outcome.OFFLINE,
    pycurl.E_COULDNT_CONNECT: Outcome.CONNECT,
    pycurl.E_OUT_OF_MEMORY: Outcome.OFFLINE,
    100: Outcome.BIG_HEADERS,  # CURLE_TOO_LARGE
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, the mark for WARC-Truncated, and one line for the archivist."""

    outcome: Outcome
    truncated: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known when libcurl is done with an exchange."""

    code: int
    message: str
    os_error: int
    sent: bool
    """The request went out."""
    head: bytes
    head_complete: bool
    body: BinaryIO
    body_length: int
    excess: int = 0
    """Bytes that followed the announced end, as far as they were seen."""
    only_head: bool = False
    """Asked with HEAD: the length announced is that of a body that does not come."""


def plain(text: str) -> str:
    """One printable line: servers put what they like into messages."""
    return "".join(char if char.isprintable() else " " for char in text)[:200].strip()


def not_trusted(code: int) -> bool:
    """Whether TLS failed because of the certificate, not the handshake."""
    return code in _NOT_TRUSTED


def may_be_ours(ending: Ending) -> bool:
    """Whether a failed connection may be the fault of our own network."""
    return ending.code == pycurl.E_COULDNT_CONNECT and ending.os_error in _OURS


def judge(ending: Ending) -> Verdict:
    """The verdict on an exchange that was not stopped by us."""
    if ending.code == pycurl.E_OK:
        return _framing(ending)
    detail = plain(ending.message) or f"libcurl error {ending.code}"
    mark = "disconnect" if ending.head_complete else ""
    if ending.code == pycurl.E_OPERATION_TIMEDOUT:
        return _timed_out(ending, detail)
    if ending.code == pycurl.E_PARTIAL_FILE:
        return Verdict(Outcome.SHORT, "disconnect", detail)
    if ending.code == pycurl.E_RECV_ERROR and _broken_chunks(ending):
        return Verdict(Outcome.PROTOCOL, "unspecified", detail)
    if ending.code in _RESET:
        return Verdict(Outcome.RESET, mark, detail)
    if ending.code in _TLS:
        return Verdict(Outcome.TLS, mark, detail)
    if ending.code in _PLAIN:
        mark = "length" if ending.code == 100 else ""
        return Verdict(_PLAIN[ending.code], mark, detail)
    return Verdict(Outcome.PROTOCOL, "unspecified" if ending.head else "", detail)


def _timed_out(ending: Ending, detail: str) -> Verdict:
    if not ending.sent:
        return Verdict(Outcome.TIMEOUT, "", f"no connection in time: {detail}")
    if ending.head_complete:
        return Verdict(Outcome.TRUNCATED, "time", "cut at the limit for the whole exchange")
    return Verdict(Outcome.TIMEOUT, "", detail)


def fields(head: bytes, name: bytes) -> list[bytes]:
    """All values of a header field, as they stand."""
    lines = head.split(b"\n")[1:]
    return [value.strip() for key, colon, value in (line.partition(b":") for line in lines)
            if colon and key.strip().lower() == name]  # fmt: skip


def lengths(head: bytes) -> set[bytes]:
    """Lengths announced; a list of equal ones is one."""
    return {part.strip() for value in fields(head, b"content-length") for part in value.split(b",")}


def is_chunked(head: bytes) -> bool:
    """Whether chunk framing was announced."""
    return any(b"chunked" in value.lower() for value in fields(head, b"transfer-encoding"))


def status_of(head: bytes) -> int:
    """Status code in a header block, 0 when there is none."""
    words = head.split(b"\n", 1)[0].split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() and len(words[1]) == 3 else 0


def _framing(ending: Ending) -> Verdict:
    if not ending.head:
        return Verdict(Outcome.PROTOCOL, "unspecified", "no status line: not HTTP")
    if not ending.head_complete:
        return Verdict(Outcome.SHORT, "disconnect", "connection ended inside the header block")
    status = status_of(ending.head)
    if status < 200:
        return Verdict(Outcome.PROTOCOL, "unspecified", f"status {status} ends nothing")
    announced = lengths(ending.head)
    if announced and is_chunked(ending.head):
        return Verdict(Outcome.PROTOCOL, "unspecified", "announced both a length and chunks")
    if len(announced) > 1 or not all(value.isdigit() for value in announced):
        return Verdict(Outcome.PROTOCOL, "unspecified", "announced two lengths, or one that is no number")
    bodiless = status in (204, 304) or ending.only_head
    if ending.excess > 2 and not bodiless:  # old servers end a body with a line end they do not count
        return Verdict(Outcome.PROTOCOL, "unspecified", f"{ending.excess} bytes more than announced")
    length = int(min(announced, default=b"0")[:30])
    if not bodiless and length > ending.body_length:
        return Verdict(Outcome.SHORT, "disconnect", f"{ending.body_length} of {length} bytes came")
    return Verdict(Outcome.ANSWERED)


def _broken_chunks(ending: Ending) -> bool:
    if not is_chunked(ending.head):
        return False
    chunks = Dechunker()
    ending.body.seek(0)
    if not begins_chunked(ending.body.read(4096) or b"0"):
        return True
    ending.body.seek(0)
    while piece := ending.body.read(64 * 1024):
        chunks.feed(piece)
        if chunks.problem:
            return True
    return False
