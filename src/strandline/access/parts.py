"""How far the parts of a page are apart in time: images, scripts and style sheets a replayed page is put together from.

A page shown with the images of another month may never have looked like that. For each file the page names, the
capture that replay would choose is looked up, and its distance from the page is told.
"""

from dataclasses import dataclass

from strandline.access.index import Holdings
from strandline.access.memento import Memento, closest
from strandline.access.payload import read_payload
from strandline.access.rewrite import Document, embedded
from strandline.core.quality.hollow import REFUSALS, REFUSED, hollow

MOST = 500
"""Parts looked up for one page."""


@dataclass(frozen=True, slots=True)
class Part:
    """One embedded file."""

    url: str
    time: float | None
    """When the copy that is shown was captured; None when none was."""
    offset: float | None
    """Seconds later than the page."""


@dataclass(frozen=True, slots=True)
class Parts:
    """All parts of a page."""

    parts: tuple[Part, ...]
    missing: int
    anachronistic: int
    """Parts that differ from the page by more than the span asked about."""
    hollow: str = ""
    """What the page is instead of content: the shell of an application, a login form; empty for content."""


def parts_of(holdings: Holdings, memento: Memento, span: float) -> Parts:
    """The parts of a page and their distance in time; LostError when the page cannot be read."""
    payload = read_payload(holdings, memento.capture)
    page = memento.capture
    document = Document(page.url, page.time, payload.head.mime, payload.head.value("content-type"), "mp_")
    found = []
    body = payload.decoded()
    for url in list(embedded(body, document))[:MOST]:
        part = _lookup(holdings, url, page.time)
        found.append(Part(url, part, None if part is None else part - page.time))
    far = sum(part.offset is not None and abs(part.offset) > span for part in found)
    empty = hollow(body) if "html" in payload.head.mime else ""
    if page.status in REFUSALS:
        empty = REFUSED
    return Parts(tuple(found), sum(part.time is None for part in found), far, empty)


def _lookup(holdings: Holdings, url: str, time: float) -> float | None:
    try:
        memento = closest(holdings.index, url, time)
    except ValueError:
        return None
    return None if memento is None else memento.capture.time
