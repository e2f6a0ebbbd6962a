"""What the working side needs from the outside world, as Protocols. Adapters implement them and know nothing else.

    Clock        what time it is
    Fetcher      ask the web                               fetch/
    Browser      show pages, asking us for what they need  browser/
    CaptureStore keep exchanges as WARC, durably           warc/
    CaptureReader read records back                        warc/
    Catalog      what is known: pages, captures, frontier  store/
    Discoverer   addresses named by a page, sitemap, feed  dom/
    Tasks        run the same work for many sites          engines/

The order of a commit is the promise: exchanges are kept, the WARC is synced, then one catalog transaction
records captures and frontier together, then the capture is reported.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field
from typing import BinaryIO, Final, NamedTuple, Protocol, TypeVar

from strandline.core.capture import Capture, Evidence, Exchange, Kind, Original, Outcome, Place, Request
from strandline.core.quick_dataclass import dataclass
from strandline.core.shown import PageAnswer, PageLoad, PageRequest, Shown
from strandline.core.skip.retests import Retests

PLANNED: Final = 1e15
"""Due time of a page whose visits a watch plans: no pass and no frontier hands it out."""


class Clock(Protocol):
    """Time. Records use `now`; delays and deadlines use `monotonic`, which never jumps."""

    def now(self) -> float:
        """UTC epoch seconds."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class Fetcher(Protocol):
    """Many exchanges at once, driven by one thread."""

    @property
    def in_flight(self) -> int:
        """Exchanges started and not yet returned."""

    def start(self, request: Request) -> None:
        """Begin an exchange. Never raises for what the web may do."""

    def finished(self, timeout: float) -> list[Exchange]:
        """Drive all exchanges for at most `timeout` seconds; return those that ended."""

    def wake(self) -> None:
        """Make `finished` return soon. Safe in another thread."""

    def abandon(self) -> list[Request]:
        """Stop everything in flight at once and say what was lost."""

    def close(self) -> None:
        """Release connections."""


class CaptureStore(Protocol):
    """The WARC files of one archive, with one writer."""

    def entity(self, exchange: Exchange) -> str:
        """Digest of the body without transfer coding, as `keep` would record it."""

    def keep(self, exchange: Exchange, original: Original | None = None, shown: Shown | None = None) -> Capture:
        """Append request and response (or a revisit of `original`) as whole records, and beside them what a browser
        made of them. Not durable yet.
        """

    def note(self, exchange: Exchange) -> Place:
        """Append what is known about an exchange that was not answered, so that evidence can be rebuilt from WARC."""

    def sync(self) -> None:
        """Make everything kept so far durable. Only after this may a capture be recorded and reported."""

    def close(self) -> None:
        """Sync and give the file its final name."""


class Browser(Protocol):
    """Shows pages in a browser whose every request is answered by whoever drives it; one thread asks all of this."""

    @property
    def free(self) -> int:
        """How many more pages may be shown at once now."""

    def show(self, load: PageLoad) -> None:
        """Begin to show a page. Never raises for what a page or the browser may do."""

    def asked(self) -> list[PageRequest]:
        """What pages have asked for since the last call."""

    def answer(self, request: PageRequest, answer: PageAnswer | None) -> None:
        """Tell a page; None that it cannot have it."""

    def ended(self) -> list[Shown]:
        """Loads that are over since the last call, however they went."""

    def cut(self) -> None:
        """End all loads as they are, at once."""

    def wait(self, seconds: float) -> None:
        """Until a page asks or a load is over, at most so long."""

    def close(self) -> None:
        """End the browser and all its processes."""


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record read back: parsed WARC headers, raw HTTP head (empty for none), body stream (undecoded)."""

    place: Place
    type: str
    headers: dict[str, str]
    """WARC header fields, names lower-cased."""
    http_head: bytes
    body: BinaryIO


class CaptureReader(Protocol):
    """Random access to records, from many readers at once."""

    def read(self, place: Place) -> Record:
        """The record at a place; ArchiveDamaged names file and offset when it is not whole."""


@dataclass(frozen=True, slots=True)
class Task:
    """A page that is to be fetched now, with what the last visits left."""

    page: int
    url: str
    authority: str
    kind: Kind
    hops: int
    attempts: int
    etag: str
    last_modified: str
    visits_since_full: int
    """Conditional requests in a row; a full fetch is forced after some, because validators lie."""
    original: Original | None
    """Last capture that holds a payload, for revisit records."""
    entity: str
    """Digest of that payload without transfer coding."""
    read: float = math.inf
    """When a visit of this archive's own last found the page and took in what it names; 0.0 for never: what is known of
    it comes from records, or its last visit failed."""
    via: str = ""
    """How it was first found."""


@dataclass(frozen=True, slots=True)
class Found:
    """An address named by a page, a sitemap, a feed, a redirect or the user."""

    url: str
    kind: Kind
    via: str
    """seed, link, requisite, redirect, sitemap, feed, refresh."""
    source: int
    """Page that named it; 0 for seeds."""
    hops: int
    priority: float
    """Smaller is fetched earlier among pages that are due."""
    due: float
    lastmod: float | None = None
    """Time the source claims for the last change: evidence, not truth."""


class Link(NamedTuple):
    """A page names an address that is already known: kept for the link graph only. By far the most frequent finding."""

    source: int
    url: str
    via: str


@dataclass(frozen=True, slots=True)
class Visited:
    """What one visit of a page led to."""

    page: int
    outcome: Outcome
    detail: str
    capture: Capture | None
    """None when nothing was kept."""
    evidence: Evidence
    time: float
    due: float
    """When the page is wanted next."""
    not_before: float
    """Back-off: not asked again before this, 0 for none."""
    attempts: int
    """Failures in a row."""
    etag: str = ""
    last_modified: str = ""
    conditional: bool = False
    seconds: float = 0.0
    kind: Kind | None = None
    """What an address is that was not known before; None to tell it from the capture."""
    asks: float = 0.0
    """Seconds for which a feed or sitemap asks to be left alone; 0 when it says nothing."""
    hub: str = ""
    """The hub that a feed names (WebSub), and its address there."""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class HostState:
    """What a host asked for and how it behaves; survives a restart. The rules are those of one `scheme`: http and https
    each speak for themselves.
    """

    authority: str
    not_before: float = 0.0
    """UTC time before which nothing is asked of it (Retry-After, back-off)."""
    failures: int = 0
    robots_time: float = 0.0
    robots_status: int = 0
    robots_body: bytes = b""
    """Text of robots.txt as last fetched, at most 500 KiB."""
    seconds: float = 0.0
    """Smoothed duration of an answer."""
    scheme: str = "https"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An address that was not taken: out of scope, robots, trap, limit. Counted, with one example kept each."""

    reason: str
    url: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Skipped:
    """A leased page that was not asked for after all (robots, trap, scope), and when it is looked at again."""

    page: int
    reason: str
    due: float


