"""What the pages show and the API tells, over an archive with a past: the same functions behind both."""

import json
import re
import xml.etree.ElementTree as ElementTree
from urllib.parse import quote

import pytest

from strandline.core.rivals.catalogue import STRATEGIES
from strandline.web.desk import open_desk
from strandline.web.drawings import band, treemap
from strandline.web.jobs import Job
from strandline.web.pages import render
from strandline.web.texts import say
from strandline.web.views.changes import ChangesAsked, changes_page
from strandline.web.views.page import page_view
from strandline.web.views.search import SearchAsked, search
from strandline.web.views.simulate import asked_for, simulation, usual_budgets
from strandline.web.views.site import pages_of, site_view, tree
from strandline.web.views.values import level, time_of
from web.living import ARABIC, NASTY, PATHS, SITE, START

pytestmark = pytest.mark.xdist_group("interface")
NEWS = f"{SITE}/news/1.html"
DAY = 86_400.0


@pytest.fixture(scope="module")
def desk(living):
    return open_desk(living)


def _told(server, path, headers=None):
    status, fields, body = server.get(f"/api/v1{path}", headers or {}, origin="interface")
    return status, fields, json.loads(body) if body else None


def test_a_site_in_full(desk):
    view = site_view(desk, "courier.test")
    assert (view.card.captures, view.card.pages) == (630, len(PATHS))
    assert sum(day.captures for day in view.days) == 630 and all(day.days == 1 for day in view.days)
    assert {one.name for one in view.tree.branches} == {
        "",
        "news",
        "night-desk",
        "culture",
        "sport",
        "documents",
        "archive",
    }
    assert sum(one.box.width * one.box.height for one in view.tree.branches) == pytest.approx(960 * 380)
    levels = {one.name: one.level for one in view.tree.branches}
    assert levels["archive"] == 0 < levels["culture"]
    below = tree(desk, "courier.test", next(one.key for one in view.tree.branches if one.name == "documents"))
    assert [crumb[0] for crumb in below.crumbs] == ["courier.test", "documents"]
    assert {one.name for one in below.branches} == {"policies", "minutes"}
    assert view.report.changed[0].importance == max(one.importance for one in view.report.changed)
    with pytest.raises(Exception, match="no directory"):
        tree(desk, "courier.test", "test,elsewhere)/")
    listed = pages_of(desk, "courier.test", limit=4)
    rest = pages_of(desk, "courier.test", listed.after, limit=40)
    assert {row.url for row in (*listed.pages, *rest.pages)} == {SITE + path for path in PATHS} and rest.after is None


def test_a_page_in_full(desk):
    view = page_view(desk, NEWS)
    assert (view.captures, view.url, view.site) == (63, NEWS, "courier.test")
    days = [day for month in view.calendar.months for week in month.weeks for day in week if day and day.captures]
    assert len(days) == 21 and sum(day.captures for day in days) == 63
    assert [day.level for day in days if day.changes] and max(day.level for day in days) >= 3
    assert len(view.latest) == 5 and all(one.sentence for one in view.latest)
    assert view.timeline == sorted(view.timeline, key=lambda one: one.by)
    middle = page_view(desk, NEWS, at=START + 10 * DAY)
    assert middle.previous_important < START + 10 * DAY < middle.next_important
    assert view.learned.visits == 62 and view.learned.number is not None
    assert view.blocks[0].gone is None and all(0 <= one.start <= one.end <= 1 for one in view.blocks)
    more = page_view(desk, NEWS, start=view.more_blocks)
    lives, later = ({(one.block, one.first) for one in shown.blocks if one.gone is not None} for shown in (view, more))
    assert lives and later and lives.isdisjoint(later)  # a block may come back, and lives again


def test_search_and_changes(desk):
    found = search(desk, SearchAsked(words="harbour", limit=3))
    assert len(found.blocks) == 3 and found.more_blocks == 3
    assert search(desk, SearchAsked(words="harbour", until=START - DAY)).blocks == []
    assert search(desk, SearchAsked(url="http://courier.test/sport/1.html")).exact
    assert search(desk, SearchAsked(url="%_")).pages == []
    seen, cursor = [], ""
    while cursor is not None:
        page = changes_page(desk, ChangesAsked(site="courier.test", least=0.05, cursor=cursor, limit=7))
        seen += [one.change for one in page.changes]
        cursor = page.cursor
    expected = [c.change for c in desk.archive.studies.changes("courier.test", min_importance=0.05) if c.visible]
    assert sorted(seen) == sorted(expected)
    assert all(one.sentence for one in page.changes)


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/site?site=courier.test", "/pages?site=courier.test", f"/page?url={quote(NEWS)}", "/search?q=harbour"),
        *("/changes", "/rules", "/patterns", "/classes", "/classes?class=0", "/simulate", "/health", "/?like=cour"),
        *(
            f"/page?url={quote(ARABIC, safe='')}",
            "/page?url=courier.test&year=2026",
            "/site?site=courier.test&since=2026-01-10",
        ),
    ],
)
def test_pages_open(living_server, path):
    status, headers, body = living_server.get(path, {"Accept": "text/html"}, origin="interface")
    assert status == 200 and headers["content-type"].startswith("text/html")
    assert b"style=" not in body and b"<script>" not in body and b"onclick" not in body


