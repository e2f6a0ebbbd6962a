"""Every page in a real browser: what people click, read and type, without console errors or accessibility faults."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from strandline.app.opening import place_of
from strandline.archive.folder import create
from strandline.demo.server import DemoServer
from strandline.keeping.annotations import AnnotationWish, add_note, remove_annotation, tag
from strandline.keeping.collections import add_collection, assign, remove_collection
from strandline.settings.edit import change_settings
from web.archives import served
from web.living import ARABIC, LONG, NASTY, SITE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interface")]

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
NEWS = f"{SITE}/news/1.html"
LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
"""Rules of axe that depend on width and colours; the others see the same page at any."""
OTHER_LOOKS = ((1280, "dark"), (390, "dark"), (390, "light"))
"""After a wide window in light colours: one thing changes at a time."""
PAGES = {
    "overview": "/",
    "site": "/site?site=courier.test",
    "pages": "/pages?site=courier.test",
    "page": f"/page?url={quote(NEWS)}",
    "captures": f"/captures?url={quote(NEWS)}",
    "compare": f"/compare?url={quote(NEWS)}",
    "one page": f"/compare?url={quote(NEWS)}&view=one",
    "search": "/search?q=harbour&order=time",
    "changes": "/changes",
    "rules": "/rules",
    "patterns": "/patterns",
    "classes": "/classes",
    "simulate": "/simulate",
    "health": "/health",
    "takedowns": "/takedowns?target=https://example.org/private/*",
    "storage": "/storage?rule=*:%20older%201h,%20keep%20monthly",
    "replayed": "/replayed",
    "start": "/start",
    "sites": "/sites",
    "site settings": "/sites/settings?site=courier.test",
    "collections": "/collections",
    "collection": "/collection?collection=harbour",
    "notes": "/notes",
    "tag": "/notes?tag=of%20interest",
    "changes of a collection": "/changes?collection=harbour&tag=of%20interest",
    "ratings": "/ratings",
    "people": "/people",
    "journal": "/journal",
    "account": "/account",
    "nasty": f"/page?url={quote(NASTY, safe='')}",
    "long": f"/page?url={quote(LONG, safe='')}",
    "arabic": f"/page?url={quote(ARABIC, safe='')}",
}


class Watched:
    """A page of a browser that remembers every complaint."""

    def __init__(self, browser, server, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.server = server
        self.complaints = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))

    def _heard(self, said):
        # What an archived page complains about is its own business.
        if said.type in ("error", "warning") and not said.location["url"].startswith(self.server.replay):
            self.complaints.append(f"{said.text} {said.location['url']}")

    def open(self, path):
        answer = self.page.goto(self.server.interface + path)
        self.settle()
        return answer

    def look(self, width, colours):
        """From now on a window of this width, in light or dark colours."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(color_scheme=colours)

    def settle(self):
        """Wait for the parts that are worked out apart."""
        self.page.wait_for_selector(".later", state="detached", timeout=900_000)


