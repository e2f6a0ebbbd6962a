"""What `next` prints is what a watch does: the plan of a random archive, asked for and then carried out."""

import contextlib
import shutil
import tempfile
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings

from crawl.scripted import ScriptedWeb, answer
from made.random_history import HOUR, stories, study, tell
from strandline.archive.folder import create
from strandline.core.politeness.delays import Manners
from strandline.core.urls import authority
from strandline.crawl.loop import Crawl
from strandline.crawl.orders import Limits
from strandline.crawl.parts import Parts, Reporter
from strandline.crawl.preparing import CrawlRequest, from_known_seeds, prepare_crawl
from strandline.dom.documents import Documents
from strandline.plan.explaining import why
from strandline.plan.hour_note import KIND, HourNote
from strandline.plan.planning import Planning
from strandline.plan.settings_wishes import purse_of
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


def told(story, folder):
    """The archive of a story, in a folder."""
    archive = create(folder, contact="https://library.example/bot", seeds=story.seeds)
    wanted = [f"plan.budget={story.budget}", "politeness.delay=0", "scope.sitemaps=false"]
    archive.settings = with_overrides(archive.settings, wanted)
    with contextlib.closing(open_catalog(folder)) as catalog:
        catalog.add([])
        study(catalog, tell(story, catalog))
    return archive


def watched(archive, story):
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
        parts = Parts(web, store, catalog, Documents(), clock, manners, lambda: "")
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


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=NO_SHRINKING)
@given(stories())
def test_what_is_told_is_what_a_watch_started_now_does(story):
    folder = Path(tempfile.mkdtemp())
    try:
        archive = told(story, folder / "archive")
        planning = Planning(archive, story.now)
        expected = planning.next()
        reasons = {visit.url: why(planning, visit.url).answers["now"] for visit in expected[:3]}
        made, note = watched(archive, story)
        urls = [visit.url for visit in expected]
        kept = {visit.url: visit for visit in note.visits}
        made = made[: len(urls)]
        planned, carried_out = ([url for url in some if url in kept] for some in (urls, made))
        assert by_host(carried_out) == by_host(planned)
        assert len(made) == len(urls)
        # Which of those that come by themselves have their turn, when not all can, is a matter of whose host is free.
        waiting = {story.url(n) for n, page in enumerate(story.pages) if page.state != "seen"}
        assert set(urls) - set(planned) <= waiting and set(made) - set(planned) <= waiting
        if waiting <= set(urls):
            assert set(made) == set(urls)
        for visit in expected:
            if visit.url in kept:
                assert kept[visit.url].reason == visit.reason
                assert reasons.get(visit.url, visit.reason) == visit.reason
    finally:
        shutil.rmtree(folder)
