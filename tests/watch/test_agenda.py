"""The agenda of a watch with a real catalog, a web made of a dictionary and a plan that wants every page every hour."""

import contextlib
import itertools
from collections import Counter
from dataclasses import replace

import pytest

from crawl.scripted import SITE, START, ScriptedWeb, answer, page
from strandline.core.capture import Evidence, Kind
from strandline.core.discovery.scope import ScopeRules
from strandline.core.plan.budget import Allowance
from strandline.core.politeness.delays import Manners, MannersSettings
from strandline.crawl.loop import Crawl
from strandline.crawl.orders import Limits, Orders
from strandline.crawl.parts import Parts, Reporter
from strandline.dom.documents import Documents
from strandline.plan.budget_meter import Purse
from strandline.plan.due import Due
from strandline.ports import PLANNED, Task
from strandline.store.catalog import open_catalog
from strandline.warc.info import WarcInfo
from strandline.warc.writer import WarcWriter
from strandline.watch.agenda import WatchAgenda, WatchOrders, WatchParts

HOUR = 3600.0


class Clock:
    """Time moves a little with every look and by what is slept; the wall can be set, the rest cannot."""

    def __init__(self, step=0.5):
        self.moment, self.wall, self.step = 1000.0, START, step

    def now(self):
        self.moment += self.step / 10
        return self.wall + self.moment

    def monotonic(self):
        self.moment += self.step / 10
        return self.moment

    def sleep(self, seconds):
        self.moment += max(seconds, 20.0)  # a watch looks several times a second, which would take long here


class EveryPage:
    """A plan that wants every page it knows in every hour."""

    def __init__(self, catalog):
        self.catalog = catalog
        self.known = set()

    def hour(self, now):
        return (now - START) / HOUR

    def cost(self, url):
        return 1.0

    def away(self, hour):
        return ()

    def touched(self, pages):
        self.known.update(pages)

    def plan(self, hour, visits, most):
        rows = [self.catalog.reading.page_numbered(page) for page in sorted(self.known)]
        wanted = [row for row in rows if row.due == PLANNED][:visits]
        return [Due(row.page, row.url, 0.0, "", START + HOUR * (hour + nth / 60)) for nth, row in enumerate(wanted)]


class Shop:
    """One watch over an archive in a folder."""

    def __init__(self, folder, pages, budget=20, **orders):
        self.folder, self.clock, self.hours = folder, Clock(), []
        self.web = ScriptedWeb(pages)
        self.times = []
        self.budget = budget
        self.orders = Orders(ScopeRules((f"{SITE}/",)), **{"sitemaps": False, "commit_seconds": 0.0, **orders})

    def run(self, hours, prepare=lambda agenda: None):
        (self.folder / "archive").mkdir(exist_ok=True)
        begin = self.web.start

        def start(request):
            self.times.append((self.clock.moment, request.url))
            begin(request)

        self.web.start = start
        with contextlib.closing(open_catalog(self.folder, "test")) as catalog:
            catalog.reading.page_numbered = lambda number: catalog.page(
                catalog._connection.execute("SELECT url FROM pages WHERE page = ?", (number,)).fetchone()[0]
            )
            purse = Purse(Allowance(self.budget, 1.0), HOUR, self.clock.monotonic())
            parts = WatchParts(catalog, self.clock, purse, EveryPage(catalog), hour_ended=self.hours.append)
            agenda = WatchAgenda(parts, WatchOrders(HOUR, 600.0))
            prepare(agenda)
            store = WarcWriter(self.folder / "archive", WarcInfo("test"), self.clock)
            made = Parts(
                self.web, store, catalog, Documents(), self.clock, Manners(MannersSettings(delay=0), lambda: 0.0),
                lambda: "",
            )  # fmt: skip
            orders = Orders(**{name: getattr(self.orders, name) for name in self.orders.__slots__})
            object.__setattr__(orders, "limits", Limits(seconds=hours * HOUR))
            try:
                tally = Crawl(made, orders, Reporter(lambda _: None, lambda _: None), agenda).run()
            finally:
                store.close()
            self.rows = {one.url: catalog.page(one.url) for one in catalog.all_captures()}
            return tally

    @property
    def asked(self):
        return Counter(url for _, url in self.times)


def most_in_an_hour(times):
    return max(sum(start <= moment < start + HOUR for moment, _ in times) for start, _ in times)


def site(**more):
    pages = {f"{SITE}/": page("/a", "/b", "/c"), **{f"{SITE}/{name}": page("/") for name in "abc"}}
    return {**pages, **{f"{SITE}{path}": reply for path, reply in more.items()}}


def test_new_pages_come_first_then_the_plan_and_never_more_than_the_budget(tmp_path):
    shop = Shop(tmp_path, site(), budget=3)
    tally = shop.run(9)
    assert tally.ended == "time"
    assert most_in_an_hour(shop.times) <= 3
    assert set(shop.asked) >= {f"{SITE}/{name}" for name in ("", "a", "b", "c", "robots.txt")}
    assert shop.asked[f"{SITE}/a"] > 1, "visited again"
    assert sum(figures.requests for figures in shop.hours) <= len(shop.times)
    assert sum(figures.firsts for figures in shop.hours) == 4