@pytest.fixture
def new_server(browser, tmp_path):
    """An empty archive, served, and a living site to add to it."""
    archive = create(tmp_path / "archive", operator="Tests")
    change_settings(
        archive.folder, {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0.05"', "study.workers": "0"}
    )
    with DemoServer(hour_seconds=3600.0) as site, served(archive) as server:
        made = Watched(browser, server)
        yield made, site
        made.context.close()
    assert made.complaints == []


@pytest.fixture
def watched(browser, living_server):
    made = Watched(browser, living_server)
    yield made
    made.context.close()
    assert made.complaints == []


@pytest.fixture
def described(living):
    """The living archive with a collection, tags and notes."""
    place = place_of(living)
    add_collection(place, "harbour", {"title": "The harbour", "description": "All about it", "subject": "ships; tides"})
    assign(place, "harbour", ["courier.test", f"{SITE}/news/*", NEWS])
    time = living.captures(NEWS)[-1].time
    written = [tag(living, AnnotationWish(NEWS, "of interest", at, "A. Keeper")) for at in (None, time)]
    written += [add_note(living, AnnotationWish(NEWS, text)) for text in ("Why <b>this</b>\nmatters", "x" * 500)]
    yield living
    for one in written:
        remove_annotation(living, one.key)
    remove_collection(place, "harbour")


@pytest.mark.usefixtures("described")
def test_every_page_fits_and_axe_finds_nothing_serious(browser, living_server):
    made = Watched(browser, living_server, color_scheme="light", bypass_csp=True)
    made.context.add_init_script(AXE)
    for name, path in PAGES.items():
        made.look(1280, "light")
        assert made.open(path).status == 200, name
        assert _faults(made.page) == [], name
        for width, colours in OTHER_LOOKS:
            made.look(width, colours)
            assert _faults(made.page, LOOKS) == [], (name, width, colours)
    made.context.close()
    assert made.complaints == []


def _faults(page, rules=None):
    """Serious accessibility faults, and whether anything sticks out of the page."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    options = {"resultTypes": ["violations"]} | ({"runOnly": {"type": "rule", "values": rules}} if rules else {})
    found = page.evaluate("(options) => axe.run(document, options).then((all) => all.violations)", options)
    serious = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"]][:3])
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    return serious + ([("too wide", wide)] if wide > 0 else [])


def test_people_log_in_and_out_and_the_pages_of_accounts_fit(browser, tmp_path):
    archive = create(tmp_path / "archive", operator="Tests")
    with served(archive) as server:
        made = Watched(browser, server, color_scheme="light", bypass_csp=True)
        made.context.add_init_script(AXE)
        page = made.page
        made.open("/people")
        page.get_by_label("Name").fill("Anna")
        page.get_by_label("Password", exact=True).fill("a password of Anna")
        page.get_by_role("button", name="Add").click()
        page.wait_for_url("**/login?to=*")
        page.get_by_label("Name").fill("Anna")
        page.get_by_label("Password").fill("a password of Anna")
        for width, colours in ((1280, "light"), *OTHER_LOOKS):
            made.look(width, colours)
            assert _faults(page) == [], (width, colours)
        page.get_by_role("button", name="Open the archive").click()
        page.get_by_role("heading", name="People").wait_for()
        for path in ("/people", "/journal", "/account"):
            made.open(path)
            for opened in page.locator("main details").all():
                opened.locator("summary").click()
            for width, colours in ((1280, "light"), *OTHER_LOOKS):
                made.look(width, colours)
                assert _faults(page) == [], (path, width, colours)
        page.get_by_role("button", name="Draw a token").click()
        page.wait_for_url("**/account/tokens")
        assert page.get_by_role("status").count() == 1, page.inner_text("main")
        assert page.get_by_role("status").inner_text().count("strandline_") == 1
        made.open("/account")
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url("**/login")
        made.context.close()
    assert made.complaints == []


def test_from_the_calendar_to_replay_and_on_to_comparison(watched):
    watched.open(PAGES["page"])
    page = watched.page
    assert page.locator(".month td.i3, .month td.i4, .month td.i5").count() > 0
    page.locator(".month a").nth(4).click()
    page.wait_for_url("**/web/2026*/**")
    assert page.frame_locator("#replay").locator("h1").inner_text()
    page.wait_for_selector("#parts.coherent, #parts.alone, #parts.mostly, #parts.patchwork")
    page.get_by_role("link", name="Most coherent").click()
    page.wait_for_url("**/coherent/2026*/**")
    assert page.frame_locator("#replay").locator("h1").inner_text()
    assert page.locator(".bar [aria-current]").inner_text() == "Most coherent"
    page.get_by_role("link", name="Closest").click()
    page.wait_for_url("**/web/2026*/**")
    page.get_by_role("link", name=re.compile("Later")).click()
    page.get_by_role("link", name="Compare").click()
    page.wait_for_url("**/compare?*")
    assert page.locator("section.block").count() >= 3


def test_compared_blocks_are_marked_and_can_be_rated(watched, living):
    watched.open(f"/compare?url={quote(NEWS)}&from=20260106&to=20260120")
    page = watched.page
    assert page.locator("ins").count() and page.locator("del").count()
    assert page.locator(".block.updated, .block.inserted").count() >= 1
    assert page.locator(".block.noisy").first.locator(".about").inner_text()
    page.get_by_role("link", name="Only what changed").click()
    assert page.locator(".block.unchanged").count() == 0
    page.get_by_role("link", name="One page").click()
    assert page.locator(".compared.one ins").count()
    page.locator(".block").get_by_role("button", name="Matters").first.click()
    page.get_by_role("status").filter(has_text="Your rating was kept").wait_for()
    page.wait_for_url(lambda url: "notice" not in url)  # said once
    assert list(living.studies.ratings(NEWS).values()) == ["matters"]
    page.locator(".title").get_by_role("button", name="Noise").click()
    page.get_by_role("status").filter(has_text=re.compile("Your rating of .* blocks was kept")).wait_for()
    assert set(living.studies.ratings(NEWS).values()) == {"noise"} and len(living.studies.ratings(NEWS)) > 1
    assert page.locator(".compared.one").count(), "the page is shown as it was"


def test_search_finds_texts_topics_and_addresses(watched):
    watched.open("/")
    page = watched.page
    page.get_by_role("searchbox").fill("harbour")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**/search?*")
    assert "harbour" in page.locator(".hits .text").first.inner_text().lower()
    page.get_by_label("In", exact=True).select_option("url")
    page.get_by_label("Look for").fill("night-desk")
    page.locator("main").get_by_role("button", name="Search").click()
    assert page.locator("main .rows a").first.inner_text() == f"{SITE}/night-desk/1.html"
    page.get_by_label("In", exact=True).select_option("words")
    page.get_by_label("Look for").fill("harbour")
    page.get_by_label("Shown until").fill("2020-01-01")
    page.locator("main").get_by_role("button", name="Search").click()
    assert page.get_by_role("heading", name="Nothing found").is_visible()


def test_changes_are_filtered_and_compared(watched):
    watched.open("/changes")
    page = watched.page
    everything = page.locator(".feed > li").count()
    page.get_by_label("At least").select_option("0.1")
    page.get_by_role("button", name="Show").click()
    shown = [float(text.split()[-1]) for text in page.locator(".feed-head .score").all_inner_texts()]
    assert 0 < len(shown) <= everything and min(shown) >= 0.1
    page.locator(".feed-head").first.get_by_role("link", name=re.compile("^Compare")).click()
    page.wait_for_url("**/compare?*")
    assert page.locator(".block").count()


def test_the_site_is_walked_down_its_directories(watched):
    watched.open(PAGES["site"])
    page = watched.page
    page.locator(".treemap a").filter(has_text="documents").click()
    page.wait_for_url("**at=*")
    watched.settle()
    assert page.locator(".crumbs [aria-current]").inner_text() == "documents"
    assert page.locator(".treemap a").count() == 2
    assert page.locator(".treemap .skipped").count() == 2, "rules leave both out"
    page.locator("summary").first.click()
    assert page.get_by_role("row").filter(has_text="policies").filter(has_text="skipped by a rule").is_visible()


def test_a_simulation_is_run_drawn_and_adopted(watched, living):
    watched.open("/simulate")
    page = watched.page
    page.locator("summary", has_text="other strategies").click()
    for box in page.get_by_role("checkbox").all():
        box.set_checked(box.get_attribute("value") in ("frequency", "relevance"))
    page.get_by_label(re.compile("^Budgets")).fill("100, 400")
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector(".run canvas", timeout=600_000)
    assert page.locator(".run .scroll tbody tr").count() == 4
    assert page.locator(".u-legend .u-series").count() >= 3
    page.get_by_label("From now on choose pages by").select_option("frequency")
    page.get_by_role("button", name="Adopt").click()
    assert "frequency from now on" in page.get_by_role("status").first.inner_text()
    assert 'strategy = "frequency"' in (living.folder / "strandline.toml").read_text()
    assert 'objective = "middle"' in (living.folder / "strandline.toml").read_text(), "what was not chosen stays"
    change_settings(living.folder, {"plan.strategy": '"priced-plan"'})


def test_hostile_values_are_inert(watched):
    for path in (
        PAGES["nasty"],
        "/site?site=nasty.test",
        "/search?q=script",
        "/changes?site=nasty.test",
        f"/compare?url={quote(NASTY, safe='')}",
    ):
        watched.open(path)
        assert watched.page.title() != "reached"
        assert watched.page.locator("main script, main [onerror], main [onload]").count() == 0
    assert "<script>" in watched.page.locator("main").inner_text()


def test_with_the_keyboard_alone(watched):
    watched.open(PAGES["page"])
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.month a')"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/web/2026*/**")
    page.wait_for_selector("#parts.coherent, #parts.alone, #parts.mostly, #parts.patchwork")


def test_everything_can_be_read_without_script(browser, living_server):
    made = Watched(browser, living_server, java_script_enabled=False)
    for name in ("overview", "site", "compare", "search"):
        assert made.page.goto(living_server.interface + PAGES[name]).status == 200
        assert made.page.locator("main").inner_text()
    made.page.goto(living_server.interface + PAGES["page"])
    made.page.get_by_role("link", name="Work it out").last.click()
    assert made.page.locator(".reasons dt").count() >= 5
    made.context.close()


def test_a_site_is_added_and_its_first_captures_are_seen_live(new_server):
    made, site = new_server
    page = made.page
    made.open("/")
    assert page.get_by_role("heading", name="Nothing is archived yet").is_visible()
    page.get_by_label("Budget").fill("3600/hour")
    page.get_by_role("button", name="Set").click()
    assert "3600/hour" in page.get_by_role("status").first.inner_text()
    page.get_by_label("Address to start from").fill(site.url)
    page.get_by_role("button", name="Add and crawl once").click()
    page.wait_for_selector("#latest li")
    assert site.url in page.locator("#latest a").first.inner_text() + "/"
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector(".job.paused, .job.done")
    if page.locator(".job.paused").count():
        assert page.locator(".card h3").first.inner_text() in site.url
        page.get_by_role("button", name="Stop").click()
        page.wait_for_selector(".job.stopped")
    made.settle()
    page.locator(".card a").first.click()
    made.settle()
    assert page.locator(".treemap a").count() >= 1


def test_a_site_is_watched_paused_resumed_and_stopped(new_server):
    made, site = new_server
    page = made.page
    made.open("/")
    page.get_by_label("Budget").fill("3600/hour")  # visits go on after the first of every page
    page.get_by_role("button", name="Set").click()
    page.get_by_label("Address to start from").fill(site.url)
    page.get_by_role("button", name="Add and watch").click()
    page.wait_for_selector(".job.running >> text=Watch")
    page.wait_for_selector("#latest li")
    page.wait_for_selector(".card")
    counted = page.locator("[data-count=captures]")
    before = int(counted.inner_text())
    page.wait_for_function(
        "(before) => +document.querySelector('[data-count=captures]').textContent > before", arg=before
    )
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector(".job.paused")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector(".job.running")
    assert page.get_by_role("button", name="Add and watch").count() == 0, "one job writes at a time"
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(".job.stopped")
    assert page.get_by_role("button", name="Add and watch").is_visible()
