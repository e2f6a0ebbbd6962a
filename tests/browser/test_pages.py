"""Browsers that show one page each: one that is lost costs its page, and the next page gets another."""

import os
import signal
import time
from contextlib import suppress
from dataclasses import replace

from browser.shown import HTML, QUICK, shown
from strandline.browser.chromium import means, processes_of
from strandline.browser.pages import ChromiumPages
from strandline.core.shown import SETTLED, TEXT, PageLoad


def test_a_browser_that_is_killed_costs_one_page():
    pages = ChromiumPages(means(), QUICK)
    try:
        pages.show(PageLoad(7, "https://a.example/", 200, HTML, b"<script>fetch('/never')</script>"))
        until = time.monotonic() + 60
        while not pages.asked() and time.monotonic() < until:
            pages.wait(0.1)
        for pid in processes_of(pages.processes[0]):
            with suppress(ProcessLookupError):  # the death of another has ended it
                os.kill(pid, signal.SIGKILL)
        while not (ended := pages.ended()) and time.monotonic() < until:
            pages.wait(0.1)
        assert [(one.load, one.failed) for one in ended] == [(7, True)]
        found, _ = shown("<p>next page</p>", pages=pages)
        assert found.ended == SETTLED
        assert found.view(TEXT) == b"next page"
    finally:
        pages.close()
    assert pages.processes == []


def test_two_browsers_show_two_pages_and_loads_can_be_cut():
    pages = ChromiumPages(means(), replace(QUICK, seconds=900.0, settling=600.0), browsers=2)
    try:
        html = b"<p>open</p><script>fetch('/never')</script>"
        for number in (1, 2):
            pages.show(PageLoad(number, f"https://a.example/{number}", 200, HTML, html))
        assert pages.free == 0
        asked, until = [], time.monotonic() + 400
        while len({one.load for one in asked}) < 2 and time.monotonic() < until:
            pages.wait(0.1)
            asked += pages.asked()
        pages.cut()
        ended = []
        while len(ended) < 2 and time.monotonic() < until:
            pages.wait(0.1)
            ended += pages.ended()
        assert {(one.load, one.ended) for one in ended} == {(1, "cut"), (2, "cut")}
        assert all(one.view(TEXT) == b"open" for one in ended)
        pages.answer(asked[0], None)  # too late: nobody hears it
        assert pages.free == 2
    finally:
        pages.close()
