"""A memento as an HTTP answer: found, read, put into the archive's own addresses, cut to the range asked for.

Headers of Memento (RFC 7089) go with every answer that shows a capture. `X-Archive-Offset` says by how many seconds
the capture is later than the time asked for; when that is more than the span set, `X-Archive-Anachronism` marks
the answer, because a page put together from parts of different times may never have existed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import ada_url

from strandline.access.addresses import Base, Wanted
from strandline.access.fuzzy import like
from strandline.access.heads import replayed
from strandline.access.index import Holdings
from strandline.access.memento import Memento, closest, general_links, key_of, link_header
from strandline.access.payload import Payload, read_payload
from strandline.access.ranges import Slice, UnsatisfiableError, between, captured_slice, wanted_slice
from strandline.access.rewrite import Document, kind_of, may_run, rewrite
from strandline.access.timestamps import http_date
from strandline.core.request_keys import unkeyed

DAY = 86400.0
_FILE = re.compile(r"application/(?!([a-z0-9.-]+\+)?(xml|json)\Z|(x-)?(javascript|unknown))")


def is_file(mime: str) -> bool:
    """Whether browsers hand a type to another program or viewer, which they do not do inside a sandbox.

    >>> [is_file(mime) for mime in ("application/pdf", "application/zip", "html", "application/xhtml+xml", "")]
    [True, True, False, False, False]
    """
    return bool(_FILE.match(mime))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader's browser sent along."""

    range: str = ""
    if_range: str = ""
    accept_encoding: str = ""


@dataclass(slots=True)
class Answer:
    """What goes back: `body` as bytes, or as pieces when it is large."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes | Iterator[bytes] = b""
    runs: bool = False
    """A page whose script may run: it was rewritten and brings the client side. Nothing else does."""
    apart: bool = False
    """Its pieces may be read in another thread, and should be: what lies before a range is read, too."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Answers requests for mementos. `base` is absolute, `local` is what addresses inside documents begin with."""

    holdings: Holdings
    base: Base
    local: Base = Base()  # noqa: RUF009 - frozen
    span: float = DAY
    """Seconds by which a part may differ from the time asked for before it is marked."""

    def find(self, wanted: Wanted, opened: bool = False) -> tuple[Wanted, Memento | None]:
        """The memento that answers, from the index alone, and what it answers to: the address that was captured where
        the one asked for was not and differs in nothing that matters (fuzzy.py). `opened`: a reader opens it as a page,
        and is shown the page itself where the answer to a form was not captured.
        """
        index, as_captured = self.holdings.index, wanted.mod == "id_"
        asked = wanted.keyed
        memento = closest(index, asked, wanted.time, as_captured=as_captured)
        if memento is not None:
            return wanted, memento
        held = None if as_captured else like(index, key_of(asked), wanted.time)
        if held is not None and (memento := closest(index, held.url, wanted.time)) is not None:
            return replace(wanted, url=unkeyed(held.url)[0]), memento
        if wanted.query and opened:
            return wanted, closest(index, wanted.url, wanted.time)
        return wanted, None

    def answer(self, wanted: Wanted, memento: Memento, asked: Asked) -> Answer:
        """Read and prepare a memento; LostError when its record cannot be shown."""
        payload = read_payload(self.holdings, memento.capture)
        headers = [*replayed(payload.head, lambda target: self._target(target, wanted, memento))]
        headers += self.memento_headers(wanted, memento)
        status = payload.head.status if 200 <= payload.head.status < 600 else 200
        if status // 100 == 3 and any(name == "location" for name, _ in headers):
            return Answer(status, headers)
        body, coding, kind = self._body(wanted, memento, payload, asked)
        if coding:
            headers.append(("content-encoding", coding))
        page = kind == "page" and wanted.mod in ("", "mp_", "if_")
        runs = page and isinstance(body, bytes) and may_run(body, payload.head.value("content-type"))
        return _cut(Answer(status, headers, body, runs, apart=True), payload, asked)

    def memento_headers(self, wanted: Wanted, memento: Memento) -> list[tuple[str, str]]:
        """Fields of RFC 7089 and what else is to be said about the capture."""
        capture = memento.capture
        headers = [
            ("memento-datetime", http_date(capture.time)),
            ("link", link_header(memento, wanted.url, self.base)),
            ("content-location", self.base.memento(wanted.url, capture.time, wanted.mod)),
        ]
        if wanted.time is None:
            headers.append(("vary", "accept-datetime"))
        elif offset := int(capture.time) - int(wanted.time):
            headers.append(("x-archive-offset", str(offset)))
            if abs(offset) > self.span:
                headers.append(("x-archive-anachronism", "1"))
        if capture.truncated:
            headers.append(("x-archive-truncated", capture.truncated))
        return headers

    def not_found_headers(self, url: str) -> list[tuple[str, str]]:
        """Fields of an answer that says there is no memento."""
        return [("link", general_links(url, self.base)), ("vary", "accept-datetime")]

    def _target(self, target: str, wanted: Wanted, memento: Memento) -> str:
        try:
            said = target.encode("latin-1").decode("utf-8", "replace")
            absolute = ada_url.join_url(unkeyed(memento.capture.url)[0], said)
        except ValueError:
            absolute = ""
        if not absolute.startswith(("http://", "https://")):
            return "about:blank"
        return self.base.memento(absolute, memento.capture.time, wanted.mod)

    def _body(
        self, wanted: Wanted, memento: Memento, payload: Payload, asked: Asked
    ) -> tuple[bytes | Iterator[bytes], str, str]:
        """The body as it is sent, the coding it is in, and what it was rewritten as."""
        mime, start = payload.head.mime, (payload.data or b"")[:256]
        if wanted.mod == "id_":
            return (payload.pieces if payload.data is None else payload.data), payload.coding, ""
        if (kind := kind_of(mime, wanted.mod, b"" if payload.coding else start)) and payload.data is not None:
            url, kind_said = memento.capture.url, payload.head.value("content-type")
            document = Document(unkeyed(url)[0], memento.capture.time, mime, kind_said, wanted.mod, url)
            return rewrite(payload.decoded(), document, self.local), "", kind
        if payload.coding and (asked.range or not _accepts(payload.coding, asked.accept_encoding)):
            return payload.decoded(), "", ""
        return (payload.pieces if payload.data is None else payload.data), payload.coding, ""


