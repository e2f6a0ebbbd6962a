"""Random archives: pages with histories that were studied, pages never fetched, gone, failed, named by sitemaps.

The same story is told to any catalog: one in a folder, one on PostgreSQL.
"""

from dataclasses import dataclass

from hypothesis import strategies as st

from made.catalog_words import capture, found, visited
from strandline.core.capture import Evidence, Kind, Outcome
from strandline.core.changes.observation import Observed, PageState, PageStudy
from strandline.ports import PLANNED, Batch, Found, HostState

HOUR = 3600.0
MONDAY = 345_600.0
START = MONDAY + 168 * HOUR * 2950
"""A Monday midnight."""
HOSTS = ("a.example", "www.b.example", "c.example")


SAID_EVERY = 5
"""Captures after which sitemaps are read once more."""


@dataclass(frozen=True)
class Page:
    """One page: hours between its captures, every how many it changed, and how it stands."""

    host: int
    folder: int
    every: float
    changes: int
    state: str
    told: bool


@dataclass(frozen=True)
class Story:
    """What an archive lived through, until a moment `hours` after START."""

    pages: tuple[Page, ...]
    hours: float
    budget: str
    watched: bool
    """Whether visits are planned, or a pass was made last."""

    @property
    def now(self):
        return START + self.hours * HOUR

    def url(self, number):
        page = self.pages[number]
        return f"http://{HOSTS[page.host]}/{'xyz'[page.folder]}/{number}"

    @property
    def seeds(self):
        """The first page of each host."""
        first = {page.host: number for number, page in reversed(list(enumerate(self.pages)))}
        return tuple(self.url(number) for number in first.values())


def stories(studied=True):
    """Random ones."""
    page = st.builds(
        Page,
        host=st.integers(0, len(HOSTS) - 1),
        folder=st.integers(0, 2),
        every=st.sampled_from([1.0, 2.5, 6.0, 13.0]),
        changes=st.integers(0, 4),
        state=st.sampled_from(["seen"] * 6 + ["new", "gone", "failed"]),
        told=st.booleans(),
    )
    return st.builds(
        Story,
        pages=st.lists(page, min_size=2, max_size=12).map(tuple),
        hours=st.floats(30.0, 90.0),
        budget=st.sampled_from(["2/hour", "5/hour", "9/hour", "60/day"]),
        watched=st.booleans(),
    )


def tell(story, catalog):
    """Let a catalog live through a story; returns captures and whether each changed, by number of the page."""
    urls = [story.url(number) for number in range(len(story.pages))]
    catalog.add([found(url, due=story.now - HOUR, hops=0) for url in urls])
    hosts = [HostState(host, robots_time=story.now, robots_status=404, scheme="http") for host in HOSTS]
    catalog.commit(Batch(hosts=hosts))
    looks = []
    for number, page in enumerate(story.pages):
        if page.state != "new":
            count = int((story.hours - 1.0) / page.every)
            looks += [(START + (place + 0.9) * page.every * HOUR, number, place) for place in range(count)]
    pages = [catalog.page(url).page for url in urls]
    last = {number: moment for moment, number, _ in looks}
    kept = []
    for place, (moment, number, nth) in enumerate(sorted(looks)):
        page = story.pages[number]
        changed = bool(page.changes and nth and nth % page.changes == 0)
        version = nth // page.changes if page.changes else 0
        taken = capture(urls[number], moment, 100 * place, file=f"{number}.warc.gz", digest=f"sha1:{number}-{version}")
        due = PLANNED if story.watched else moment
        claims = said_at(story, moment) if place % SAID_EVERY == 0 or place == len(looks) - 1 else []
        catalog.commit(Batch([visited(pages[number], taken, time=moment, due=due)], found=claims))
        kept.append((pages[number], moment, changed))
    for number, page in enumerate(story.pages):
        if number in last and page.state != "seen":
            lost = (
                {"evidence": Evidence.ABSENT}
                if page.state == "gone"
                else {"outcome": Outcome.CONNECT, "attempts": 1, "not_before": story.now - 60.0}
            )
            again = visited(pages[number], time=last[number] + 60.0, due=story.now + 0.2 * HOUR, **lost)
            catalog.commit(Batch([again]))
    return kept


def said_at(story, moment):
    """What a sitemap says then: that the pages it tells of have just changed, rightly or wrongly."""
    return [
        Found(story.url(number), Kind.PAGE, "sitemap", 0, 1, 0.0, moment, lastmod=moment - 0.1 * HOUR)
        for number, page in enumerate(story.pages)
        if page.told
    ]


def study(catalog, kept):
    """Study what was captured, in a folder."""
    changed = {(page, moment): is_so for page, moment, is_so in kept}
    before = {}
    for one in list(catalog.studies.reading.pending(100_000)):
        page, moment = one.page, one.capture.time
        facts = (0.4, 0.4, True, False, 2, ())
        seen = (Observed(before.get(page, one.seq), one.seq, moment - 60, moment, *facts),)
        state = PageState(time=moment, seq=one.seq)
        catalog.studies.record([PageStudy(page, state, seen if changed[page, moment] else ())], one.seq)
        before[page] = one.seq
