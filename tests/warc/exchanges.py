"""Exchanges as a fetcher would hand them over, and a clock that stands still unless told."""

import io
import random

from strandline.core.capture import Capture, Exchange, Kind, Original, Outcome, Request
from strandline.warc.info import WarcInfo

ABOUT = WarcInfo(
    software="strandline/test",
    user_agent="Mozilla/5.0 (compatible; strandline/test +http://example.org/)",
    robots="obey",
    operator="http://example.org/",
    is_part_of="test",
)
START = 1_780_000_000.125


class StillClock:
    def __init__(self, now=START):
        self.time = now

    def now(self):
        return self.time

    def monotonic(self):
        return self.time

    def sleep(self, seconds):
        self.time += seconds


def exchange(url="http://example.org/", body=b"<p>hello</p>", status=200, **changes):
    """An answered exchange; `headers` adds lines, anything else replaces a field of Exchange."""
    headers = changes.pop("headers", b"Content-Type: text/html; charset=utf-8\r\n")
    length = b"" if b"chunked" in headers else b"Content-Length: %d\r\n" % len(body)
    host = url.split("/")[2].rpartition("@")[2]
    fields = {
        "request": Request(url=url, ticket=1, kind=changes.pop("kind", Kind.PAGE)),
        "started": START,
        "seconds": 0.25,
        "outcome": Outcome.ANSWERED,
        "detail": "",
        "address": "192.0.2.7",
        "request_head": b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nCookie: secret=1\r\nAccept: */*\r\n\r\n",
        "response_head": b"HTTP/1.1 %d Fine\r\n" % status + headers + length + b"\r\n",
        "body": io.BytesIO(body),
        "body_length": len(body),
        "status": status,
    }
    return Exchange(**{**fields, **changes})


def chunked(body, size=7):
    out = b""
    for i in range(0, len(body), size):
        piece = body[i : i + size]
        out += b"%x\r\n" % len(piece) + piece + b"\r\n"
    return out + b"0\r\n\r\n"


def original_of(capture: Capture) -> Original:
    return Original(capture.url, capture.time, capture.digest, capture.record_id)


def text(seed, size):
    """Text that compresses like a page."""
    rng = random.Random(seed)
    words = ["archive", "strand", "line", "page", "news", "<p class='a'>", "</p>", "the", "of", "tide", "2026"]
    out = []
    length = 0
    while length < size:
        word = rng.choice(words) if rng.random() < 0.8 else f"{rng.getrandbits(32):x}"
        out.append(word)
        length += len(word) + 1
    return " ".join(out).encode()[:size]
