"""A newcomer adds a first site in a real browser, at both widths and in both colours, with and without script."""

import pytest

from servers.small_site import small_site
from strandline.archive.folder import create
from strandline.settings.edit import change_settings
from web.archives import served
from web.test_pages_in_browser import AXE, Watched, _faults

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("interface")]

PAGE = (
    '<html lang="en"><title>The harbour</title><main><h1>The harbour</h1>'
    "<p>Seven boats left the harbour before the storm came in, and {missing} of them are missing.</p>"
    '<a href="/news/">News</a></main>'
)


@pytest.fixture
def server(tmp_path):
    made = create(tmp_path / "archive", operator="Tests")
    loopback = {"fetch.allow_address": '["127.0.0.1/32"]', "politeness.delay": '"0.05"', "study.workers": "0"}
    change_settings(made.folder, loopback)
    with served(made) as running:
        yield running


@pytest.fixture
def site():
    with small_site() as made:
        made.answers["/"] = PAGE.format(missing="two")
        yield made


def _looked_at(page, name):
    for width, colours in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=colours)
        assert _faults(page) == [], (name, width, colours)
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_first_site_step_by_step(browser, server, site):
    made = Watched(browser, server, color_scheme="light", bypass_csp=True)
    made.context.add_init_script(AXE)
    made.context.set_default_timeout(600_000)
    page = made.page
    made.open("/sites")
    page.get_by_role("link", name="Add the first site").click()
    page.wait_for_url("**/start")
    _looked_at(page, "address")
    page.get_by_label("Address of a page or site").fill(site.url)
    page.get_by_role("button", name="Look at it").click()
    page.wait_for_url("**/start/found?*")
    assert page.get_by_role("heading", name="The harbour").is_visible()
    _looked_at(page, "found")
    site.answers["/"] = PAGE.format(missing="three")
    page.get_by_label("Only this page").check()
    page.get_by_label("Pages an hour").fill("600")
    page.get_by_role("button", name="Watch it").click()
    page.wait_for_url("**/start/watch?*")
    page.wait_for_selector("text=Nothing was started from here", state="detached")
    page.locator(".compared ins").filter(has_text="three").wait_for()
    _looked_at(page, "watch")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(".job.stopped")
    made.context.close()
    assert made.complaints == []


def test_without_script(browser, server, site):
    made = Watched(browser, server, java_script_enabled=False)
    made.context.set_default_timeout(600_000)
    page = made.page
    page.goto(f"{server.interface}/start")
    page.get_by_label("Address of a page or site").fill(site.url)
    page.get_by_role("button", name="Look at it").click()
    page.get_by_role("button", name="Watch it").click()
    assert page.get_by_role("heading", name="Watching 127.0.0.1").is_visible()
    page.get_by_role("link", name="Work it out").click()
    while page.get_by_text("Waiting for the first capture").count():
        page.reload()
    assert page.get_by_text("Nothing differs").is_visible()
    made.context.close()
