"""What a crawl works with, and whom it tells."""

from collections.abc import Callable
from dataclasses import field

from strandline.core.capture import Capture
from strandline.core.politeness.delays import Manners
from strandline.core.quick_dataclass import dataclass
from strandline.crawl.browsing import Browsing, NoBrowsing
from strandline.crawl.logged_in import LoggedIn
from strandline.crawl.site_orders import Gate
from strandline.crawl.skips import SkipNothing, Skips
from strandline.crawl.tally import Tally
from strandline.ports import CaptureStore, Catalog, Clock, Discoverer, Fetcher


@dataclass(frozen=True, slots=True)
class Parts:
    """What a crawl works with."""

    fetcher: Fetcher
    store: CaptureStore
    catalog: Catalog
    documents: Discoverer
    clock: Clock
    manners: Manners
    room: Callable[[], str]
    """Says why there is too little room on disk, empty when there is enough."""
    skips: Skips = field(default_factory=SkipNothing)
    """What is left out because it is expected to be unchanged."""
    browsing: Browsing = field(default_factory=NoBrowsing)
    """Which pages are shown in a browser, and the browser."""
    gate: Gate = field(default_factory=Gate)
    """Which sites may be asked now."""
    logins: LoggedIn = field(default_factory=LoggedIn)
    """What is sent to whom, and who no longer knows us."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Who is told what: each capture after its commit, and the state of things now and then."""

    captured: Callable[[Capture], None]
    progress: Callable[[Tally], None]