def test_a_plan_that_was_opened_beside_the_crawl_is_asked_at_once(tmp_path):
    class Late(EveryPage):
        asked, steps = 0, 0

        def ready(self):
            self.steps += 1
            return self.steps > 20 and self.asked < 2

        def plan(self, hour, visits, most):
            self.asked += 1
            return [] if self.asked < 2 else super().plan(hour, visits, most)

    plans, shop = [], Shop(tmp_path, site(), budget=20)

    def late(agenda):
        plans.append(Late(agenda._parts.catalog))
        agenda._parts = replace(agenda._parts, foresight=plans[0], plan_ready=plans[0].ready)

    shop.run(1.1, late)
    assert plans[0].asked >= 2
    assert shop.hours[0].planned > 0, "in its first hour"


def test_a_page_that_is_gone_is_confirmed_and_then_asked_ever_more_rarely(tmp_path):
    shop = Shop(tmp_path, site())
    gone = f"{SITE}/b"
    plain = shop.web.pages[gone]
    shop.web.pages[gone] = lambda request: (
        plain(request) if shop.clock.moment < 1000 + 2 * HOUR else answer(request, b"", 404)
    )
    shop.run(30)
    moments = [moment for moment, url in shop.times if url == gone and moment > 1000 + 2 * HOUR]
    assert moments[1] - moments[0] == pytest.approx(600.0, abs=120.0), "a second visit soon"
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments[1:])]
    assert len(moments) <= 6
    assert min(gaps) >= 5.9 * HOUR
    assert shop.rows[gone].evidence is Evidence.ABSENT


def test_a_seed_that_was_there_and_is_gone_later_led_to_a_page(tmp_path):
    shop = Shop(tmp_path, site())
    plain = shop.web.pages[f"{SITE}/"]
    shop.web.pages[f"{SITE}/"] = lambda request: (
        plain(request) if shop.clock.moment < 1000 + 2 * HOUR else answer(request, b"", 404)
    )
    tally = shop.run(12)
    assert shop.rows[f"{SITE}/"].evidence is Evidence.ABSENT
    assert (tally.seeds_failed, tally.seeds_moved) == ({}, {})


def test_a_dead_link_is_asked_for_after_a_week_and_ever_more_rarely_also_by_a_watch_started_anew(tmp_path):
    pages = site()
    pages[f"{SITE}/"] = page("/a", "/b", "/c", "/typo")
    shop = Shop(tmp_path, pages, budget=4)
    shop.run(30)
    shop.run(30)
    moments = sorted({moment for moment, url in shop.times if url == f"{SITE}/typo"})
    assert len(moments) == 1, "that a watch begins is no reason to ask again"
    shop.run(160)
    moments = sorted({moment for moment, url in shop.times if url == f"{SITE}/typo"})
    assert len(moments) == 2 and moments[1] - moments[0] >= 167.9 * HOUR


def test_a_failure_is_no_deletion_and_is_tried_again(tmp_path):
    shop = Shop(tmp_path, site())
    plain = shop.web.pages[f"{SITE}/c"]
    shop.web.pages[f"{SITE}/c"] = lambda request: (
        answer(request, b"", 500) if 1000 + HOUR < shop.clock.moment < 1700 + HOUR else plain(request)
    )
    shop.run(5)
    assert shop.rows[f"{SITE}/c"].evidence is Evidence.PRESENT
    assert any(figures.failed for figures in shop.hours)


def test_parts_of_pages_are_fetched_once(tmp_path):
    body = b'<html><link rel="stylesheet" href="/s.css"><img src="/i.png"><a href="/a">x</a>'
    styled = {
        f"{SITE}/": lambda request: answer(request, body),
        f"{SITE}/a": lambda request: answer(request, body),
        f"{SITE}/s.css": lambda request: answer(request, b"b{}", headers=b"Content-Type: text/css\r\n"),
        f"{SITE}/i.png": lambda request: answer(request, b"png", headers=b"Content-Type: image/png\r\n"),
    }
    shop = Shop(tmp_path, styled)
    shop.run(20)
    assert (shop.asked[f"{SITE}/s.css"], shop.asked[f"{SITE}/i.png"]) == (1, 1)
    assert shop.asked[f"{SITE}/a"] > 5


def test_a_clock_on_the_wall_that_jumps_causes_neither_a_burst_nor_a_stall(tmp_path):
    shop = Shop(tmp_path, site(), budget=4)
    jumps = iter([(3, 365 * 24 * HOUR), (6, -364 * 24 * HOUR), (9, 5 * HOUR)])
    coming = [next(jumps)]

    def step():
        if coming and shop.clock.moment > 1000 + coming[0][0] * HOUR:
            shop.clock.wall += coming.pop()[1]
            coming.extend([jump] if (jump := next(jumps, None)) else [])

    def prepare(agenda):
        object.__setattr__(agenda._parts, "step", step)

    shop.run(14, prepare)
    assert most_in_an_hour(shop.times) <= 4
    for begin in range(0, 14, 2):
        window = [moment for moment, _ in shop.times if 1000 + begin * HOUR <= moment < 1000 + (begin + 2) * HOUR]
        assert window, f"nothing was asked from hour {begin} on"