@dataclass(slots=True)
class Batch:
    """Everything one group commit records, in one transaction."""

    visited: list[Visited] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    hosts: list[HostState] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    retests: list[Retests] = field(default_factory=list)
    """How directories that are left out stood their re-tests, as of this commit."""

    def __len__(self) -> int:
        pages = len(self.visited) + len(self.skipped) + len(self.found)
        return pages + len(self.links) + len(self.hosts) + len(self.refused) + len(self.retests)


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page as the catalog knows it."""

    page: int
    url: str
    kind: Kind
    evidence: Evidence
    since: float
    """Since when the evidence holds."""
    weight: float
    due: float
    captures: int
    via: str
    """How it was first found."""
    detail: str = ""
    """What is noted with its last visit."""


class Catalog(Protocol):
    """What is known about pages: one writer, many readers, rebuilt from WARC by `reindex`."""

    def add(self, found: Iterable[Found]) -> int:
        """Add seeds or imported addresses; return how many were new."""

    def open_pass(self, now: float) -> tuple[float, bool]:
        """Start of the pass under way and whether it resumes an unfinished one; opens a new one otherwise.

        Of a host that wanted to be left alone before it had given all its pages, a new one has those that still wait,
        as long as that helps: else every pass would end at the same page of it. Hosts that never answered, or failed
        last, come after all others in a new pass.
        """

    def close_pass(self, now: float) -> None:
        """The pass is complete: the next crawl starts a new one."""

    def take(self, limit: int, now: float, before: float, busy: Collection[str]) -> list[Task]:
        """Lease up to `limit` pages that are due by `before`, not backed off, of hosts that are not in `busy`.

        At most one page per host and call, best priority first, hosts taken in turn.
        """

    def release(self, pages: Sequence[int]) -> None:
        """Give leased pages back untouched."""

    def commit(self, batch: Batch) -> None:
        """Record a batch in one durable transaction."""

    def waiting(self, before: float) -> tuple[int, float]:
        """Pages due by `before` and not leased: how many, and the earliest moment one may be fetched."""

    def host(self, authority: str, scheme: str = "https") -> HostState:
        """What is known about a host, with the rules of a scheme."""

    def page(self, url: str) -> PageRow | None:
        """One page."""

    def same_entity(self, entity: str) -> Original | None:
        """An earlier capture whose body had this digest."""

    def captures(self, url: str) -> list[Capture]:
        """Captures of a page in time order."""

    def all_captures(self) -> Iterator[Capture]:
        """Every capture, ordered by SURT key and time."""

    def refusals(self) -> list[Refusal]:
        """What was not taken, by reason."""

    def close(self) -> None:
        """Release the database and the lock."""


@dataclass(frozen=True, slots=True)
class Named:
    """An address as a document names it: absolute, with the role it plays there."""

    url: str
    via: str
    """link, requisite, refresh, feed, sitemap, frame, canonical."""
    lastmod: float | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a document names, and what was lost on the way."""

    named: tuple[Named, ...]
    title: str = ""
    lost: str = ""
    """Why the list is not complete (nesting, time, number of links, entities refused), empty when it is."""
    noarchive: bool = False
    asks: float = 0.0
    """Seconds for which a feed asks to be left alone; 0 when it says nothing."""
    hub: str = ""
    """The hub that a feed names (WebSub), and its address there."""
    topic: str = ""


class Discoverer(Protocol):
    """Reads the addresses out of a decoded document."""

    def discover(self, url: str, mime: str, body: bytes, charset: str) -> Discovery:
        """Addresses named by an HTML page, style sheet, sitemap or feed; never raises for bad documents."""


Work = TypeVar("Work")
Answer = TypeVar("Answer")


class Tasks(Protocol):
    """Runs a pure function for many pieces of work, here or elsewhere. Lost answers are worked out again."""

    def run(self, function: Callable[[Work], Answer], works: Sequence[Work]) -> Iterator[Answer]:
        """The answer to each piece of work, exactly once, in any order."""

    def close(self) -> None:
        """Release what runs them."""
