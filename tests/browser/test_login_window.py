"""Logging in in a window, here one without a screen; and pages behind a login in a browser."""

import contextlib
import threading

import strandline
from browser.scoring import documents, settings_for
from cli.test_login import cookies_file, no_secret_stands_in
from servers.login_site import RENEWED, SESSION, members_only
from strandline.browser.chromium import ChromiumLost
from strandline.browser.login_window import can_show, cookies_after_login
from strandline.core.logins import cookie_of

HEADLESS = ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage")


def test_the_cookies_at_the_end_are_told(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not can_show()

    with members_only() as (base, members):

        def close_later(pipe):
            def close():
                until = threading.Event()
                while not members.sent("/enter"):
                    until.wait(0.05)
                until.wait(2.0)
                with contextlib.suppress(ChromiumLost):  # it ends with its last window
                    for target in pipe.call("Target.getTargets")["targetInfos"]:
                        pipe.tell("Target.closeTarget", targetId=target["targetId"])

            threading.Thread(target=close, daemon=True).start()

        found = cookies_after_login(f"{base}/enter", HEADLESS, close_later)
    cookie = cookie_of(found[0])
    assert cookie.value in (SESSION, RENEWED)
    assert (cookie.name, cookie.host, cookie.below, cookie.http_only) == ("session", "127.0.0.1", False, True)


def test_a_page_in_a_browser_is_logged_in_and_no_secret_is_kept(tmp_path):
    with members_only() as (base, members), members_only(host="127.0.0.2") as (other, strangers):
        members.other = other
        archive = strandline.create(tmp_path / "a")
        archive.login_cookies(base, cookies_file(tmp_path))
        tally = archive.crawl(settings_for(archive, "always"), strandline.CrawlRequest((f"{base}/",)))
        assert tally.browsed >= 3
        shown = documents(archive.folder, archive.reading.all_captures())
        assert "Fetched: Members read line 0" in shown[f"{base}/one"]
        # The page's own requests carry what the answer made of the session.
        assert set(members.sent("/news.json")) == {(f"session={RENEWED}", "")}
        assert strangers.asked and all(not cookie for _, cookie, _ in strangers.asked)
    no_secret_stands_in(archive.folder)
    assert not archive.verify().problems