def test_addresses_that_robots_refused_keep_no_new_page_waiting(tmp_path):
    """Sixty were handed out and none was asked for: what came next was taken for more of them, and the plan had it
    all, hour after hour.
    """
    pages = {f"{SITE}/{n}": page("/") for n in range(30)}
    names = [f"/{n}" for n in range(30)] + [f"/no/{n}" for n in range(60)]

    def rules(request):
        return answer(request, b"User-agent: *\nDisallow: /no/", headers=b"Content-Type: text/plain\r\n")

    shop = Shop(tmp_path, {f"{SITE}/robots.txt": rules, **pages}, budget=12)
    came = {}

    def story(request):
        """From the sixth hour on the front page names a story, and another one each hour."""
        since = [n for n in range(20) if shop.clock.moment > 1000.0 + (6 + n) * HOUR]
        for n in since:
            came.setdefault(f"{SITE}/story/{n}", shop.clock.moment)
        return page(*names, *(f"/story/{n}" for n in since))(request)

    shop.web.pages[f"{SITE}/"] = story
    shop.web.pages.update({f"{SITE}/story/{n}": page("/") for n in range(20)})
    shop.run(16.0)
    first = {url: moment for moment, url in reversed(shop.times)}
    waited = {url: (first.get(url, 1000.0 + 16 * HOUR) - moment) / HOUR for url, moment in came.items()}
    assert len(waited) > 5 and not any("/no/" in url for _, url in shop.times)
    assert max(waited.values()) < 1.5, waited


class OneHost:
    """A catalog of one host: whatever is planned can be leased, and one page is due by itself."""

    def __init__(self):
        self.waits = [99]

    def due_by(self, moment, closed=()):
        return len(self.waits)

    def lease(self, pages, now):
        return [self._task(page) for page in pages]

    def take(self, limit, now, before, closed):
        return [] if "a.example" in closed or not self.waits else [self._task(self.waits.pop())]

    def _task(self, page):
        return Task(page, f"http://a.example/{page}", "a.example", Kind.PAGE, 0, 0, "", "", 0, None, "")


class AlwaysBehind:
    """A plan all of whose visits are overdue, as on a host that has to be left in peace between two requests."""

    def hour(self, now):
        return (now - START) / HOUR

    def cost(self, url):
        return 1.0

    def away(self, hour):
        return ()

    def plan(self, hour, visits, most):
        return [Due(page, f"http://a.example/{page}", 0.0, "", START + HOUR * hour) for page in range(visits)]


def test_what_is_due_by_itself_gets_its_turn_on_a_host_whose_planned_visits_are_all_overdue():
    """A page found changed is looked at a second time, outside the plan: it waited for ever behind planned visits."""
    clock, catalog = Clock(), OneHost()
    purse = Purse(Allowance(60.0, 1.0), HOUR, clock.monotonic())
    agenda = WatchAgenda(WatchParts(catalog, clock, purse, AlwaysBehind()), WatchOrders(HOUR, 600.0))
    agenda.step()
    taken = [task.page for _ in range(6) for task in agenda.take(1, ())]
    assert len(taken) == 6, "no turn is lost"
    assert 99 in taken[:2]


class TwoHosts(AlwaysBehind):
    """Plans visits of two hosts for the last minutes of the hour; one of them goes away."""

    gone = ()

    def away(self, hour):
        return self.gone

    def plan(self, hour, visits, most):
        late, hosts = START + HOUR * (hour + 0.9), [one for one in ("a.example", "b.example") if one not in self.gone]
        return [Due(page, f"http://{hosts[page % len(hosts)]}/{page}", 0.0, "", late) for page in range(visits)]


def test_visits_of_a_host_that_goes_away_are_given_to_others_and_not_missed():
    clock, catalog, plan = Clock(), OneHost(), TwoHosts()
    catalog.waits = []
    agenda = WatchAgenda(
        WatchParts(catalog, clock, Purse(Allowance(60.0, 1.0), HOUR, clock.monotonic()), plan), WatchOrders(HOUR, 600.0)
    )
    agenda.step()
    assert (agenda.planned, agenda.figures.planned) == (60, 60)
    clock.sleep(0.3 * HOUR)
    plan.gone = ("a.example",)
    agenda.step()
    assert (agenda.planned, agenda.figures.planned) == (60, 60), "all of them of the other host now"
    assert {visit.url[:16] for visit in agenda._visits} == {"http://b.example"}
    plan.plan = lambda *_: []
    plan.gone = ("a.example", "b.example")
    clock.sleep(0.3 * HOUR)
    agenda.step()
    assert (agenda.planned, agenda.figures.planned) == (0, 0), "nobody intends what cannot be had"
