"""What a browser made of a page: the words between the browser, the crawl and the archive.

The browser asks (`PageRequest`), the crawl fetches and answers (`PageAnswer`), and in the end there is what the page
looked like (`Shown`), in views that are kept as WARC `resource` records:

    urn:dom:URL        the document as it stood, with the content of shadow trees and frames of the same origin in place
    urn:text:URL       the text a reader saw
    urn:pageinfo:URL   JSON: what was asked for on the way, with status and type, and what was not captured
    urn:view:URL       a picture of what is seen first; urn:fullPage:URL of the whole page; both only on request
"""

from typing import Final, NamedTuple

from strandline.core.quick_dataclass import dataclass

DOCUMENT: Final = "dom"
TEXT: Final = "text"
INFO: Final = "pageinfo"
VIEW: Final = "view"
WHOLE_VIEW: Final = "fullPage"

SETTLED: Final = "settled"
"""How a load ends that went well: nothing more came."""
MOVED: Final = "moved"
"""How one ends whose page sends itself elsewhere before it is there."""


@dataclass(frozen=True, slots=True)
class PageLoad:
    """A page that is to be shown: what was answered for its address."""

    number: int
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Without codings."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What a page asks for while it is shown. `number` is the browser's own."""

    number: int
    load: int
    url: str
    method: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    type: str
    """The browser's word: Document, Script, Stylesheet, Image, Font, Media, XHR, Fetch, EventSource, Ping, ..."""

    def header(self, wanted: str) -> str:
        """A header field, empty when it is not sent."""
        return next((value for name, value in self.headers if name.lower() == wanted), "")


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What a page is told."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Without codings."""


class DataAnswer(NamedTuple):
    """A JSON answer that a page asked for: its address, the digest under which it is kept, its bytes."""

    url: str
    digest: str
    body: bytes


@dataclass(frozen=True, slots=True)
class View:
    """One way to keep what was shown."""

    name: str
    mime: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as a browser showed it."""

    load: int
    time: float
    """UTC epoch seconds when the document was taken."""
    ended: str
    """Why the load ended: settled, or the bound it met, or what went wrong."""
    views: tuple[View, ...] = ()
    """None when the browser was lost before it could tell."""
    moved: str = ""
    """Where the page sent itself, when it did."""
    popups: tuple[str, ...] = ()
    """Addresses it wanted to open in other windows."""
    sockets: tuple[str, ...] = ()
    """Addresses of WebSockets: noted, not captured."""
    failed: bool = False
    """The browser crashed, hung or was killed: what is here, if anything, may be incomplete."""
    asked: int = 0
    """Requests that were sent for it, besides the one for its document."""
    data: tuple[DataAnswer, ...] = ()
    """JSON answers it asked for."""
    supplied: str = ""
    """The address of the one that held its text, look after look: it is a page by itself."""
    stands: bool = False
    """Whether the document stands for the page in study, search and comparison."""

    @property
    def whole(self) -> bool:
        """Whether there is a document that can stand for the page."""
        return not self.failed and self.ended != MOVED and self.view(DOCUMENT) is not None

    def view(self, name: str) -> bytes | None:
        """The data of a view."""
        return next((view.data for view in self.views if view.name == name), None)