def test_a_class_has_the_number_that_commands_and_programs_give_it(living_server):
    page = living_server.get("/classes", {"Accept": "text/html"}, origin="interface")[2].decode()
    said = json.loads(living_server.get("/api/v1/classes", origin="interface")[2])
    numbers = [one["number"] for one in said["classes"]]
    assert numbers and all(f"Class {number}: " in page for number in numbers)
    assert f"Class {max(numbers) + 1}: " not in page


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *(("/site?site=nowhere.test", 404), ("/page?url=nowhere.test", 404), ("/page?url=ftp://x", 400)),
        *(("/site?site=courier.test&at=nonsense", 400), ("/site?site=courier.test&since=soon", 400)),
        *(("/changes?min=much", 400), ("/changes?cursor=x", 400), ("/classes?class=-1", 400)),
        *(
            ("/parts/simulation?number=99", 404),
            ("/parts/why?url=ftp://x", 400),
            (f"/page?url={quote(NEWS)}&at=1", 400),
        ),
    ],
)
def test_what_cannot_be_answered_is_said(living_server, path, status):
    assert living_server.get(path, {"Accept": "text/html"}, origin="interface")[0] == status


def test_changes_lead_to_their_feeds(living_server):
    page = living_server.get("/changes?site=courier.test&min=0.1", {"Accept": "text/html"}, origin="interface")[
        2
    ].decode()
    for form in ("atom", "rss"):
        path = f"/feeds/{form}?site=courier.test&amp;min_importance=0.1"
        assert path in page
        status, _, body = living_server.get(path.replace("&amp;", "&"), origin="interface")
        assert status == 200 and body.count(b"courier.test/") >= 3
        ElementTree.fromstring(body)


def test_the_api_tells_what_the_pages_show(living_server, desk):
    status, headers, site = _told(living_server, "/site?site=courier.test")
    assert status == 200 and site["card"]["captures"] == 630
    assert site["card"]["first"].startswith("2026-01-05T00:30:00")
    again = living_server.get("/api/v1/site?site=courier.test", {"If-None-Match": headers["etag"]}, origin="interface")
    assert (again[0], again[2]) == (304, b"")
    assert _told(living_server, f"/page?url={quote(NEWS)}")[2]["captures"] == page_view(desk, NEWS).captures
    compared = _told(living_server, f"/compare?url={quote(NEWS)}&from=2026-01-06&to=2026-01-20")[2]
    assert {one["kind"] for one in compared["blocks"]} & {"updated", "inserted"} and compared["counts"]["noise"] >= 1
    assert _told(living_server, "/quality")[2]["sites"]["courier.test"]["captures"] == 630
    history = _told(living_server, "/quality/history?site=courier.test")[2]
    assert len(history["moments"]) == 12 and [one["now"] for one in history["budgets"]].count(True) == 1
    assert len(_told(living_server, "/next?visits=3")[2]) == 3
    assert _told(living_server, f"/why?url={quote(NEWS)}")[2]["known"] is True
    assert len(_told(living_server, f"/page/week?url={quote(NEWS)}")[2]["importance"]) == 7
    assert _told(living_server, "/page/week?url=nowhere.test")[0] == 404
    assert _told(living_server, f"/page/week?url={quote(SITE)}/nothing")[0] == 404


def test_hostile_values_come_out_escaped(living_server):
    for path in (
        f"/page?url={quote(NASTY, safe='')}",
        "/changes?site=nasty.test",
        "/search?q=script",
        "/search?q=%22%3E%3Cb%3E",
    ):
        text = living_server.get(path, {"Accept": "text/html"}, origin="interface")[2].decode()
        assert '"><script>' not in text and "<img src=x" not in text and '"><b>' not in text
    assert b"<script>" not in living_server.get("/feeds/atom?min_importance=0", origin="interface")[2]


def test_small_things():
    assert time_of("2026-01-05", end=True) - time_of("2026-01-05") == pytest.approx(DAY, abs=0.01)
    assert [level(x) for x in (0, 0.004, 0.06, 0.3)] == [1, 1, 3, 5]
    assert treemap([], 10, 10) == [] and treemap([0.0], 10, 10)[0].width == 0
    boxes = treemap([5, 3, 2, 1, 1], 100, 60)
    assert sum(box.width * box.height for box in boxes) == pytest.approx(6000)
    assert max(box.x + box.width for box in boxes) <= 100.001 and max(box.y + box.height for box in boxes) <= 60.001
    assert band([0.0, 0.5], [1.0, 1.0], 10, 10) == "0,0 10,0 10,5 0,10"


