"""A browser driven by hand: pages given as text, requests answered from a dictionary."""

import time

from strandline.browser.chromium import means
from strandline.browser.load_bounds import Bounds
from strandline.browser.pages import ChromiumPages
from strandline.core.shown import PageAnswer, PageLoad

HTML = (("Content-Type", "text/html; charset=utf-8"),)
QUICK = Bounds(seconds=20.0, settling=3.0, idle=0.3, hang=5.0)


def shown(html, answers=None, pages=None, url="https://a.example/page", **options):
    """What becomes of a page, and what it asked for. Answers are text, bytes, (type, body) or None."""
    browser = pages or ChromiumPages(means(), options.pop("bounds", QUICK), **options)
    asked = []
    try:
        browser.show(PageLoad(1, url, 200, HTML, html.encode()))
        until = time.monotonic() + 120
        while True:
            browser.wait(0.2)
            for request in browser.asked():
                asked.append(request)
                given = (answers or {}).get(request.url.removeprefix("https://a.example"))
                browser.answer(request, _answer(given))
            ended = browser.ended()
            if ended:
                return ended[0], asked
            assert time.monotonic() < until, "the load does not end"
    finally:
        if pages is None:
            browser.close()


def _answer(given):
    if given is None:
        return None
    kind, body = given if isinstance(given, tuple) else ("text/plain", given)
    return PageAnswer(200, (("Content-Type", kind),), body if isinstance(body, bytes) else body.encode())
