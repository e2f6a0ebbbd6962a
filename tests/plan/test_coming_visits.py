"""What `next` prints is what a watch does: the plan of a random archive, asked for and then carried out."""

import contextlib
import re
import shutil
import tempfile
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crawl.scripted import ScriptedWeb, answer
from crawl.shown_pages import ScriptedBrowser, asks
from made.random_history import HOSTS, HOUR, Page, Story, stories, study, tell
from strandline.archive.folder import create
from strandline.core.politeness.delays import Manners
from strandline.core.urls import authority
from strandline.crawl.browse_sites import SiteBrowsing
from strandline.crawl.browsing import NoBrowsing
from strandline.crawl.loop import Crawl
from strandline.crawl.orders import Limits
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.preparing import CrawlRequest, from_known_seeds, prepare_crawl
from strandline.dom.documents import Documents
from strandline.plan.explaining import why
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.planning import Planning
from strandline.plan.settings_wishes import purse_of
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.file import with_overrides
from strandline.store.catalog import open_catalog
from strandline.warc.info import WarcInfo
from strandline.warc.writer import WarcWriter
from strandline.watch.agenda import WatchAgenda, WatchOrders, WatchParts
from strandline.watch.watch_plan import WatchPlan

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""Each example is a watch: a smaller one is not worth minutes."""


class Clock:
    """Moves a little with every look, and by what is slept."""

    def __init__(self, now):
        self.wall, self.moment = now, 0.0

    def now(self):
        self.moment += 0.01
        return self.wall + self.moment

    def monotonic(self):
        self.moment += 0.01
        return self.moment

    def sleep(self, seconds):
        self.moment += max(seconds, 1.0)


PRICE = re.compile(r"(?<=a price of )[\d.e-]*\d")
MOVED = 2
"""Visits that come into an hour, or fall out of it, where pages are shown: seen in about one of 30 random archives."""
PARTS = 6
"""Requests for the parts of a page in a browser, as many as are expected before any was shown."""


def told(story, folder, shown=False, own=""):
    """The archive of a story, in a folder; the pages of the first host are shown in a browser or not, and belong to a
    collection with an objective of its own or not.
    """
    archive = create(folder, contact="https://library.example/bot", seeds=story.seeds)
    wanted = [f"plan.budget={story.budget}", "politeness.delay=0", "scope.sitemaps=false"]
    wanted += [f'capture.browser_sites=["{HOSTS[0]} always"]'] * shown
    archive.settings = with_overrides(archive.settings, wanted)
    if own:
        archive.settings = replace(
            archive.settings, collection=(CollectionSettings("c", sites=(HOSTS[0],), objective=own),)
        )
    with contextlib.closing(open_catalog(folder)) as catalog:
        catalog.add([])
        study(catalog, tell(story, catalog))
    return archive


def browsing_of(shown, pages):
    """Shows the pages of the first host, each with parts of its own."""
    if not shown:
        return NoBrowsing()
    browser = ScriptedBrowser({url: [asks(f"{url}/part/{n}") for n in range(PARTS)] for url in pages})
    return SiteBrowsing(browser, "never", {HOSTS[0]: "always"})


def watched(archive, story, shown=False):
    """The pages a watch that starts now asks for until the hour ends, in order; and what it wrote down."""
    clock = Clock(story.now)
    pages = {story.url(n) for n in range(len(story.pages))}
    web = ScriptedWeb(
        dict.fromkeys(pages, lambda request: answer(request, b"<p>x</p>", started=clock.wall + clock.moment))
    )
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        request = from_known_seeds(archive.settings, CrawlRequest(clock=clock), catalog)
        prepared = prepare_crawl(archive.settings, request)
        plan = WatchPlan(prepared, None, catalog, clock.now())
        purse = purse_of(
            archive.settings.plan, HOUR, catalog.watch.reading.spent_since, (clock.now(), clock.monotonic())
        )
        agenda = WatchAgenda(WatchParts(catalog, clock, purse, plan), WatchOrders(HOUR))
        store = WarcWriter(archive.folder / "archive", WarcInfo("test"), clock)
        manners = Manners(prepared.manners, lambda: 0.0)
        parts = Parts(web, store, catalog, Documents(), clock, manners, lambda: "", browsing=browsing_of(shown, pages))
        left = HOUR - (story.now % HOUR)
        orders = replace(prepared.orders, limits=Limits(seconds=left - 5.0))
        try:
            Crawl(parts, orders, Reporter(lambda _: None, lambda _: None), agenda).run()
        finally:
            store.close()
            plan.close()
        note = HourNote.read(catalog.reading.note(KIND, ""))
    return [url for url in web.asked if url in pages], note


def by_host(urls):
    return {host: list(some) for host, some in groupby(sorted(urls, key=authority), key=authority)}


def by_moment(hosts, due):
    """The pages of each host, those that are due at the same moment in any order."""
    return {host: [set(some) for _, some in groupby(urls, key=due.get)] for host, urls in hosts.items()}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(stories(), st.booleans(), st.sampled_from(["", "pool", "page", "count"]))
def test_what_is_told_is_what_a_watch_started_now_does(story, shown, own):
    # What comes by itself is taken to take one request each.
    shown = shown and all(page.state == "seen" for page in story.pages if page.host == 0)
    folder = Path(tempfile.mkdtemp())
    try:
        archive = told(story, folder / "archive", shown, own)
        planning = Planning(archive, story.now)
        expected = planning.next()
        reasons = {visit.url: why(planning, visit.url).answers["now"] for visit in expected[:3]}
        made, note = watched(archive, story, shown)
        urls = [visit.url for visit in expected]
        kept = {visit.url: visit for visit in note.visits}
        planned, carried_out = ([url for url in some if url in kept] for some in (urls, made))
        made = made[: len(urls)]
        due = {visit.url: visit.due for visit in expected}
        if shown:
            # What a page in a browser costs is learned as it is shown, and what is left of the hour is planned by that.
            assert len(set(planned) ^ set(carried_out)) <= MOVED
            for visit in expected:
                if visit.url in kept:
                    assert PRICE.sub("", kept[visit.url].reason) == PRICE.sub("", visit.reason)
            return
        assert by_moment(by_host(carried_out), due) == by_moment(by_host(planned), due)
        assert len(urls) - len(made) in (0, 1), "one that comes by itself may come too late for the hour"
        # Which of those that come by themselves have their turn, when not all can, is a matter of whose host is free.
        waiting = {story.url(n) for n, page in enumerate(story.pages) if page.state != "seen"}
        assert set(urls) - set(planned) <= waiting and set(made) - set(planned) <= waiting
        if waiting <= set(urls):
            assert len(set(urls) - set(made)) <= 1 and set(made) <= set(urls)
        for visit in expected:
            if visit.url in kept:
                assert kept[visit.url].reason == visit.reason
                assert reasons.get(visit.url, visit.reason) == visit.reason
    finally:
        shutil.rmtree(folder)


def test_collections_in_which_other_things_count_get_other_visits(tmp_path):
    """Two sites that are alike: in one the importance of all change counts, in the other every page alike."""
    busy, quiet = (1.0, 1), (6.0, 3)
    alike = [Page(host, 0, *pace, "seen", False) for host in (0, 2) for pace in (busy, quiet, quiet, quiet)]
    story = Story(tuple(alike), 90.0, "1/hour", watched=True)
    archive = told(story, tmp_path / "archive")
    usual = archive.settings

    def visits(*objectives):
        of = [CollectionSettings(f"c{n}", sites=(HOSTS[2 * n],), objective=one) for n, one in enumerate(objectives)]
        archive.settings = replace(usual, collection=tuple(of))
        planning = Planning(archive, story.now)
        made = [visit.url for visit in planning.ahead(96.0)]
        said = [why(planning, story.url(n)).answers["what counts"] for n in (0, 4)]
        return [made.count(story.url(n)) for n in range(len(alike))], said

    (same, said), (other, told_now) = visits("", ""), visits("pool", "page")
    assert said == ["middle"] * 2 and told_now == ["pool (collection c0)", "page (collection c1)"]
    pool, page = other[:4], other[4:]
    assert sum(page[1:]) / sum(page) > 1.5 * sum(pool[1:]) / sum(pool), (same, other)
    assert abs(sum(page) / sum(other) - sum(same[4:]) / sum(same)) < 0.2, "each site has about what it had"
    assert visits("page", "pool")[0] != other