@pytest.mark.parametrize(
    "path", ["/web/http://nowhere.test/a?b=1", "/page?url=nowhere.test%2Fa%3Fb=1", "/captures?url=nowhere.test/a?b=1"]
)
def test_what_is_not_there_says_where_to_go_on(living_server, path):
    status, _, body = living_server.get(path, {"Accept": "text/html"}, origin="interface")
    links = re.findall(r'<a class="button[^"]*" href="([^"]*)"', body.decode())
    added = "/start?url=http%3A%2F%2Fnowhere.test%2Fa%3Fb%3D1"
    assert (status, links) == (404, ["/search?q=nowhere.test&amp;by=url", added, "/"])
    _, _, start = living_server.get(added, origin="interface")
    assert 'value="http://nowhere.test/a?b=1"' in start.decode()


def test_every_strategy_and_measure_is_explained(living_server):
    _, _, body = living_server.get("/simulate", origin="interface")
    assert len(re.findall(r'<span class="hint">[a-z].{10,}?</span>', body.decode())) == len(STRATEGIES)
    assert re.search(r'value="round-robin" checked', body.decode())
    titles = re.findall(r'<input type="checkbox" name="strategy"[^>]*> <span>([^<]+)<', body.decode())
    assert len(set(titles)) == len(STRATEGIES) and not set(titles) & set(STRATEGIES), "rivals have words, not names"
    assert "requests a day" in body.decode() and "percent" not in body.decode()


def test_rivals_learn_alike_and_budgets_are_requests_a_day():
    asked = asked_for(["priced-plan", "frequency", "nutch", "round-robin"], "250, 500,1000", "pool")
    assert (asked.budgets, asked.percent) == ((250.0, 500.0, 1000.0), False)
    budgets = "250/day,500/day,1000/day"
    job = Job(1, "simulate", ("--strategies", ",".join(asked.strategies), "--budgets", budgets, "--cold"), 0.0)
    job.result = [
        {"strategy": name, "budget": share, "pool": 0.1 * share}
        for name in asked.strategies
        for share in (2.5, 10.0, 5.0)
    ]
    job.state = "done"
    shown = simulation(job)
    assert (shown.budgets, shown.percent, shown.best) == ([250.0, 500.0, 1000.0], False, "round-robin")
    assert [cell.budget for cell in shown.cells[:3]] == [250.0, 1000.0, 500.0]
    assert [one.learns for one in shown.rivals] == [
        *[say("learns_alike")] * 2,
        say("learns_its_way"),
        say("learns_nothing"),
    ]
    assert (usual_budgets("500/day"), usual_budgets("10/hour")) == ("250, 500, 1000", "120, 240, 480")
    assert usual_budgets("200 MB/day") == "250, 500, 1000", "bytes are no requests"
    text = render("parts/simulation.html", {"run": shown, "may": lambda _: False, "plan": None, "objectives": ()})
    assert "at 250, 500, 1000 requests a day" in text and say("same_learner") in text and "Every page in turn" in text


def test_hours_that_are_not_those_of_the_clock_are_told():
    shown = {"visits": None, "at": 0.0, "quality": dict.fromkeys(("completeness", "low", "high"), 0.004)}
    shown["quality"] |= dict.fromkeys(("coherence", "freshness", "coverage"), 1.0) | {"without_content": 0}
    told = render("parts/quality.html", {**shown, "hour": 0.833})
    assert say("hour_lasts", seconds="0.83") in told and "lasts" not in render(
        "parts/quality.html", {**shown, "hour": 3600.0}
    )
    assert told.count("&lt; 1 %") == 1, "an interval that says nothing more is left out"
    assert say("means_coherence") in told
    for achieved, text in (
        (3, "3 visits made, 0 pages failed; a watch with this budget intends 12"),
        (40, "40 visits made"),
    ):
        told = render(
            "parts/quality.html", {**shown, "visits": {"achieved": achieved, "intended": 12, "failed": 0}, "hour": 3600}
        )
        assert text in told


def test_a_history_of_less_than_a_week_tells_no_chance_of_a_week():
    one = {"path": "a", "by": "dormant", "pages": 3, "changed": 0, "changes_a_week": 0.99}
    rules = {"captures": 9, "versions": 4, "change_recall": None, "chosen": True, "skipped": [one], "rules": []}
    told = [render("parts/rules.html", {"rules": rules | {"first": 0.0, "last": days * DAY}}) for days in (6, 8)]
    assert all("3 pages, changed in 0 of 4 versions" in text for text in told)
    assert ["within a week" in text for text in told] == [False, True]


def test_rules_of_a_site_seen_once_say_that_it_is_too_early():
    rules = {"captures": 9, "change_recall": None, "chosen": False, "skipped": [], "rules": [], "first": 0.0}
    told = [render("parts/rules.html", {"rules": rules | {"versions": n, "last": 9.0}}) for n in (1, 2)]
    assert [say("rules_too_early") in text for text in told] == [True, False]
    assert [say("rules_default") in text for text in told] == [False, True]