def _accepts(coding: str, header: str) -> bool:
    """Whether a reader takes a coding as it is stored."""
    offered = {part.partition(";")[0].strip().lower() for part in header.split(",")}
    return coding in offered and "," not in coding


def _cut(answer: Answer, payload: Payload, asked: Asked) -> Answer:
    """Serve the range asked for, out of a whole capture or out of a captured part."""
    size = len(answer.body) if isinstance(answer.body, bytes) else payload.length
    held = Slice(0, size, size)
    if answer.status == 206:
        held = captured_slice(payload.head.value("content-range")) or held
        if held.stop - held.start != size:
            held = Slice(0, size, size)
        answer.status = 200
    part = held if size != held.total else None
    if answer.status == 200 and size >= 0 and not asked.if_range:
        answer.headers.append(("accept-ranges", "bytes"))
        try:
            part = _wanted(asked.range, held) or part
        except UnsatisfiableError as outside:
            answer.headers.append(("content-range", str(outside)))
            return Answer(416, answer.headers)
    return _sized(answer, size) if part is None else _part(answer, part, held)


def _wanted(header: str, held: Slice) -> Slice | None:
    """What a Range field asks for of what is held, None for all of it; UnsatisfiableError when nothing of it is."""
    wanted = wanted_slice(header, held.total) if header else None
    if wanted is None:
        return None
    if not held.start <= wanted.start < held.stop:
        raise UnsatisfiableError(f"bytes */{held.total}")
    return Slice(wanted.start, min(wanted.stop, held.stop), held.total)


def _part(answer: Answer, part: Slice, held: Slice) -> Answer:
    """A part of what is held."""
    start, stop = part.start - held.start, part.stop - held.start
    answer.status = 206
    answer.headers.append(("content-range", str(part)))
    answer.body = answer.body[start:stop] if isinstance(answer.body, bytes) else between(answer.body, start, stop)
    return _sized(answer, stop - start)


def _sized(answer: Answer, size: int) -> Answer:
    """Pieces do not tell how many bytes they are together."""
    if size >= 0 and not isinstance(answer.body, bytes):
        answer.headers.append(("content-length", str(size)))
    return answer
